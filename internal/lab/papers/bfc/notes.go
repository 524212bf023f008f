package bfc

import "github.com/sluicefc/sluice/internal/lab/run"

var notes = map[string][]run.Note{
	"bfc/end-to-end": {
		{Text: "The abstract has the only numbers of the paper that were found. Its figures' numbers " +
			"stand neither on NSDI's page, nor in what arXiv shows of versions 1 to 4 (1909.09923), " +
			"nor with the authors' simulator (prateshg/BFC_NS3_NSDI2022), whose README names Figures " +
			"10 and 11 and gives no result, nor in papers that compare with it."},
		{Text: "The abstract says neither which flows are short or long nor which schemes are " +
			"deployed. Short flows here have up to 3 packets, long ones more than 3,072: the first " +
			"and the last class by which the authors' program prints slowdowns. Topology, buffer, " +
			"packets and traffic are those of their simulator's file, of which 1 ms is run in place " +
			"of 50, with DCQCN's and HPCC's parameters as they are in HPCC's ns-3."},
		{Text: "Marks at a quarter of DCQCN's thresholds.",
			Set: "ecn.kmin=100KB,ecn.kmax=400KB", Protocols: []string{"bfc", "pfc"}},
	},
}
