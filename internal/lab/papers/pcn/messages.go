package pcn

import "github.com/sluicefc/sluice/internal/lab/run"

var messages = []run.Message{
	{Statement: "Beside end-to-end controls that cannot tell victims, PFC spreads congestion and " +
		"throughput is lost for long; under PCN no congestion tree is generated",
		Place:  "section 3.1 and section 5.4, Benefits",
		Claims: []string{"tree-pfc", "tree-controls", "loss", "no-tree", "even-again"}},
	{Statement: "To throttle congested flows to their receiving rate neither triggers PFC nor loses " +
		"throughput", Place: "section 4.2", Claims: []string{"receiving-rate"}},
	{Statement: "PCN alleviates congestion in as little as one round trip, is fair and stable",
		Place: "abstract; section 6.1, propositions 1 to 3",
		Claims: []string{
			"one-loop", "drains", "calm", "equation-8", "equation-1", "scalability", "fair",
		}},
	{Statement: "PCN tolerates concurrent bursts: fewer PAUSEs than DCQCN and TIMELY, and flows, " +
		"above all the victim's, that complete sooner", Place: "section 7.2",
		Claims: []string{"burst-pauses", "burst-qcn", "burst-victim"}},
	{Statement: "In a large network with realistic workloads PCN suppresses PAUSEs and shortens " +
		"completion times", Place: "section 1, last item; section 7.4",
		Claims: []string{
			"abstract-pauses", "abstract-latency", "w1-pauses", "w1-fct", "w2-pauses", "w2-fct",
		}},
}

// untested are statements for which nothing here is run.
var untested = []run.Claim{
	{Statement: "an ideal control throttles F1 to 2.5 Gb/s during the bursts and leaves F0 37.5 Gb/s",
		Place: "section 3.2, item 1", Source: run.Given,
		Note: "it is said of no control that is run; the rates under each stand with Figure 2"},
	{Statement: "the congestion trees last for more than 100, about 17, 57 and 47 round trips",
		Place: "section 3.1, paragraphs on Figure 2", Source: run.Given,
		Note: "the same in another unit, with a round trip of about 30 us"},
	{Statement: "from 0, with w_min of 1/128 and w_max of 1/2, the rate is at most at 10 % of the " +
		"line's after 5 CNPs, and at 95 % after 15", Place: "section 5.3, item 3; Figure 10",
		Source: run.Given, Note: "no network is needed: TestFigure10 of package pcn holds it"},
	{Statement: "in the steady state QCN is as calm as PCN, while queues and rates swing widely " +
		"under DCQCN and TIMELY", Place: "section 7.1, Fine-grained observation",
		Source: run.Given, Note: "how calm, and by what, is not said: queues and sums of rates under " +
			"each control stand with Figure 11"},
	{Statement: "QCN, DCQCN and TIMELY use a little less of the bottleneck as flows become more, " +
		"up to 256", Place: "appendix B.1, paragraph 3", Source: run.Given,
		Note: "the paper has no number: the shares stand with Figure 17"},
	{Statement: "F0 gets less than F2, which passes one bottleneck, and the first link is used " +
		"alike with any number of bottlenecks", Place: "appendix B.3", Source: run.Given,
		Note: "F2 is not measured; the shares of the link stand with Figure 19"},
	{Statement: "PCN behaves alike on the testbed and in the simulator, and with 4 to 64 flows its " +
		"mean queue is at most 60 KB on the testbed", Place: "section 7.1; appendix B.1",
		Source: run.Given, Note: "there is no testbed here"},
	{Statement: "each flow's receiving rate swings by at most w_min C", Place: "section 6.1, " +
		"proposition 3, equation 2", Source: run.Formula,
		Note: "rates of single flows over a window are not measured; the sum of the rates that are set is"},
	{Statement: "PCN reduces 79.2 % of the deadlocks of DCQCN and 96.7 % of TIMELY's",
		Place: "section 7.5, Deadlock", Source: run.Given,
		Note: "of the 28, 134 and 870 of 1,000 runs of appendix B.5, which stand with Figure 21: five " +
			"runs cannot give shares of shares"},
	{Statement: "which layers send the PAUSEs, and completion times by control, as bars",
		Place: "Figures 12, 14, 17 and 20", Source: run.Curve,
		Note: "our copy of the paper is text, without bars and curves"},
}
