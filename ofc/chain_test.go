package ofc

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/prng"
	"github.com/sluicefc/sluice/kit"
)

// chain is a card whose flows go through a switch to two sinks, one of which is slow: packet by
// packet, each link as long as wire ticks.
type chain struct {
	t            require.TestingT
	random       prng.Source
	store        *kit.Store[int32] // the value is the packet's number in its flow
	card, device *side
	now          sluice.Time
	tick         int
	packets      []delivery[kit.Handle]
	frames       []delivery[Frame]
	spoil        func(f *Frame) bool // whether a frame is lost
	doubling     int                 // percent of frames that are doubled, and swapped
	sent         map[uint64]int32
	received     map[uint64]int32
	left         int // packets to come
	arrived      int
	lost         int // with a device that restarted
	up           int // the tick at which the link of card and switch is there again
	flows        int
	peak         sluice.Bytes
}

type delivery[T any] struct {
	tick int
	what T
}

// side is the card or the switch, and where its driver sends.
type side struct {
	*Switch
	chain  *chain
	driver *kit.Driver[int32]
	free   int // the port whose transmitter is free, negative if none is
}

const (
	wireTicks = 2
	tick      = 300 * sluice.Nanosecond // a packet of 1,500 bytes at 40 Gb/s
)

func newChain(t require.TestingT, change func(*Config), flows, packets int, seed uint64) *chain {
	port := PortConfig{
		Link: sluice.Link{Rate: 40 * sluice.Gbps, Delay: wireTicks * tick}, XOff: 30_000,
	}
	c := Config{Ports: []PortConfig{port, port, port}}
	change(&c)
	c.Ports[0].Headroom = c.HeadroomFor(0, 1500)
	card := HostConfig(port.Link)
	card.Flows, card.Refresh = c.Flows, c.Refresh
	store, err := kit.NewStore[int32](packets)
	require.NoError(t, err)
	n := &chain{
		t: t, random: prng.New(seed), store: store, left: packets, flows: flows, up: -1,
		sent: map[uint64]int32{}, received: map[uint64]int32{},
	}
	n.card, n.device = n.start(card), n.start(c)
	return n
}

func (n *chain) start(c Config) *side {
	s := &side{Switch: mustNew(n.t, c), chain: n, free: -1}
	s.driver = kit.NewDriver(kit.Wrap(s.Switch), n.store, s)
	return s
}

// restart replaces the switch, or the card, by a new one, so that what it held is lost. The link is
// down until what was on it has arrived.
func (n *chain) restart(card bool) {
	old := &n.device
	if card {
		old = &n.card
	}
	for port := range sluice.PortID((*old).Ports()) {
		(*old).driver.LinkDown(n.now, port)
		(*old).driver.Flush(n.now, port)
	}
	*old = n.start((*old).Config())
	n.card.driver.LinkDown(n.now, 0)
	n.device.driver.LinkDown(n.now, 0)
	n.up = n.tick + wireTicks + 1
}

// run lets a number of ticks pass; it returns early when all packets have arrived.
func (n *chain) run(ticks int) {
	for range ticks {
		if n.left == 0 && n.arrived == n.total() {
			return
		}
		n.step()
	}
}

func (n *chain) total() (sum int) {
	for _, count := range n.sent {
		sum += int(count)
	}
	return sum
}

func (n *chain) step() {
	n.now += tick
	n.tick++
	n.card.driver.Expire(n.now)
	n.device.driver.Expire(n.now)
	if n.tick == n.up {
		n.card.driver.LinkUp(n.now, 0)
		n.device.driver.LinkUp(n.now, 0)
	}
	for n.left > 0 && n.random.Below(2) == 0 {
		n.left--
		n.offer(n.random.Below(uint64(n.flows)))
	}
	if n.tick >= n.up { // else the card's transmitter has no link
		n.card.ready(0)
	}
	for len(n.packets) > 0 && n.packets[0].tick <= n.tick {
		h := n.packets[0].what
		n.packets = n.packets[1:]
		p, out := n.store.At(h), sluice.PortID(2)
		if p.Ingress = 0; p.Flow%3 > 0 {
			out = 1
		}
		n.device.enter(out, h)
	}
	n.peak = max(n.peak, n.device.Port(0).IngressBytes(0))
	n.device.ready(0) // which only sends frames
	n.hear()
	if n.random.Below(3) == 0 {
		n.device.ready(1)
	}
	n.device.ready(2)
	if n.tick%16 == 0 {
		require.NoError(n.t, n.card.Audit())
		require.NoError(n.t, n.device.Audit())
		require.NoError(n.t, n.card.driver.Err())
		require.NoError(n.t, n.device.driver.Err())
	}
}

// offer has the card queue a packet of a flow.
func (n *chain) offer(flow uint64) {
	h, ok := n.store.Take()
	require.True(n.t, ok)
	p := n.store.At(h)
	p.Value = n.sent[flow]
	p.Packet = sluice.Packet{Flow: flow, Size: 1500, Ingress: sluice.Local}
	n.sent[flow]++
	n.card.enter(0, h)
}

