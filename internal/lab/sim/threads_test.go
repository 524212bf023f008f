package sim_test

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/stretchr/testify/require"
)

// TestThreadsShareARun: windows with work for all threads lead to the result of one thread.
func TestThreadsShareARun(t *testing.T) {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	g, err := topo.LeafSpine(topo.LeafSpineConfig{
		Racks: 8, Spines: 4, HostsPerRack: 8, HostLink: link, Uplink: link,
	})
	require.NoError(t, err)
	hosts := sluice.SwitchID(len(g.Hosts()))
	var flows []workload.Flow
	for i := range hosts {
		flows = append(flows, workload.Flow{
			Src: i, Dst: (i + hosts/2) % hosts, Bytes: 200_000, Start: sluice.Time(i),
		})
	}
	c := config(g, flows...)
	want := run(t, c)
	for _, threads := range []int{2, 4} {
		c.Threads = threads
		got := run(t, c)
		got.Wall = want.Wall
		require.Equal(t, want, got, "%d threads", threads)
	}
}
