package ofc

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
)

// chain is a card whose flows go through a switch to two sinks, one of which is slow: packet by
// packet, each link as long as wire ticks.
type chain struct {
	random   prng.Source
	card     *Switch
	device   *Switch
	now      sluice.Time
	queues   [2][]([]sluice.Packet) // the embedder's, of the card's port and of the switch's port 1, 2
	second   [][]sluice.Packet
	packets  []delivery[sluice.Packet]
	frames   []delivery[Frame]
	spoil    func(f *Frame) bool // whether a frame is lost
	doubling int                 // percent of frames that are doubled, and swapped
	sent     map[uint64]int32
	received map[uint64]int32
	left     int // packets to come
	arrived  int
	lost     int // with a device that restarted
	up       int // the tick at which the link of card and switch is there again
	flows    int
	peak     sluice.Bytes
}

type delivery[T any] struct {
	tick int
	what T
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
	n := &chain{
		random: prng.New(seed), card: mustNew(t, card), device: mustNew(t, c), left: packets,
		flows: flows, up: -1,
		sent: map[uint64]int32{}, received: map[uint64]int32{},
	}
	n.queues[0] = make([][]sluice.Packet, n.card.Queues())
	n.queues[1] = make([][]sluice.Packet, n.card.Queues())
	n.second = make([][]sluice.Packet, n.card.Queues())
	return n
}

// restart replaces the switch, or the card, by one that starts anew, so that what it held is lost.
// The link is down until what was on it has arrived.
func (n *chain) restart(t require.TestingT, i int, card bool) {
	empty := func(queues [][]sluice.Packet) {
		for q := range queues {
			n.lost += len(queues[q])
			queues[q] = nil
		}
	}
	if card {
		n.card = mustNew(t, n.card.Config())
		empty(n.queues[0])
	} else {
		n.device = mustNew(t, n.device.Config())
		empty(n.queues[1])
		empty(n.second)
	}
	n.card.Port(0).LinkDown(n.now)
	n.device.Port(0).LinkDown(n.now)
	n.up = i + wireTicks + 1
}

// run lets so many ticks pass; it returns early when all packets have arrived.
func (n *chain) run(t require.TestingT, ticks int) {
	for i := range ticks {
		if n.left == 0 && n.arrived == n.total() {
			return
		}
		n.step(t, i)
	}
}

func (n *chain) total() (sum int) {
	for _, count := range n.sent {
		sum += int(count)
	}
	return sum
}

func (n *chain) step(t require.TestingT, i int) {
	n.now += tick
	n.card.Expire(n.now)
	n.device.Expire(n.now)
	if i == n.up {
		n.card.Port(0).LinkUp(n.now)
		n.device.Port(0).LinkUp(n.now)
	}
	for n.left > 0 && n.random.Below(2) == 0 {
		n.left--
		flow := n.random.Below(uint64(n.flows))
		p := sluice.Packet{
			Flow: flow, Size: 1500, Ingress: sluice.Local, UpstreamQueue: sluice.QueueID(n.sent[flow]),
		}
		n.sent[flow]++
		n.enter(t, n.card.Port(0), n.queues[0], p)
	}
	if i < n.up {
		// the card's transmitter has no link
	} else if p, ok := n.leave(n.card.Port(0), n.queues[0]); ok {
		n.packets = append(n.packets, delivery[sluice.Packet]{i + wireTicks, p})
	}
	for len(n.packets) > 0 && n.packets[0].tick <= i {
		p := n.packets[0].what
		n.packets = n.packets[1:]
		p.Ingress = 0
		if p.Flow%3 > 0 {
			n.enter(t, n.device.Port(1), n.queues[1], p)
		} else {
			n.enter(t, n.device.Port(2), n.second, p)
		}
	}
	n.peak = max(n.peak, n.device.Port(0).IngressBytes(0))
	n.signal(i)
	if n.random.Below(3) == 0 {
		n.arrive(t, n.device.Port(1), n.queues[1])
	}
	n.arrive(t, n.device.Port(2), n.second)
	if i%16 == 0 {
		require.NoError(t, n.card.Audit())
		require.NoError(t, n.device.Audit())
	}
}

// signal polls a frame of the switch and delivers those that are due.
func (n *chain) signal(i int) {
	var f Frame
	if n.device.Port(0).PollFrame(n.now, &f) && (n.spoil == nil || !n.spoil(&f)) {
		n.frames = append(n.frames, delivery[Frame]{i + wireTicks, f})
		if n.percent() {
			n.frames = append(n.frames, delivery[Frame]{i + wireTicks, f})
		}
		if last := len(n.frames) - 1; last > 0 && n.percent() {
			n.frames[last].what, n.frames[last-1].what = n.frames[last-1].what, n.frames[last].what
		}
	}
	for len(n.frames) > 0 && n.frames[0].tick <= i {
		n.card.Port(0).Receive(n.now, &n.frames[0].what)
		n.frames = n.frames[1:]
	}
}

