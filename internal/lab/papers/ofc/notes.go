package ofc

import "github.com/sluicefc/sluice/internal/lab/run"

var notes = map[string][]run.Note{
	"ofc/fig2": {
		{Text: "Sizes and loads are not published. Those here are fixed by PFC's row and a queue for " +
			"every flow, so that OFC's row is a prediction."},
		{Text: "OFC that names no flow, X^c_OFF = X_OFF.",
			Set: "ofc.alpha=1", Protocols: []string{"ofc"}},
		{Text: "OFC that does not tell original from local congestion.",
			Set: "ofc.distinguish=off", Protocols: []string{"ofc"}},
	},
	"ofc/fig4": {
		{Text: "What is left of the reduction over all ports is due to the incast's own port, at " +
			"which as much waits under either; the queue of the port that uncongested flows wait at " +
			"stands apart. The published range is of ratios from 4:1 to 10:1."},
		{Text: "Of 4:1.", Set: "ofc.ratio=4"},
		{Text: "Of 6:1.", Set: "ofc.ratio=6"},
		{Text: "Of 8:1.", Set: "ofc.ratio=8"},
	},
	"ofc/fig6-edu1": {
		{Text: "EDU1 is a table of our own, and the load is not published. The reduction of queues " +
			"hangs on it: at a higher load OFC lets flows through that then wait in the aggregation " +
			"and the core rather than at hosts.", Set: "load=1/10"},
		{Text: "At a load between.", Set: "load=1/5"},
	},
	"ofc/fig6-edu2": {
		{Text: "EDU2 is a table of our own, and the load is not published."},
	},
	"ofc/fig8": {
		{Text: "The load hangs over this figure as over Figure 6, whose traffic it has. At a load " +
			"between, OFC's queue is shorter than PFC's for every beta.", Set: "load=1/5"},
		{Text: "At a lower one beta changes the queue less, under OFC as under PFC.",
			Set: "load=1/10"},
	},
	"ofc/fig9": {
		{Text: "The paper counts deadlocks in many runs: `go run ./bench sweep -sweep " +
			"ofc.m=240,400,640 -repeat 1000 ofc/fig9` does, with Wilson's intervals. GFC proper cannot " +
			"deadlock, as its authors prove, but stands nearly still in the runs in which `gfc-zero` " +
			"deadlocks."},
	},
}
