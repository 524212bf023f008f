package portfc

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// model is a device of PortFC as one would write it on a whiteboard: lists of packets, sums taken
// when they are asked for, and what every peer believes from the frames that it got.
type model struct {
	s    *Switch
	held []modelPacket
	// pausing is upstreamIsPaused of (port, class).
	pausing map[[2]int]bool
	// said is what was heard at (port, layer, class, egress).
	said map[[4]int]bool
	// peer is what the device at the end of a port believes of (port, layer, queue, egress).
	peer map[[4]int]bool
	down map[int]bool // ports whose link failed
}

type modelPacket struct {
	sluice.Packet
	port, queue int
}

// bytes sums packets.
func (m *model) bytes(match func(*modelPacket) bool) (n sluice.Bytes) {
	for i := range m.held {
		if match(&m.held[i]) {
			n += m.held[i].Size
		}
	}
	return n
}

// queue finds the queue of a packet from the words of section III-B.
func (m *model) queue(port int, p *sluice.Packet) int {
	s, t := m.s, m.s.network
	if s.high.Has(p.Class) {
		return s.queues - 1
	}
	at, rank := p.Path.Len(), func(e, own int) (i int) {
		for other := range e {
			if other != own {
				i++
			}
		}
		return i
	}
	switch {
	case s.node && p.Ingress != sluice.Local:
		return s.queues - 2
	case s.node:
		own := t.Digit(s.config.Switch, port)
		return (t.K-(at/2-1))*(t.N-1) + rank(int(p.Path.At(1).Port), own)
	case at == 1:
		return s.queues - 2
	}
	node, next := p.Path.At(1), p.Path.At(2)
	return (t.K-at/2)*(t.N-1) + rank(int(next.Port), t.Digit(node.Switch, int(node.Port)))
}

// judge is Algorithms 1 and 2 for the class of a queue that a packet came to, or left.
func (m *model) judge(port, queue int, came bool) {
	class := int(m.s.ports[port].queue(queue).class)
	limits := m.s.ports[port].limitsOf(uint8(class))
	n := m.bytes(func(p *modelPacket) bool {
		return p.port == port && int(m.s.ports[port].queue(p.queue).class) == class
	})
	key := [2]int{port, class}
	switch {
	case came && !m.pausing[key] && n >= limits.off:
		m.pausing[key] = true
	case !came && m.pausing[key] && n <= limits.on:
		m.pausing[key] = false
	}
}

// hears is Algorithms 3 and 4: what a frame says stands until another says otherwise. False if the
// frame cannot be meant for that port.
func (m *model) hears(port int, f *Frame) {
	s, t := m.s, m.s.network
	class, ok := t.classNamed(f)
	if !ok {
		return
	}
	if s.node {
		if class == relayClass || int(f.Layer) != port || int(f.Port) == t.Digit(s.config.Switch, port) {
			return
		}
	} else {
		node := t.NodeAt(s.config.Switch, port)
		if int(f.Layer) == t.Layer(s.config.Switch) {
			return
		}
		if class != relayClass && (int(class) >= t.K || int(f.Port) == t.Digit(node, int(f.Layer))) {
			return
		}
	}
	m.said[[4]int{port, int(f.Layer), int(class), int(f.Port)}] = f.Type == Pause
}

// heldBy reports whether a queue of a port is held.
func (m *model) heldBy(port, queue int) bool {
	s, t := m.s, m.s.network
	class := int(s.ports[port].queue(queue).class)
	for key, paused := range m.said {
		if !paused || key[0] != port {
			continue
		}
		layer, about, e := key[1], key[2], key[3]
		switch {
		case s.node:
			own := t.Digit(s.config.Switch, port)
			if about == class && (t.K-class)*(t.N-1)+compact(e, own) == queue {
				return true
			}
		case about == relayClass:
			if class != highClass && class != 0 {
				return true
			}
		default:
			own := t.Digit(t.NodeAt(s.config.Switch, port), layer)
			if about+1 == class && (t.K-class)*(t.N-1)+compact(e, own) == queue {
				return true
			}
		}
	}
	return false
}

