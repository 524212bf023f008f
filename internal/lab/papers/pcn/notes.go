package pcn

import "github.com/sluicefc/sluice/internal/lab/run"

// What several scenarios leave open.
const (
	openQCN      = "constants of QCN"
	openAlpha    = "DCQCN's first alpha"
	openPacing   = "from where cards pace"
	openDuration = "duration"
	openIncast   = "in-cast ratio"
	openRefresh  = "how often a pause is repeated"
)

// lowXOn is of what the paper does not give beside X_off.
var lowXOn = run.Note{Text: "X_on is not published: two frames below X_off here. With half of X_off:",
	Open: "X_on", Set: "pfc.resume=256KB"}

var notes = map[string][]run.Note{
	"pcn/fig2": {
		{Text: "With the constants of the standard QCN does not recover by the end.", Open: openQCN,
			Set: "cc=qcn," + standardQCN},
		{Text: "Under PCN F1 has less than the ideal's 2.5 Gb/s. With T of 100 us it has more, and F0 " +
			"less.", Set: "cc=pcn,pcn.t=100us"},
		{Text: "TIMELY's tree lasts as long as the bursts. It is not how often it samples.",
			Set: "cc=timely-pcn,timely-pcn.every=16"},
		{Text: "With a T_high of 100 us for the paper's 500 us S0 is never paused. The difference is " +
			"unexplained.", Set: "cc=timely-pcn,timely-pcn.thigh=100us"},
		{Text: "DCQCN's figures are of an alpha that begins at 1, flows that run for 20 ms before " +
			"the bursts, and receivers that look once in 50 us. With alpha from 1/2 S0 is paused for " +
			"longer.", Open: openAlpha, Set: "cc=dcqcn,dcqcn.alpha0=1/2"},
		{Text: "With bursts after 10 ms it is never paused.", Open: "time before the bursts",
			Set: "cc=dcqcn,f.bursts=10ms"},
		{Text: "With receivers that answer at once the flows recover earlier.",
			Open: "when DCQCN's receivers answer", Set: "cc=dcqcn,dcqcn.np=at-once"},
		lowXOn,
	},
	"pcn/fig5": {lowXOn},
	"pcn/fig11": {
		{Text: "The simulator of PCN's authors, run by others on this dumbbell of 500 us, has a low " +
			"queue as early as ours, not as published: testdata/pcn-ns3 of the package, which `go test " +
			"./internal/lab/papers/pcn -run AgainstPCNsSimulator` compares."},
		{Text: "With the standard's constants QCN's sum of rates comes later.", Open: openQCN,
			Set: "cc=qcn," + standardQCN},
		{Text: "With the constants of the authors' code DCQCN's sum never settles; the queue drains as " +
			"early, too.", Open: "constants of DCQCN",
			Set: "cc=dcqcn,dcqcn.alpha0=1/2,dcqcn.ai=40Mbps,dcqcn.hai=200Mbps," +
				"ecn.kmin=412KB,ecn.kmax=10300KB,ecn.pmax=1"},
		lowXOn,
	},
	"pcn/fig12": {
		{Text: "Sizes are of a published table of Hadoop, and the traffic is of 100 ms. They are so " +
			"heavy-tailed that the number of PAUSEs differs by orders of magnitude between seeds."},
		{Text: "With four times the traffic:", Open: openDuration, Set: "duration=400ms"},
		{Text: "Where cards pace from the wire:", Open: openPacing, Set: "cc.pace=wire"},
		{Text: "Beside DCQCN from an alpha of 1/2:", Open: openAlpha, Set: "dcqcn.alpha0=1/2"},
		{Text: "Where no pause is repeated before a third of 840 us:", Open: openRefresh,
			Set: "pfc.quanta=65535"},
		lowXOn,
	},
	"pcn/fig13": {
		{Text: "What w_max takes of the PAUSEs is less than they differ between seeds. At a higher " +
			"load fewer come with a lower w_max, on average, as published:", Set: "load=4/5"},
		{Text: "With four times the traffic:", Open: openDuration, Set: "duration=400ms"},
		lowXOn,
	},
	"pcn/fig14-w1": {
		{Text: "W1 is a table of our own with the shares of Table 1."},
		{Text: "With the first 2,000 flows alone PCN has by far the fewest PAUSEs. With all " +
			"50,000 that is gone; why is not explained.", Set: "f.count=2000"},
		{Text: "Where flows begin one by one, and 1 to 15 come together at a host by chance:",
			Open: openIncast, Set: "f.incast=1"},
		{Text: "Where cards pace from the card:", Open: openPacing, Set: "cc.pace=card"},
		{Text: "Beside DCQCN from an alpha of 1:", Open: openAlpha, Set: "dcqcn.alpha0=1"},
		{Text: "Where no pause is repeated before a third of 0.8 ms, or of 3.4 ms at hosts:", Open: openRefresh,
			Set: "pfc.quanta=65535"},
	},
	"pcn/fig14-w2": {
		{Text: "W2 is a table of our own with the shares of Table 1."},
		{Text: "With the first 2,000 flows alone:", Set: "f.count=2000"},
		{Text: "Where flows begin one by one, and 1 to 15 come together at a host by chance:",
			Open: openIncast, Set: "f.incast=1"},
	},
	"pcn/fig17": {
		{Text: "At 500 us few flows have the link where 256 share it. It is T, in which each has " +
			"two packets: with T of 50 us they are fair.",
			Open: "T", Set: "f.count=256,pcn.wmin=1/2560,pcn.t=50us"},
		{Text: "With T of 50 or 500 us, and w_min of 1/128 or 0.1/N, PCN is not fair with some number " +
			"of flows. Nor did the authors' receiver help with 64 and 256 flows, whose timer runs on " +
			"while no packet comes, and which smooths the time between packets for a period that has a " +
			"single one. No parameter chooses it here, so that no run of it is kept."},
		{Text: "With T of 1 ms they are fairer.", Open: "T",
			Set: "f.count=256,pcn.wmin=1/2560,pcn.t=1ms"},
		{Text: "Where one marked packet of a window is enough, they are fair, and the link is not full.",
			Set: "f.count=256,pcn.wmin=1/2560,pcn.share=1/1000"},
	},
	"pcn/fig18": {
		{Text: "The size of the bursts is not published. With 16 flows per host, each 5 ms, as in " +
			"Figure 1, S0 to S1 is next to nothing under TIMELY.", Open: "size of the bursts",
			Set: "cc=timely-pcn,f.burst=16,f.interval=5ms"},
		{Text: "With the constants of the standard QCN hardly uses the first link.", Open: openQCN,
			Set: "cc=qcn," + standardQCN},
		lowXOn,
	},
	"pcn/fig19": {
		{Text: "With the constants of the standard QCN hardly uses the links.", Open: openQCN,
			Set: "cc=qcn,f.count=4," + standardQCN},
	},
	"pcn/fig20": {
		{Text: "W1 is a table of our own with the shares of Table 1."},
		{Text: "With the first 2,000 flows alone:", Set: "f.count=2000"},
		{Text: "Where no pause is repeated before a third of 0.8 ms, or of 3.4 ms at hosts:", Open: openRefresh,
			Set: "f.count=2000,pfc.quanta=65535"},
		{Text: "Where flows begin one by one, and 1 to 15 come together at a host by chance:",
			Open: openIncast, Set: "f.incast=1"},
	},
	"pcn/fig21": {
		{Text: "Published runs last 500 ms, ours 50."},
		{Text: "Where flows begin one by one:", Open: openIncast, Set: "f.incast=1"},
		lowXOn,
	},
	"pcn/fluid": {
		{Text: "Queues drain before equation 8 has it, as senders keep the lowest rate of their " +
			"notices, by the min{} of Algorithm 1, which equation 6 does not have. They are longer " +
			"then than by equation 1, but with 64 flows at the short round trip, as a T in which the " +
			"queue empties half-way does not have 95 % of its packets marked."},
		{Text: "If one marked packet sufficed, they would be shorter than equation 1 has it.",
			Set: "pcn.share=1/1000"},
	},
}
