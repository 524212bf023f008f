package sim_test

import (
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/kit"
)

// model is the slow, obvious simulator: a list of closures, searched for the earliest; packets on
// the heap, an event for each that is on a wire; ways looked for from scratch. It knows of a run
// what the documentation of sim.Config says.
type model struct {
	config sim.Config
	now    sluice.Time
	events []modelEvent
	nodes  []*modelNode
	flows  []*modelFlow
	ends   int // transfers that ended
	left   int // packets that are somewhere

	hops, dropped, expired, timeouts, reordered int64
	control                                     map[string]int64
	maxPort, maxSwitch                          sluice.Bytes

	// ambiguous: two things happened to a node at one instant. No rule gives their order, and it
	// sometimes matters.
	ambiguous bool
	touched   map[*modelNode]sluice.Time // when something last happened to a node
}

type modelEvent struct {
	at   sluice.Time
	node *modelNode
	do   func()
}

type modelNode struct {
	id      sluice.SwitchID
	machine kit.Machine
	ports   []*modelPort
	timer   sluice.Time // the deadline that an event is there for
}

type modelPort struct {
	node   *modelNode
	id     sluice.PortID
	peer   *modelPort
	link   sluice.Link
	queues [][]*modelPacket
	held   sluice.Bytes
	busy   bool
}

type modelPacket struct {
	sluice.Packet
	kind     string // data, ack, nack, or frame
	flow     *modelFlow
	number   int32
	again    bool
	switches uint8 // that it passed
	bytes    []byte
}

type modelFlow struct {
	number           int
	src, dst         *modelNode
	sizes            []sluice.Bytes // payload of each packet
	next, acked, new int32
	inCard           bool
	looked           int32 // acked when the timer last looked
	arrived          int32 // in order
	beyond           int32
	complained       bool
	fct              sluice.Time
}

// livelock is when nothing will be new any more: flows whose timers agree can make one another lose
// the same packets for ever.
const livelock = 20 * sluice.Millisecond

func newModel(c sim.Config) *model {
	m := &model{config: c, control: map[string]int64{}, touched: map[*modelNode]sluice.Time{}}
	for id := range c.Topology.Nodes {
		built, err := c.NewMachine(sluice.SwitchID(id))
		if err != nil {
			panic(err)
		}
		m.nodes = append(
			m.nodes, &modelNode{id: sluice.SwitchID(id), machine: built, timer: sluice.Never},
		)
	}
	for id, node := range m.nodes {
		for i, end := range c.Topology.Nodes[id].Ports {
			node.ports = append(node.ports, &modelPort{
				node: node, id: sluice.PortID(i), link: end.Link,
				queues: make([][]*modelPacket, node.machine.Queues()),
			})
		}
	}
	for id, node := range m.nodes {
		for i, end := range c.Topology.Nodes[id].Ports {
			node.ports[i].peer = m.nodes[end.Peer].ports[end.PeerPort]
		}
	}
	for i := range c.Flows {
		in := c.Flows[i]
		f := &modelFlow{number: i, src: m.nodes[in.Src], dst: m.nodes[in.Dst], fct: sluice.Never}
		for rest := in.Bytes; rest > 0; rest -= c.Payload {
			f.sizes = append(f.sizes, min(rest, c.Payload))
		}
		m.flows = append(m.flows, f)
		m.at(in.Start, f.src, func() { m.begin(f) })
	}
	return m
}

func (m *model) at(when sluice.Time, node *modelNode, do func()) {
	m.events = append(m.events, modelEvent{when, node, do})
}

// run is over when all flows have completed and every packet is gone. It gives up at livelock.
func (m *model) run() {
	for len(m.events) > 0 && (m.ends < len(m.flows) || m.left > 0) && m.now < livelock {
		first := 0
		for i := range m.events {
			if m.events[i].at < m.events[first].at {
				first = i
			}
		}
		e := m.events[first]
		m.events = slices.Delete(m.events, first, first+1)
		last, touched := m.touched[e.node]
		m.ambiguous = m.ambiguous || touched && e.at == last
		m.now, m.touched[e.node] = e.at, e.at
		e.do()
	}
}

func (m *model) begin(f *modelFlow) {
	m.send(f)
	m.look(f)
}

// look is the retransmission timer.
func (m *model) look(f *modelFlow) {
	if m.config.RetransmitAfter == 0 {
		return
	}
	m.at(m.now+m.config.RetransmitAfter, f.src, func() {
		if int(f.acked) == len(f.sizes) {
			return
		}
		if f.looked == f.acked && f.next > f.acked && !f.inCard {
			f.next = f.acked
			m.timeouts++
			m.send(f)
		}
		f.looked = f.acked
		m.look(f)
	})
}

// send gives the card the next packet of a flow, if it has none and the window allows.
func (m *model) send(f *modelFlow) {
	underWay := sluice.Bytes(f.next-f.acked) * m.config.Payload
	if f.inCard || int(f.next) == len(f.sizes) || underWay >= m.config.Window {
		return
	}
	p := &modelPacket{kind: "data", flow: f, number: f.next, again: f.next < f.new}
	p.Packet = sluice.Packet{
		Flow: uint64(2 * f.number), Size: f.sizes[f.next] + m.config.Header, Ingress: sluice.Local,
		Class: m.config.Flows[f.number].Class, ECN: m.config.ECN,
	}
	f.next++
	f.new = max(f.new, f.next)
	f.inCard = true
	m.left++
	m.enqueue(f.src.ports[0], p)
}

