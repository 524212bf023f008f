package sim_test

import (
	"strings"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/kit"
	"github.com/stretchr/testify/require"
)

// A packet may pass as many switches as the limit says, and not one more.
func TestHopLimit(t *testing.T) {
	for limit, completed := range map[uint8]int{4: 0, 5: 1, 6: 1, 0: 1} {
		c := config(chain(5), workload.Flow{Src: 0, Dst: 1, Bytes: 1460 * 3})
		c.HopLimit = limit
		result := run(t, c)
		require.Equal(t, completed, result.Completed, "limit %d", limit)
		require.Equal(t, int64(3*(1-completed)), result.Expired, "limit %d", limit)
		require.Zero(t, result.Dropped, "they are counted apart")
		require.Equal(
			t, completed == 1, result.Flows[0].Ideal > 0, "where no packet can go there is no ideal time",
		)
	}
}

func TestLossesAreListedByPlaceAndReasonInOrder(t *testing.T) {
	c := config(
		star(3), workload.Flow{Src: 0, Dst: 2, Bytes: 1460 * 30},
		workload.Flow{Src: 1, Dst: 2, Bytes: 1460 * 30, Start: 3 * sluice.Microsecond},
	)
	c.RetransmitAfter = 50 * sluice.Microsecond
	at(&c, 3, func(m kit.Machine) kit.Machine { return &discarding{&lossy{m, 4}, 8} })
	at(&c, 1, func(m kit.Machine) kit.Machine { return &lossy{&lossy{m, 2}, 4} })
	result := run(t, c)
	require.Equal(t, 2, result.Completed)
	type loss struct {
		at      sluice.SwitchID
		reason  sluice.Reason
		packets int64
	}
	var got []loss
	last := sluice.Time(0)
	for _, d := range result.Drops {
		got = append(got, loss{d.At.Switch, d.Reason, d.Packets})
		require.GreaterOrEqual(t, d.First, last)
		last = d.First
	}
	require.Equal(
		t, []loss{{3, sluice.BufferFull, 1}, {3, sluice.WatchdogDrop, 1}, {1, sluice.BufferFull, 2}}, got,
	)
	require.EqualValues(t, 4, result.Dropped)
}

// Wherever they are lost, packets do not vanish otherwise: what comes to a machine leaves it, is
// dropped there, or is there.
func TestEveryPacketIsAccountedFor(t *testing.T) {
	type account struct{ came, refused, left int64 }
	books := make([]account, 4)
	c := config(
		star(3), workload.Flow{Src: 0, Dst: 2, Bytes: 1460 * 100},
		workload.Flow{Src: 1, Dst: 2, Bytes: 1460 * 100},
	)
	c.RetransmitAfter = 30 * sluice.Microsecond
	build := c.NewMachine
	c.NewMachine = func(node sluice.SwitchID) (kit.Machine, error) {
		m, err := build(node)
		if node == 3 {
			m, err = small(c.Topology, node, sluice.NoClasses, 9000)
		}
		book := &books[node]
		inner := watched{m, func(sluice.Time, sluice.PortID, *sluice.Packet) { book.left++ }}
		return counting{inner, &book.came, &book.refused}, err
	}
	var s *sim.Simulator
	c.Inspect = func(running *sim.Simulator) error { s = running; return nil }
	for _, until := range []sluice.Time{0, 10 * sluice.Microsecond, 17 * sluice.Microsecond} {
		clear(books)
		c.Until = until
		result := run(t, c)
		var total account
		for node, book := range books {
			there := int64(0)
			s.Buffered(sluice.SwitchID(node), func(_ sluice.PortID, _ sluice.QueueID, p *sluice.Packet) {
				there++
			})
			require.Equal(t, book.came, book.refused+book.left+there, "node %d", node)
			total.refused += book.refused
			total.left += book.left
		}
		require.Equal(t, result.Dropped, total.refused)
		require.Equal(t, result.PacketHops, total.left)
		require.Positive(t, result.Dropped)
		require.Equal(t, until == 0, result.Completed == 2)
		if until == 0 {
			require.Equal(
				t, books[0].left+books[1].left+books[2].left, books[3].came,
				"what hosts send comes to the switch",
			)
		}
	}
}

