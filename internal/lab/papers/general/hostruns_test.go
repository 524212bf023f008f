package general

import "strings"

// Settings of the runs of testdata/hosts, as parameters.
const (
	pyrrhaRounds  = "cc.round=second"
	pyrrhaFrames  = "payload=1460,header=76,ack.size=84," + pyrrhaRounds
	pyrrhaDCQCN   = "cc=dcqcn-hpcc,dcqcn-hpcc.increase-timer=900us,dcqcn-hpcc.ai=50Mbps,dcqcn-hpcc.hai=100Mbps,dcqcn-hpcc.min-rate=100Mbps"
	pyrrhaTimely  = "cc=timely,timely.ai=50Mbps,timely.hai=100Mbps,timely.min-rate=100Mbps,header=84"
	pyrrhaHPCC    = "cc=hpcc,hpcc.multi-rate=on,hpcc.max-stage=5,hpcc.ai=50Mbps,hpcc.min-rate=100Mbps,hpcc.int-unit=1"
	pyrrhaDCTCP   = "cc=dctcp,dctcp.ai=1000Mbps,dctcp.min-rate=100Mbps"
	smallMarks    = "ecn.kmin=50KB,ecn.kmax=200KB"
	largeMarks    = "ecn.kmin=400KB,ecn.kmax=1600KB"
	pyrrhaIRN     = "transport=irn,irn.in-flight=outstanding,irn.acks=single"
	withWindow    = "window.variable=on"
	withoutWindow = "window=1GB,window.variable=off"

	hpccDCQCN    = withoutWindow + ",ack.class=7,cc=dcqcn-hpcc,dcqcn-hpcc.min-rate=1Gbps,dcqcn-hpcc.ai=20Mbps,dcqcn-hpcc.hai=200Mbps"
	hpccPaper    = hpccDCQCN + ",dcqcn-hpcc.alpha-timer=50us,dcqcn-hpcc.decrease-timer=50us,dcqcn-hpcc.increase-timer=55us"
	hpccHPCC     = withWindow + ",cc=hpcc,hpcc.multi-rate=off,hpcc.max-stage=0,hpcc.ai=40Mbps,hpcc.min-rate=1Gbps,hpcc.int-unit=4"
	hpccDCTCP    = withWindow + ",cc=dctcp,dctcp.ai=615Mbps,dctcp.min-rate=1Gbps,ecn.kmin=300KB,ecn.kmax=300KB"
	acksWithData = ",ack.class=3"

	hpccTimely = withoutWindow + ",ack.class=7,cc=timely,timely.ai=100Mbps,timely.hai=500Mbps,timely.min-rate=1Gbps"
)

// column is a column of times of a run, and the parameters that are like its settings.
type column struct{ name, fc, set string }

var hpccSettings = []column{
	{"fct_dcqcn_us", "pfc", hpccDCQCN}, {"fct_dcqcnpaper_us", "pfc", hpccPaper},
	{"fct_hpcc_us", "pfc", hpccHPCC},
	{"fct_dctcp_us", "pfc", hpccDCTCP}, {"fct_timely_us", "pfc", hpccTimely + ",header=84"},
}

var pyrrhaSettings = []column{
	{"fct_none_us", "pfc", "cc=none"},
	{"fct_dcqcn_us", "pfc", join(withWindow, smallMarks, pyrrhaDCQCN)},
	{"fct_timely_us", "pfc", join(withWindow, pyrrhaTimely)},
	{"fct_hpcc_us", "pfc", join(withWindow, pyrrhaHPCC)},
	{"fct_dctcp_us", "pfc", join(withWindow, pyrrhaDCTCP, "ecn.kmin=65KB,ecn.kmax=65KB")},
}

// hpccOriginal are the same settings in HPCC's own simulator, where acknowledgements wait with
// data.
var hpccOriginal = []column{
	{"sender_dcqcn_us", "pfc", hpccDCQCN + acksWithData},
	{"sender_dcqcnpaper_us", "pfc", hpccPaper + acksWithData},
	{"sender_hpcc_us", "pfc", hpccHPCC}, {"sender_dctcp_us", "pfc", hpccDCTCP},
	{"sender_timely_us", "pfc", hpccTimely + ",header=56" + acksWithData},
}

// hpccFrames are sizes and thresholds of HPCC's own simulator.
const hpccFrames = "payload=1000,header=48,ack.size=60,pfc.alpha=1/8,pfc.headroom=3"

