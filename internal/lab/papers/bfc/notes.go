package bfc

import "github.com/sluicefc/sluice/internal/lab/run"

var notes = map[string][]run.Note{
	"bfc/incast": {
		{Text: "For twice as long; the authors' file has 50 ms.", Open: "duration", Set: "duration=2ms",
			Protocols: []string{"bfc", "ideal"}},
	},
	"bfc/end-to-end": {
		{Text: "The abstract has the only numbers of the paper that were found. NSDI's page and " +
			"arXiv's (1909.09923) have no more than the abstract as text; the README of the authors' " +
			"simulator (prateshg/BFC_NS3_NSDI2022) names Figures 10 and 11 and gives no result; and " +
			"no page that quotes numbers of a figure was found. So all other comparisons of BFC are " +
			"with other protocols run here."},
		{Text: "The abstract says neither which flows are short or long nor which schemes are " +
			"deployed. Short flows here have up to 3 packets, long ones more than 3,072: the first " +
			"and the last class by which the authors' program prints slowdowns. Topology, buffer, " +
			"packets and traffic are as in the file of their simulator, without its incasts, of which " +
			"the sentence does not speak, and for 3 ms of its 50. DCQCN and HPCC have their default " +
			"parameters."},
		{Text: "With the incasts of the authors' file.", Open: "incast",
			Set: "incast.uplinks=1/20", Protocols: []string{"bfc", "pfc"}},
		{Text: "For 1 ms.", Open: "duration", Set: "duration=1ms", Protocols: []string{"bfc", "pfc"}},
		{Text: "Marks at a quarter of DCQCN's thresholds.",
			Set: "ecn.kmin=100KB,ecn.kmax=400KB", Open: "thresholds of marks",
			Protocols: []string{"bfc", "pfc"}},
	},
}
