package bfc

// panels are those of the pictures of results: what the figures of the scenarios show.
var panels = map[string][]string{
	"bfc/incast":     panelsOfSizes,
	"bfc/end-to-end": panelsOfSizes,
}

var panelsOfSizes = []string{
	"measured:99th-percentile-of-the-slowdown-of-short-flows",
	"measured:mean-FCT-of-long-flows",
}
