package portfc

import "github.com/sluicefc/sluice/internal/lab/run"

// besideStar are the protocols of a note on what PortFC gains over PFC*, besideIRN over IRN.
var (
	besideStar = []string{"portfc", "pfcstar"}
	besideIRN  = []string{"portfc", "none"}
	besideAll  = []string{"portfc", "pfcstar", "none"}
)

var (
	unpublished = run.Note{Text: "Load, number of incasts and duration are not published: here it " +
		"is half of what all ports of a node send, and an incast each 500 us for 2 ms. The order in " +
		"which PFC* serves its classes is not either, nor how a switch shares its buffer, nor the " +
		"routes."}
	withoutControl = run.Note{Text: "What PortFC gains over IRN is DCQCN's doing: IRN's queues " +
		"pass K_min and marks cut its flows, while PortFC's X_off is below K_min. Without DCQCN:",
		Set: "cc=none"}
	losses = run.Note{Text: "The published gain over Go-Back-N needs losses. Where a queue may " +
		"have an eighth of what is free, as with dynamic thresholds (Choudhury and Hahne), Go-Back-N " +
		"loses packets, and the gain is of that size.", Set: "none.alpha=1/8", Protocols: besideIRN}
	inTurn = run.Note{Text: "Where PFC* serves its classes in turn, as nothing says otherwise:",
		Set: "pfcstar.service=turn", Protocols: besideStar}
	little = run.Note{Text: "With less to send, a fifth of what a node's ports send together:",
		Set: "load=1/5", Protocols: besideAll}
	much = run.Note{Text: "With four fifths, which is more than nodes can relay:",
		Set: "load=4/5", Protocols: besideAll}
	fixedDigits = run.Note{Text: "The gain over PFC* hangs on routes, too: where they correct the " +
		"lowest digit first, not one by hash, it is larger.",
		Set: "digits=lowest", Protocols: besideStar}
)

var notes = map[string][]run.Note{
	"portfc/fig8-hadoop":  {unpublished, withoutControl, losses, inTurn, fixedDigits, little, much},
	"portfc/fig8-storage": {unpublished, withoutControl, losses, inTurn, fixedDigits, little, much},
	"portfc/fig8-websearch": {
		unpublished, withoutControl, losses, inTurn, fixedDigits, little, much,
		{Text: "Where incasts go from the same nodes to one:",
			Set: "incast.to=one", Protocols: besideStar},
		{Text: "More often:", Set: "incast.every=200us", Protocols: besideStar},
		{Text: "Half of PFC*'s thresholds:",
			Set: "pfc.xoff-bdp=3,pfc.xon-bdp=2", Protocols: besideStar},
	},
	"portfc/fig12-hadoop": {unpublished, withoutControl, inTurn},
	"portfc/fig12-storage": {
		unpublished, withoutControl, inTurn, fixedDigits,
		{Text: "Half the load:", Set: "load=1/4", Protocols: besideStar},
	},
	"portfc/fig12-websearch": {unpublished, withoutControl, inTurn},
	"portfc/deadlock": {
		{Text: "The two flows of Figure 5 need a third that congests a switch, and so NDC(3,1): a " +
			"switch of two ports never is congested. In Figure 5 nodes only pass pauses on, which is " +
			"`pfc-forward`. Where nodes are under PFC, it takes flows from all four."},
	},
	"portfc/fig15": {
		{Text: "It is not the form of DCQCN that keeps the gain over PFC* from the largest published: " +
			"under its paper's it is less, on average.", Set: "cc=dcqcn"},
		{Text: "Without a control the first stage is as long under all, for the server's ports are " +
			"full from beginning to end.", Set: "cc=none"},
	},
	"portfc/fig17": {
		{Text: "With ATE the share of flows that go by the high-bandwidth domain first follows " +
			"min(1, p B_H / D) from below, D being what a node has in flight: between flows it stays " +
			"where it was."},
		{Text: "Without a control:", Set: "cc=none"},
		{Text: "IRN without its cap:", Set: "irn.cap=65536", Protocols: besideIRN},
		{Text: "Where few experts are chosen more often:", Set: "moe.skew=2", Protocols: besideIRN},
	},
	"portfc/fig18": {{Text: "Without a control:", Set: "cc=none"}},
	"portfc/fig19": {
		{Text: "What PFC* leaves the background flows is their share of a node's queue: with m loop " +
			"flows of each node the factor is (2m+1)/3. The paper does not give m."},
		{Text: "With two loop flows of each node:", Set: "loop.flows=2"},
		{Text: "With one:", Set: "loop.flows=1"},
	},
}
