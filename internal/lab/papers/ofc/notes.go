package ofc

import "github.com/sluicefc/sluice/internal/lab/run"

var notes = map[string][]run.Note{
	"ofc/fig2": {
		{Text: "OFC that names no flow, X^c_OFF = X_OFF.",
			Set: "ofc.alpha=1", Protocols: []string{"ofc"}},
		{Text: "OFC whose packets move to another queue at line rate, as on the testbed.",
			Set: "ofc.speedup=1", Protocols: []string{"pfc", "ofc"}, Open: "time of moves"},
		{Text: "Sizes are those with which PFC and a queue per flow give the row of PFC in Table I.",
			Open: "sizes"},
		{Text: "OFC that does not tell original from local congestion.",
			Set: "ofc.distinguish=off", Protocols: []string{"ofc"}},
	},
	"ofc/fig4": {
		{Text: "Sizes, rounds and starts are not published. All flows are of a class for which G-PFC " +
			"has its lower threshold."},
		{Text: "OFC whose packets move to another queue at line rate.",
			Set: "ofc.speedup=1", Protocols: []string{"pfc", "ofc"}, Open: "time of moves"},
		{Text: "Bursts of half the size.", Set: "ofc.burst=75KB", Open: "sizes"},
		{Text: "Bursts of twice the size.", Set: "ofc.burst=300KB", Open: "sizes"},
		{Text: "Long flows of half the size.", Set: "ofc.long=500KB", Open: "sizes"},
		{Text: "Long flows of twice the size.", Set: "ofc.long=2MB", Open: "sizes"},
	},
	"ofc/fig6-edu1": {
		{Text: "EDU1 is a table of our own. Load and duration are not published: hosts have neither a " +
			"window nor a congestion control, and at higher loads completion times grow for as long " +
			"as flows come.", Set: "load=1/5", Open: "load"},
		{Text: "At a load at which OFC lets flows through that then wait in the aggregation and the " +
			"core rather than at hosts.", Set: "load=3/10", Open: "load"},
		{Text: "For half as long.", Set: "duration=2ms", Open: "duration"},
	},
	"ofc/fig6-edu2": {
		{Text: "EDU2 is a table of our own, and the load is not published.", Set: "load=1/5",
			Open: "load"},
		{Text: "For half as long.", Set: "duration=2ms", Open: "duration"},
	},
	"ofc/fig8": {
		{Text: "The load hangs over this figure as over Figure 6, whose traffic it has.",
			Set: "load=1/5", Open: "load"},
	},
	"ofc/fig9": {
		{Text: "The paper has 1,000 networks for each M; 20 for each of five seeds are 100. GFC proper " +
			"cannot deadlock, as its authors prove, but stands nearly still in the networks in which " +
			"`gfc-zero` deadlocks."},
		{Text: "Flows, their sizes and when they start are not published. Where half of the flows are " +
			"of another class, so that G-PFC pauses some before others:",
			Set: "ofc.classes=2", Open: "classes"},
	},
}
