package pcn

// panels are what pictures of results have, by scenario: what its figure shows.
var panels = map[string][]string{
	"pcn/fig2":  {"port-queue", "flows"},
	"pcn/fig5":  {"port-queue", "port-rate"},
	"pcn/fig11": {"port-queue", "port-rate"},
	"pcn/fluid": {"port-queue", "port-rate"},
	"pcn/fig12": {
		"measured:thousand-PAUSE-frames-per-second",
		"measured:mean-completion-time",
		"measured:99-of-flows-within",
	},
	"pcn/fig13": {
		"measured:PAUSE-frames-that-S0-gets-from-S1",
		"measured:mean-completion-time",
		"measured:99-of-flows-within",
	},
	"pcn/fig14-w1": panelsOfClos,
	"pcn/fig14-w2": panelsOfClos,
	"pcn/fig17": {
		"measured:mean-queue",
		"measured:utilisation",
		"measured:Jain-s-index-of-the-flows",
	},
	"pcn/fig18": {"measured:S0-to-S1", "measured:S1-to-R1", "measured:F1"},
	"pcn/fig19": {"measured:F0", "measured:first-link-share-of-its-rate"},
	"pcn/fig20": panelsOfClos,
	"pcn/fig21": {"measured:runs-that-end-in-a-deadlock"},
}

var panelsOfClos = []string{
	"measured:mean-completion-time",
	"measured:99-of-flows-within",
	"measured:thousand-flows-completed-per-second",
}
