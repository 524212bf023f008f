package general

// panels are those of the pictures of results: what the figures of the scenarios show.
var panels = map[string][]string{
	"reference":         {"fct-incast", "fct-vulnerable", "fct-background"},
	"reference-bfc":     {"fct-incast", "fct-vulnerable", "fct-background"},
	"hosts/convergence": {"flows"},
}