// randomLoss are flows that meet only random losses. Theirs has no timer under Go-back-N, so that
// more losses leave flows unfinished, there and here.
var randomLoss = []column{
	{"gbn_sender_us_p0", "none", hpccLosses},
	{"gbn_sender_us_p0.0001", "none", hpccLosses + ",loss=1/10000"},
	{"gbn_sender_us_p0.0005", "none", hpccLosses + ",loss=1/2000"},
	{"irn_receiver_us_p0", "none", irnLosses},
	{"irn_receiver_us_p0.0001", "none", irnLosses + ",loss=1/10000"},
	{"irn_receiver_us_p0.0005", "none", irnLosses + ",loss=1/2000"},
	{"irn_receiver_us_p0.002", "none", irnLosses + ",loss=1/500"},
	{"irn_receiver_us_p0.01", "none", irnLosses + ",loss=1/100"},
}

// sharedCards are of cards with flows to two incasts each, under both readings of a round.
var sharedCards = []column{
	{"fct_timely-first_us", "pfc", join(withoutWindow, "payload=1460", pyrrhaTimely)},
	{"fct_timely_us", "pfc", join(withoutWindow, "payload=1460", pyrrhaTimely, pyrrhaRounds)},
	{
		"fct_dcqcnpaper_us", "pfc",
		join("payload=1000,header=76,ecn.pmax=1/5", largeMarks, hpccPaper, "ack.class=3"),
	},
}

const (
	hpccLosses = "header=48,ack.size=60,rto=0"
	irnLosses  = "header=76,ack.size=84," + pyrrhaIRN
)

// hostRuns are the runs of testdata/hosts.
var hostRuns = []struct {
	name, set string
	columns   []column
	spines    bool // the flows take the spines that they took there
	original  bool // by HPCC's simulator, where Pyrrha's ran it too
}{
	{name: "incast-pfc-window", set: "buffer=1MiB," + pyrrhaFrames, columns: pyrrhaSettings},
	{name: "incast-pfc-nowindow", set: "buffer=16MiB," + pyrrhaFrames, columns: []column{
		{"fct_none_us", "pfc", "cc=none,window=1GB"},
		{"fct_dcqcn_us", "pfc", join(withoutWindow, largeMarks, pyrrhaDCQCN)},
		{"fct_timely_us", "pfc", join(withoutWindow, pyrrhaTimely)},
		{"fct_dctcp_us", "pfc", join(withoutWindow, pyrrhaDCTCP, "ecn.kmin=300KB,ecn.kmax=300KB")},
	}},
	{
		name:    "incast-hpcc-settings",
		set:     "buffer=32MiB,payload=1000,header=76,ack.size=84," + pyrrhaRounds,
		columns: hpccSettings,
	},
	{
		name:    "convergence-hpcc-settings",
		set:     "buffer=32MiB,payload=1000,header=76,ack.size=84," + pyrrhaRounds,
		columns: hpccSettings,
	},
	{
		name: "incast-hpcc-settings", set: "buffer=32MiB," + hpccFrames, columns: hpccOriginal,
		original: true,
	},
	{
		name: "convergence-hpcc-settings", set: "buffer=32MiB," + hpccFrames, columns: hpccOriginal,
		original: true,
	},
	{name: "random-loss", set: "payload=1000,window=52KB", columns: randomLoss},
	{name: "leafspine-websearch", set: "buffer=2MiB," + pyrrhaFrames, columns: pyrrhaSettings},
	{
		name: "leafspine-websearch", set: "buffer=2MiB," + pyrrhaFrames, columns: pyrrhaSettings[2:4],
		spines: true,
	},
	{name: "websearch-hpcc-settings", set: "buffer=8MiB," + hpccFrames, columns: hpccOriginal},
	{name: "shared-cards", set: "buffer=64MiB,ack.size=84", columns: sharedCards},
	{name: "irn-lossy", set: "buffer=1MiB," + pyrrhaFrames, columns: []column{
		{"fct_pfc-none_us", "pfc", "cc=none"}, {"fct_irn-none_us", "none", pyrrhaIRN},
		{"fct_irn-dcqcn_us", "none", join(pyrrhaIRN, withWindow, smallMarks, pyrrhaDCQCN)},
	}},
}

// join joins assignments.
func join(sets ...string) string { return strings.Join(sets, ",") }

// further are the groups whose mean differs by more than the bound, and why.
var further = map[string]string{
	"leafspine-websearch,timely,incast": "not on their paths: see their spines",
	"irn-lossy,irn-none,reverse":        "one to three timers, by when it begins",
	"irn-lossy,irn-none,victim":         "one timer or two, by when it begins",
}
