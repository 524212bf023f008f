package ofc

// panels are what pictures of results have, by scenario: what its figure shows.
var panels = map[string][]string{
	"ofc/fig2": {
		"queue",
		"paused",
		"measured:largest-FCT-of-uncongested-flows",
		"measured:largest-FCT-of-congested-flows",
	},
	"ofc/fig4": {
		"measured:largest-FCT-of-uncongested-flows",
		"measured:largest-FCT-of-congested-flows",
		"measured:mean-queue-of-a-port-all",
		"measured:mean-queue-of-a-port-uncongested",
		"measured:mean-queue-of-a-port-congested",
	},
	"ofc/fig6-edu1": panelsOfUniversities,
	"ofc/fig6-edu2": panelsOfUniversities,
	"ofc/fig8": {
		"measured:mean-queue-of-all-ports-more-than",
		"measured:mean-queue-of-all-ports-less-than",
	},
	"ofc/fig9": {"measured:networks-that-end-in-a-deadlock"},
}

var panelsOfUniversities = []string{
	"measured:mean-FCT-of-short-flows",
	"measured:mean-FCT-of-large-flows",
	"measured:mean-queue-of-all-ports-ofc-less-than",
	"measured:mean-queue-of-edge-ports-ofc-less-than",
	"measured:mean-queue-of-aggregation-ports-ofc-less-than",
	"measured:mean-queue-of-core-ports-ofc-less-than",
}
