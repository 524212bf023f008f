package pyrrha

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// lab is one switch with an embedder around it, for tests that look closely. A link of 100 Gb/s
// and 600 ns makes a one-hop BDP of 15,000 bytes: K_pause is 30,000 and K_resume 15,000 bytes.
// Packets are 1,000 bytes.
type lab struct {
	t        require.TestingT
	s        *Switch
	now      sluice.Time
	fifo     [][][]sluice.Packet
	frames   []string    // that the switch sent since the last call of sent
	sequence []uint32    // by port, of its peer
	wake     sluice.Wake // of the last hook, and
	woken    map[sluice.PortID]bool
}

const labID sluice.SwitchID = 10

var labLink = sluice.Link{Rate: 100 * sluice.Gbps, Delay: 600 * sluice.Nanosecond}

func ports(roles ...Role) []PortConfig {
	var all []PortConfig
	for _, r := range roles {
		all = append(all, PortConfig{Link: labLink, Role: r})
	}
	return all
}

func newLab(t require.TestingT, c Config) *lab {
	c.Switch = labID
	s, err := New(c)
	require.NoError(t, err)
	l := &lab{t: t, s: s, sequence: make([]uint32, s.Ports())}
	for range s.Ports() {
		l.fifo = append(l.fifo, make([][]sluice.Packet, s.Queues()))
	}
	return l
}

// at is a hop.
func at(id, port int) sluice.Hop {
	return sluice.Hop{Switch: sluice.SwitchID(id), Port: sluice.PortID(port)}
}

// enqueue sends a packet of 1,000 bytes from an ingress to an egress port, on to the hops beyond.
// It returns its queue.
func (l *lab) enqueue(egress, ingress int, beyond ...sluice.Hop) sluice.QueueID {
	pkt := sluice.Packet{Size: 1000, Ingress: sluice.PortID(ingress)}
	pkt.Path.Append(sluice.Hop{Switch: labID, Port: sluice.PortID(egress)})
	for _, h := range beyond {
		pkt.Path.Append(h)
	}
	return l.put(pkt)
}

// put hands a packet to the egress port that its path begins with. It returns its queue.
func (l *lab) put(pkt sluice.Packet) sluice.QueueID {
	egress := pkt.Path.At(0).Port
	v := l.s.Port(egress).Enqueue(l.now, &pkt)
	require.Equal(l.t, sluice.Append, v.Action(), "%v", v)
	l.fifo[egress][v.Queue()] = append(l.fifo[egress][v.Queue()], pkt)
	l.act(v.Wake())
	return v.Queue()
}

func (l *lab) enqueueMany(n, egress, ingress int, beyond ...sluice.Hop) (q sluice.QueueID) {
	for range n {
		q = l.enqueue(egress, ingress, beyond...)
	}
	return q
}

// serve lets an egress port send n packets, and each takes its time. It waits for moves that have
// to.
func (l *lab) serve(egress, n int) {
	for range n {
		for !l.transmit(egress) {
			require.NotEqual(l.t, sluice.Never, l.s.Deadline(), "port %d has nothing to send", egress)
			l.expire()
		}
		l.now += labLink.Rate.TimeOf(1000)
	}
}

// transmit sends one packet, after moves; false if nothing may go.
func (l *lab) transmit(egress int) bool {
	p := l.s.Port(sluice.PortID(egress))
	for {
		q, ok := p.Next(l.now)
		if !ok {
			return false
		}
		require.NotEmpty(l.t, l.fifo[egress][q], "queue %d", q)
		pkt := l.fifo[egress][q][0]
		l.fifo[egress][q] = l.fifo[egress][q][1:]
		v := p.Dequeue(l.now, q, &pkt)
		l.act(v.Wake())
		if v.Action() == sluice.Transmit {
			return true
		}
		require.Equal(l.t, sluice.Append, v.Action(), "%v", v)
		l.fifo[egress][v.Queue()] = append(l.fifo[egress][v.Queue()], pkt)
	}
}

// receive delivers a frame with the next sequence number of the peer at port.
func (l *lab) receive(port int, f Frame) {
	l.sequence[port]++
	f.Sequence = l.sequence[port]
	l.deliver(port, f)
}

func (l *lab) deliver(port int, f Frame) {
	l.act(l.s.Port(sluice.PortID(port)).Receive(l.now, &f))
}

func (l *lab) pause(port int, root sluice.Hop, hop int) {
	l.receive(port, Frame{Type: Pause, Root: root, Hop: uint8(hop)})
}
func (l *lab) resume(port int, root sluice.Hop) { l.receive(port, Frame{Type: Resume, Root: root}) }
func (l *lab) merge(port int, old, root sluice.Hop, hop int) {
	l.receive(port, Frame{Type: Merge, Old: old, Root: root, Hop: uint8(hop)})
}
func (l *lab) dealloc(port int, root sluice.Hop) {
	l.receive(port, Frame{Type: Dealloc, Root: root})
}

// act polls every port's frames, as if all transmitters were free at once.
func (l *lab) act(w sluice.Wake) {
	l.wake, l.woken = w, wokenBy(l.s, w)
	for port := range l.pollFrames() {
		require.True(l.t, l.woken[port], "port %d has a frame, and was not woken", port)
	}
}

// pollFrames polls all frames, and returns the ports that had any.
func (l *lab) pollFrames() map[sluice.PortID]bool {
	owed := map[sluice.PortID]bool{}
	var f Frame
	for port := range l.s.Ports() {
		p := l.s.Port(sluice.PortID(port))
		for p.PollFrame(l.now, &f) {
			owed[p.ID()] = true
			l.frames = append(l.frames, "port "+string(rune('0'+port))+": "+f.String())
		}
	}
	return owed
}

// wokenBy returns the ports that a hook woke.
func wokenBy(s *Switch, w sluice.Wake) map[sluice.PortID]bool {
	woken := map[sluice.PortID]bool{}
	if port, ok := w.Port(); ok {
		woken[port] = true
	}
	for w.Has(sluice.WakeSeveral) {
		port, ok := s.PollPort()
		if !ok {
			break
		}
		woken[port] = true
	}
	return woken
}

// sent returns the frames sent since it was called last: "port 1: pause 10:0 hop 1".
func (l *lab) sent() []string {
	require.NoError(l.t, l.s.Audit())
	frames := l.frames
	l.frames = nil
	return frames
}

// state returns the state of a root at an egress port.
func (l *lab) state(egress int, root sluice.Hop) hiq.State {
	r := l.s.find(root)
	if r < 0 {
		return hiq.Unassigned
	}
	return l.s.ports[egress].iq.State(r)
}

// expire waits for the next timer and serves it.
func (l *lab) expire() {
	require.NotEqual(l.t, sluice.Never, l.s.Deadline())
	l.now = max(l.now, l.s.Deadline())
	l.act(l.s.Expire(l.now))
}

func mustNew(c Config) *Switch {
	s, err := New(c)
	if err != nil {
		panic(err)
	}
	return s
}

// smallHop draws a hop that is likely to be drawn again.
func smallHop(t *rapid.T) sluice.Hop {
	return sluice.Hop{
		Switch: sluice.SwitchID(rapid.IntRange(1, 3).Draw(t, "switch")),
		Port:   sluice.PortID(rapid.IntRange(0, 3).Draw(t, "port")),
	}
}
