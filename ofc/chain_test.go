package ofc

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/testnet"
	"github.com/sluicefc/sluice/kit"
)

// Nodes of a chain.
const (
	device   sluice.SwitchID = iota // port 0 leads to the card, 1 to the slow sink, 2 to the other
	card                            // of the host
	slowSink                        // of two flows in three
	fastSink
)

// chain is a card whose flows go through a switch to a slow sink and to another.
type chain struct{ *testnet.Network }

func newChain(t testing.TB, change func(*Config), flows, packets int, seed uint64) *chain {
	n := &chain{testnet.New(t, seed)}
	link := sluice.Link{Rate: 40 * sluice.Gbps, Delay: 600 * sluice.Nanosecond}
	slow := link
	slow.Rate = 13 * sluice.Gbps
	n.Connect(device, card, link)
	n.Connect(device, slowSink, slow)
	n.Connect(device, fastSink, link)
	c := Config{Ports: []PortConfig{{Link: link, XOff: 30_000}, {Link: slow}, {Link: link}}}
	change(&c)
	c.Ports[0].Headroom = c.HeadroomFor(0, 1500)
	host := HostConfig(link)
	host.Flows, host.Refresh = c.Flows, c.Refresh
	n.Start(device, func() kit.Machine { return kit.Wrap(mustNew(t, c)) })
	n.Start(card, func() kit.Machine { return kit.Wrap(mustNew(t, host)) })
	for flow := range uint64(flows) {
		f := &testnet.Flow{
			Packet: sluice.Packet{Flow: flow, Size: 1500}, Count: packets, To: fastSink,
		}
		if flow%3 > 0 {
			f.To = slowSink
		}
		f.Packet.Path.Append(sluice.Hop{Switch: card})
		f.Packet.Path.Append(sluice.Hop{Switch: device, Port: sluice.PortID(f.To) - 1})
		n.Send(f)
	}
	return n
}

func (n *chain) of(id sluice.SwitchID) *Switch { return kit.Unwrap(n.Node(id).Machine()).(*Switch) }

// finish asserts that every packet arrived, in order, and nothing is left.
func (n *chain) finish() {
	require.NoError(n, n.Finish(20*sluice.Millisecond))
	require.Zero(n, n.Overtaken)
	n.Audit()
}

// A table of 8 entries under 400 flows loses no packet and no flow.
func TestTableOf8Under400Flows(t *testing.T) {
	n := newChain(t, func(c *Config) { c.Flows = 8 }, 400, 15, 1)
	n.finish()
	c, host := n.of(device).Counters(), n.of(card).Counters()
	require.Zero(t, c.Drops()+host.Drops())
	require.NotZero(t, c.Untracked)
	require.NotZero(t, c.Fallbacks)
	require.LessOrEqual(t, c.IngressPeak, 30_000+n.of(device).Config().Ports[0].Headroom)
	t.Logf("%d packets of unknown flows, %d fallbacks, %d spills, q_in up to %v",
		c.Untracked, c.Fallbacks, host.Spills, c.IngressPeak)
}

// Refresh repairs what is lost, doubled and swapped: nothing hangs, and order is kept.
func TestRefreshRepairs(t *testing.T) {
	var lost int
	var repaired uint64
	for seed := range uint64(depth.Choose(10, 20, 50, 100)) {
		n := newChain(t, func(c *Config) {
			c.Refresh, c.MaxFlowsPerFrame = 20*sluice.Microsecond, 4
			c.Ports[0].XOff = 60_000
		}, 40, 40, seed)
		n.of(device).account(0, 0).limit = 1 << 40 // a lost PAUSE may overrun the headroom
		n.Lost, n.Doubled, n.Late = 1, 1, 1
		n.finish()
		lost += n.Vanished
		repaired += n.of(card).Counters().Repairs
	}
	require.NotZero(t, lost)
	require.NotZero(t, repaired)
	t.Logf("%d frames lost, %d flows repaired", lost, repaired)
}

// The paper has no repair: a RESUME that is lost hangs its flows for ever.
func TestALostResumeHangs(t *testing.T) {
	n := newChain(t, func(*Config) {}, 40, 40, 1)
	n.Lose = func(_ *testnet.Node, kind string) bool { return kind == "resume" }
	require.Error(t, n.Finish(20*sluice.Millisecond))
	require.Error(t, n.of(card).Quiescent())
	require.False(t, n.Step(sluice.Never), "nothing will ever happen again")
	newChain(t, func(*Config) {}, 40, 40, 1).finish() // it is the RESUME that hangs them
}

// A switch, or a card, that restarts empty amid an incast loses what it held and nothing else: the
// other end stays paused by nothing that the old one said, and tells the new one what it pauses.
func TestDevicesRestart(t *testing.T) {
	for _, refresh := range []sluice.Time{0, 20 * sluice.Microsecond} {
		for seed := range uint64(5) {
			n := newChain(t, func(c *Config) {
				c.Flows, c.Refresh, c.MaxFlowsPerFrame = 1024, refresh, 4
			}, 40, 80, seed)
			restarts := 0
			n.Every, n.Look = 1, func(*testnet.Node) {
				// The card sends at the rate of the link until frames announce the paused flows again.
				n.of(device).account(0, 0).limit = 1 << 40
			}
			for at := range sluice.Time(12) {
				n.At((at+1)*40*sluice.Microsecond, func() {
					_, _, told := n.of(device).Port(0).Tables()
					_, paused, _ := n.of(card).Port(0).Tables()
					if told > 0 && paused > 0 {
						restarts++
						n.Node(sluice.SwitchID(restarts % 2)).Restart()
					}
				})
			}
			n.finish()
			run := fmt.Sprintf("refresh %v, seed %d: %d restarts, %d packets lost", refresh, seed, restarts,
				n.Missing)
			require.NotZero(t, n.Missing, run)
			require.Greater(t, restarts, 5, run)
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