func (m *model) reply(f *modelFlow, kind string) {
	p := &modelPacket{kind: kind, flow: f, number: f.arrived}
	p.Packet = sluice.Packet{
		Flow: uint64(2*f.number + 1), Size: m.config.AckSize, Ingress: sluice.Local,
		Class: m.config.Flows[f.number].Class,
	}
	if m.config.AckClass < sluice.Classes {
		p.Class = m.config.AckClass
	}
	m.left++
	m.enqueue(f.dst.ports[0], p)
}

// enqueue offers a packet to an egress port.
func (m *model) enqueue(to *modelPort, p *modelPacket) {
	v := to.node.machine.Enqueue(m.now, to.id, &p.Packet)
	if v.Action() == sluice.Drop {
		m.lose(to, p)
	} else {
		to.queues[v.Queue()] = append(to.queues[v.Queue()], p)
		to.held += p.Size
		m.measure(to)
	}
	m.obey(to.node, v.Wake())
	m.transmit(to)
}

func (m *model) lose(at *modelPort, p *modelPacket) {
	m.dropped++
	m.left--
	if p.kind == "data" && at.node == p.flow.src {
		p.flow.inCard = false
	}
}

func (m *model) measure(p *modelPort) {
	if m.config.Topology.IsHost(p.node.id) {
		return
	}
	m.maxPort = max(m.maxPort, p.held)
	sum := sluice.Bytes(0)
	for _, q := range p.node.ports {
		sum += q.held
	}
	m.maxSwitch = max(m.maxSwitch, sum)
}

// transmit sends what a port may send, control frames first.
func (m *model) transmit(p *modelPort) {
	for !p.busy {
		if bytes, kind, ok := p.node.machine.PollFrame(m.now, p.id, nil); ok {
			const checkSequence = 4
			frame := &modelPacket{kind: "frame", bytes: bytes}
			frame.Size = sluice.Bytes(len(bytes) + checkSequence)
			m.control[kind]++
			m.left++
			m.launch(p, frame)
			return
		}
		q, ok := p.node.machine.Next(m.now, p.id)
		if !ok || len(p.queues[q]) == 0 {
			return
		}
		head := p.queues[q][0]
		p.queues[q] = p.queues[q][1:]
		v := p.node.machine.Dequeue(m.now, p.id, q, &head.Packet)
		switch v.Action() {
		case sluice.Transmit:
			p.held -= head.Size
			head.ECN, head.UpstreamQueue = v.Mark(), q
			m.launch(p, head)
			m.obey(p.node, v.Wake())
			if head.kind == "data" && p.node == head.flow.src {
				head.flow.inCard = false
				m.send(head.flow)
			}
		case sluice.Append:
			p.queues[v.Queue()] = append(p.queues[v.Queue()], head)
			m.obey(p.node, v.Wake())
		default:
			p.held -= head.Size
			m.lose(p, head)
			m.obey(p.node, v.Wake())
		}
	}
}

func (m *model) launch(p *modelPort, packet *modelPacket) {
	m.hops++
	p.busy = true
	done := m.now + p.link.Rate.TimeOf(packet.Size)
	m.at(done, p.node, func() {
		p.busy = false
		m.transmit(p)
	})
	m.at(done+p.link.Delay, p.peer.node, func() { m.arrive(p.peer, packet) })
}

func (m *model) arrive(at *modelPort, p *modelPacket) {
	switch {
	case p.kind == "frame":
		m.left--
		wake, err := at.node.machine.Receive(m.now, at.id, p.bytes)
		if err != nil {
			panic(err)
		}
		m.obey(at.node, wake)
	case m.config.Topology.IsHost(at.node.id):
		m.left--
		m.deliver(p)
	case p.switches == m.config.HopLimit:
		m.left--
		m.expired++
	default:
		p.switches++
		p.Ingress = at.id
		goal := p.flow.dst.id
		if p.kind != "data" {
			goal = p.flow.src.id
		}
		ports := m.config.Topology.AppendNextHops(nil, at.node.id, m.config.Topology.Distances(goal))
		m.enqueue(at.node.ports[ports[0]], p)
	}
}

func (m *model) deliver(p *modelPacket) {
	f := p.flow
	if p.kind != "data" {
		f.acked = max(f.acked, p.number)
		f.next = max(f.next, f.acked)
		if p.kind == "nack" && p.number == f.acked {
			f.next = f.acked
		}
		m.send(f)
		return
	}
	if p.number < f.beyond && !p.again {
		m.reordered++
	}
	f.beyond = max(f.beyond, p.number+1)
	switch {
	case p.number == f.arrived:
		f.arrived++
		f.complained = false
		if int(f.arrived) == len(f.sizes) {
			m.ends++
			f.fct = m.now - m.config.Flows[f.number].Start
		}
		m.reply(f, "ack")
	case p.number < f.arrived:
		m.reply(f, "ack")
	case !f.complained:
		f.complained = true
		m.reply(f, "nack")
	}
}

// obey does what a wake asks for.
func (m *model) obey(n *modelNode, wake sluice.Wake) {
	if due := n.machine.Deadline(); due != n.timer {
		n.timer = due
		m.plan(n, due)
	}
	for _, ok := n.machine.PollPort(); ok; _, ok = n.machine.PollPort() {
	}
	if wake != 0 { // whichever port it names, this model asks them all
		for _, p := range n.ports {
			m.transmit(p)
		}
	}
}

func (m *model) plan(n *modelNode, due sluice.Time) {
	if due == sluice.Never {
		return
	}
	m.at(due, n, func() {
		if n.machine.Deadline() == due && n.timer == due {
			n.timer = sluice.Never
			m.obey(n, n.machine.Expire(m.now))
		}
	})
}
