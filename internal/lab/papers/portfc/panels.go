package portfc

// panels are what pictures of results have, by scenario: what its figure shows.
var panels = map[string][]string{
	"portfc/deadlock": {"goodput", "paused"},
	"portfc/fig19":    {"goodput", "paused"},
	"portfc/hol":      {"fct-vulnerable", "fct-incast"},
	"portfc/fig15": {
		"measured:first-stage",
		"measured:second-stage",
		"measured:packets-lost",
	},
	"portfc/fig17":           panelsOfExperts,
	"portfc/fig18":           panelsOfExperts,
	"portfc/fig8-websearch":  panelsOfLoads,
	"portfc/fig12-websearch": panelsOfIncasts,
	"portfc/fig8-hadoop":     panelsOfLoads,
	"portfc/fig12-hadoop":    panelsOfIncasts,
	"portfc/fig8-storage":    panelsOfLoads,
	"portfc/fig12-storage":   panelsOfIncasts,
}

var panelsOfExperts = []string{
	"measured:dispatch-more-than",
	"measured:combine-more-than",
	"measured:mean-w-at-5-tenths-of-the-run",
	"measured:mean-w-by-the-closed-form-at-5-tenths-of-the-run",
}

var panelsOfLoads = []string{
	"measured:mean-FCT-more-than",
	"measured:p99-FCT-more-than",
	"measured:throughput-size-over-FCT-portfc-times-the-value-under",
	"measured:longest-queue-of-a-switch-port",
	"measured:packets-lost",
}

var panelsOfIncasts = []string{
	"measured:mean-FCT-more-than",
	"measured:p99.9-FCT-portfc-more-than",
	"measured:throughput-Poisson-flows-portfc-times-the-value-under",
	"measured:throughput-incast-flows-portfc-times-the-value-under",
	"measured:packets-lost",
}
