package generate

import "github.com/sluicefc/sluice/internal/lab/params"

// Parameters of generated traffic. The defaults are the Pyrrha paper's (section VIII), shortened.
var Parameters = []params.Definition{
	{Name: "m", Kind: params.Int, Default: "2", Min: "2", Max: "72",
		Doc: "scenario pyrrha/fig7: the first 1/m of the racks receive"},
	{Name: "workload", Kind: params.Choice, Default: "webserver", Choices: WorkloadNames(),
		Files: true,
		Doc: "distribution of flow sizes of the Poisson traffic; a file has a line \"bytes percent\" " +
			"for each point, as HPCC's traffic generator reads"},
	{Name: "load", Kind: params.Rational, Default: "4/5", Max: "1",
		Because: "it is a share of what all links of hosts carry, 7/10 or 70% for seventy per cent",
		Doc: "share of all the hosts' links together that the Poisson traffic fills, 7/10 for 70 %; 0 " +
			"for none. Beyond 1 hosts would get flows faster than they can ever send them. Hosts that " +
			"relay are full before: NDC(4,1) at 5/8, NDC(8,1) at 9/16"},
	{Name: "locality", Kind: params.Choice, Default: "any",
		Choices: []string{"any", "other-racks", "same-rack"},
		Doc:     "which destinations a host's Poisson traffic has"},
	{Name: "flow.bytes", Kind: params.Bytes, Default: "1MiB", Min: "1B", Max: "1000GB",
		Doc: "size of every flow of a permutation"},
	{Name: "permutations", Kind: params.Int, Default: "0", Max: "1000",
		Doc: "permutations beside the other traffic, from time 0: in each, every host sends a flow of " +
			"flow.bytes to another and receives one"},
	{Name: "alltoall.bytes", Kind: params.Bytes, Default: "0", Max: "1GB",
		Doc: "size of the flow that every host sends to every other at time 0; 0: none"},
	{Name: "duration", Kind: params.Time, Default: "1ms", Min: "1ns", Max: "10s",
		Doc: "span in which flows start"},
	{Name: "senders", Kind: params.Int, Default: "4", Min: "1", Max: "1000",
		Doc: "scenario hosts/convergence: hosts that send to one host"},
	{Name: "stagger", Kind: params.Time, Default: "100us", Max: "1s",
		Doc: "scenario hosts/convergence: time between the starts of two senders"},
	{Name: "incast.degree", Kind: params.Int, Default: "720", Max: "1000000",
		Doc: "flows that start together into host 0, from random hosts, of other racks if there are " +
			"any; 0 for none"},
	{Name: "incast.load", Kind: params.Rational, Default: "0", Max: "1",
		Doc: "share of the victim's link that incasts fill, one after another for the duration; 0 for " +
			"one incast at time 0"},
	{Name: "incast.roots", Kind: params.Int, Default: "1", Min: "1", Max: "1024",
		Doc: "hosts that receive an incast each: host 0 and the first of every other rack, then the " +
			"second hosts, and so on"},
	{Name: "incast.shift", Kind: params.Time, Default: "0", Max: "1s",
		Doc: "time from the incast of one of several hosts to the incast of the next"},
	{Name: "incast.every", Kind: params.Time, Default: "500us", Min: "1us", Max: "1s",
		Doc: "scenarios portfc/fig8, fig12: time between two incasts"},
	{Name: "incast.bytes", Kind: params.Bytes, Default: "1MB", Min: "1KB", Max: "1GB",
		Doc: "scenarios portfc/fig8, fig12: size of a flow of an incast"},
	{Name: "incast.to", Kind: params.Choice, Default: "any", Choices: []string{"any", "one"},
		Doc: "scenarios portfc/fig8, fig12: each incast draws its nodes, or all incasts go from the " +
			"same half of the nodes to node 0"},
	{Name: "digits", Kind: params.Choice, Default: "hash",
		Choices: []string{"hash", "lowest", "highest"},
		Doc: "scenarios portfc/fig8, fig12: the digit of its address that a packet corrects first, " +
			"where several differ; hash: by its flow"},
	{Name: "incast.min", Kind: params.Int, Default: "30", Min: "1", Max: "1000000",
		Doc: "smallest flow of the incast in packets of the payload"},
	{Name: "incast.max", Kind: params.Int, Default: "40", Min: "1", Max: "1000000",
		Doc: "largest flow of the incast in packets of the payload"},
	{Name: "moe.tokens", Kind: params.Int, Default: "2048", Min: "1", Max: "1000000",
		Doc: mixtures + "tokens of each node"},
	{Name: "moe.token", Kind: params.Bytes, Default: "7KiB", Min: "1B", Max: "1MiB",
		Doc: mixtures + "size of a token"},
	{Name: "moe.top", Kind: params.Int, Default: "2", Min: "1", Max: "1024",
		Doc: mixtures + "experts that a token goes to; every node is an expert"},
	{Name: "moe.skew", Kind: params.Int, Default: "1", Min: "0", Max: "4",
		Doc: mixtures + "exponent of the Zipf distribution by which experts are chosen"},
	{Name: "moe.batches", Kind: params.Int, Default: "32", Min: "1", Max: "1000000",
		Doc: mixtures + "parts in which the tokens of a node go"},
	{Name: "moe.every", Kind: params.Time, Default: "50us", Max: "1s",
		Doc: mixtures + "time between two parts"},
}

// mixtures are the scenarios of a mixture of experts as a job.
const mixtures = "scenarios portfc/fig17, fig18, training/experts: "