// hear delivers the frames that are due.
func (n *chain) hear() {
	for len(n.frames) > 0 && n.frames[0].tick <= n.tick {
		f := &n.frames[0].what
		require.NoError(n.t, n.card.driver.Receive(n.now, 0, f.AppendTo(nil)))
		n.frames = n.frames[1:]
	}
}

func (n *chain) percent() bool { return n.doubling > 0 && n.random.Below(100) < uint64(n.doubling) }

func (s *side) enter(port sluice.PortID, h kit.Handle) {
	v := s.driver.Enqueue(s.chain.now, port, h)
	require.Equal(s.chain.t, sluice.Append, v.Action(), v)
}

// ready lets one packet or frame leave by a port.
func (s *side) ready(port sluice.PortID) {
	s.free = int(port)
	s.driver.Ready(s.chain.now, port)
	s.free = -1
}

func (s *side) Free(port sluice.PortID) bool { return int(port) == s.free }

// Send puts a packet on the wire to the switch, or takes it to a sink.
func (s *side) Send(_ sluice.PortID, h kit.Handle) {
	s.free = -1
	n := s.chain
	if s == n.card {
		n.packets = append(n.packets, delivery[kit.Handle]{n.tick + wireTicks, h})
		return
	}
	p := n.store.At(h)
	require.GreaterOrEqual(n.t, p.Value, n.received[p.Flow], "flow %d", p.Flow)
	n.received[p.Flow] = p.Value + 1
	n.arrived++
	n.store.Release(h)
}

// SendFrame puts a frame of the switch on the wire to the card.
func (s *side) SendFrame(_ sluice.PortID, octets []byte, _ string) {
	s.free = -1
	n := s.chain
	var f Frame
	require.NoError(n.t, f.Parse(octets))
	if n.spoil != nil && n.spoil(&f) {
		return
	}
	n.frames = append(n.frames, delivery[Frame]{n.tick + wireTicks, f})
	if n.percent() {
		n.frames = append(n.frames, delivery[Frame]{n.tick + wireTicks, f})
	}
	if last := len(n.frames) - 1; last > 0 && n.percent() {
		n.frames[last].what, n.frames[last-1].what = n.frames[last-1].what, n.frames[last].what
	}
}

// Drop is what a device loses that restarts.
func (s *side) Drop(_ sluice.PortID, h kit.Handle, why sluice.Reason) {
	require.Equal(s.chain.t, sluice.LinkDown, why)
	s.chain.lost++
	s.chain.store.Release(h)
}

// A table of 8 entries under 400 flows loses no packet and no flow.
func TestTableOf8Under400Flows(t *testing.T) {
	n := newChain(t, func(c *Config) { c.Flows = 8 }, 400, 6000, 1)
	n.run(60_000)
	require.Equal(t, 6000, n.arrived)
	c, card := n.device.Counters(), n.card.Counters()
	require.Zero(t, c.Drops()+card.Drops())
	require.NotZero(t, c.Untracked)
	require.NotZero(t, c.Fallbacks)
	require.NoError(t, n.device.Quiescent())
	require.NoError(t, n.card.Quiescent())
	require.LessOrEqual(t, n.peak, 30_000+n.device.Config().Ports[0].Headroom)
	t.Logf("%d packets of unknown flows, %d fallbacks, %d spills, q_in up to %v",
		c.Untracked, c.Fallbacks, card.Spills, n.peak)
}

// Refresh repairs what is lost, doubled and swapped: nothing hangs, and order is kept.
func TestRefreshRepairs(t *testing.T) {
	seeds := depth.Choose(10, 20, 100)
	var lost, repaired uint64
	for seed := range uint64(seeds) {
		n := newChain(t, func(c *Config) {
			c.Refresh, c.MaxFlowsPerFrame = 20*sluice.Microsecond, 4
			c.Ports[0].XOff = 60_000
		}, 40, 1500, seed)
		n.device.accounts[0].limit = 1 << 40 // a lost PAUSE may overrun the headroom
		n.doubling = 1
		n.spoil = func(*Frame) bool {
			if n.percent() {
				lost++
				return true
			}
			return false
		}
		n.run(30_000)
		require.Equal(t, 1500, n.arrived, "seed %d", seed)
		repaired += n.card.Counters().Repairs
	}
	require.NotZero(t, lost)
	require.NotZero(t, repaired)
	t.Logf("%d frames lost, %d flows repaired", lost, repaired)
}

// The paper has no repair: a RESUME that is lost hangs its flows for ever.
func TestALostResumeHangs(t *testing.T) {
	n := newChain(t, func(*Config) {}, 40, 1500, 1)
	n.spoil = func(f *Frame) bool { return f.Type == Resume }
	n.run(30_000)
	require.Less(t, n.arrived, 1500)
	require.Error(t, n.card.Quiescent())
	n = newChain(t, func(*Config) {}, 40, 1500, 1)
	n.run(30_000)
	require.Equal(t, 1500, n.arrived, "it is the RESUME that hangs them")
}