// counting counts what comes to a machine and what it refuses.
type counting struct {
	kit.Machine
	came, refused *int64
}

func (m counting) Enqueue(now sluice.Time, port sluice.PortID, p *sluice.Packet) sluice.Verdict {
	v := m.Machine.Enqueue(now, port, p)
	*m.came++
	if v.Action() == sluice.Drop {
		*m.refused++
	}
	return v
}

// The places that hold most are named, and not more than three.
func TestWhatIsLeftIsNamed(t *testing.T) {
	var flows []workload.Flow
	for dst := range sluice.SwitchID(5) {
		for n := range dst + 1 {
			flows = append(flows, workload.Flow{Src: (dst + 1 + n) % 6, Dst: dst, Bytes: 1460 * 10})
		}
	}
	c := config(star(6), flows...)
	c.Until = 4 * sluice.Microsecond
	notes := run(t, c).Notes
	require.Len(t, notes, 1)
	require.Regexp(
		t,
		`^\d+ of 15 flows did not complete by \S+: \d+ bytes wait at 6:4, `+
			`\d+ bytes wait at 6:3, \d+ bytes wait at 6:2$`,
		notes[0],
	)
}

func TestProgressEndsAtAllThatWasDelivered(t *testing.T) {
	c := config(star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 1460 * 20000})
	var calls []sluice.Bytes
	c.Progress = func(delivered, total sluice.Bytes) {
		require.EqualValues(t, 1460*20000, total)
		calls = append(calls, delivered)
	}
	run(t, c)
	require.GreaterOrEqual(t, len(calls), 2)
	require.IsNonDecreasing(t, calls)
	require.EqualValues(t, 1460*20000, calls[len(calls)-1])
}

// The forwarding state does not know the destination.
func TestAFlowWithoutAWayIsAnError(t *testing.T) {
	c := config(star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 1})
	c.Network = network(star(1))
	_, err := attempt(t, c)
	require.ErrorContains(t, err, "flow 0 from node 0: no route")
}

// A way that was cut off at the greatest length of a path goes on from where it ends by what is
// known there, if anything is.
func TestAWayThatBreaksOffIsAnError(t *testing.T) {
	const switches = 12
	c := config(chain(switches), workload.Flow{Src: 0, Dst: 1, Bytes: 1})
	c.VerifyPaths = false
	c.Inspect = func(s *sim.Simulator) error {
		s.Reroute(network(star(1))) // from then on, no route leads to host 1
		return nil
	}
	_, err := attempt(t, c)
	require.ErrorContains(t, err, "packet of flow 0 has no way on at node 9: no route")
}

func TestResultsTakeNotesAndFigures(t *testing.T) {
	var r sim.Result
	r.Note("%d of %d", 1, 2)
	r.Figure("queues", 3)
	r.Figure("roots", 4)
	require.Equal(t, []string{"1 of 2"}, r.Notes)
	require.Equal(t, map[string]int64{"queues": 3, "roots": 4}, r.Figures)
}

// What the window shows of a running simulator.
func TestInspectSeesQueuesAndMachines(t *testing.T) {
	c := config(
		star(3), workload.Flow{Src: 0, Dst: 2, Bytes: 14600}, workload.Flow{Src: 1, Dst: 2, Bytes: 14600},
	)
	most := 0
	c.Inspect = func(s *sim.Simulator) error {
		n, bytes := 0, sluice.Bytes(0)
		s.Buffered(3, func(port sluice.PortID, q sluice.QueueID, p *sluice.Packet) {
			n++
			bytes += p.Size
			require.Positive(t, s.Machine(3).Backlog(port, q))
		})
		require.Equal(t, s.Machine(3).Buffered(), bytes)
		most = max(most, n)
		return nil
	}
	result := run(t, c)
	require.Greater(t, most, 5)
	require.GreaterOrEqual(t, result.MaxSwitchBytes, sluice.Bytes(most*60))

	stop := strings.NewReader("")
	c.Inspect = func(*sim.Simulator) error { return stop.UnreadByte() }
	_, err := attempt(t, c)
	require.ErrorContains(t, err, "strings.Reader.UnreadByte", "an error of Inspect ends the run")
}
