package general

import "github.com/sluicefc/sluice/internal/lab/run"

var notes = map[string][]run.Note{
	"reference": {
		{Text: "What is left is the hash by which switches choose among paths: it is not theirs, so " +
			"that different flows share links. On the paths that flows and acknowledgements took there " +
			"all means agree within two per mille: `go test ./internal/lab/papers/general -run " +
			"OnTheirPaths`."},
		{Text: "What BFC does here depends on the choices of its form more than on anything else, so " +
			"say which with every figure: `reference-bfc` has four."},
		{Text: "With acknowledgements in a class of their own, which is under no BFC and no Pyrrha, " +
			"the background takes less under PFC and `bfc-pyrrha`. The forms `bfc`, `bfc-128` and " +
			"`bfc-ideal` have them so in any case.",
			Set: "ack.class=7", Protocols: []string{"pfc", "bfc-pyrrha", "pyrrha", "pyrrha-single"}},
		{Text: "OFC with its paper's X_OFF of 75 KB, which is for links of 20 ns, has background flows " +
			"wait for as long as PFC does with the same constant threshold, below.",
			Set: "ofc.xoff=75KB", Protocols: []string{"ofc"}},
		{Text: "PFC with the thresholds of OFC's paper:",
			Set: "pfc.xoff=75KB,pfc.resume=30KB", Protocols: []string{"pfc"}},
	},
	Convergence: {
		{Text: "All controls beside one another: `go run ./bench convergence`. Published constants " +
			"are made for rates and spans of their own, and some do not share a link of 100 Gb/s " +
			"fairly within 10 ms. What does, one change at a time, stands below."},
		{Text: "TIMELY with a T_low of 20 us for 50, at which queues grow to many round-trip times " +
			"before it reacts.", Set: "cc=timely,senders=16,timely.tlow=20us"},
		{Text: "TIMELY of PCN's authors, later.", Set: "cc=timely-pcn,senders=16",
			WarmUp: 250_000_000_000, Until: 300_000_000_000},
		{Text: "HPCC with ten times its additive increase.", Set: "cc=hpcc,senders=16,hpcc.ai=400Mbps"},
		{Text: "PCN, later.", Set: "cc=pcn,senders=16", WarmUp: 50_000_000_000, Until: 100_000_000_000},
		{Text: "QCN is slow: a switch answers one packet in 150 kB, and a sender adds 5 Mb/s to its " +
			"target each 75 kB. At 10 Gb/s, for which its constants are made, and later:",
			Set:    "cc=qcn,senders=4,host.rate=10Gbps",
			WarmUp: 1_000_000_000_000, Until: 3_000_000_000_000},
	},
}
