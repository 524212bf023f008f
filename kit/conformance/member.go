package conformance

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/testnet"
	"github.com/sluicefc/sluice/kit"
)

// member is the embedder of a network's node, by the methods of a kit.Driver.
type member struct {
	*embedder
	network *network
	self    *testnet.Node
	handles []kit.Handle // by packet
}

// member returns the member of a node, with its clock set.
func (n *network) member(v *testnet.Node) *member {
	m := v.Driver.(*member)
	m.now = n.Now
	return m
}

// embed makes the machine of a node. The clock of one that begins anew shows any time.
func (n *network) embed(v *testnet.Node) *member {
	node := n.graph.node(v.ID)
	e := newEmbedder(n.run, fmt.Sprintf("node %d ", v.ID), n.fabric.Node(node), nil)
	if len(e.ports) != len(node.Ports) {
		n.fail(bounded, "Fabric.Node", "node %d has %d ports, its machine %d", v.ID, len(node.Ports),
			len(e.ports))
	}
	m := &member{embedder: e, network: n, self: v}
	e.now, e.mayDrop, e.sent = n.Now, n.fabric.MayDrop, m.send
	switch {
	case n.faulty:
		e.mayDrop = func(_ *sluice.Packet, r sluice.Reason) bool {
			return r == sluice.BufferFull || r == sluice.HeadroomExhausted ||
				r == sluice.WatchdogDrop && n.fabric.Operate != nil
		}
	case e.mayDrop == nil:
		e.mayDrop = func(*sluice.Packet, sluice.Reason) bool { return false }
	}
	e.lost = func(id int) { v.Discard(m.handles[id]) }
	e.frame = func(port sluice.PortID, kind string, frame []byte) {
		lost := n.Vanished
		e.ports[port].busy = true
		if v.SendFrame(port, frame, kind); n.Vanished > lost {
			n.journal.remark(n.Now, e.node, "port %d: %s is lost", port, kind)
		}
	}
	if v.Driver != nil {
		e.base = n.Now + sluice.Millisecond - sluice.Time(n.Random.Below(2000))*sluice.Microsecond
	}
	for i := range e.ports {
		e.ports[i].busy = !v.Free(sluice.PortID(i))
	}
	return m
}

// send puts a packet that was dequeued on the wire, or discards it where the link is down.
func (m *member) send(port sluice.PortID, id int, q sluice.QueueID, v sluice.Verdict) {
	n, h := m.network, m.handles[id]
	if m.ports[port].down {
		m.self.Discard(h)
		return
	}
	n.Store.At(h).Depart(q, v)
	m.self.Send(port, h)
}

// Enqueue and the methods that follow are the testnet.Driver of a node.
func (m *member) Enqueue(now sluice.Time, port sluice.PortID, h kit.Handle) sluice.Verdict {
	n := m.network
	item := n.Store.At(h)
	item.Note = 0
	m.now, m.handles = now, append(m.handles, h)
	if !m.enqueue(port, item.Value.Flow.ID, item.Packet) {
		m.self.Discard(h)
	}
	m.service()
	return 0
}

func (m *member) Receive(now sluice.Time, port sluice.PortID, frame []byte) error {
	m.now = now
	if err := m.receive(port, "its peer's", frame); err != nil {
		m.fail(noLostWake, "AppendTo and Parse: they do not agree",
			"node %d refused a frame of its neighbour: %v", m.self.ID, err)
	}
	m.service()
	return nil
}

func (m *member) Consume(now sluice.Time, port sluice.PortID, p *sluice.Packet) {
	m.now = now
	m.consume(port, *p)
	m.service()
}

func (m *member) Ready(now sluice.Time, port sluice.PortID) {
	m.now = now
	m.ports[port].busy, m.ports[port].kicked = false, true
	m.service()
}

func (m *member) Expire(now sluice.Time) {
	m.now = now
	m.expire()
	m.service()
}

func (m *member) Deadline() sluice.Time { return m.deadline() }

func (m *member) LinkDown(now sluice.Time, port sluice.PortID) {
	m.now = now
	m.ports[port].busy = true // nothing can be sent
	m.link(port, stepLinkDown)
	m.service()
}

// LinkUp says that the link is there. Its transmitter may be at work if the link did not fail.
func (m *member) LinkUp(now sluice.Time, port sluice.PortID) {
	m.now = now
	m.ports[port].busy, m.ports[port].kicked = !m.self.Free(port), true
	m.link(port, stepLinkUp)
	m.service()
}

// Flush empties the queues of a port whose link is down, except for those that wait for a timer.
func (m *member) Flush(now sluice.Time, port sluice.PortID) {
	m.now = now
	for range m.ports[port].held * (m.queues + 1) {
		q, ok := m.next(port)
		if !ok {
			break
		}
		m.dequeue(port, q)
	}
	m.service()
}

func (m *member) Machine() kit.Machine { return m.m }
