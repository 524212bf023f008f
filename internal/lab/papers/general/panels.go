package general

// panels are what pictures of results have, by scenario: what its figure shows.
var panels = map[string][]string{
	"reference":         {"fct-incast", "fct-vulnerable", "fct-background"},
	"reference-bfc":     {"fct-incast", "fct-vulnerable", "fct-background"},
	"hosts/convergence": {"flows"},

	"training/data-parallel": trainingPanels,
	"training/experts":       trainingPanels,
	"training/pipeline":      trainingPanels,
}

var trainingPanels = []string{"measured:mean-iteration-of-the-job", "paused", "goodput"}
