package portfc

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// A frame is 60 bytes, to the bit.
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
		{19, 0, Frame{Type: Pause, Queue: 3, Layer: 0}},                  // of the switch itself
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
}

// A frame that is older than one obeyed is stale, and so is any while the link is down.
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

// Packets that are not there are misuse, and change nothing.
func TestMisuse(t *testing.T) {
	network := NDC{4, 1}
	s := mustNew(t, smallConfig(network, 19))
	p := sluice.Packet{Size: 1000, Ingress: 1, Path: anyPath(network, 19, 0, 1)}
	q := s.Port(0).Enqueue(0, &p).Queue()
	for _, wrong := range []struct {
		port  sluice.PortID
		queue sluice.QueueID
		size  sluice.Bytes
	}{{0, q + 1, 1000}, {1, q, 1000}, {0, q, 999}, {0, 99, 1000}} {
		other := p
		other.Size = wrong.size
		v := s.Port(wrong.port).Dequeue(0, wrong.queue, &other)
		require.Equal(t, sluice.DropBecause(sluice.BadQueue), v, "%+v", wrong)
	}
	require.Equal(t, sluice.Transmit, s.Port(0).Dequeue(0, q, &p).Action())
	require.Equal(t, sluice.BadQueue, s.Port(0).Dequeue(0, q, &p).Reason())
	require.EqualValues(t, 5, s.Counters().Misuse)
	s.Port(0).Enqueue(sluice.Never, &p)
	require.EqualValues(t, 6, s.Counters().Misuse)
	require.NoError(t, s.Audit())
}

// A packet has no queue where no route leads: by a layer that the network does not have, or whose
// digit is right already.
func TestNoQueueWithoutARoute(t *testing.T) {
	ndc := NDC{4, 1}
	for _, layer := range []int{-1, 0, 1, 2} {
		_, ok := ndc.NodeQueue(15, 3, layer) // of 33 to 03: digit 1 differs
		require.Equal(t, layer == 1, ok, "node, layer %d", layer)
		_, ok = ndc.SwitchQueue(19, 3, layer) // the switch of 33 in layer 0
		require.Equal(t, layer == 1, ok, "switch, layer %d", layer)
	}
}