func (n *chain) percent() bool { return n.doubling > 0 && n.random.Below(100) < uint64(n.doubling) }

func (n *chain) enter(t require.TestingT, p *Port, queues [][]sluice.Packet, packet sluice.Packet) {
	v := p.Enqueue(n.now, &packet)
	require.Equal(t, sluice.Append, v.Action(), v)
	queues[v.Queue()] = append(queues[v.Queue()], packet)
}

func (n *chain) leave(p *Port, queues [][]sluice.Packet) (sluice.Packet, bool) {
	for {
		q, ok := p.Next(n.now)
		if !ok {
			return sluice.Packet{}, false
		}
		packet := queues[q][0]
		queues[q] = queues[q][1:]
		v := p.Dequeue(n.now, q, &packet)
		if v.Action() == sluice.Transmit {
			return packet, true
		}
		queues[v.Queue()] = append(queues[v.Queue()], packet)
	}
}

func (n *chain) arrive(t require.TestingT, p *Port, queues [][]sluice.Packet) {
	if packet, ok := n.leave(p, queues); ok {
		number := int32(packet.UpstreamQueue)
		require.GreaterOrEqual(t, number, n.received[packet.Flow], "flow %d", packet.Flow)
		n.received[packet.Flow] = number + 1
		n.arrived++
	}
}

// "a table of 8 entries under 400 flows still loses nothing": no packet, and no flow.
func TestTableOf8Under400Flows(t *testing.T) {
	for _, chip := range []bool{false, true} {
		n := newChain(t, func(c *Config) { c.Flows, c.TwoChoices = 8, chip }, 400, 6000, 1)
		n.run(t, 60_000)
		require.Equal(t, 6000, n.arrived)
		c, card := n.device.Counters(), n.card.Counters()
		require.Zero(t, c.Drops()+card.Drops())
		require.NotZero(t, c.Untracked)
		require.NotZero(t, c.Fallbacks)
		require.NoError(t, n.device.Quiescent())
		require.NoError(t, n.card.Quiescent())
		require.LessOrEqual(t, n.peak, 30_000+n.device.Config().Ports[0].Headroom)
		t.Logf("chip %t: %d packets of unknown flows, %d fallbacks, %d spills, q_in up to %v",
			chip, c.Untracked, c.Fallbacks, card.Spills, n.peak)
	}
}

// Refresh repairs what is lost, doubled and swapped: nothing hangs, and order is kept.
func TestRefreshRepairs(t *testing.T) {
	seeds := 100
	if testing.Short() {
		seeds = 10
	}
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
		n.run(t, 30_000)
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
	n.run(t, 30_000)
	require.Less(t, n.arrived, 1500)
	require.Error(t, n.card.Quiescent())
	n = newChain(t, func(*Config) {}, 40, 1500, 1)
	n.run(t, 30_000)
	require.Equal(t, 1500, n.arrived, "it is the RESUME that hangs them")
}

// A switch, or a card, that restarts empty amid an incast loses what it held and nothing else: the
// other end stays paused by nothing that the old one said, and tells the new one what it pauses.
func TestDevicesRestart(t *testing.T) {
	for _, chip := range []bool{false, true} {
		for _, refresh := range []sluice.Time{0, 20 * sluice.Microsecond} {
			for seed := range uint64(5) {
				n := newChain(t, func(c *Config) {
					c.Flows, c.TwoChoices, c.Refresh, c.MaxFlowsPerFrame = 1024, chip, refresh, 4
				}, 40, 3000, seed)
				done := func() bool { return n.left == 0 && n.arrived+n.lost == n.total() }
				// The card sends at the rate of the link until it is told again what is paused.
				n.device.accounts[0].limit = 1 << 40
				restarts := 0
				for i := 0; i < 30_000 && !(done() && n.device.Quiescent() == nil); i++ {
					_, _, told := n.device.Port(0).Tables()
					_, paused, _ := n.card.Port(0).Tables()
					if told > 0 && paused > 0 && i >= n.up+100 {
						n.restart(t, i, restarts%2 == 0)
						n.device.accounts[0].limit = 1 << 40
						restarts++
					}
					n.step(t, i)
				}
				run := fmt.Sprintf("chip %t, refresh %v, seed %d: %d restarts, %d arrived, %d lost of %d",
					chip, refresh, seed, restarts, n.arrived, n.lost, n.total())
				require.True(t, done(), run)
				require.NotZero(t, n.lost, run)
				require.Greater(t, restarts, 5, run)
				require.NoError(t, n.device.Quiescent())
			}
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
		return s.Port(1).Enqueue(0, &sluice.Packet{Flow: flow, Size: int32(size), Class: class})
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
