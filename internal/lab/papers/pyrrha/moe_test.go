package pyrrha

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// As the authors' ns-3 has it, 16 hosts are a group, the first four of eight racks in all; each
// sends 8 MB in 100 flows, one every round-trip time, within its group; two experts receive 86 % of
// them, less what they would send themselves.
func TestExperts(t *testing.T) {
	s := runtest.Prepared(t, Library, "pyrrha/moe", "moe.phase=5ms")
	rtt := s.Graph.BaseRTT(s.Values.Bytes("payload"))
	sent := map[sluice.SwitchID]sluice.Bytes{}
	received := [2]map[sluice.SwitchID]int{{}, {}}
	groups := map[sluice.SwitchID]int{}
	hot := [2]map[sluice.SwitchID]bool{{}, {}}
	for _, f := range s.Flows {
		require.Equal(t, 80*sluice.KB, f.Bytes)
		require.NotEqual(t, f.Src, f.Dst)
		require.Less(t, f.Src%16, sluice.SwitchID(4))
		require.Less(t, f.Src, sluice.SwitchID(8*16))
		group := int(f.Start / (5 * sluice.Millisecond))
		require.Less(t, f.Start-sluice.Time(group)*5*sluice.Millisecond,
			99*rtt+100*sluice.Nanosecond)
		for _, h := range []sluice.SwitchID{f.Src, f.Dst} {
			before, known := groups[h]
			require.True(t, !known || before == group, "a host is of one group")
			groups[h] = group
		}
		sent[f.Src] += f.Bytes
		received[group][f.Dst]++
		if f.Group == workload.Incast {
			hot[group][f.Dst] = true
		} else {
			require.Equal(t, []workload.Group{workload.Vulnerable, workload.Background}[group], f.Group)
		}
	}
	require.Len(t, sent, 32)
	for _, bytes := range sent {
		require.Equal(t, 8*sluice.MB, bytes)
	}
	for group := range received {
		require.Len(t, hot[group], 2)
		most := 0
		for h := range hot[group] {
			most += received[group][h]
		}
		// of 14 hosts 862 of 1,000 flows go there; the two send there what their draw leaves
		require.InEpsilon(t, 1600*(14*0.862+0.449/(1-0.413)+0.413/(1-0.449))/16, most, 0.05)
	}
}

// DCQCN over PFC lets the groups slow one another down, so that flows to experts that are not hot
// wait; with Pyrrha they do not (section II-B). A fifth of the bytes needs lower thresholds.
func TestExpertsAreSpared(t *testing.T) {
	const set = "moe.bytes=1600KB,moe.bursts=20,pfc.alpha=1/256"
	s := runtest.Prepared(t, Library, "pyrrha/moe", set+",moe.phase=0")
	pfc, pyrrha := runtest.OutcomeOf(t, s, "pfc"), runtest.OutcomeOf(t, s, "pyrrha")
	require.Greater(t, tailUncongested(pfc).Value, 2*tailUncongested(pyrrha).Value)
	require.Greater(t, lastToOthers(pfc).Value, lastToOthers(pyrrha).Value)
}
