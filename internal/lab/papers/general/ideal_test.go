package general

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/lab/generate"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// A queue for every flow is no bound of what can be gained: it lets 720 senders of an incast fill
// the links that they share with vulnerable flows, each of which gets a flow's share, and keeps
// what they sent at the last port. Pyrrha holds the incast at its sources. The cause removed: where
// the incast's senders send no faster than the link to its victim takes, vulnerable flows are as
// fast under "ideal" as under Pyrrha.
func TestIdealBesideIncast(t *testing.T) {
	depth.From(t, depth.Thorough, "three runs of the reference")
	vulnerable := func(s *run.Subject, fc string) float64 {
		fct := *runtest.OutcomeOf(t, s, fc).FCT.Of(workload.Vulnerable)
		require.NotNil(t, fct)
		return fct.Mean
	}
	s := runtest.Prepared(t, Library, "reference")
	ideal, pyrrha := vulnerable(s, "ideal"), vulnerable(s, "pyrrha")
	senders := s.CountGroups()[workload.Incast]
	link := s.Graph.Nodes[generate.Victim].Ports[0].Link.Rate
	for i := range s.Flows {
		if s.Groups[i] == workload.Incast {
			s.Flows[i].Rate = link / sluice.Rate(senders)
		}
	}
	paced := vulnerable(s, "ideal")
	t.Logf("mean FCT of vulnerable flows: ideal %.2f us, pyrrha %.2f us, ideal with a paced incast "+
		"%.2f us", ideal, pyrrha, paced)
	require.Greater(t, ideal, 1.2*pyrrha)
	require.Less(t, paced, 1.05*pyrrha)
}
