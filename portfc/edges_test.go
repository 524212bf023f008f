package portfc

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// A frame is 60 bytes, to the bit. It has the number of the queue, not a bit of PFC's mask of 8
// priorities (section VI-A).
func TestFrameOnTheWire(t *testing.T) {
	f := Frame{
		Type: Pause, Source: sluice.MAC{2, 0, 0, 0, 0, 9}, Sequence: 7,
		Queue: 0x102, Port: 0x304, Layer: 5,
	}
	wire := f.AppendTo(nil)
	require.Len(t, wire, 60)
	require.Equal(t, []byte{
		0x01, 0x80, 0xc2, 0, 0, 0x0e, 2, 0, 0, 0, 0, 9, 0x88, 0xb5,
		4, 1, 1, 0, 0, 5, 0, 0, 0, 7, 1, 2, 3, 4, 5,
	}, wire[:29])
	var back Frame
	require.NoError(t, back.Parse(wire))
	require.Equal(t, f, back)
	require.Equal(t, "pause queue 258 of port 772, layer 5", f.String())
	require.Equal(t, "unknown", (&Frame{}).Kind())
	wire[16] = 3
	require.ErrorContains(t, back.Parse(wire), "type is not 1 or 2")
	wire[16], wire[19] = 1, 4
	require.ErrorContains(t, back.Parse(wire), "bytes after the body")
	wire[28] = 0
	require.ErrorContains(t, back.Parse(wire), "body is not 5 bytes")
}

// Frames that cannot be meant for a port are counted and change nothing.
func TestMalformedFrames(t *testing.T) {
	network := NDC{4, 1}
	relay := network.RelayQueue()
	for _, row := range []struct {
		device sluice.SwitchID
		port   sluice.PortID
		frame  Frame
	}{
		{15, 0, Frame{Type: 3}},
		{15, 0, Frame{Type: Pause, Queue: 4}},                            // no queue of a detector
		{15, 0, Frame{Type: Pause, Queue: 0, Port: 4}},                   // no port
		{15, 0, Frame{Type: Pause, Queue: 0, Layer: 1}},                  // another switch
		{15, 0, Frame{Type: Pause, Queue: 0, Port: 3}},                   // the node's own port
		{15, 0, Frame{Type: Pause, Queue: relay}},                        // from a node, not to one
		{15, 0, Frame{Type: Pause, Queue: 0, Layer: 2}},                  // no layer
		{19, 0, Frame{Type: Pause, Queue: 3, Port: 1, Layer: 0}},         // of the switch itself
		{19, 0, Frame{Type: Pause, Queue: relay, Layer: 0}},              // likewise
		{19, 0, Frame{Type: Pause, Queue: 0, Layer: 1}},                  // IHFQs are not relayed
		{19, 0, Frame{Type: Pause, Queue: 3, Layer: 1, Port: 3}},         // node 12 itself is there
		{19, 0, Frame{Type: Pause, Queue: relay, Layer: 1, Port: 0}},     // port and layer differ
		{19, 0, Frame{Type: Pause, Queue: relay + 1, Layer: 1, Port: 1}}, // no such queue
	} {
		s := mustNew(t, smallConfig(network, row.device))
		row.frame.Sequence = 1
		require.Zero(t, s.Port(row.port).Receive(0, &row.frame), "%v", row.frame)
		c := s.Counters()
		require.EqualValues(t, 1, c.Malformed, "%d: %v", row.device, row.frame)
		require.Zero(t, c.QueuesHeld)
		require.NoError(t, s.Quiescent())
	}
	s := mustNew(t, smallConfig(network, 19))
	_, err := s.Port(0).ReceiveWire(0, []byte("no frame"))
	require.Error(t, err)
	require.EqualValues(t, 1, s.Port(0).Counters().Malformed)
	s.Port(0).Receive(0, &Frame{Type: Pause, Sequence: 1, Queue: relay, Layer: 1, Port: 1})
	require.EqualValues(t, 1, s.Port(0).Counters().Malformed, "a node's relay queue holds IHFQs")
	_, err = s.Port(0).ReceiveWire(sluice.Never, []byte("no frame"))
	require.Error(t, err)
	require.EqualValues(t, 1, s.Counters().Misuse, "the time is none, either")
}

