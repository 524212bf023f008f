package ofc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// twoChoices is a switch of three ports with eight cells of each table and class.
func twoChoices(t *testing.T) *Switch {
	c := Config{TwoChoices: true, Flows: 64, MaxFlowsPerFrame: 1}
	for range 3 {
		c.Ports = append(c.Ports, PortConfig{Link: link40, XOff: 9000, XOffCongested: 3000, XOn: 1000})
	}
	return mustNew(t, c)
}

// polled returns what a port says, frame by frame.
func polled(p *Port) (said []string) {
	var f Frame
	for p.PollFrame(0, &f) {
		said = append(said, f.String())
	}
	return said
}

// cellFlow is the flow with these bits in its halves.
func cellFlow(high, low uint64) uint64 { return high<<32 | low }

// "flow_info = flow_in_port_tab[pri].keys()": all flows of the queue that came by the ingress are
// named when its threshold is crossed, in the order of their cells; after that each that comes.
func TestTwoChoicesNamesAllFlowsOnce(t *testing.T) {
	s := twoChoices(t)
	in, out := s.Port(0), s.Port(2)
	arrive := func(flow uint64, ingress sluice.PortID) *sluice.Packet {
		p := &sluice.Packet{Flow: flow, Size: 1000, Class: 3, Ingress: ingress}
		require.Equal(t, sluice.Append, out.Enqueue(0, p).Action())
		return p
	}
	waiting := []*sluice.Packet{arrive(cellFlow(1, 2), 0), arrive(cellFlow(5, 1), 0)}
	waiting = append(waiting, arrive(cellFlow(7, 3), 1))
	require.Empty(t, polled(in))
	waiting = append(waiting, arrive(cellFlow(6, 2), 0)) // whose first cell is another's
	require.Equal(t, []string{"pause class 3 [500000001]", "pause class 3 [100000002]",
		"pause class 3 [600000002]"}, polled(in))
	require.Empty(t, polled(s.Port(1)))
	waiting = append(waiting, arrive(cellFlow(1, 2), 0), arrive(cellFlow(9, 0), 0))
	require.Equal(t, []string{"pause class 3 [900000000]"}, polled(in))
	for _, p := range waiting {
		require.Equal(t, sluice.Transmit, out.Dequeue(0, 9, p).Action())
	}
	require.Equal(t, []string{"resume class 3 [900000000]", "resume class 3 [500000001]",
		"resume class 3 [100000002]", "resume class 3 [600000002] last"}, polled(in))
	require.NoError(t, s.Audit())
	require.NoError(t, s.Quiescent())
}

// A flow both of whose cells are others' is not known: its packets are counted, and while they wait
// their ingress pauses the whole class.
func TestTwoChoicesWithoutRoom(t *testing.T) {
	s := twoChoices(t)
	in, out := s.Port(0), s.Port(2)
	var waiting []*sluice.Packet
	for _, flow := range []uint64{cellFlow(1, 1), cellFlow(9, 5), cellFlow(5, 9)} {
		p := &sluice.Packet{Flow: flow, Size: 1000, Class: 3}
		out.Enqueue(0, p)
		waiting = append(waiting, p)
	}
	require.EqualValues(t, 1, out.Counters().Untracked)
	require.Equal(t, []string{"pause class 3 all"}, polled(in))
	require.EqualValues(t, 1, in.Counters().Fallbacks)
	for _, p := range waiting {
		out.Dequeue(0, 9, p)
	}
	require.Equal(t, []string{"resume class 3 all"}, polled(in))
	require.NoError(t, s.Quiescent())
}

