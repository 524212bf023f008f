package pyrrha

import "github.com/sluicefc/sluice/internal/lab/run"

// What several scenarios leave open.
const (
	openDuration = "duration"
	openLoad     = "load"
	openLocality = "destinations of the traffic"
	openBuffer   = "buffer"
	openMarks    = "thresholds of marks"
)

// Notes of several scenarios: of the conference paper's traffic, which this paper does not
// describe, and of the testbed, where one host sends.
var (
	half   = run.Note{Text: "At half the load.", Open: openLoad, Set: "load=2/5"}
	longer = run.Note{Text: "For twice as long.", Open: openDuration, Set: "duration=600us"}
	tenth  = run.Note{Text: "The load of the paper's flows is not given.", Open: openLoad,
		Set: "load=1/10"}
	halfLink = run.Note{Text: "With half of the link.", Open: openLoad, Set: "load=1/2"}
	anywhere = run.Note{Text: "Where hosts send to their own rack, too.", Open: openLocality,
		Set: "locality=any"}
	unsaid = run.Note{Text: "Where hosts send to is not said: to other racks, as in the authors' ns-3.",
		Open: openLocality}
)

var notes = map[string][]run.Note{
	"pyrrha/fig2": {
		unsaid,
		{Text: "With PFC's alpha as in the authors' ns-3.", Set: "pfc.alpha=1/4",
			Protocols: []string{"pfc"}},
		{Text: "The collapse that the paper shows for BFC is what its authors' form does, `bfc`: it " +
			"loses packets at a full buffer, and senders repeat them. With selective repeat it loses " +
			"fewer, and the collapse is shorter.", Set: "transport=irn", Protocols: []string{"bfc"}},
		{Text: "What a switch holds at most under Pyrrha is not the incast's: at half the load of " +
			"web traffic PFC's largest backlog is several times Pyrrha's, as in the paper.",
			Set: "load=2/5,duration=3ms", Protocols: []string{"pfc", "pyrrha"}},
		{Text: "Without the incast most of that backlog is still there.",
			Set: "incast.degree=1,duration=3ms", Protocols: []string{"pfc", "pyrrha"}},
		{Text: "Queues and windows of destinations isolate the incast, too, whose root is at the last " +
			"hop; `pyrrha/core-root` shows where they do not. Shortened to 3 ms.",
			Set: "duration=3ms", Protocols: []string{"voq", "floodgate", "pyrrha"}},
	},
	"pyrrha/fig7": {
		{Text: "A port that is a root gives way to one downstream that is new to it, also while " +
			"other flows congest it. It claims to be a root again with its next packet, and each time " +
			"every port of its tree gets an isolation queue for the other root: with more hosts that " +
			"send it takes more queues than the paper has."},
		{Text: "Where no port gives way.", Set: "pyrrha.merge=never", Protocols: []string{"pyrrha"}},
		{Text: "With the pattern of the authors' ns-3.", Open: "pattern", Set: "m.pattern=ns-3",
			Protocols: []string{"pyrrha"}},
	},
	"pyrrha/fig10": {
		{Text: "The figure is of a testbed, whose thresholds and windows are not published. VS and " +
			"S2 share the queue of the core's port, so that what S2 gets of R1 is about what VS gets: " +
			"a third where R1's port takes what each core brings, a half where pauses hold both cores " +
			"alike."},
		{Text: "Where between them it is, the height of the thresholds decides: without windows, and " +
			"with a larger buffer, it is more.",
			Open: "thresholds and windows", Set: "window=1GB,buffer=400KiB", Protocols: []string{"pfc"}},
		{Text: "Thresholds that are as high because the headroom is half do the same.",
			Open: "thresholds and windows", Set: "window=1GB,pfc.headroom=4", Protocols: []string{"pfc"}},
		{Text: "The isolation queue of S2 takes turns with VS on the core's port. Without windows " +
			"and with thresholds of twice the size VS gets about as much as with them.",
			Open:      "thresholds and windows",
			Set:       "window=1GB,pyrrha.pause=4,pyrrha.resume=2",
			Protocols: []string{"pyrrha", "pyrrha-single"}},
	},
	"pyrrha/fig9-webserver": {tenth, halfLink},
	"pyrrha/fig9-websearch": {tenth, halfLink},
	"pyrrha/fig14f": {
		{Text: "The text has an alpha of 2, the authors' ns-3 of 1/4 for ports as fast as a host's. " +
			"With 2 the threshold of a port is above what one incast brings to it."},
		{Text: "With an alpha between them.", Set: "pfc.alpha=1/2", Protocols: []string{"pfc"}},
		unsaid,
	},
	"pyrrha/fig14-webserver": {
		unsaid,
		{Text: "Where background flows take longer under Pyrrha than under `bfc-128`, it is because " +
			"flows in queues of their own take turns, and here they share the one queue of all that is " +
			"not isolated: under `ideal`, with a queue for every flow, they take less, too. In the first " +
			"0.4 ms, with one incast, `bfc-128` has lost the lead and `ideal` keeps it.",
			Open: openDuration, Set: "duration=400us", Protocols: []string{"bfc-128", "pyrrha", "ideal"}},
		{Text: "It is not that `bfc-128` sends acknowledgements first: so does this.",
			Set: "duration=400us,ack.class=7", Protocols: []string{"bfc-128", "pyrrha", "ideal"}},
	},
	"pyrrha/fig14-websearch": {
		unsaid,
		{Text: "That background flows get less than half in the beginning is no flow control's doing: " +
			"with a queue for every flow, `ideal`, it is so for as long. They are held no more later."},
		{Text: "Pyrrha gains less than the paper has because little of what flows take here is " +
			"caused by others that are held. Around one incast alone it gains more.",
			Open: openDuration, Set: "duration=500us", Protocols: []string{"pfc", "pyrrha", "ideal"}},
	},
	"pyrrha/fig14-memcached": {
		unsaid,
		{Text: "The paper's load of 0.8 is millions of flows per millisecond, which with headers and " +
			"acknowledgements are more than the links carry; the scenario has 0.05."},
		{Text: "For 0.3 ms, with one incast.", Open: openDuration, Set: "duration=300us",
			Protocols: []string{"pfc", "bfc-pyrrha", "pyrrha"}},
	},
	"pyrrha/fig15-small": {
		unsaid, {Text: "How long flows come is not said.", Open: openDuration},
		{Text: "On 128 hosts, of 8-port switches.", Set: "k=8"},
	},
	"pyrrha/fig15": {
		unsaid, {Text: "How long flows come is not said.", Open: openDuration},
		{Text: "The background gains little because the incast takes little from it: without the " +
			"incast it takes about as long under PFC.",
			Set: "incast.degree=1", Protocols: []string{"pfc", "pyrrha"}},
		{Text: "The same at half the load.",
			Set: "load=2/5,duration=200us", Protocols: []string{"pfc", "pyrrha", "ideal"}},
	},
	"pyrrha/drill": {
		{Text: "The paper does not say on which network that was. On its own, flows of 100 Gb/s share " +
			"four uplinks of 400, where they seldom collide, so that there is little to balance. On " +
			"sixteen of 100, as fast together, two flows fill a link:",
			Open: "network", Set: "spines=16,fabric.rate=100Gbps"},
		{Text: "Reordering is the price: IRN takes late packets for lost and sends them again, while " +
			"receivers that put packets in order have nothing sent twice."},
	},
	"pyrrha/moe": {
		{Text: "The paper gives neither sizes nor periods of this traffic; sizes, shares of experts " +
			"and hosts are the defaults of its authors' ns-3. There the links of hot experts are full " +
			"to the end, whatever the flow control; what the groups spare one another is seen in the " +
			"tail of flows to other experts. Before, with 64 KB from each host to each expert and eight " +
			"times as much to hot ones, the factor was within 5 % of the paper's, while PFC never paused."},
		{Text: "One flow of 8 MB from each host.", Open: "sizes", Set: "moe.bursts=1"},
		{Text: "With half as much from each host.", Open: "sizes", Set: "moe.bytes=4MB"},
		{Text: "With a quarter.", Open: "sizes", Set: "moe.bytes=2MB"},
		{Text: "In ten flows of 800 KB for a hundred of 80.", Open: "sizes", Set: "moe.bursts=10"},
		{Text: "With marks as a switch of RoCE has them.", Open: openMarks,
			Set: "ecn.kmin=100KB,ecn.kmax=400KB"},
		{Text: "Without congestion control.", Set: "cc=none"},
	},
	"pyrrha/hops": {
		longer, anywhere,
		{Text: "With Web Search traffic.", Open: "sizes", Set: "workload=websearch"},
	},
	"pyrrha/host": {
		{Text: "A host that takes half of what its link brings.", Open: "rate of the host",
			Set: "drain=1/2"},
	},
	"pyrrha/legacy": {
		{Text: "Two of four spines speak PFC only.", Open: "switches of PFC", Set: "legacy.count=2"},
		{Text: longer.Text, Open: openDuration, Set: "duration=400us"},
	},
	"pyrrha/loop":           {{Text: "With twice the buffer.", Open: openBuffer, Set: "buffer=4MiB"}},
	"pyrrha/ring":           {{Text: "With twice the buffer.", Open: openBuffer, Set: "buffer=4MiB"}},
	"pyrrha/ring-collision": {{Text: "With twice the buffer.", Open: openBuffer, Set: "buffer=4MiB"}},
	"pyrrha/last-hop-root": {
		{Text: "With the buffer of section VIII.", Open: openBuffer, Set: "buffer=20MB"},
	},
	"pyrrha/core-root": {
		{Text: "With a tenth of the buffer.", Open: openBuffer, Set: "buffer=2MiB"},
	},
	"pyrrha/sizes":      {half},
	"pyrrha/roots":      {half},
	"pyrrha/moving":     {half},
	"pyrrha/thresholds": {half},
	"pyrrha/windows":    {half},
	"pyrrha/failure": {longer,
		{Text: "At more load.", Open: openLoad, Set: "load=4/5"}},
	"pyrrha/merging": {
		{Text: "The conference paper's network and traffic are not described.", Open: "network"}},
	"pyrrha/cc-fig2": {
		{Text: "With marks as a switch of RoCE has them.", Open: openMarks,
			Set: "ecn.kmin=100KB,ecn.kmax=400KB"},
	},
	"pyrrha/cc": {
		{Text: "With marks as a switch of RoCE has them.", Open: openMarks,
			Set: "ecn.kmin=100KB,ecn.kmax=400KB"},
		{Text: "Switches report the queue that a packet leaves to HPCC and QCN. If they report all " +
			"that waits for a port, as in HPCC's ns-3, both slow down flows that pass packets held for a " +
			"root elsewhere.",
			Set: "cc.queue=port,cc=hpcc"},
		{Text: "The same with QCN.", Set: "cc.queue=port,cc=qcn"},
	},
}
