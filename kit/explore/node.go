package explore

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// node is a machine and the packets that wait there. Its time is 0 whenever a hook is called: time
// that passes moves the origin.
type node struct {
	machine kit.Machine
	state   kit.Stateful
	network *Network
	id      int
	counts  bool       // the machine counts packets that go no further
	fifos   [][]packet // by port, then queue; shared with other states until they change
	ready   []bool     // ports that have something to send, as their last wake said
	owes    []bool     // ports that have a frame to send
	number  uint32     // of its state in a memory, which says what rests, too; 0 if none keeps it
	rests   rests
}

// packet is a packet of a flow, which numbers its packets from 1.
type packet struct {
	sluice.Packet
	flow, number uint8
}

type item struct {
	frame  string // of a control frame, else empty
	kind   string
	number uint32 // in a memory
	packet packet
}

// fault is how a property was broken; the zero value is none.
type fault struct{ property, what string }

func broken(property, format string, args ...any) fault {
	return fault{property, fmt.Sprintf(format, args...)}
}

func newNode(network *Network, id int) (*node, error) {
	m, err := network.Nodes[id].New()
	if err != nil {
		return nil, err
	}
	s, ok := kit.StatefulOf(m)
	if !ok {
		return nil, fmt.Errorf("explore: the machine of node %d is no kit.Stateful", id)
	}
	n := &node{
		machine: m, state: s, network: network, id: id, counts: kit.Consumes(m),
		fifos: make([][]packet, m.Ports()*m.Queues()),
		ready: make([]bool, m.Ports()), owes: make([]bool, m.Ports()),
	}
	n.note(m.Expire(0))
	probe := s.Clone()
	for i := range n.owes {
		_, _, n.owes[i] = probe.PollFrame(0, sluice.PortID(i), nil)
	}
	return n, nil
}

// clone returns a node to which something can happen.
func (n *node) clone() *node {
	c := *n
	c.number = 0
	c.machine = n.state.Clone()
	c.state = c.machine.(kit.Stateful)
	c.fifos = slices.Clone(n.fifos)
	c.ready, c.owes = slices.Clone(n.ready), slices.Clone(n.owes)
	return &c
}

type op struct {
	kind        opKind
	port        sluice.PortID
	flow, count int         // of opEnter: the packet, by its number in the flow
	by          sluice.Time // of opPass
	item        item        // of opReceive
	ahead       uint32      // of opSend, opDown and opUp: see wire
}

type opKind uint8

const (
	opEnter opKind = iota
	opSend
	opReceive
	opPass
	opDown
	opUp
)

type effect struct {
	fault     fault
	item      item // that was sent
	sent      bool
	ahead     uint32 // of opSend, opDown and opUp: the last sequence number sent
	heard     uint32 // by how much the newest number heard went up
	delivered bool   // what arrived goes no further
}

func (n *node) do(o op) (e effect) {
	numbered := o.kind == opSend || o.kind == opDown || o.kind == opUp
	if numbered {
		sent, _ := n.state.Numbers(o.port)
		n.state.Renumber(o.port, sent-o.ahead, 0) // the numbers that the receiver knows
	}
	switch o.kind {
	case opEnter:
		e.fault = n.enter(n.network.packet(o.flow, o.count))
	case opSend:
		e.item, e.sent, e.fault = n.send(o.port)
	case opReceive:
		e.delivered, e.fault = n.receive(o.port, &o.item)
		_, e.heard = n.state.Numbers(o.port)
		n.state.Renumber(o.port, 0, e.heard)
	case opPass:
		n.machine.Rebase(o.by)
		n.note(n.machine.Expire(0))
	case opDown:
		n.note(n.machine.LinkDown(0, o.port))
	case opUp:
		n.note(n.machine.LinkUp(0, o.port))
	}
	if numbered { // else the number tells of the past, which nodes of one state do not share
		e.ahead, _ = n.state.Numbers(o.port)
	}
	if e.fault == (fault{}) {
		e.fault = n.inspect()
	}
	return e
}

func (n *node) enter(p packet) fault {
	out := p.Path.At(0).Port
	v := n.machine.Enqueue(0, out, &p.Packet)
	n.ready[out] = true
	n.note(v.Wake())
	if v.Action() != sluice.Append {
		return n.lose(&p, v.Reason())
	}
	n.push(out, v.Queue(), p)
	return fault{}
}

// send takes what a free transmitter sends; false if there is nothing.
func (n *node) send(port sluice.PortID) (it item, sent bool, f fault) {
	if frame, kind, ok := n.machine.PollFrame(0, port, nil); ok {
		return item{frame: string(frame), kind: kind}, true, fault{}
	}
	for range 1 + n.waiting(port)*(n.machine.Queues()+1) {
		q, ok := n.machine.Next(0, port)
		if !ok {
			n.ready[port] = false
			return item{}, false, fault{}
		}
		at := n.fifo(port, q)
		if at == nil || len(*at) == 0 {
			return item{}, false, broken("contract", "Next of port %d names queue %d, which is empty",
				port, q)
		}
		p := (*at)[0]
		*at = (*at)[1:]
		v := n.machine.Dequeue(0, port, q, &p.Packet)
		n.note(v.Wake())
		switch v.Action() {
		case sluice.Transmit:
			p.Depart(q, v)
			p.Note = 0
			return item{packet: p}, true, fault{}
		case sluice.Append:
			n.push(port, v.Queue(), p)
		default:
			if f := n.lose(&p, v.Reason()); f != (fault{}) {
				return item{}, false, f
			}
		}
	}
	return item{}, false, broken("contract", "port %d moves packets and sends none", port)
}