// A frame that is older than one obeyed is stale, and so is any while the link is down. After
// LinkUp any number will do.
func TestStaleFrames(t *testing.T) {
	s := mustNew(t, smallConfig(NDC{4, 1}, 15))
	p := s.Port(0)
	p.Receive(0, &Frame{Type: Pause, Sequence: 9})
	require.False(t, p.Sendable(0))
	require.Zero(t, p.Receive(0, &Frame{Type: Resume, Sequence: 8}))
	require.False(t, p.Sendable(0))
	require.Equal(t, sluice.WakePort(0), p.Receive(0, &Frame{Type: Resume, Sequence: 10}))
	require.True(t, p.Sendable(0))
	p.LinkDown(0)
	require.Zero(t, p.Receive(0, &Frame{Type: Pause, Sequence: 11}))
	require.True(t, p.Sendable(0))
	require.EqualValues(t, 2, p.Counters().Stale)
	p.LinkUp(0)
	p.Receive(0, &Frame{Type: Pause, Sequence: 1})
	require.False(t, p.Sendable(0))
	require.False(t, p.Sendable(sluice.QueueID(s.Queues())), "no queue")
	require.EqualValues(t, 2, p.Counters().Stale)
}

// Every hook of an input moves the clock.
func TestHooksMoveTheClock(t *testing.T) {
	for name, hook := range map[string]func(p *Port){
		"Enqueue":  func(p *Port) { p.Enqueue(7, &sluice.Packet{}) },
		"Dequeue":  func(p *Port) { p.Dequeue(7, 0, &sluice.Packet{}) },
		"Receive":  func(p *Port) { p.Receive(7, &Frame{}) },
		"LinkDown": func(p *Port) { p.LinkDown(7) },
		"LinkUp":   func(p *Port) { p.LinkUp(7) },
		"Expire":   func(p *Port) { p.owner.Expire(7) },
	} {
		s := mustNew(t, smallConfig(NDC{4, 1}, 15))
		hook(s.Port(0))
		require.EqualValues(t, 7, s.Snapshot().Now, name)
	}
}

// What people see of a device.
func TestDump(t *testing.T) {
	network := NDC{4, 1}
	s := mustNew(t, smallConfig(network, 19))
	p := sluice.Packet{Size: 7000, Ingress: 1, Path: anyPath(network, 19, 0, 1)}
	s.Port(0).Enqueue(0, &p)
	s.Port(3).Receive(0, &Frame{Type: Pause, Sequence: 1, Queue: 3, Port: 0, Layer: 1})
	var text strings.Builder
	require.NoError(t, kit.Dump(&text, s.Snapshot()))
	require.Equal(t, `portfc: Switch 19, Buffered 7000B
  Ports 0: Peer 12, Pauses [IHFQ]
    Queues 1: Bytes 7000B, Packets 1
  Ports 1: Port 1, Peer 13, Due
  Ports 2: Port 2, Peer 14, Due
  Ports 3: Port 3, Peer 15, Due
    Queues 0: Held
`, text.String())
	snapshot := s.Snapshot()
	require.Equal(t, []string{"IHFQ"}, snapshot.Ports[0].Pauses)
	require.EqualValues(t, 7000, s.Port(0).Counters().IHFQPeak)
	require.True(t, snapshot.Ports[3].Queues[0].Held)
	require.EqualValues(t, 7000, s.Counters().BufferPeak)
	require.ErrorContains(t, s.Quiescent(), "7000 bytes held")
	s.Port(3).LinkDown(0)
	require.True(t, s.Port(3).Snapshot().Down)
}

// A queue is left with nothing, or with at least a byte for each packet.
func TestFits(t *testing.T) {
	for _, left := range []struct {
		bytes   sluice.Bytes
		packets int32
		want    bool
	}{
		{0, 0, true}, {1, 0, false}, {-1, 0, false},
		{0, 1, false}, {1, 1, true}, {2, 1, true}, {1, 2, false}, {2, 2, true}, {-1, 1, false},
		{0, -1, false}, {5, -1, false}, {-1, -1, false},
	} {
		require.Equal(t, left.want, fits(left.bytes, left.packets), "%+v", left)
	}
}

// A packet that is far larger than Config.Quantum costs its queue the turns of 16 quanta and no
// more, so that Next has a bounded search.
func TestAGiantPacketCostsSixteenTurns(t *testing.T) {
	l := newLab(t, 19)
	l.enqueue(1<<30, 1, 0)
	l.enqueue(1000, 1, 0)
	for range 40 {
		l.enqueue(DefaultQuantum, 1, 0, far(0)...)
	}
	var giant, again int
	for turn := 1; again == 0; turn++ {
		switch ddq := l.serve(0) == 3; {
		case ddq && giant == 0:
			giant = turn
		case ddq:
			again = turn
		}
	}
	require.InDelta(t, 16, again-giant-1, 1)
}

