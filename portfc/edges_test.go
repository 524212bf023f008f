package portfc

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// Every field that a configuration gets wrong is named.
func TestConfigErrors(t *testing.T) {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	ratio := func(num, den int64) sluice.Ratio { return sluice.Ratio{Num: num, Den: den} }
	for _, row := range []struct {
		field  string
		change func(*Config)
	}{
		{"Network", func(c *Config) { c.Network.N = 1 }},
		{"Network", func(c *Config) { *c = SwitchConfig(NDC{4, 2}, 100, link) }},
		{
			"Network", func(c *Config) { *c = SwitchConfig(NDC{1000, 2}, 1<<30, link); c.HopClasses = true },
		},
		{"Switch", func(c *Config) { c.Switch = 24 }},
		{"Ports", func(c *Config) { c.Ports = c.Ports[:2] }},
		{"Ports[3].Link.Rate", func(c *Config) { c.Ports[3].Link.Rate = 0 }},
		{"Ports[0].Link.Delay", func(c *Config) { c.Ports[0].Link.Delay = -1 }},
		{"Ports[0].Link.Delay", func(c *Config) { c.Ports[0].Link.Delay = sluice.Second + 1 }},
		{"XOff", func(c *Config) { c.XOff = ratio(-1, 1) }},
		{"XOff", func(c *Config) { c.XOff = ratio(1025, 1) }},
		{"XOn", func(c *Config) { c.XOn = ratio(7, 1) }},
		{"XOn", func(c *Config) { c.XOn = ratio(1, 0) }},
		{"DirectXOff", func(c *Config) { c.DirectXOff = ratio(1, -1) }},
		{"DirectXOn", func(c *Config) { c.DirectXOff = ratio(3, 1) }},
		{"RelayXOff", func(c *Config) { c.RelayXOff = ratio(2000, 1) }},
		{"RelayXOn", func(c *Config) { c.RelayXOn = ratio(2, 1) }},
		{"RelayXOn", func(c *Config) { c.RelayXOff, c.RelayXOn = ratio(1, 1), ratio(2, 1) }},
		{"Marking.KMin", func(c *Config) { c.Marking = sluice.Marking{KMin: 2, KMax: 1} }},
		{"Quantum", func(c *Config) { c.Quantum = -1 }},
		{"Quantum", func(c *Config) { c.Quantum = maxQuantum + 1 }},
		{"Buffer", func(c *Config) { c.Buffer = -1 }},
		{"Refresh", func(c *Config) { c.Refresh = -1 }},
		{"Expiry", func(c *Config) { c.Refresh, c.Expiry = 5, 5 }},
	} {
		c := SwitchConfig(NDC{4, 1}, 19, link)
		row.change(&c)
		_, err := New(c)
		var fault *sluice.ConfigError
		require.True(t, errors.As(err, &fault), "%s: %v", row.field, err)
		require.Equal(t, row.field, fault.Field)
		require.Equal(t, "portfc", fault.Package)
	}
	_, err := New(Config{})
	require.Error(t, err)
	_, err = New(NodeConfig(NDC{4, 1}, 3))
	require.ErrorContains(t, err, "k+1 of a node")
}

// X_OFF is 6 and X_ON 4 bandwidth-delay products of one hop's latency (section V-A): 75 and 50 KB
// at 100 Gb/s and 1 us, in proportion to the rate of each port.
func TestThresholdsArePerPort(t *testing.T) {
	c := SwitchConfig(NDC{2, 1}, 4, sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond})
	c.Ports[1].Link.Rate = 160 * sluice.Gbps
	s := mustNew(t, c)
	require.Equal(t, limits{75_000, 50_000}, s.Port(0).limitsOf(1))
	require.Equal(t, limits{75_000, 50_000}, s.Port(0).limitsOf(0))
	require.Equal(t, limits{120_000, 80_000}, s.Port(1).limitsOf(1))
	require.Equal(t, limits{never, outOfReach}, s.Port(1).limitsOf(highClass))
	node := mustNew(t, NodeConfig(NDC{2, 1}, 0, benchLink))
	for class := range uint8(classes) {
		require.Equal(t, limits{never, outOfReach}, node.Port(0).limitsOf(class), "nodes detect nothing")
	}
	c = NodeConfig(NDC{2, 2}, 0, benchLink)
	c.HopClasses = true
	require.Equal(t, limits{75_000, 50_000}, mustNew(t, c).Port(2).limitsOf(relayClass))
	short := SwitchConfig(NDC{2, 1}, 4, sluice.Link{Rate: sluice.Gbps})
	require.Equal(
		t, limits{1, 0}, mustNew(t, short).Port(0).limitsOf(1), "a threshold is at least a byte",
	)
}

// A threshold is exact however long the link is, and a threshold that no buffer could hold is never
// reached.
func TestThresholdsOfLongLinks(t *testing.T) {
	long := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Second}
	s := mustNew(t, SwitchConfig(NDC{2, 1}, 4, long))
	require.Equal(t, limits{75_000_000_000, 50_000_000_000}, s.Port(0).limitsOf(1))
	c := SwitchConfig(NDC{2, 1}, 4, sluice.Link{Rate: math.MaxInt64, Delay: sluice.Second})
	c.XOff = sluice.Ratio{Num: 1024, Den: 1}
	s = mustNew(t, c)
	require.Equal(t, sluice.Bytes(never), s.Port(0).limitsOf(1).off)
	require.NoError(t, s.Audit())
	bound, err := c.Headroom(1500, Relay{Link: long})
	require.NoError(t, err)
	require.Equal(t, sluice.Bytes(math.MaxInt64), bound.Total)
}

// "Zero: two thirds of RelayXOff" (Config), whatever fraction that is.
func TestRelayXOnOfAnyFraction(t *testing.T) {
	for _, row := range []struct{ off, on sluice.Ratio }{
		{sluice.Ratio{Num: 6, Den: 1}, sluice.Ratio{Num: 12, Den: 3}},
		{sluice.Ratio{Num: 1, Den: maxDenominator / 3}, sluice.Ratio{Num: 2, Den: maxDenominator - 1}},
		{sluice.Ratio{Num: 7, Den: maxDenominator}, sluice.Ratio{Num: 4, Den: maxDenominator}},
		{sluice.Ratio{Num: 1, Den: maxDenominator}, sluice.Ratio{Num: 0, Den: maxDenominator}},
	} {
		c := NodeConfig(NDC{2, 1}, 0, benchLink)
		c.RelayXOff = row.off
		require.Equal(t, row.on, mustNew(t, c).Config().RelayXOn, "of %v", row.off)
	}
}

// What a configuration is made of is its own.
func TestConfigIsACopy(t *testing.T) {
	c := SwitchConfig(NDC{2, 1}, 4, benchLink)
	s := mustNew(t, c)
	c.Ports[0].Link.Rate = 1
	got := s.Config()
	require.Equal(t, benchLink.Rate, got.Ports[0].Link.Rate)
	got.Ports[0].Link.Rate = 2
	require.Equal(t, benchLink.Rate, s.Config().Ports[0].Link.Rate)
	require.Equal(t, sluice.MakeClassSet(7), got.High)
	require.Equal(t, DefaultQuantum, got.Quantum)
	require.Nil(t, s.Port(2))
	require.Equal(t, 2, s.Ports())
}

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
