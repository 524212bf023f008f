package pcn

import "github.com/sluicefc/sluice/internal/lab/run"

// ofCode are QCN's constants in the code of PCN's authors, in place of the standard's, whose rates
// rise by 5 Mb/s at a time.
const ofCode = "cc=qcn,qcn.setpoint=40800B,qcn.timer=60us,qcn.byte-counter=300MB,qcn.ai=40Mbps," +
	"qcn.hai=200Mbps,qcn.min-rate=100Mbps"

var notes = map[string][]run.Note{
	"pcn/fig2": {
		{Text: "QCN with the constants of the authors' code recovers, though later than published; " +
			"how long S0 is paused they do not explain.", Set: ofCode},
		{Text: "What F0 and F1 should have meanwhile the paper says of an ideal control. Under PCN F1 " +
			"has less. With T of 100 us it has more, and F0 less.", Set: "cc=pcn,pcn.t=100us"},
		{Text: "It is not w_min.", Set: "cc=pcn,pcn.wmin=1/1024"},
		{Text: "TIMELY's tree lasts as long as the bursts. It is not how often it samples.",
			Set: "cc=timely-pcn,timely-pcn.every=16"},
		{Text: "Nor that it sends bursts.", Set: "cc=timely-pcn,timely-pcn.burst=1030B"},
		{Text: "Nor from where it paces.", Set: "cc=timely-pcn,cc.pace=wire"},
		{Text: "With a T_high of 100 us for the paper's 500 us S0 is never paused. The difference is " +
			"unexplained.", Set: "cc=timely-pcn,timely-pcn.thigh=100us"},
		{Text: "DCQCN's figures are of an alpha that begins at 1, flows that run for 20 ms before " +
			"the bursts, and receivers that look once in 50 us. With alpha from 1/2 S0 is paused for " +
			"longer.",
			Set: "cc=dcqcn,dcqcn.alpha0=1/2"},
		{Text: "With bursts after 10 ms it is never paused.", Set: "cc=dcqcn,f.bursts=10ms"},
		{Text: "With receivers that answer at once the flows recover earlier.",
			Set: "cc=dcqcn,dcqcn.np=at-once"},
	},
	"pcn/fig11": {
		{Text: "The simulator of PCN's authors, run by others on this dumbbell of 500 us, has a low " +
			"queue as early as ours, not as published: testdata/pcn-ns3 of the package, which `go test " +
			"./internal/lab/papers/pcn -run AgainstPCNsSimulator` compares."},
		{Text: "With the constants of the authors' code QCN's sum of rates comes earlier, and its " +
			"queue drains as early as before.", Set: ofCode},
		{Text: "With those of the authors' code DCQCN's sum never settles; the queue drains as " +
			"early, too.",
			Set: "cc=dcqcn,dcqcn.alpha0=1/2,dcqcn.ai=40Mbps,dcqcn.hai=200Mbps," +
				"ecn.kmin=412KB,ecn.kmax=10300KB,ecn.pmax=1"},
		{Text: "With these thresholds alone DCQCN's sum settles as early as before.",
			Set: "cc=dcqcn,ecn.kmin=412KB,ecn.kmax=10300KB,ecn.pmax=1"},
	},
	"pcn/fig12": {
		{Text: "W1 is a table of our own with the shares of Table 1, and the traffic is of 100 ms. " +
			"Sizes are so heavy-tailed that the number of pauses differs by orders of magnitude " +
			"between seeds."},
		{Text: "Where cards pace from the wire:", Set: "cc.pace=wire"},
		{Text: "Beside DCQCN from an alpha of 1/2 PCN has fewer pauses, on average:",
			Set: "dcqcn.alpha0=1/2"},
		{Text: "Both:", Set: "cc.pace=wire,dcqcn.alpha0=1/2"},
	},
	"pcn/fig13": {
		{Text: "What w_max takes of the pauses is less than they differ between seeds. At a higher " +
			"load fewer come with a lower w_max, on average, as published:", Set: "load=4/5"},
		{Text: "It is not how long the traffic is.", Set: "duration=400ms"},
		{Text: "Nor from where cards pace.", Set: "cc.pace=wire"},
	},
	"pcn/fig14-w1": {
		{Text: "Of 2,000 flows a queue per flow gains next to nothing over TIMELY in the mean, so " +
			"that no control could gain what is published. Of the paper's 50,000 it gains more than " +
			"that, and PCN is ahead of TIMELY and, at p99, of QCN, as published; of DCQCN in four " +
			"seeds of five. It pauses less than TIMELY on average, and about as often as DCQCN; " +
			"seeds differ by several times.", Set: "f.count=50000"},
		{Text: "Who pauses more hangs on DCQCN and on pacing. From the card:", Set: "cc.pace=card"},
		{Text: "Beside DCQCN from an alpha of 1:", Set: "dcqcn.alpha0=1"},
		{Text: "With marking in proportion to the rate:", Set: "ecn.kmin=12875B,ecn.kmax=515000B"},
		{Text: "Where 1 to 15 flows begin together:", Set: "f.incast=15"},
	},
	"pcn/fig14-w2": {
		{Text: "Of the paper's 50,000 flows PCN is ahead of all others, as published, and of " +
			"TIMELY by nearly what a queue per flow gains. It hardly ever pauses, as published.",
			Set: "f.count=50000"},
	},
	"pcn/fig17": {
		{Text: "At 500 us few flows have the link where 256 share it. It is T, in which each has " +
			"two packets: with T of 50 us they are fair.",
			Set: "f.count=256,pcn.wmin=1/2560,pcn.t=50us"},
		{Text: "With T of 1 ms they are fairer.", Set: "f.count=256,pcn.wmin=1/2560,pcn.t=1ms"},
		{Text: "It is not from where cards pace.", Set: "f.count=256,pcn.wmin=1/2560,cc.pace=wire"},
	},
	"pcn/fig18": {
		{Text: "The size of the bursts is not published. With 16 flows per host, each 5 ms, as in " +
			"Figure 1, S1 to R1 is about as published for QCN and DCQCN. But they cannot be the bursts " +
			"of which S0 to S1 is published: it is next to nothing under TIMELY and QCN then.",
			Set: "f.burst=16,f.interval=5ms"},
		{Text: "QCN with the constants of the authors' code explains the first link.", Set: ofCode},
	},
	"pcn/fig19": {
		{Text: "QCN with the constants of the authors' code uses the links.", Set: ofCode},
	},
	"pcn/fig20": {
		{Text: "W1 and W2 are tables of our own with the shares of Table 1, and the run is " +
			"shortened: f.count sets the paper's length. Of 10,000 flows XL flows have pauses under PCN " +
			"about as published, and several times as many under DCQCN and TIMELY.",
			Set: "f.count=10000"},
		{Text: "Where 1 to 15 flows begin together PCN is ahead of TIMELY as published, and pauses " +
			"are many.", Set: "f.incast=15"},
		{Text: "From where cards pace changes little.", Set: "cc.pace=card"},
	},
	"pcn/fig21": {
		{Text: "The in-cast ratio decides. Where 1 to 15 flows begin together, deadlocks come in the " +
			"published order.", Set: "f.incast=15"},
		{Text: "Where flows begin one by one, for the paper's 500 ms, none came under PCN, and under " +
			"DCQCN and TIMELY more than published.", Set: "duration=500ms", Until: 510_000_000_000},
	},
	"pcn/fluid": {
		{Text: "Queues drain before equation 8 has it, as senders keep the lowest rate that they " +
			"were told, by the min{} of Algorithm 1, which equation 6 does not have. They are longer " +
			"then than by equation 1, but with 64 flows at the short round trip, as a T in which the " +
			"queue empties half-way does not have 95 % of its packets marked."},
		{Text: "If one marked packet sufficed, they would be shorter than equation 1 has it.",
			Set: "pcn.share=1/1000"},
	},
}