// A flow in a rotation stays paused until its end, in whichever of its cells it is.
func TestTwoChoicesDefersResumes(t *testing.T) {
	s := twoChoices(t)
	out := s.Port(2)
	a, b := cellFlow(1, 1), cellFlow(2, 2)
	sequence := uint32(0)
	hear := func(kind Type, flow uint64) {
		sequence++
		f := Frame{Type: kind, Class: 3, Count: 1, Sequence: sequence}
		f.Keys[0] = flow
		out.Receive(0, &f)
	}
	hear(Pause, a)
	hear(Pause, b)
	p, q := &sluice.Packet{Flow: a, Size: 100, Class: 3}, &sluice.Packet{Flow: b, Size: 100, Class: 3}
	out.Enqueue(0, p)
	out.Enqueue(0, q)
	require.Equal(t, sluice.AppendToQueue(10), out.Dequeue(0, 9, p))
	require.Equal(t, sluice.AppendToQueue(10), out.Dequeue(0, 9, q))
	hear(Resume, a)
	require.Equal(t, PartialResumed, out.State(3))
	hear(Resume, b)
	require.True(t, out.FlowPaused(3, b), "until the rotation ends")
	require.Equal(t, sluice.Transmit, out.Dequeue(0, 10, p).Action())
	require.Equal(t, sluice.AppendToQueue(11).WithWake(sluice.WakePort(2)), out.Dequeue(0, 10, q),
		"the end of the rotation begins the next")
	require.False(t, out.FlowPaused(3, b))
	require.Equal(t, sluice.Transmit, out.Dequeue(0, 11, q).Action())
	require.Equal(t, AllResumed, out.State(3))
	require.NoError(t, s.Quiescent())
}

// Audit finds faults in cells too: a flow in a cell of another, a broken list of flows to announce,
// and counters that differ.
func TestAuditFindsInCells(t *testing.T) {
	for want, spoil := range map[string]func(x *cells, in, out *Port, pending *list){
		"flow_in_port_tab": func(x *cells, _, _ *Port, _ *list) { x.of(x.flows, 2, 3)[1].flow++ },
		"cell 0: flow 0 with 0 packets": func(x *cells, _, _ *Port, _ *list) {
			x.of(x.flows, 2, 3)[0].ingress = 1
		},
		"congested_flow_tab": func(x *cells, _, _ *Port, _ *list) { x.of(x.congested, 2, 3)[1].flow++ },
		"pause_frame_tab":    func(x *cells, _, _ *Port, _ *list) { x.of(x.told, 0, 3)[1].packets = -1 },
		"cell 2 is pending":  func(x *cells, _, _ *Port, l *list) { x.told[l.head-1].flags = told },
		"more than 2 flows":  func(x *cells, _, _ *Port, l *list) { x.told[l.head-1].next = l.head },
		"0 listed":           func(_ *cells, _, _ *Port, l *list) { l.head = 0 },
		"up to":              func(_ *cells, _, _ *Port, l *list) { l.tail = l.head },
		"the counter says 0": func(_ *cells, in, _ *Port, _ *list) { in.owner.account(0, 3).count = 0 },
		"flows are known":    func(_ *cells, in, _ *Port, _ *list) { in.known++ },
		"flows have 4":       func(x *cells, _, _ *Port, _ *list) { x.of(x.flows, 2, 3)[1].packets++ },
		"present (1 paused)": func(_ *cells, _, out *Port, _ *list) {
			out.classes[3].presentCongested = 0
		},
		"(1 deferred)": func(x *cells, _, _ *Port, _ *list) {
			x.of(x.congested, 2, 3)[1].flags |= deferred
		},
	} {
		s := twoChoices(t)
		in, out := s.Port(0), s.Port(2)
		for low := range uint64(3) {
			out.Enqueue(0, &sluice.Packet{Flow: cellFlow(1, 1+low), Size: 1000, Class: 3})
		}
		var f Frame
		require.True(t, in.PollFrame(0, &f), "one flow is announced, two are pending")
		out.Receive(0, &Frame{
			Type: Pause, Class: 3, Sequence: 1, Count: 1, Keys: [MaxListed]uint64{cellFlow(1, 1)},
		})
		require.NoError(t, s.Audit())
		spoil(s.cells, in, out, &s.cells.naming(0, 3).pending)
		require.ErrorContains(t, s.Audit(), want)
	}
}
