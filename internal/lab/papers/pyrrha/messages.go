package pyrrha

import "github.com/sluicefc/sluice/internal/lab/run"

var messages = map[string][]run.Message{"pyrrha": {
	{Statement: "beside PFC and BFC uncongested flows complete 42 to 98 % sooner on average, and " +
		"their 99th percentile is 1.6 to 215 times lower",
		Place: "abstract", Claims: []string{"mean", "tail"}},
	{Statement: "congested flows do not suffer", Place: "abstract", Claims: []string{"congested"}},
	{Statement: "the largest use of a buffer falls by up to 6.2 times",
		Place: "section I, last paragraph", Claims: []string{"buffer"}},
	{Statement: "isolation by root takes few queues: a dozen in most cases, 20 under stress",
		Place: "sections IV-E, VIII", Claims: []string{"dozen", "fig7"}},
	{Statement: "where routes form a loop PFC and BFC deadlock, and Pyrrha does not",
		Place:  "section VII",
		Claims: []string{"deadlock " + loop, "deadlock " + ring, "deadlock " + collision}},
}}

// untested are statements of the paper for which no scenario has a run.
var untested = map[string][]run.Claim{"pyrrha": {
	{Statement: "flows have no head-of-line blocking in any scenario, and no protocol without " +
		"head-of-line blocking has fewer queues",
		Place: "section VI-C, theorems 1 and 2", Source: run.Given,
		Note: "proofs; `go run ./bench hol` tries the model on what a run did"},
	{Statement: "PFC hurts workloads of small flows, as Memcached, most",
		Place: "section VIII-A, point 1; Figure 14", Source: run.Given,
		Note: "an order of three scenarios, which no claim has: see their cells"},
	{Statement: "queues in use are about proportional to the ports of a switch",
		Place: "section IV-E, paragraph 2; Figure 7", Source: run.Given,
		Note: "the figure is of 12 ports alone"},
	{Statement: "the throughput of a group drops to zero when the other group begins",
		Place: "section II-B, paragraph 5; Figure 3", Source: run.Given,
		Note: "the phase between the groups is not given"},
	{Statement: "in an incast of m hosts the last port holds K_pause and m bandwidth-delay products of a hop",
		Place: "section IV-D, Handling rare packet loss", Source: run.Formula,
		Note: "no scenario has m hosts around one switch and nothing else"},
	{Statement: "merging ends within a one-way delay, and false roots hardly cost anything",
		Place: "section IV-A, Merging process", Source: run.Given,
		Note: "`pyrrha/merging` has runs with and without, and the paper no number"},
	{Statement: "with 11,664 hosts the prototype takes 11 MB of memory, 44.5 % of a Tofino 2",
		Place: "section V-A, Complexity and overhead", Source: run.Given,
		Note: "a chip's memory is no run: package tofino/fit counts what our programs take"},
	{Statement: "bars and curves of Figures 2, 3, 9, 10, 14, 15",
		Place: "Figures 2, 3, 9, 10, 14, 15", Source: run.Curve,
		Note: "the paper is to be had as text: only numbers that its text gives are compared"},
}}
