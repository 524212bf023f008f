package report

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Every scenario builds, has flows that meet, and runs.
func TestEveryScenario(t *testing.T) {
	for _, name := range turns() {
		s, outcomes := brief(t, name)
		require.NoError(t, workload.CheckFlows(s.Graph, s.Flows))
		withoutIncast := regexp.MustCompile(
			`^(permutation|bfc/end-to-end|ofc/fig6-.*|ofc/fig8|pcn/fig1.*|pcn/fig2.*|pcn/fluid)$`)
		if len(s.Flows) > 1 && !withoutIncast.MatchString(s.Name) {
			require.Greater(t, s.CountGroups()[workload.Incast], 1, s.Name)
		}
		require.Positive(t, s.SampleEvery)
		for _, o := range outcomes {
			require.Positive(t, o.Result.PacketHops)
			require.NotEmpty(t, o.Result.Series)
			require.Len(t, o.Result.Flows, len(o.Subject.Flows))
		}
	}
}

// The roles of a scenario's flows come from who made them: where no flow says that it is of an
// incast, every flow says what it is, and no victim is guessed by its size.
func TestGroupsComeFromTheGenerator(t *testing.T) {
	check := func(name string, set ...string) {
		s := runtest.Prepared(t, papers.All, name, set...)
		guessed := 0
		for i := range s.Flows {
			switch s.Flows[i].Group {
			case workload.Incast:
				return // the others' roles follow from its destination
			case workload.GroupAuto:
				guessed++
			}
		}
		require.Zero(t, guessed, "%s %v", name, set)
	}
	for i := range papers.All.Scenarios {
		check(papers.All.Scenarios[i].Name, slow[papers.All.Scenarios[i].Name])
	}
	check("mix", "incast.degree=0")
}

// The generated twin of the reference has its network and the shape of its incast.
func TestFigure2IsLikeTheReference(t *testing.T) {
	twin := runtest.Prepared(t, papers.All, "pyrrha/fig2",
		"incast.min=30,incast.max=40,duration=500us")
	original := runtest.Prepared(t, papers.All, "reference")
	require.Equal(t, len(original.Graph.Nodes), len(twin.Graph.Nodes))
	require.Equal(t, original.Graph.BaseRTT(1460), twin.Graph.BaseRTT(1460))
	for _, x := range []*run.Subject{original, twin} {
		incast := 0
		for i, f := range x.Flows {
			if x.Groups[i] == workload.Incast {
				incast++
				require.Zero(t, int(f.Dst))
				require.NotEqual(t, x.Graph.Nodes[0].Rack, x.Graph.Nodes[f.Src].Rack)
				require.Zero(t, f.Bytes%1460)
				require.GreaterOrEqual(t, f.Bytes, sluice.Bytes(30*1460))
				require.LessOrEqual(t, f.Bytes, sluice.Bytes(40*1460))
				continue
			}
			require.NotZero(t, f.Src)
			require.NotEqual(t, x.Graph.Nodes[f.Src].Rack, x.Graph.Nodes[f.Dst].Rack)
		}
		require.Equal(t, 720, incast)
	}
}