// Packets that are not there are misuse, and change nothing. A packet's Note has size, port and
// queue, so that one is not taken for another, and is not believed where they cannot be.
func TestMisuse(t *testing.T) {
	network := NDC{4, 1}
	s := mustNew(t, smallConfig(network, 19))
	var p sluice.Packet // of the DDQ of port 0
	for _, port := range []sluice.PortID{1, 0} {
		for _, i := range []int{1, 1, 0, 0} { // two packets in each of two queues
			p = sluice.Packet{Size: 1000, Ingress: 2, Path: anyPath(network, 19, int(port), i)}
			require.Equal(t, sluice.Append, s.Port(port).Enqueue(0, &p).Action())
		}
	}
	q, last, misuses := network.DDQ(), sluice.QueueID(s.Queues()), 0
	for _, wrong := range []struct {
		port  sluice.PortID
		queue sluice.QueueID
		size  sluice.Bytes
		note  uint64
	}{
		{0, 1, 1000, p.Note}, {1, q, 1000, p.Note}, {0, q, 999, p.Note}, {0, last, 1000, p.Note},
		{0, last, 1000, s.Port(0).note(int(last), 1000)}, {0, q, 0, s.Port(0).note(int(q), 0)},
		{0, q, -1, s.Port(0).note(int(q), -1)}, {0, 65535, 1000, s.Port(0).note(65535, 1000)},
	} {
		other := p
		other.Size, other.Note = wrong.size, wrong.note
		v := s.Port(wrong.port).Dequeue(0, wrong.queue, &other)
		require.Equal(t, sluice.DropBecause(sluice.BadQueue), v, "%+v", wrong)
		misuses++
	}
	for range 2 {
		require.Equal(t, sluice.Transmit, s.Port(0).Dequeue(0, q, &p).Action())
	}
	require.Equal(t, sluice.BadQueue, s.Port(0).Dequeue(0, q, &p).Reason())
	require.EqualValues(t, misuses+1, s.Counters().Misuse)
	s.Port(0).Enqueue(sluice.Never, &p)
	require.EqualValues(t, misuses+2, s.Counters().Misuse)
	require.NoError(t, s.Audit())
}

// Never as now is counted once for each hook (package sluice, Time), also where the packet leaves
// less room than any before.
func TestNeverIsCountedOnce(t *testing.T) {
	s := mustNew(t, smallConfig(NDC{4, 1}, 19))
	p := sluice.Packet{Size: 100, Ingress: 1}
	p.Path.Append(sluice.Hop{Switch: 19})
	for n := range uint64(3) {
		require.Equal(t, n, s.Counters().Misuse)
		require.Equal(t, sluice.Append, s.Port(0).Enqueue(sluice.Never, &p).Action())
	}
}

// A queue that runs empty keeps nothing of its turn (deficit round robin, Shreedhar and Varghese):
// when it has packets again, the next turn is another queue's.
func TestAnEmptyQueueForfeitsItsTurn(t *testing.T) {
	l := newLab(t, 19)
	l.enqueue(100, 1, 0, far(0)...)
	require.Zero(t, l.serve(0))
	l.enqueue(DefaultQuantum, 1, 0, far(0)...)
	l.enqueue(DefaultQuantum, 1, 0)
	require.EqualValues(t, 3, l.serve(0))
	require.Zero(t, l.serve(0))
}

// A packet has no queue where no route leads: by a layer that the network does not have, or whose
// digit is right already.
func TestNoQueueWithoutARoute(t *testing.T) {
	ndc := NDC{4, 1}
	for _, layer := range []int{-1, 0, 1, 2, 64} {
		_, ok := ndc.NodeQueue(15, 3, layer) // of 33 to 03: digit 1 differs
		require.Equal(t, layer == 1, ok, "node, layer %d", layer)
		_, ok = ndc.SwitchQueue(19, 3, layer) // the switch of 33 in layer 0
		require.Equal(t, layer == 1, ok, "switch, layer %d", layer)
		q, ok := ndc.NodeQueue(15, 12, layer) // digit 0 differs
		require.Equal(t, layer == 0, ok, "node, layer %d", layer)
		require.True(t, ok || q == 0)
	}
	noRoute := func(q sluice.QueueID, ok bool) {
		t.Helper()
		require.False(t, ok)
		require.Zero(t, q)
	}
	for _, layer := range []int{0, 1} {
		for _, none := range []sluice.SwitchID{16, 24, 1 << 31} { // a switch, and no devices
			noRoute(ndc.NodeQueue(15, none, layer))
			noRoute(ndc.NodeQueue(none, 3, layer))
			noRoute(ndc.SwitchQueue(19, none, layer))
		}
		for _, none := range []sluice.SwitchID{15, 24} { // a node, and no device
			noRoute(ndc.SwitchQueue(none, 3, layer))
		}
	}
}
