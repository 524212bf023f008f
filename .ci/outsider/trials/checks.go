package main

import "github.com/sluicefc/sluice"

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
	own, _ := n.drive.(*loop)
	if own != nil && (own.several || own.planned) {
		return
	}
	now := n.time()
	if d := n.m.Deadline(); d != sluice.Never && d+n.base < n.due && !n.late {
		n.fail("4 no lost wake", "node %d: Deadline is %v, and no word said that it moved from %v", n.id,
			d+n.base, n.due)
	}
	for i := range n.ports {
		port := sluice.PortID(i)
		if own != nil && own.ports[i].woken || !n.isFree(port) {
			continue
		}
		n.calls++
		if frame, kind, ok := n.m.PollFrame(now, port, n.buffer[:0]); ok {
			n.fail("4 no lost wake", "idle port %d of node %d has a frame, and no word named the port: %s %x",
				i, n.id, kind, frame)
		}
		if n.drive.Waiting(port) == 0 {
			continue
		}
		for q := range n.queues {
			if !n.empty(port, q) && n.m.Sendable(port, sluice.QueueID(q)) {
				n.fail("4 no lost wake", "idle port %d of node %d has packets in queue %d, which is Sendable, "+
					"and no word named the port; now %v, deadline %v", i, n.id, q, now, n.m.Deadline())
			}
		}
		if n.m.Deadline() > now {
			n.calls++
			if q, ok := n.m.Next(now, port); ok {
				n.fail("4 no lost wake", "Next of idle port %d of node %d answers queue %d, and no word "+
					"named the port", i, n.id, q)
			}
		}
	}
}

func (n *node) empty(port sluice.PortID, q int) bool {
	return n.drive.Queue(port, sluice.QueueID(q)).Empty()
}

// lookClosely asserts that the machine's accounts equal ours.
func (n *node) lookClosely() {
	if err := n.m.Audit(); err != nil {
		n.fail("Audit", "node %d: %v", n.id, err)
	}
	if b := n.m.Buffered(); b != n.held {
		n.fail("1 conservation", "node %d holds %v and says %v", n.id, n.held, b)
	}
	for i := range n.ports {
		for q := range n.queues {
			port, queue := sluice.PortID(i), sluice.QueueID(q)
			var held sluice.Bytes
			for h := n.drive.Queue(port, queue).Head(); h != 0; h = n.store.After(h) {
				held += n.inBuffer(n.store.At(h).Size)
			}
			if b := n.m.Backlog(port, queue); b != held {
				n.fail("1 conservation", "queue %d of port %d of node %d holds %v and says %v", q, i, n.id,
					held, b)
			}
		}
	}
}
