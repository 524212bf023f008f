package replay

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/ofc"
)

// smallCells is a switch of three ports with eight cells of each table and class.
func smallCells(t *testing.T) *cellSwitch {
	c := ofc.Config{Flows: 64, MaxFlowsPerFrame: 1}
	for range 3 {
		c.Ports = append(c.Ports, ofc.PortConfig{Link: sluice.Link{Rate: 40 * sluice.Gbps},
			XOff: 9000, XOffCongested: 3000, XOn: 1000})
	}
	s, err := ofc.New(c)
	require.NoError(t, err)
	return newCellSwitch(s.Config())
}

// arrive enqueues a packet at port 2, for class 3.
func (s *cellSwitch) arrive(t *testing.T, flow uint64, ingress sluice.PortID) *sluice.Packet {
	p := &sluice.Packet{Flow: flow, Size: 1000, Class: 3, Ingress: ingress}
	require.Equal(t, sluice.AppendToQueue(9), s.Enqueue(0, 2, p).WithoutWake())
	return p
}

// polled returns what a port says, frame by frame.
func (s *cellSwitch) polled(id sluice.PortID) (said []string) {
	var f ofc.Frame
	for octets, _, ok := s.PollFrame(0, id, nil); ok; octets, _, ok = s.PollFrame(0, id, nil) {
		if err := f.Parse(octets); err != nil {
			return []string{err.Error()}
		}
		said = append(said, f.String())
	}
	return said
}

// hear has port 2 receive a frame about a flow of class 3.
func (s *cellSwitch) hear(sequence uint32, kind ofc.Type, flow uint64) sluice.Wake {
	f := ofc.Frame{Type: kind, Class: 3, Count: 1, Sequence: sequence}
	f.Keys[0] = flow
	wake, _ := s.Receive(0, 2, f.AppendTo(nil))
	return wake
}

// halves is the flow with these bits in its halves.
func halves(high, low uint64) uint64 { return high<<32 | low }

// Algorithm 1: all flows of the queue that came by the ingress are named when its threshold is
// crossed, here in the order of their cells; after that each that comes.
func TestAllFlowsAreNamedOnce(t *testing.T) {
	s := smallCells(t)
	waiting := []*sluice.Packet{s.arrive(t, halves(1, 2), 0), s.arrive(t, halves(5, 1), 0)}
	waiting = append(waiting, s.arrive(t, halves(7, 3), 1))
	require.Empty(t, s.polled(0))
	waiting = append(waiting, s.arrive(t, halves(6, 2), 0)) // whose first cell is another's
	require.Equal(t, []string{"pause class 3 [500000001]", "pause class 3 [100000002]",
		"pause class 3 [600000002]"}, s.polled(0))
	require.Empty(t, s.polled(1))
	waiting = append(waiting, s.arrive(t, halves(1, 2), 0), s.arrive(t, halves(9, 0), 0))
	require.Equal(t, []string{"pause class 3 [900000000]"}, s.polled(0))
	for _, p := range waiting {
		require.Equal(t, sluice.Transmit, s.Dequeue(0, 2, 9, p).Action())
	}
	require.Equal(t, []string{"resume class 3 [900000000]", "resume class 3 [500000001]",
		"resume class 3 [100000002]", "resume class 3 [600000002] last"}, s.polled(0))
	require.NoError(t, s.Audit())
	require.NoError(t, s.Quiescent())
}

// A flow both of whose cells are others' is not known: its packets are counted, and while they wait
// their ingress pauses the whole class.
func TestFlowWithoutACell(t *testing.T) {
	s := smallCells(t)
	var waiting []*sluice.Packet
	for _, flow := range []uint64{halves(1, 1), halves(9, 5), halves(5, 9)} {
		waiting = append(waiting, s.arrive(t, flow, 0))
	}
	require.Equal(t, 1, s.ports[2].classes[3].untracked)
	require.Equal(t, []string{"pause class 3 all"}, s.polled(0))
	for _, p := range waiting {
		s.Dequeue(0, 2, 9, p)
	}
	require.Equal(t, []string{"resume class 3 all"}, s.polled(0))
	require.NoError(t, s.Quiescent())
}

