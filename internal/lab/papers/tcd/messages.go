package tcd

import "github.com/sluicefc/sluice/internal/lab/run"

// messages are of sections 3.1 and 3.2, which are what we have of the paper.
var messages = []run.Message{
	{Statement: "Where PFC takes effect, detection by the queue alone takes uncongested ports for " +
		"congested ones, and marks victims", Place: "section 3.1.2",
		Claims: []string{"ecn-victims"}},
	{Statement: "The periodic credits of InfiniBand mislead its detection, too", Place: "section 3.1.2",
		Claims: []string{"fecn-victims"}},
	{Statement: "The on and off of hop-by-hop flow control hides the input rate: a port may have " +
		"the same queue whether it is congested or not", Place: "section 3.1.3",
		Claims: []string{"alike", "alike-ib"}},
	{Statement: "A port has three states, the third undetermined: leaves of a congestion tree are " +
		"undetermined, and not congested once it is gone", Place: "section 3.2",
		Claims: []string{"recovers", "isolated", "overlapped"}},
	{Statement: "A covered root is undetermined until the deeper tree is gone, and emerges as congested",
		Place: "section 3.2.2, item 3", Claims: []string{"emerges", "covered"}},
}

// untested are statements for which nothing here is run.
var untested = []run.Claim{
	{Statement: "the ideal rate of F1 during the bursts is about 2.5 Gb/s", Place: "section 3.1.2, " +
		"paragraph 1", Source: run.Given, Note: "it is said of no control that is run"},
	{Statement: "F1 is below 15 Gb/s when F0 and F2 start",
		Place: "sections 3.1.2 and 3.1.3, paragraph 1", Source: run.Given,
		Note: "it is how the traffic is made: F0 and F2 start 0.3 ms after the bursts"},
	{Statement: "packets of F2 are marked FECN at P1, too, and P0 and P1 mark as P2 does",
		Place: "section 3.1.2, paragraphs 2 and 4", Source: run.Given,
		Note: "the paper does not show it; marks are counted at P2 here"},
	{Statement: "queues, rates and marks over time, as curves", Place: "Figures 3 and 4",
		Source: run.Curve, Note: "our copy of the paper is text, without curves"},
	{Statement: "everything in the sections on TCD's mechanism and its evaluation", Place: "sections 4 " +
		"to 7", Source: run.Given, Note: "our copy of the paper has sections 3.1 and 3.2 only"},
}
