package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Cells have the number of their claim, which stands below with one verdict; what the paper gives
// nothing of stands apart. Of a scenario that was changed nothing is claimed.
func TestClaimTable(t *testing.T) {
	s, outcomes := runtest.SmallSubject(t)
	lost := run.Value(func(o *run.Outcome) float64 { return float64(o.Result.Dropped) })
	s.Scenario.Claims = func(*run.Subject) []run.Claim {
		return []run.Claim{
			{Statement: "the incast takes 7 us", Place: "section 1", Source: run.Given,
				Measures: []run.Measurement{{
					What: "mean FCT of the incast", Unit: "us", Value: run.MeanFCT(workload.Incast),
					Published: run.Ranges{"pfc": run.Exactly(7), "none": run.About(7)},
				}}},
			{Statement: "with flow control less is lost", Place: "section 2", Source: run.Given,
				Rising: []string{"pfc", "none"}, Measures: []run.Measurement{{What: "losses", Value: lost}}},
			run.Beside(run.Measurement{What: "losses, again", Value: lost}),
		}
	}
	var b strings.Builder
	writeClaims(&b, s, findings(s, outcomes))
	require.Equal(t, `
The paper's claims and ours

claim  what                        fc     ours    paper
---------------------------------------------------------
1      mean FCT of the incast, us  pfc   7.000        7
1      mean FCT of the incast, us  none  9.250  about 7
2      losses                      pfc       0  place 1
2      losses                      none   1234  place 2

  - 1: the incast takes 7 us (section 1): within twice (1 of 2)
  - 2: with flow control less is lost (section 2): in order

What else was measured

what           fc    ours
---------------------------
losses, again  pfc      0
losses, again  none  1234
`, b.String())

	s.Changes = []string{"-set buffer=2MiB"}
	b.Reset()
	writeClaims(&b, s, findings(s, outcomes))
	require.NotContains(t, b.String(), "section 1")
	require.Contains(t, b.String(), "What the paper has claims of, for the scenario as it is")
	require.Contains(t, b.String(), "mean FCT of the incast, us  none  9.250\n")
}