// TestAgainstModel drives a device and the model with the same random inputs and compares all that
// can be seen, after each.
func TestAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawConfig(t)
		c.Refresh, c.Buffer = 0, 0
		s := mustNew(t, c)
		d := &modelDriver{t: t, s: s, machine: kit.Wrap(s), m: &model{
			s: s, pausing: map[[2]int]bool{}, said: map[[4]int]bool{}, peer: map[[4]int]bool{},
			down: map[int]bool{},
		}}
		t.Repeat(map[string]func(*rapid.T){
			"enqueue":  d.enqueue,
			"enqueue2": d.enqueue,
			"serve":    d.serve,
			"serve2":   d.serve,
			"seize":    d.seize,
			"receive":  d.receive,
			"link up":  d.linkUp,
			"down":     d.linkDown,
			"":         d.compare,
		})
	})
}

type modelDriver struct {
	t        *rapid.T
	s        *Switch
	machine  kit.Machine
	m        *model
	sequence uint32
}

func (d *modelDriver) port(t *rapid.T) *Port {
	return d.s.Port(sluice.PortID(rapid.IntRange(0, d.s.Ports()-1).Draw(t, "port")))
}

func (d *modelDriver) enqueue(t *rapid.T) {
	p := d.port(t)
	packet := drawFlow(t, d.machine, p.id)
	packet.Size = rapid.SampledFrom([]sluice.Bytes{64, 1000, 1500}).Draw(t, "size")
	if packet.Ingress != sluice.Local {
		packet.Ingress = sluice.PortID((int(packet.Ingress)) % d.s.Ports())
	}
	for range rapid.IntRange(1, 6).Draw(t, "packets") {
		v := p.Enqueue(0, &packet)
		require.Equal(t, sluice.Append, v.Action(), "%v", v)
		queue := d.m.queue(int(p.id), &packet)
		require.EqualValues(t, queue, v.Queue())
		d.m.held = append(d.m.held, modelPacket{packet, int(p.id), queue})
		d.m.judge(int(p.id), queue, true)
		d.drain(v.Wake())
	}
}

// serve takes what Next says, in the order of the scheduler.
func (d *modelDriver) serve(t *rapid.T) {
	p := d.port(t)
	for range rapid.IntRange(1, 6).Draw(t, "packets") {
		q, ok := p.Next(0)
		again, okAgain := p.Next(0)
		require.Equal(t, q, again)
		require.Equal(t, ok, okAgain)
		waits := func(queue int) bool {
			return d.m.bytes(func(h *modelPacket) bool {
				return h.port == int(p.id) && h.queue == queue
			}) > 0
		}
		any := false
		for queue := range d.s.queues {
			any = any || waits(queue) && !d.m.heldBy(int(p.id), queue)
		}
		require.Equal(t, any, ok, "something may go")
		if !ok {
			return
		}
		require.False(t, d.m.heldBy(int(p.id), int(q)))
		high, relay := d.s.queues-1, d.s.queues-2
		require.True(t, int(q) == high || !waits(high), "HQ goes first")
		if d.s.node && !d.s.config.RelayInTurn && int(q) < relay {
			require.False(t, waits(relay), "then the relay queue")
		}
		d.take(p, int(q))
	}
}

// seize takes from any queue, held or not: a pause may come between Next and Dequeue.
func (d *modelDriver) seize(t *rapid.T) {
	if len(d.m.held) == 0 {
		return
	}
	h := d.m.held[rapid.IntRange(0, len(d.m.held)-1).Draw(t, "packet")]
	d.take(d.s.Port(sluice.PortID(h.port)), h.queue)
}

func (d *modelDriver) take(p *Port, queue int) {
	for i := range d.m.held {
		if h := d.m.held[i]; h.port == int(p.id) && h.queue == queue {
			v := p.Dequeue(0, sluice.QueueID(queue), &d.m.held[i].Packet)
			require.Equal(d.t, sluice.Transmit, v.Action(), "%v", v)
			d.m.held = append(d.m.held[:i], d.m.held[i+1:]...)
			d.m.judge(int(p.id), queue, false)
			d.drain(v.Wake())
			return
		}
	}
	d.t.Fatalf("queue %d of port %d is empty", queue, p.id)
}

func (d *modelDriver) receive(t *rapid.T) {
	p := d.port(t)
	f := drawMessage(t, d.s, p.id)
	d.sequence++
	f.Sequence = d.sequence
	before, stale := d.heldQueues(int(p.id)), p.Counters().Stale
	wake := p.Receive(0, &f)
	if d.m.down[int(p.id)] {
		require.Equal(t, stale+1, p.Counters().Stale)
	} else {
		d.m.hears(int(p.id), &f)
	}
	released := false
	after := d.heldQueues(int(p.id))
	for q := range before {
		released = released || before[q] && !after[q]
	}
	woken := d.drain(wake)
	require.Equal(t, released, woken[p.id], "a port is woken when a queue of it is released")
}

