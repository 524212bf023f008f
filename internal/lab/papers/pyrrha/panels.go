package pyrrha

// panels are what pictures of results have, by scenario: what its figure shows.
var panels = map[string][]string{
	"pyrrha/fig2":           panelsOfCollapse,
	"pyrrha/fig7":           {"measured:most-IQs-in-use-at-a-port"},
	"pyrrha/fig10":          {"flows"},
	"pyrrha/fig9-webserver": {"fct-vulnerable", "fct-incast"},
	"pyrrha/fig9-websearch": {"fct-vulnerable", "fct-incast"},
	"pyrrha/fig14f":         {"goodput", "fct-incast"},
	"pyrrha/fig15-small":    {"measured:mean-FCT-of-small-uncongested-flows"},
	"pyrrha/hops": {
		"measured:longest-queue-of-the-root",
		"measured:longest-queue-of-a-core-towards-its-rack",
		"measured:longest-queue-of-another-rack-towards-the-core",
	},
	"pyrrha/merge": {"queue", "paused"},
	"pyrrha/host": {
		"measured:most-that-waited-in-its-card",
		"measured:throughput-of-the-host-that-takes-10-Gb/s",
		"measured:slowdown-of-flows-to-its-neighbours",
	},
	"pyrrha/legacy": {
		"fct-vulnerable",
		"fct-background",
		"measured:mean-FCT-of-uncongested-flows",
	},
	"pyrrha/loop":           {"goodput", "paused"},
	"pyrrha/ring":           {"goodput", "paused"},
	"pyrrha/ring-collision": {"goodput", "paused"},
	"pyrrha/cc":             panelsOfControls,
	"pyrrha/cc-fig2":        panelsOfControls,
	"pyrrha/drill": {
		"measured:p99-of-uncongested-flows",
		"measured:p99-of-the-slowdown-of-uncongested-flows",
		"measured:packets-that-came-out-of-order",
	},
	"pyrrha/moe": {"goodput", "queue", "measured:p99-of-flows-to-other-experts"},
	"pyrrha/merging": {
		"measured:mean-FCT-of-vulnerable-flows",
		"measured:mean-FCT-of-incast-flows",
		"measured:most-IQs-in-use-at-a-port",
	},
	"pyrrha/sizes":           panelsOfConference,
	"pyrrha/roots":           panelsOfConference,
	"pyrrha/moving":          panelsOfConference,
	"pyrrha/thresholds":      panelsOfConference,
	"pyrrha/windows":         panelsOfConference,
	"pyrrha/failure":         panelsOfConference,
	"pyrrha/fig14-memcached": panelsOfCollapse,
	"pyrrha/fig14-webserver": panelsOfCollapse,
	"pyrrha/fig14-websearch": panelsOfCollapse,
	"pyrrha/fig15":           panelsOfCollapse,
	"pyrrha/last-hop-root":   panelsOfRoots,
	"pyrrha/core-root":       panelsOfRoots,
}

var panelsOfCollapse = []string{
	"measured:mean-FCT-of-vulnerable-flows-pyrrha-less-than",
	"measured:p99-of-vulnerable-flows-pyrrha-by-how-many-times-larger-under",
	"measured:mean-FCT-of-background-flows-pyrrha-less-than",
	"measured:p99-of-background-flows-pyrrha-by-how-many-times-larger-under",
}

var panelsOfControls = []string{
	"measured:mean-FCT-of-small-uncongested-flows",
	"measured:longest-queue-of-a-port-by-how-many-times-larger-under",
}

var panelsOfConference = []string{
	"measured:mean-FCT-of-uncongested-flows",
	"measured:p99-of-uncongested-flows",
	"measured:mean-FCT-of-incast-flows",
}

var panelsOfRoots = []string{
	"queue",
	"paused",
	"measured:mean-FCT-of-flows-that-pass-no-root",
	"measured:p99-of-flows-that-pass-no-root",
}
