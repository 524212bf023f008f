package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/schedule"
)

// Collective operations on one switch take as long as computed by hand, rank by rank: a message of
// whole packets is there after its own time, the time of a packet in the switch, and the delay of
// two links. What is more is acknowledgements, of one byte here, which share links with packets of
// the other way: less than a packet's time for each message in the chain that the rank waited for.
func TestCollectivesTakeAsLongAsComputedByHand(t *testing.T) {
	const n, packets = 8, 40
	c := config(star(n))
	c.AckSize = 1
	link := c.Topology.Nodes[0].Ports[0].Link
	packet := link.Rate.TimeOf(c.Payload + c.Header)
	bytes := func(packets int) sluice.Bytes { return sluice.Bytes(packets) * c.Payload }
	message := func(packets int) sluice.Time {
		return sluice.Time(packets+1)*packet + 2*link.Delay
	}
	type end struct {
		at    sluice.Time
		chain int // messages
	}
	alike := func(e end) (ends []end) {
		for range n {
			ends = append(ends, e)
		}
		return ends
	}
	for name, of := range map[string]struct {
		schedule *schedule.Schedule
		ends     []end
	}{
		// 2(n-1) steps of an n-th each.
		"ring": {collective(t, "allreduce-ring", n, bytes(n*packets)),
			alike(end{2 * (n - 1) * message(packets), 2 * (n - 1)})},
		// Half, a quarter and an eighth of all, and back.
		"halving and doubling": {collective(t, "allreduce-halving", n, bytes(n*packets)),
			alike(end{2 * (message(4*packets) + message(2*packets) + message(packets)), 6})},
		// After each step a rank has heard of twice as many.
		"dissemination": {dissemination(t, n, bytes(packets)),
			alike(end{3 * message(packets), 3})},
		// A rank passes on at once to n/2, n/4 and so on, one message after the other.
		"binomial tree": {tree(t, n, bytes(packets)), func() []end {
			ends := make([]end, n)
			for distance := n / 2; distance > 0; distance /= 2 {
				for from := 0; from < n; from += 2 * distance {
					before := 0 // messages that it has sent, to more distant ones
					for d := distance * 2; from%(2*d) == 0 && d < n; d *= 2 {
						before++
					}
					sent := ends[from].at + sluice.Time(before*packets)*packet
					ends[from+distance] = end{sent + message(packets), ends[from].chain + before + 1}
				}
			}
			for rank := range ends { // a rank is done when its last message has left it
				for d := 1; d < n && rank%(2*d) == 0; d *= 2 {
					ends[rank].at += sluice.Time(packets) * packet
					ends[rank].chain++
				}
			}
			return ends
		}()},
	} {
		var hosts []sluice.SwitchID
		for host := range sluice.SwitchID(n) {
			hosts = append(hosts, host)
		}
		result := run(t, withJobs(c, schedule.Job{Name: name, Schedule: of.schedule, Hosts: hosts}))
		for rank, got := range result.Jobs[0].RankEnds {
			want := of.ends[rank]
			require.GreaterOrEqual(t, got, want.at, "%s: rank %d", name, rank)
			require.Less(t, got, want.at+sluice.Time(want.chain)*packet, "%s: rank %d", name, rank)
		}
	}
}

func collective(t *testing.T, name string, n int, bytes sluice.Bytes) *schedule.Schedule {
	s, err := schedule.CollectiveNamed(name).Make(n, bytes)
	require.NoError(t, err)
	return s
}

func dissemination(t *testing.T, n int, bytes sluice.Bytes) *schedule.Schedule {
	b := schedule.NewBuilder(n)
	for rank := range n {
		before := schedule.Label(-1)
		for step, distance := uint32(0), 1; distance < n; step, distance = step+1, 2*distance {
			send := b.Send(rank, (rank+distance)%n, bytes, step)
			if before >= 0 {
				b.Requires(rank, send, before)
			}
			before = b.Recv(rank, (rank+n-distance)%n, bytes, step)
		}
	}
	return built(t, b)
}

// tree is a broadcast over a binomial tree whose ranks send one message after the other.
func tree(t *testing.T, n int, bytes sluice.Bytes) *schedule.Schedule {
	b := schedule.NewBuilder(n)
	for rank := range n {
		before := schedule.Label(-1)
		for distance := n / 2; distance > 0; distance /= 2 {
			switch {
			case rank%(2*distance) == distance:
				before = b.Recv(rank, rank-distance, bytes, 0)
			case rank%(2*distance) == 0:
				send := b.Send(rank, rank+distance, bytes, 0)
				if before >= 0 {
					b.Requires(rank, send, before)
				}
				before = send
			}
		}
	}
	return built(t, b)
}