// receive takes in what comes from a link. delivered says that it was a packet, which goes no
// further.
func (n *node) receive(port sluice.PortID, it *item) (delivered bool, f fault) {
	if it.frame != "" {
		wake, err := n.machine.Receive(0, port, []byte(it.frame))
		n.note(wake)
		if err != nil {
			return false, broken("contract", "a %s was refused: %v", it.kind, err)
		}
		return false, n.understood(port, it.kind)
	}
	p := it.packet
	p.Ingress = port
	if p.Path.Len() == 0 {
		n.note(kit.Consume(n.machine, 0, port, &p.Packet))
		return true, fault{}
	}
	return false, n.enter(p)
}

// understood looks whether a port took a frame of its peer for what it is.
func (n *node) understood(port sluice.PortID, kind string) fault {
	c, f := n.machine.Counters(port), &n.network.Faults
	faultless := f.Lost+f.Doubled+len(f.Flaps)+len(f.Restarts) == 0
	if c.Malformed+c.Resynchronised > 0 || faultless && c.Stale > 0 {
		return broken("contract", "node %d: to port %d a %s is malformed, or out of order", n.id, port, kind)
	}
	return fault{}
}

func (n *node) lose(p *packet, r sluice.Reason) fault {
	if n.network.MayLose != nil && n.network.MayLose(r) {
		return fault{}
	}
	return broken("no loss", "node %d drops packet %d of flow %d: %v", n.id, p.number, p.flow, r)
}

// note takes note of what a hook said.
func (n *node) note(wake sluice.Wake) {
	if port, ok := wake.Port(); ok {
		n.ready[port] = true
	}
	if wake.Has(sluice.WakeSeveral) {
		for port, ok := n.machine.PollPort(); ok; port, ok = n.machine.PollPort() {
			n.ready[port] = true
		}
	}
}

// inspect looks what the ports have to send after something happened, and whether all that must
// hold does.
func (n *node) inspect() fault {
	if err := n.machine.Audit(); err != nil {
		return broken("audit", "node %d: %v", n.id, err)
	}
	for port := range n.ready {
		n.state.Renumber(sluice.PortID(port), 0, 0) // and has what is free in order
	}
	probe := n.state.Clone()
	for i := range n.ready {
		port := sluice.PortID(i)
		_, _, able := probe.PollFrame(0, port, nil)
		n.owes[i] = able
		if !able {
			_, able = probe.Next(0, port)
		}
		if q, idle := n.sendable(port); idle && !able {
			return broken("work conservation", "node %d: queue %d of port %d may be sent, and Next names "+
				"none", n.id, q, port)
		}
		if able && !n.ready[i] {
			return broken("no lost wake", "node %d: port %d has something to send, and no wake said so",
				n.id, port)
		}
		n.ready[i] = able
	}
	if check := n.network.Check; check != nil {
		if err := check(n.id, n.machine); err != nil {
			return broken("check", "node %d: %v", n.id, err)
		}
	}
	return fault{}
}

// sendable returns a queue of a port in which a packet waits that may be sent.
func (n *node) sendable(port sluice.PortID) (sluice.QueueID, bool) {
	queues := n.machine.Queues()
	for q, fifo := range n.fifos[int(port)*queues : int(port+1)*queues] {
		if len(fifo) > 0 && n.machine.Sendable(port, sluice.QueueID(q)) {
			return sluice.QueueID(q), true
		}
	}
	return 0, false
}

// append writes what the node's future depends on.
func (n *node) append(dst []byte) []byte {
	dst = n.state.AppendState(dst, 0)
	for i, fifo := range n.fifos {
		if len(fifo) == 0 {
			continue
		}
		dst = binary.AppendUvarint(dst, uint64(i)+1)
		dst = binary.AppendUvarint(dst, uint64(len(fifo)))
		for k := range fifo {
			dst = fifo[k].append(dst)
		}
	}
	for _, ready := range n.ready {
		if dst = append(dst, 0); ready {
			dst[len(dst)-1] = 1
		}
	}
	return dst
}

func (p *packet) append(dst []byte) []byte {
	dst = append(dst, p.flow, p.number, byte(p.Path.Len()), byte(p.ECN), byte(p.Class))
	dst = binary.AppendUvarint(dst, p.Note)
	dst = binary.AppendUvarint(dst, uint64(p.Ingress))
	return binary.AppendUvarint(dst, uint64(p.UpstreamQueue))
}

func (n *node) empty() bool {
	return !slices.ContainsFunc(n.fifos, func(fifo []packet) bool { return len(fifo) > 0 })
}

func (n *node) waiting(port sluice.PortID) (packets int) {
	queues := n.machine.Queues()
	for _, fifo := range n.fifos[int(port)*queues : int(port+1)*queues] {
		packets += len(fifo)
	}
	return packets
}

// push appends a packet to a queue, whose memory other states may share.
func (n *node) push(port sluice.PortID, q sluice.QueueID, p packet) {
	at := n.fifo(port, q)
	*at = append(slices.Clip(*at), p)
}

// fifo returns a queue, nil for a queue that does not exist.
func (n *node) fifo(port sluice.PortID, q sluice.QueueID) *[]packet {
	if int(q) >= n.machine.Queues() {
		return nil
	}
	return &n.fifos[int(port)*n.machine.Queues()+int(q)]
}