// A flow that is resumed in a rotation stays paused until its end.
func TestRotationDefersResumes(t *testing.T) {
	s := smallCells(t)
	a, b := halves(1, 1), halves(2, 2)
	s.hear(1, ofc.Pause, a)
	s.hear(2, ofc.Pause, b)
	p, q := s.arrive(t, a, 0), s.arrive(t, b, 0)
	require.Equal(t, sluice.AppendToQueue(10), s.Dequeue(0, 2, 9, p))
	require.Equal(t, sluice.AppendToQueue(10), s.Dequeue(0, 2, 9, q))
	require.Equal(t, sluice.WakePort(2), s.hear(3, ofc.Resume, a))
	require.Equal(t, ofc.PartialResumed, s.ports[2].classes[3].state())
	require.Zero(t, s.hear(4, ofc.Resume, b))
	require.True(t, s.ports[2].classes[3].congested.has(b), "until the rotation ends")
	require.Equal(t, sluice.Transmit, s.Dequeue(0, 2, 10, p).Action())
	require.Equal(t, sluice.AppendToQueue(11).WithWake(sluice.WakePort(2)), s.Dequeue(0, 2, 10, q),
		"the end of the rotation begins the next")
	require.False(t, s.ports[2].classes[3].congested.has(b))
	require.Equal(t, sluice.Transmit, s.Dequeue(0, 2, 11, q).Action())
	require.Equal(t, ofc.AllResumed, s.ports[2].classes[3].state())
	require.NoError(t, s.Quiescent())
}

// In a local congestion, when downstream pauses flows of the queue, those alone are named;
// Undistinguished names all.
func TestLocalCongestionNamesPausedFlows(t *testing.T) {
	for _, all := range []bool{false, true} {
		s := smallCells(t)
		s.config.Undistinguished = all
		s.hear(1, ofc.Pause, halves(1, 2))
		require.Equal(t, ofc.PartialPaused, s.ports[2].classes[3].state())
		s.arrive(t, halves(1, 2), 0)
		require.Equal(t, ofc.AllPaused, s.ports[2].classes[3].state(), "each flow here is paused")
		s.arrive(t, halves(1, 1), 0)
		s.arrive(t, halves(1, 1), 0)
		require.Equal(t, ofc.PartialPaused, s.ports[2].classes[3].state())
		want := []string{"pause class 3 [100000002]"}
		if all {
			want = []string{"pause class 3 [100000001]", want[0]}
		}
		require.Equal(t, want, s.polled(0))
		s.arrive(t, halves(2, 3), 0)
		require.Equal(t, all, len(s.polled(0)) == 1, "a flow that downstream does not pause")
	}
}

// A packet that cannot be at the head of a queue is misuse and changes nothing.
func TestDequeueOfWhatIsNotThere(t *testing.T) {
	s := smallCells(t)
	p := s.arrive(t, halves(1, 1), 0)
	for at, spoil := range []func(p *sluice.Packet, q *sluice.QueueID){
		func(p *sluice.Packet, _ *sluice.QueueID) { p.Flow++ },
		func(p *sluice.Packet, _ *sluice.QueueID) { p.Size++ },
		func(p *sluice.Packet, _ *sluice.QueueID) { p.Ingress = 1 },
		func(p *sluice.Packet, _ *sluice.QueueID) { p.Ingress = 3 },
		func(p *sluice.Packet, _ *sluice.QueueID) { p.Class = 4 },
		func(p *sluice.Packet, _ *sluice.QueueID) { p.Note = cellNote },
		func(p *sluice.Packet, _ *sluice.QueueID) { p.Note = cellNote | 9 },
		func(p *sluice.Packet, _ *sluice.QueueID) { p.Note = 2 },
		func(_ *sluice.Packet, q *sluice.QueueID) { *q = 10 },
	} {
		wrong, q := *p, sluice.QueueID(9)
		spoil(&wrong, &q)
		require.Equal(t, sluice.DropBecause(sluice.BadQueue), s.Dequeue(0, 2, q, &wrong))
		require.Equal(t, uint64(at+1), s.Counters(2).Misuse)
		require.NoError(t, s.Audit())
		require.Equal(t, sluice.Bytes(1000), s.Buffered())
	}
	require.Equal(t, sluice.Transmit, s.Dequeue(0, 2, 9, p).Action())
	require.NoError(t, s.Quiescent())
}

