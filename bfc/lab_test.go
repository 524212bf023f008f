package bfc

import (
	"container/heap"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
)

// lab is a network of switches and hosts for tests: links that serialise and delay, frames that go
// before packets and may be lost.
type lab struct {
	t        require.TestingT
	nodes    []*labNode
	events   labEvents
	sequence int
	now      sluice.Time
	random   prng.Source
	loss     uint64 // of frames, in thousandths
	lose     func(f *Frame) bool

	sent, delivered int
	lost            int // frames
	dropped         int // packets
	last            map[uint64]int
	reordered       int
}

type labNode struct {
	s     *Switch // nil: a sink
	ports []labPort
}

type labPort struct {
	peer  int // node
	port  sluice.PortID
	link  sluice.Link
	fifos [][]labPacket
	busy  bool
}

type labPacket struct {
	sluice.Packet
	number int
	path   []sluice.PortID // egress ports to come, this node's first
}

type labEvent struct {
	at       sluice.Time
	sequence int
	do       func()
}

type labEvents []labEvent

func (h labEvents) Len() int { return len(h) }
func (h labEvents) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].sequence < h[j].sequence
}
func (h labEvents) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *labEvents) Push(x any)   { *h = append(*h, x.(labEvent)) }
func (h *labEvents) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

func newLab(t require.TestingT, seed uint64) *lab {
	return &lab{t: t, random: prng.New(seed), last: map[uint64]int{}}
}

// add adds a node that is not connected yet.
func (l *lab) add() int {
	l.nodes = append(l.nodes, &labNode{})
	return len(l.nodes) - 1
}

// connect links two nodes and returns the port of each.
func (l *lab) connect(a, b int, link sluice.Link) (sluice.PortID, sluice.PortID) {
	pa, pb := len(l.nodes[a].ports), len(l.nodes[b].ports)
	l.nodes[a].ports = append(l.nodes[a].ports, labPort{peer: b, port: sluice.PortID(pb), link: link})
	l.nodes[b].ports = append(l.nodes[b].ports, labPort{peer: a, port: sluice.PortID(pa), link: link})
	return sluice.PortID(pa), sluice.PortID(pb)
}

// start gives a node its machine, of a configuration whose Ports lack UpstreamQueues only.
func (l *lab) start(node int, c Config, upstream ...int) {
	n := l.nodes[node]
	c.Ports = nil
	for i, p := range n.ports {
		port := PortConfig{Link: p.link}
		if i < len(upstream) {
			port.UpstreamQueues = upstream[i]
		}
		c.Ports = append(c.Ports, port)
	}
	n.s = mustNew(l.t, c)
	for i := range n.ports {
		n.ports[i].fifos = make([][]labPacket, n.s.Queues())
	}
}

// restart replaces the machine of a node by an empty one. The packets that the node held are lost;
// its links fail and come back, and its neighbours get LinkDown and LinkUp.
func (l *lab) restart(node int) {
	n := l.nodes[node]
	n.s = mustNew(l.t, n.s.Config())
	for i := range n.ports {
		p := &n.ports[i]
		for q := range p.fifos {
			l.dropped += len(p.fifos[q])
			p.fifos[q] = nil
		}
		for _, end := range [2]struct {
			node int
			port sluice.PortID
		}{{node, sluice.PortID(i)}, {p.peer, p.port}} {
			if s := l.nodes[end.node].s; s != nil {
				l.act(end.node, s.Port(end.port).LinkDown(l.now))
				l.act(end.node, s.Port(end.port).LinkUp(l.now))
			}
		}
	}
}

func (l *lab) at(t sluice.Time, do func()) {
	l.sequence++
	heap.Push(&l.events, labEvent{t, l.sequence, do})
}

// send lets a host send a flow, a packet each gap.
func (l *lab) send(
	host int, flow uint64, packets int, start, gap sluice.Time, path ...sluice.PortID,
) {
	l.sent += packets
	for i := range packets {
		p := labPacket{
			Packet: sluice.Packet{Flow: flow, Size: 1000, Ingress: sluice.Local}, number: i + 1, path: path,
		}
		l.at(start+sluice.Time(i)*gap, func() { l.arrive(host, p) })
	}
}

