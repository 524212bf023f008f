package portfc

import "github.com/sluicefc/sluice/internal/lab/run"

// besideStar are the protocols of a note on what PortFC gains over PFC*, besideIRN over IRN.
var (
	besideStar = []string{"portfc", "pfcstar"}
	besideIRN  = []string{"portfc", "none"}
	besideAll  = []string{"portfc", "pfcstar", "none"}
)

var (
	withoutControl = run.Note{Text: "What PortFC gains over IRN is DCQCN's doing: IRN's queues " +
		"pass K_min and marks cut its flows, while PortFC's X_off is below K_min. Without DCQCN IRN is " +
		"as fast on average, or faster:",
		Set: "cc=none", Protocols: besideAll}
	losses = run.Note{Text: "Where a queue may have an eighth of what is free, as with dynamic " +
		"thresholds (Choudhury and Hahne), Go-Back-N loses packets on NDC(4,1) too.",
		Set: "none.alpha=1/8", Protocols: besideIRN, Open: "sharing of buffers"}
	inTurn = run.Note{Text: "Where PFC* serves its classes in turn:",
		Set: "pfcstar.service=turn", Protocols: besideStar, Open: "service of PFC*"}
	little = run.Note{Text: "With less to send:",
		Set: "load=1/5", Protocols: besideAll, Open: "load"}
	much = run.Note{Text: "With a load that PFC* cannot carry, so that its flows take the longer " +
		"the longer flows come:", Set: "load=1/2", Protocols: besideAll, Open: "load"}
	fixedDigits = run.Note{Text: "Where routes correct the lowest digit first, not one by hash:",
		Set: "digits=lowest", Protocols: besideStar, Open: "routes"}
	often = run.Note{Text: "An incast each 200 us:",
		Set: "incast.every=200us", Protocols: besideAll, Open: "number of incasts"}
	twoLoops = run.Note{Text: "With two loop flows of each node:", Set: "loop.flows=2",
		Open: "loop flows"}
	oneLoop = run.Note{Text: "With one:", Set: "loop.flows=1", Open: "loop flows"}
	smaller = run.Note{Text: "A quarter of each incast's flows:",
		Set: "incast.bytes=250KB", Protocols: besideAll, Open: "sizes of incasts"}
)

var notes = map[string][]run.Note{
	"portfc/fig8-hadoop": {
		withoutControl, losses, inTurn, fixedDigits, little, much, often, smaller,
	},
	"portfc/fig8-storage":    {withoutControl, inTurn, fixedDigits, little, much, often, smaller},
	"portfc/fig8-websearch":  {withoutControl, inTurn, fixedDigits, little, much, often, smaller},
	"portfc/fig12-hadoop":    {fixedDigits},
	"portfc/fig12-storage":   {fixedDigits},
	"portfc/fig12-websearch": {fixedDigits},
	"portfc/hol": {
		{Text: "With DCQCN, as all experiments of the paper have it:", Open: "congestion control",
			Set: "cc=dcqcn-hpcc,ecn.kmin=100KB,ecn.kmax=400KB"},
	},
	"portfc/fig15": {
		{Text: "It is not the form of DCQCN that keeps the gain over PFC* from the largest published.",
			Set: "cc=dcqcn", Open: "congestion control"},
		{Text: "Without a control the first stage is as long under all, because the server's ports are " +
			"full from beginning to end.", Set: "cc=none"},
	},
	"portfc/fig17": {
		{Text: "With ATE the share of flows that go by the high-bandwidth domain first follows " +
			"min(1, p B_H / D) from below, D being what a node has in flight: between flows it stays " +
			"where it was."},
		{Text: "Without a control:", Set: "cc=none"},
		{Text: "IRN without its cap:", Set: "irn.cap=65536", Protocols: besideIRN},
		{Text: "Where few experts are chosen more often:", Set: "moe.skew=2", Protocols: besideIRN,
			Open: "skew"},
	},
	"portfc/fig18": {
		{Text: "Without a control:", Set: "cc=none"},
		{Text: "Where few experts are chosen more often:", Set: "moe.skew=2", Protocols: besideIRN,
			Open: "skew"},
	},
	"portfc/deadlock": {twoLoops, oneLoop},
	"portfc/fig19":    {twoLoops, oneLoop},
}
