package cbfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/prng"
)

// chained is a switch of a chain, and its clock.
type chained struct {
	*Switch
	behind sluice.Time // of the true time
	latest sluice.Time // time that a hook got
	queue  []sluice.Packet
}

// chain is host, switches, host: port 0 of each leads back, port 1 onward. Packets and FCPs are
// handed over in an instant, so that only ticks take time.
type chain struct {
	*testing.T
	nodes     []*chained
	now       sluice.Time // true
	random    prng.Source
	entered   int
	delivered int
}

// clock returns the time that a node shows.
func (c *chain) clock(i int) sluice.Time {
	n := c.nodes[i]
	n.latest = max(n.latest, c.now-n.behind)
	return c.now - n.behind
}

// back returns how long it takes until all clocks have come to where they were.
func (c *chain) back() (longest sluice.Time) {
	for i, n := range c.nodes {
		longest = max(longest, n.latest-c.clock(i))
	}
	return longest
}

func (c *chain) enter(i int, p sluice.Packet) {
	n := c.nodes[i]
	if i == len(c.nodes)-1 {
		n.Port(0).Consume(c.clock(i), &p)
		c.delivered++
		return
	}
	require.Equal(c, sluice.Append, n.Port(1).Enqueue(c.clock(i), &p).Action(), "no buffer overflows")
	n.queue = append(n.queue, p)
}

// pass lets time pass, serves every timer that is due by its own clock, and sends whatever may go.
func (c *chain) pass(span sluice.Time) {
	var f Frame
	c.now += span
	for moved := true; moved; {
		moved = false
		for i, n := range c.nodes {
			if n.Deadline() <= c.clock(i) {
				n.Expire(c.clock(i))
			}
			for port := range sluice.PortID(2) {
				for n.Port(port).PollFrame(c.clock(i), &f) {
					if to := i - 1 + 2*int(port); to >= 0 && to < len(c.nodes) {
						c.nodes[to].Port(1-port).Receive(c.clock(to), &f)
						moved = true
					}
				}
			}
			for q, ok := n.Port(1).Next(c.clock(i)); ok; q, ok = n.Port(1).Next(c.clock(i)) {
				p := n.queue[0]
				n.queue = n.queue[1:]
				require.Equal(c, sluice.Transmit, n.Port(1).Dequeue(c.clock(i), q, &p).Action())
				p.Ingress = 0
				c.enter(i+1, p)
				moved = true
			}
			require.NoError(c, n.Audit())
		}
	}
}

// step turns a clock back, or moves its origin, which no other node may notice.
func (c *chain) step() {
	i := int(c.random.Below(uint64(len(c.nodes))))
	by := sluice.Time(c.random.Below(uint64(100 * us)))
	if n := c.nodes[i]; c.random.Below(4) == 0 {
		n.Rebase(by)
		n.latest -= by
	}
	c.nodes[i].behind += by
}

func newChain(t *testing.T, seed uint64) *chain {
	c := &chain{T: t, random: prng.New(seed)}
	for range 2 + c.random.Below(4) {
		buffer := 1536 * sluice.Bytes(1+c.random.Below(4))
		port := PortConfig{
			Link: sluice.Link{Rate: 40 * g}, Buffer: buffer, PeerBuffer: buffer,
			Period: us, KeepAlive: sluice.Second,
		}
		c.nodes = append(c.nodes, &chained{Switch: newSwitch(t, Config{
			MTU: 1500, Classes: sluice.MakeClassSet(3), Ports: []PortConfig{port, port},
		})})
	}
	return c
}

// A hook that gets an earlier time than one before it uses the latest. So the switch of a clock
// that was turned back ticks no more until the clock has caught up, and packets that need its FCPs
// wait. Once all clocks have caught up, two ticks for each packet let all arrive. (No FCP is lost,
// so KeepAlive repairs nothing: it is off.)
func TestClocksThatStepBack(t *testing.T) {
	const packets, spread = 40, 200 * us
	waited, seeds := 0, depth.Choose(300, 300, 1000)
	for seed := range uint64(seeds) {
		c := newChain(t, seed)
		for c.now < spread {
			c.pass(sluice.Time(c.random.Below(uint64(2 * us))))
			if c.entered < packets {
				c.enter(0, sluice.Packet{Size: 1500, Class: 3, Ingress: sluice.Local})
				c.entered++
			}
			if c.random.Below(20) == 0 {
				c.step()
			}
		}
		if c.delivered < packets {
			waited++
		}
		for end := c.now + c.back() + 2*packets*us; c.now < end; {
			c.pass(us / 2)
		}
		require.Equal(t, packets, c.entered)
		require.Equal(t, packets, c.delivered, "seed %d", seed)
		for i, n := range c.nodes {
			require.Zero(t, n.Buffered(), "seed %d, node %d", seed, i)
		}
	}
	require.Greater(t, waited, seeds/10, "runs in which packets waited for a clock")
}