// A port whose link comes up announces again what it pauses, and nothing that it was to resume. A
// port whose link is down owes no frame and obeys no pause.
func TestLinkOfCells(t *testing.T) {
	s := smallCells(t)
	waiting := []*sluice.Packet{s.arrive(t, halves(1, 1), 0), s.arrive(t, halves(1, 2), 0),
		s.arrive(t, halves(1, 3), 0)}
	require.Len(t, s.polled(0), 3)
	s.LinkDown(0, 0)
	require.Empty(t, s.polled(0))
	require.Equal(t, sluice.WakePort(0), s.LinkUp(0, 0))
	require.Len(t, s.polled(0), 3)
	for _, p := range waiting[:2] {
		s.Dequeue(0, 2, 9, p)
	}
	require.Equal(t, []string{"resume class 3 [100000001]"}, s.polled(0)[:1])
	s.arrive(t, halves(1, 1), 0)
	waiting = append(waiting, s.arrive(t, halves(1, 2), 0), s.arrive(t, halves(1, 1), 0))
	require.NotEmpty(t, s.polled(0))
	s.Dequeue(0, 2, 9, waiting[2])
	s.LinkDown(0, 0)
	s.Dequeue(0, 2, 9, waiting[3])
	s.Dequeue(0, 2, 9, waiting[4])
	require.Zero(t, s.account(0, 3).told.count(taken), "the peer forgot its pauses")
	s.LinkUp(0, 0)
	require.Empty(t, s.polled(0))
	s.hear(1, ofc.Pause, halves(1, 1))
	require.True(t, s.Sendable(2, 9))
	all := ofc.Frame{Type: ofc.Pause, Class: 3, All: true, Sequence: 2}
	_, err := s.Receive(0, 2, all.AppendTo(nil))
	require.NoError(t, err)
	require.False(t, s.Sendable(2, 9))
	require.Equal(t, sluice.WakePort(2), s.LinkDown(0, 2))
	require.True(t, s.Sendable(2, 9))
	require.False(t, s.ports[2].classes[3].congested.has(halves(1, 1)))
	require.NoError(t, s.Audit())
}

// Audit finds a flow in another's cell, and what does not sum up.
func TestAuditOfCells(t *testing.T) {
	for want, spoil := range map[string]func(k *cellClass, in *cellAccount){
		"a flow is in no cell":  func(k *cellClass, _ *cellAccount) { k.flows[1].flow++ },
		"is in no cell of its":  func(k *cellClass, _ *cellAccount) { k.congested[0].marked = true },
		"0 flows told, 2 pend":  func(_ *cellClass, in *cellAccount) { in.told[1].packets = -1 },
		"1 flows told, 1 pend":  func(_ *cellClass, in *cellAccount) { in.pending = in.pending[1:] },
		"hold 3 packets, flows": func(k *cellClass, _ *cellAccount) { k.flows[1].packets++ },
		"1 bytes and 0 packets": func(_ *cellClass, in *cellAccount) { in.bytes++ },
		"0 bytes and 1 packets": func(_ *cellClass, in *cellAccount) { in.untracked++ },
		"queue 2 is served":     func(k *cellClass, _ *cellAccount) { k.serving = 2 },
		"queue 0 is served":     func(k *cellClass, _ *cellAccount) { k.congested[1].marked = true },
		"queue 2 holds 1":       func(k *cellClass, _ *cellAccount) { k.packets[0], k.packets[2] = 2, 1 },
	} {
		s := smallCells(t)
		for low := range uint64(3) {
			s.arrive(t, halves(1, 1+low), 0)
		}
		_, _, ok := s.PollFrame(0, 0, nil)
		require.True(t, ok, "one flow is announced, two are pending")
		s.hear(1, ofc.Pause, halves(1, 1))
		require.NoError(t, s.Audit())
		spoil(&s.ports[2].classes[3], s.account(0, 3))
		require.ErrorContains(t, s.Audit(), want)
	}
}
