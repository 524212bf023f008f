package bfc

// panels are what pictures of results have, by scenario: what its figure shows.
var panels = map[string][]string{
	"bfc/incast":     panelsOfSizes,
	"bfc/end-to-end": panelsOfSizes,
}

var panelsOfSizes = []string{
	"measured:99th-percentile-of-the-slowdown-of-short-flows",
	"measured:mean-FCT-of-long-flows",
}