// A switch, or a card, that restarts empty amid an incast loses what it held and nothing else: the
// other end stays paused by nothing that the old one said, and tells the new one what it pauses.
func TestDevicesRestart(t *testing.T) {
	for _, refresh := range []sluice.Time{0, 20 * sluice.Microsecond} {
		for seed := range uint64(5) {
			n := newChain(t, func(c *Config) {
				c.Flows, c.Refresh, c.MaxFlowsPerFrame = 1024, refresh, 4
			}, 40, 3000, seed)
			done := func() bool { return n.left == 0 && n.arrived+n.lost == n.total() }
			// The card sends at the rate of the link until frames announce the paused flows again.
			n.device.accounts[0].limit = 1 << 40
			restarts := 0
			for i := 0; i < 30_000 && !(done() && n.device.Quiescent() == nil); i++ {
				_, _, told := n.device.Port(0).Tables()
				_, paused, _ := n.card.Port(0).Tables()
				if told > 0 && paused > 0 && n.tick >= n.up+100 {
					n.restart(restarts%2 == 0)
					n.device.accounts[0].limit = 1 << 40
					restarts++
				}
				n.step()
			}
			run := fmt.Sprintf("refresh %v, seed %d: %d restarts, %d arrived, %d lost of %d",
				refresh, seed, restarts, n.arrived, n.lost, n.total())
			require.True(t, done(), run)
			require.NotZero(t, n.lost, run)
			require.Greater(t, restarts, 5, run)
			require.NoError(t, n.device.Quiescent())
		}
	}
}

// A flood of new flows after the PAUSE drives q_in to the bound of HeadroomFor, to the byte, and
// not beyond: X_OFF pauses flows that were never seen. Every class of the port pauses at once, and
// the class of the flood last.
func TestLosslessToTheByte(t *testing.T) {
	for _, listed := range []int{0, 3} {
		for _, missing := range []sluice.Bytes{0, 1} {
			flood(t, listed, 1500, missing)
			flood(t, listed, 9000, missing)
		}
	}
}

func flood(t *testing.T, listed int, mtu, missing sluice.Bytes) {
	link := sluice.Link{Rate: 40 * sluice.Gbps, Delay: sluice.Microsecond}
	port := PortConfig{Link: link, XOff: 75 * sluice.KB, Reaction: 137 * sluice.Nanosecond}
	c := Config{Ports: []PortConfig{port, port}, MaxFlowsPerFrame: listed}
	bound := c.HeadroomFor(0, mtu)
	c.Ports[0].Headroom = bound - missing
	s := mustNew(t, c)
	peer := mustNew(t, HostConfig(link))
	flow := uint64(0)
	enqueue := func(class sluice.Class, size sluice.Bytes) sluice.Verdict {
		flow++
		return s.Port(1).Enqueue(0, &sluice.Packet{Flow: flow, Size: size, Class: class})
	}
	for class := range sluice.Class(sluice.Classes) {
		for in := s.Port(0).IngressBytes(class); in < port.XOff-1; in = s.Port(0).IngressBytes(class) {
			enqueue(class, min(mtu, port.XOff-1-in))
		}
	}
	var f Frame
	for s.Port(0).PollFrame(0, &f) { // the lists of X^c_OFF
		peer.Port(0).Receive(0, &f)
	}
	for class := range sluice.Class(sluice.Classes) {
		enqueue(class, mtu) // over X_OFF
	}
	// The transmitter has just begun the largest packet or frame.
	largest := (&Frame{Type: Pause, Count: uint16(max(listed, 1))}).AppendTo(nil)
	if listed == 0 {
		largest = (&Frame{Type: Pause, Count: MaxListed}).AppendTo(nil)
	}
	onTheWire := max(mtu, sluice.Bytes(len(largest))+onWire)
	for peer.Port(0).Sendable(0) {
		require.True(t, s.Port(0).PollFrame(0, &f))
		onTheWire += sluice.Bytes(len(f.AppendTo(nil))) + onWire
		peer.Port(0).Receive(0, &f)
	}
	window := link.Rate.TimeOf(onTheWire).Add(link.RoundTrip()).Add(port.Reaction)
	for begun := link.Rate.BytesIn(window); begun > 0; {
		size := min(begun, mtu)
		require.Equal(t, sluice.Append, enqueue(0, size).Action())
		begun -= size
	}
	v := enqueue(0, mtu) // that begins at the very end
	if missing > 0 {
		require.Equal(t, sluice.HeadroomExhausted, v.Reason())
		require.EqualValues(t, 1, s.Counters().HeadroomDrops)
		return
	}
	require.Equal(t, sluice.Append, v.Action())
	require.Equal(t, port.XOff+bound, s.Port(0).IngressBytes(0))
	require.Equal(t, port.XOff+bound, s.Counters().IngressPeak)
	require.NoError(t, s.Audit())
}
