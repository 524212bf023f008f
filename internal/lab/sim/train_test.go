package sim

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The slow way: every packet of the flow leaves every hop when it has come, the one before it has
// left, and it has been sent.
func TestIdealTimeAgainstEveryPacket(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := train{
			before: sluice.Time(rapid.IntRange(0, 40).Draw(t, "full packets")),
			full:   sluice.Bytes(rapid.Int64Range(1, 9000).Draw(t, "size")),
		}
		tr.last = sluice.Bytes(rapid.Int64Range(1, int64(tr.full)).Draw(t, "last"))
		arrived := make([]sluice.Time, tr.before+1)
		for range rapid.IntRange(1, 10).Draw(t, "hops") {
			link := drawLink(t)
			tr.pass(
				link.Delay, link.Rate.TimeOf(tr.full), link.Rate.TimeOf(tr.last),
			)
			free := sluice.Time(0)
			for i := range arrived {
				size := tr.full
				if i == int(tr.before) {
					size = tr.last
				}
				free = max(free, arrived[i]) + link.Rate.TimeOf(size)
				arrived[i] = free + link.Delay
			}
			require.Equal(t, arrived[tr.before], tr.arrived)
		}
	})
}

func drawLink(t *rapid.T) sluice.Link {
	return sluice.Link{
		Rate: rapid.OneOf(
			rapid.SampledFrom([]sluice.Rate{
				sluice.Gbps, 10 * sluice.Gbps, 25 * sluice.Gbps, 400 * sluice.Gbps,
			}),
			rapid.Map(rapid.Int64Range(1e6, 2e12), func(r int64) sluice.Rate { return sluice.Rate(r) }),
		).Draw(t, "rate"),
		Delay: sluice.Time(rapid.Int64Range(0, 5_000_000).Draw(t, "delay")),
	}
}

// A product stands for a division where the time of a byte is a whole number of picoseconds, and
// only there: at 10,000,010,000 bit/s the times of 1,000 bytes and of 1,000 times one byte, each
// rounded up, are the same, and the times of 1,526 are not.
func TestSerialisationIsExactAtEveryRate(t *testing.T) {
	rates := []sluice.Rate{
		10*sluice.Gbps - 1, 10 * sluice.Gbps, 10*sluice.Gbps + 1, 10_000_010_000, 10_147_123_802,
	}
	for _, rate := range rates {
		p := newPort(sluice.Link{Rate: rate})
		node := topo.Node{Ports: []topo.Port{{Link: sluice.Link{Rate: rate}}}}
		s := &Simulator{config: Config{Topology: &topo.Graph{Nodes: []topo.Node{node}}}}
		for n := range sluice.Bytes(10_000) {
			require.Equal(t, rate.TimeOf(n), (&part{Simulator: s}).serialisation(&p, n),
				"%d bytes at %v", n, rate)
		}
	}
}
