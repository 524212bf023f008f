package main

import (
	"github.com/sluicefc/sluice"
)

// look asserts invariants after an event at the node, the dearer ones now and then.
func (n *node) look() {
	n.looked++
	if n.looked%16 == 0 || n.noise && n.looked%5 == 0 {
		n.lookForWakes()
	}
	if n.looked%1024 == 0 {
		n.lookClosely()
	}
	if n.noise && n.looked%97 == 0 {
		n.rebase(sluice.Time(mix(n.looked)>>24) - 1<<39)
	}
}

// lookForWakes asserts that no idle port has anything to send. Ports that a word named and that we
// have not served yet are left out.
func (n *node) lookForWakes() {
	if n.several || n.planned {
		return
	}
	now := n.time()
	if d := n.m.Deadline(); d != sluice.Never && d+n.base < n.due && n.driver == nil && !n.late {
		n.fail("4 no lost wake", "node %d: Deadline is %v, and no word said that it moved from %v", n.id,
			d+n.base, n.due)
	}
	for i := range n.ports {
		p, port := &n.ports[i], sluice.PortID(i)
		if p.woken || !n.isFree(port) {
			continue
		}
		n.calls++
		if frame, kind, ok := n.m.PollFrame(now, port, n.buffer[:0]); ok {
			n.fail("4 no lost wake", "idle port %d of node %d has a frame, and no word named it: %s %x",
				i, n.id, kind, frame)
		}
		if n.waiting(port) == 0 {
			continue
		}
		for q := range n.queues {
			if !n.empty(port, q) && n.m.Sendable(port, sluice.QueueID(q)) {
				n.fail("4 no lost wake", "idle port %d of node %d has packets in queue %d, which is Sendable, "+
					"and no word named it; now %v, deadline %v", i, n.id, q, now, n.m.Deadline())
			}
		}
		if n.m.Deadline() > now {
			n.calls++
			if q, ok := n.m.Next(now, port); ok {
				n.fail("4 no lost wake", "Next of idle port %d of node %d answers queue %d, and no word "+
					"named it", i, n.id, q)
			}
		}
	}
}

func (n *node) waiting(port sluice.PortID) int {
	if n.driver != nil {
		return n.driver.Waiting(port)
	}
	return n.ports[port].waiting
}

func (n *node) empty(port sluice.PortID, q int) bool {
	if n.driver != nil {
		return n.driver.Queue(port, sluice.QueueID(q)).Empty()
	}
	return n.ports[port].fifo[q].empty()
}

// lookClosely asserts that the machine's accounts are ours.
func (n *node) lookClosely() {
	if err := n.m.Audit(); err != nil {
		n.fail("Audit", "node %d: %v", n.id, err)
	}
	if b := n.m.Buffered(); b != n.held {
		n.fail("1 conservation", "node %d holds %v and says %v", n.id, n.held, b)
	}
	for i := range n.ports {
		for q := range n.queues {
			b := n.m.Backlog(sluice.PortID(i), sluice.QueueID(q))
			if n.driver == nil && b != n.ports[i].fifo[q].bytes {
				n.fail("1 conservation", "queue %d of port %d of node %d holds %v and says %v", q, i, n.id,
					n.ports[i].fifo[q].bytes, b)
			}
		}
	}
}
