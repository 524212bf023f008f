package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Every scenario builds, has flows that meet, and runs.
func TestEveryScenario(t *testing.T) {
	for i := range everything.scenarios {
		s, outcomes := brief(t, everything.scenarios[i].name)
		require.NoError(t, workload.CheckFlows(s.graph, s.flows))
		if len(s.flows) > 1 && s.name != "permutation" && s.name != pcnFluid.name &&
			!strings.HasPrefix(s.set, ofcCommon+",load") &&
			// no incast there
			!strings.HasPrefix(s.name, "pcn/fig1") && !strings.HasPrefix(s.name, "pcn/fig2") {
			require.Greater(t, countGroups(s.groups)[workload.Incast], 1, s.name)
		}
		require.Positive(t, s.sampleEvery)
		for _, o := range outcomes {
			require.Positive(t, o.result.PacketHops)
			require.NotEmpty(t, o.result.Series)
			require.Len(t, o.result.Flows, len(s.flows))
		}
	}
}

// The roles of a scenario's flows come from who made them: where no flow says that it is of an
// incast, every flow says what it is, and nobody guesses a victim by sizes.
func TestGroupsComeFromTheGenerator(t *testing.T) {
	check := func(name string, set ...string) {
		s := prepared(t, everything, name, set...)
		guessed := 0
		for i := range s.flows {
			switch s.flows[i].Group {
			case workload.Incast:
				return // the others' roles follow from its destination
			case workload.GroupAuto:
				guessed++
			}
		}
		require.Zero(t, guessed, "%s %v", name, set)
	}
	for i := range everything.scenarios {
		check(everything.scenarios[i].name, slow[everything.scenarios[i].name])
	}
	check("mix", "incast.degree=0")
}

// The generated twin of the reference has its network and the shape of its incast.
func TestFigure2IsLikeTheReference(t *testing.T) {
	twin := prepared(t, everything, "pyrrha/fig2", "incast.min=30,incast.max=40,duration=500us")
	original := prepared(t, everything, "reference")
	require.Equal(t, len(original.graph.Nodes), len(twin.graph.Nodes))
	require.Equal(t, original.graph.BaseRTT(1460), twin.graph.BaseRTT(1460))
	for _, x := range []*subject{original, twin} {
		incast := 0
		for i, f := range x.flows {
			if x.groups[i] == workload.Incast {
				incast++
				require.Zero(t, int(f.Dst))
				require.NotEqual(t, x.graph.Nodes[0].Rack, x.graph.Nodes[f.Src].Rack)
				require.Zero(t, f.Bytes%1460)
				require.GreaterOrEqual(t, f.Bytes, sluice.Bytes(30*1460))
				require.LessOrEqual(t, f.Bytes, sluice.Bytes(40*1460))
				continue
			}
			require.NotZero(t, f.Src)
			require.NotEqual(t, x.graph.Nodes[f.Src].Rack, x.graph.Nodes[f.Dst].Rack)
		}
		require.Equal(t, 720, incast)
	}
}

func TestPointlessParametersAreRefused(t *testing.T) {
	for _, c := range []struct{ scenario, fc, set, want string }{
		{
			"mix", "pfc", "topology=single,k=8",
			"parameter k=8 has no effect on mix under pfc: read are topology, hosts, host.rate",
		},
		{"mix", "pfc", "topology=fat-tree,racks=2", "parameter racks=2 has no effect"},
		{"mix", "pfc", "load=0,workload=hadoop", "parameter workload=hadoop has no effect"},
		{"mix", "pfc", "load=1/3", "parameter load=1/3 must be a whole number of thousandths"},
		{"mix", "pfc", "load=0,incast.degree=0", "scenario mix has no flows"},
		{"mix", "pfc", "topology=fat-tree,k=5", "must be even"},
		{"mix", "pfc", "incast.min=50", "MinPackets"},
		{"mix", "pfc", "racks=1,spines=1,locality=other-racks", "Destinations"},
		{
			"mix", "pfc", "bfc.queues=64",
			"parameter bfc.queues=64 has no effect on mix under pfc: nothing of that section is read",
		},
		{"mix", "pfc,bfc-128", "bfc.queues=64,pfc.alpha=1/2", ""},
		{"mix", "none", "pfc.alpha=1/2", "has no effect on mix under none"},
		{
			"mix", "ideal", "buffer=1MiB",
			"parameter buffer=1MiB has no effect on mix under ideal: read are payload, header",
		},
		{"mix", "pyrrha+pfc", "pfc.alpha=1/2,pyrrha.iqs=50", ""},
		{
			"pyrrha/ring", "pfc", "hosts=3",
			"parameter hosts=3 has no effect on pyrrha/ring under pfc: nothing of that section is read",
		},
		{"incast", "pfc", "hosts=9", ""}, // the user's value overrides the scenario's
	} {
		o := options{scenario: c.scenario, set: lists{c.set}, seed: 1}
		require.NoError(t, o.protocols.Set(c.fc))
		_, err := o.prepare()
		if c.want == "" {
			require.NoError(t, err, c.set)
			continue
		}
		require.ErrorContains(t, err, c.want, c.set)
	}
}