// linkUp replaces the device at the other end of a link by a new one, or repairs the link.
func (d *modelDriver) linkUp(t *rapid.T) {
	p := d.port(t)
	d.m.forget(int(p.id))
	d.m.down[int(p.id)] = false
	d.drain(p.LinkUp(0))
}

// linkDown fails a link, which may have failed before. Both ends forget what was said.
func (d *modelDriver) linkDown(t *rapid.T) {
	p := d.port(t)
	d.m.forget(int(p.id))
	d.m.down[int(p.id)] = true
	d.drain(p.LinkDown(0))
}

// forget forgets what was said at a port, and what its peer believes.
func (m *model) forget(port int) {
	for _, said := range []map[[4]int]bool{m.said, m.peer} {
		for key := range said {
			if key[0] == port {
				delete(said, key)
			}
		}
	}
}

func (d *modelDriver) heldQueues(port int) (held []bool) {
	for q := range d.s.queues {
		held = append(held, d.m.heldBy(port, q))
	}
	return held
}

// drain polls the ports that a wake names and hands their frames to their peers. Afterwards no port
// has one, for a hook wakes every port that it gave a frame to send.
func (d *modelDriver) drain(w sluice.Wake) map[sluice.PortID]bool {
	woken := map[sluice.PortID]bool{}
	if port, ok := w.Port(); ok {
		woken[port] = true
	}
	for port, ok := d.s.PollPort(); ok; port, ok = d.s.PollPort() {
		woken[port] = true
	}
	var f, built Frame
	for port := range woken {
		for d.s.Port(port).PollFrame(0, &built) {
			require.NoError(d.t, f.Parse(built.AppendTo(nil)))
			key := [4]int{int(port), int(f.Layer), int(f.Queue), int(f.Port)}
			require.NotEqual(d.t, f.Type == Pause, d.m.peer[key], "%v says nothing new", f)
			d.m.peer[key] = f.Type == Pause
		}
	}
	for i := range d.s.ports {
		require.False(d.t, d.s.ports[i].Owes(), "port %d was not woken: %v", i, w)
	}
	return woken
}

func (d *modelDriver) compare(t *rapid.T) {
	d.t = t
	s, m := d.s, d.m
	require.NoError(t, s.Audit())
	for i := range s.ports {
		p := &s.ports[i]
		for q := range s.queues {
			in := func(h *modelPacket) bool { return h.port == i && h.queue == q }
			require.Equal(t, m.bytes(in), p.Backlog(sluice.QueueID(q)), "port %d queue %d", i, q)
			require.Equal(t, !m.heldBy(i, q), p.Sendable(sluice.QueueID(q)), "port %d queue %d", i, q)
		}
		for class := range classes {
			require.Equal(
				t, m.pausing[[2]int{i, class}], p.pauses(uint8(class)), "port %d class %d", i, class,
			)
		}
	}
	require.Equal(t, m.bytes(func(*modelPacket) bool { return true }), s.Buffered())
	believed := map[[4]int]bool{}
	for key, paused := range m.peer {
		if paused {
			believed[key] = true
		}
	}
	require.Equal(t, m.truth(), believed, "what peers believe")
}

// truth returns the pauses that the peers ought to hold: every detector that pauses, announced by
// all other ports; at a node also the pauses that its ports heard, except of the class of the most
// relays.
func (m *model) truth() map[[4]int]bool {
	s, t := m.s, m.s.network
	all := map[[4]int]bool{}
	tell := func(from, layer int, queue sluice.QueueID, e int) {
		for port := range s.ports {
			if port != from && !m.down[port] {
				all[[4]int{port, layer, int(queue), e}] = true
			}
		}
	}
	for key, pausing := range m.pausing {
		port, class := key[0], uint8(key[1])
		switch {
		case pausing && s.node:
			tell(port, port, t.RelayQueue(), port)
		case pausing:
			tell(port, int(s.layer), t.firstOf(class), port)
		}
	}
	for key, paused := range m.said {
		if port, layer, class, e := key[0], key[1], key[2], key[3]; paused && s.node && class < t.K {
			tell(port, layer, t.firstOf(uint8(class)), e)
		}
	}
	return all
}
