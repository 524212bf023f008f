package tcd

import "github.com/sluicefc/sluice/internal/lab/run"

var notes = map[string][]run.Note{
	"tcd/fig3": {
		{Text: "The published time of InfiniBand is with the paper's own settings, which are not in " +
			"our copy. What TCD says of InfiniBand depends on T_c."},
		{Text: "With a higher X_off P2 is on and off for about as long as the paper has.",
			Set: "pfc.xoff=512KB", Protocols: []string{"pfc"}},
		{Text: "With a longer T_c F0, F1 and F2 get no CE at P2 while the queues of its upstreams " +
			"empty into it.", Set: "cbfc.period=13107200ps", Protocols: []string{"cbfc"}},
		{Text: "Under InfiniBand the time hangs on the table of delays, which the paper has from " +
			"elsewhere: with steps of a packet P2 is never held.",
			Set: "cc=ibcc,detect=fecn,ibcc.step=1", Protocols: []string{"cbfc"}},
	},
	"tcd/fig4": {
		{Text: "With the slack of the authors' code P2 never comes to the state 1: its queue is " +
			"pinned to the byte."},
	},
	"tcd/credit": {
		{Text: "The whole table of links, T_c and buffers, beside a model that knows only the " +
			"definition of the limit, is " +
			"[credit.txt](../../internal/lab/papers/tcd/testdata/golden/credit.txt), which a test " +
			"holds."},
	},
}