// arrive is a packet at a node.
func (l *lab) arrive(node int, p labPacket) {
	n := l.nodes[node]
	if len(p.path) == 0 {
		l.delivered++
		if p.number <= l.last[p.Flow] {
			l.reordered++
		}
		l.last[p.Flow] = p.number
		return
	}
	egress := p.path[0]
	v := n.s.Port(egress).Enqueue(l.now, &p.Packet)
	if v.Action() == sluice.Drop {
		l.dropped++
		return
	}
	fifo := &n.ports[egress].fifos[v.Queue()]
	*fifo = append(*fifo, p)
	l.act(node, v.Wake())
	l.transmit(node, egress)
}

// transmit sends the next frame or packet of a port, if its transmitter is free: frames first.
func (l *lab) transmit(node int, port sluice.PortID) {
	n := l.nodes[node]
	p := &n.ports[port]
	if p.busy {
		return
	}
	if n.s == nil {
		return
	}
	var f Frame
	for n.s.Port(port).PollFrame(l.now, &f) {
		if l.random.Below(1000) < l.loss || l.lose != nil && l.lose(&f) {
			l.lost++
			continue
		}
		frame := f.AppendTo(nil)
		l.occupy(node, port, len(frame), func() { l.hear(p.peer, p.port, frame) })
		return
	}
	q, ok := n.s.Port(port).Next(l.now)
	if !ok {
		return
	}
	packet := p.fifos[q][0]
	p.fifos[q] = p.fifos[q][1:]
	v := n.s.Port(port).Dequeue(l.now, q, &packet.Packet)
	require.Equal(l.t, sluice.Transmit, v.Action())
	packet.UpstreamQueue, packet.Ingress, packet.path = q, p.port, packet.path[1:]
	l.occupy(node, port, int(packet.Size), func() { l.arrive(p.peer, packet) })
	l.act(node, v.Wake())
}

func (l *lab) occupy(node int, port sluice.PortID, size int, arrive func()) {
	p := &l.nodes[node].ports[port]
	p.busy = true
	end := l.now + p.link.Rate.TimeOf(sluice.Bytes(size))
	l.at(end, func() {
		p.busy = false
		l.transmit(node, port)
	})
	l.at(end+p.link.Delay, arrive)
}

// act serves the ports that a wake names.
func (l *lab) act(node int, wake sluice.Wake) {
	if port, ok := wake.Port(); ok {
		l.transmit(node, port)
	}
	if wake.Has(sluice.WakeSeveral) {
		s := l.nodes[node].s
		for port, ok := s.PollPort(); ok; port, ok = s.PollPort() {
			l.transmit(node, port)
		}
	}
}

func (l *lab) hear(node int, port sluice.PortID, frame []byte) {
	n := l.nodes[node]
	if n.s == nil {
		return
	}
	wake, err := n.s.Port(port).ReceiveWire(l.now, frame)
	require.NoError(l.t, err)
	l.act(node, wake)
}

// run runs until all packets were delivered or dropped and every machine is quiescent, or until
// end. It reports which.
func (l *lab) run(end sluice.Time) bool {
	for steps := 0; ; steps++ {
		if steps%64 == 0 && l.delivered+l.dropped == l.sent && l.quiescent() == nil {
			return true
		}
		timer, deadline := -1, sluice.Never
		for i, n := range l.nodes {
			if n.s != nil && n.s.Deadline() < deadline {
				timer, deadline = i, n.s.Deadline()
			}
		}
		switch {
		case len(l.events) > 0 && l.events[0].at <= min(deadline, end):
			e := heap.Pop(&l.events).(labEvent)
			l.now = e.at
			e.do()
		case deadline <= end:
			l.now = max(l.now, deadline)
			l.act(timer, l.nodes[timer].s.Expire(l.now))
		default:
			return l.delivered+l.dropped == l.sent && l.quiescent() == nil
		}
	}
}

func (l *lab) quiescent() error {
	for _, n := range l.nodes {
		if n.s != nil {
			if err := n.s.Quiescent(); err != nil {
				return err
			}
		}
	}
	return nil
}

// audit asserts the invariants of every machine, and that nothing was reordered or misused.
func (l *lab) audit() {
	for _, n := range l.nodes {
		if n.s != nil {
			require.NoError(l.t, n.s.Audit())
			require.Zero(l.t, n.s.Counters().Misuse)
			require.Zero(l.t, n.s.Counters().BadUpstreamQueue)
		}
	}
	require.Zero(l.t, l.reordered)
}
