package main

import "github.com/sluicefc/sluice"

// linkDown fails a link, and both ends are told. What is on it is lost, or still arrives.
func (w *world) linkDown(id int, port sluice.PortID) {
	arrives := mix(uint64(w.now)^uint64(id)^uint64(port)<<8)%3 == 0
	for _, end := range w.ends(id, port) {
		n := w.nodes[end.Switch]
		e := &n.ports[end.Port]
		e.downs++
		if !arrives {
			e.epoch++
		}
		e.busy = false
		if e.downs > 1 {
			continue
		}
		w.calls++
		n.linkDown(end.Port)
		if mix(uint64(w.now)^uint64(end.Switch))%3 == 0 {
			n.flush(end.Port)
		}
		n.look()
	}
}

func (w *world) ends(id int, port sluice.PortID) [2]sluice.Hop {
	p := &w.nodes[id].ports[port]
	return [2]sluice.Hop{
		{Switch: sluice.SwitchID(id), Port: port}, {Switch: sluice.SwitchID(p.peer), Port: p.peerPort},
	}
}

func (w *world) linkUp(id int, port sluice.PortID) {
	for _, end := range w.ends(id, port) {
		n := w.nodes[end.Switch]
		e := &n.ports[end.Port]
		if e.downs--; e.downs > 0 {
			continue
		}
		n.up(end.Port)
	}
}

// restart has a node lose what it holds and begin anew, while its links are down.
func (w *world) restart(a *action, r *random) {
	n := w.nodes[a.node]
	if w.setup.repairs && a.salt%4 == 0 && w.restartFast(n, r) {
		return
	}
	for i := range n.ports {
		w.linkDown(n.id, sluice.PortID(i))
		w.later(w.now+a.span, linkIsUp, n.id, sluice.PortID(i))
	}
	for i := range n.ports {
		n.discard(sluice.PortID(i))
	}
	n.startClock(r)
	n.start()
	for i := range n.ports {
		n.linkDown(sluice.PortID(i))
	}
}

// linkDown says to the machine that a link is down.
func (n *node) linkDown(port sluice.PortID) {
	n.drive.LinkDown(n.time(), port)
	n.moved()
}

// restartFast has a node begin anew so fast that nobody missed it: its neighbours call LinkUp
// alone, and what was on the links arrives. False if a link is down.
func (w *world) restartFast(n *node, r *random) bool {
	for i := range n.ports {
		if n.ports[i].downs > 0 {
			return false
		}
	}
	busy := make([]bool, len(n.ports))
	for i := range n.ports {
		n.discard(sluice.PortID(i))
		busy[i] = n.ports[i].busy // a packet that has begun goes out
	}
	n.startClock(r)
	n.start()
	for i := range n.ports {
		n.ports[i].busy = busy[i]
	}
	for i := range n.ports {
		p := &n.ports[i]
		n.up(sluice.PortID(i))
		w.nodes[p.peer].up(p.peerPort)
	}
	return true
}

// startClock has the clock of a new machine begin somewhere else, before 0 too.
func (n *node) startClock(r *random) {
	n.base = n.now - sluice.Time(r.between(-1000, 1000))*sluice.Microsecond
	n.latest = n.time()
}

// up says that a link is there again, and lets its transmitter go on.
func (n *node) up(port sluice.PortID) {
	n.calls++
	n.drive.LinkUp(n.time(), port)
	n.moved()
	n.ready(port)
	n.look()
}

// discard forgets the packets of a port, with the machine that they were told.
func (n *node) discard(port sluice.PortID) {
	for q := range n.queues {
		queue := n.drive.Queue(port, sluice.QueueID(q))
		for h := n.store.Pop(queue); h != 0; h = n.store.Pop(queue) {
			n.store.Release(h)
		}
	}
}

// flush discards what waits at a port whose link is down.
func (n *node) flush(port sluice.PortID) {
	n.drive.Flush(n.time(), port)
	n.moved()
	if left := n.drive.Waiting(port); left > 0 {
		n.fail("5 liveness", "node %d port %d: the link is down, and %d packets cannot be taken out",
			n.id, port, left)
	}
}
