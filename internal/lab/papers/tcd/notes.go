package tcd

import "github.com/sluicefc/sluice/internal/lab/run"

// Degrees of congestion to detect, for the twentieth of the default: our copy of the paper has no
// word of it.
var (
	coarse = run.Note{Text: "Where congestion of a fifth is to be detected.", Open: "epsilon",
		Set: "tcd.epsilon=1/5"}
	fine = run.Note{Text: "Where congestion of a hundredth is.", Open: "epsilon",
		Set: "tcd.epsilon=1/100"}
)

var notes = map[string][]run.Note{
	"tcd/fig3": {
		{Text: "What TCD says of InfiniBand depends on T_c, which is not in our copy. With a longer " +
			"one F0, F1 and F2 get no CE at P2 while the queues of its upstreams empty into it.",
			Open: "T_c", Set: "cbfc.period=13107200ps", Protocols: []string{"cbfc"}},
	},
	"tcd/fig4": {
		{Text: "With a higher X_off P2 is on and off for about as long as the paper has in CEE.",
			Set: "pfc.xoff=512KB", Protocols: []string{"pfc"}},
		{Text: "The published time of InfiniBand is with the paper's own settings, which are not in " +
			"our copy. It hangs on the table of delays, which the paper has from elsewhere: with steps " +
			"of a packet:", Open: "table of delays",
			Set: "cc=ibcc,detect=fecn,ibcc.step=1", Protocols: []string{"cbfc"}},
		{Text: "With another T_c:", Open: "T_c", Set: "cbfc.period=13107200ps",
			Protocols: []string{"cbfc"}},
		{Text: "With the slack of the authors' code P2 never comes to the state 1: its queue is " +
			"pinned to the byte."},
	},
	"tcd/alike": {
		{Text: "With a higher X_off, at which P2 is on and off for about as long as the paper has in " +
			"CEE.", Set: "pfc.xoff=512KB", Protocols: []string{"pfc"}},
		{Text: "With another T_c:", Open: "T_c", Set: "cbfc.period=13107200ps",
			Protocols: []string{"cbfc"}},
	},
	"tcd/isolated":   {coarse, fine},
	"tcd/overlapped": {coarse, fine},
	"tcd/covered":    {coarse, fine},
	"tcd/credit": {
		{Text: "The whole table of links, T_c and buffers, beside a model that knows only the " +
			"definition of the limit, is " +
			"[credit.txt](../../internal/lab/papers/tcd/testdata/golden/credit.txt), which a test " +
			"holds."},
	},
}
