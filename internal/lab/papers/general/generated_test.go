package general

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

func TestGeneratedTopologies(t *testing.T) {
	for _, c := range []struct {
		set, graph string
		groups     []workload.Group
	}{
		{
			"topology=single,hosts=8,load=1/2,duration=20us,incast.degree=8", "single switch 8",
			[]workload.Group{workload.Incast, workload.Vulnerable},
		},
		{
			"topology=dumbbell,hosts=8,load=1/2,duration=20us,incast.degree=40", "dumbbell 8+8",
			[]workload.Group{workload.Incast, workload.Vulnerable, workload.Background},
		},
		{
			"topology=leaf-spine,racks=2,spines=2,hosts=4,duration=20us,incast.degree=40",
			"leaf-spine 2x2x4", []workload.Group{workload.Incast, workload.Vulnerable, workload.Background},
		},
		{
			"topology=fat-tree,k=4,duration=20us,incast.degree=40", "fat-tree k=4",
			[]workload.Group{workload.Incast, workload.Vulnerable, workload.Background},
		},
		{
			"topology=single,hosts=8,load=0,incast.degree=8", "single switch 8",
			[]workload.Group{workload.Incast},
		},
		{
			"racks=2,hosts=4,load=0,incast.degree=40,incast.load=1/2,duration=1ms", "leaf-spine 2x4x4",
			[]workload.Group{workload.Incast},
		},
	} {
		subject := runtest.Prepared(t, Library, "mix", c.set)
		require.Equal(t, c.graph, subject.Graph.Name)
		counts := subject.CountGroups()
		for _, g := range []workload.Group{workload.Incast, workload.Vulnerable, workload.Background} {
			wanted := false
			for _, w := range c.groups {
				wanted = wanted || w == g
			}
			require.Equal(t, wanted, counts[g] > 0, "%s: %v flows: %d", c.set, g, counts[g])
		}
	}
}

// At a load of one half, 40 flows of 35 packets take two times 163 us of a link of 100 Gb/s.
func TestPeriodicIncast(t *testing.T) {
	subject := runtest.Prepared(t, Library, "mix",
		"racks=2,hosts=4,load=0,incast.degree=40,incast.load=1/2,duration=1ms,incast.min=35,incast.max=35",
	)
	require.Len(t, subject.Flows, 4*40)
	require.Equal(t, 40*35*sluice.Time(1460*80*2), subject.Flows[40].Start)
}
