package main

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pyrrha"
)

// act does what an action says.
func (w *world) act(i int) {
	a := &w.actions[i]
	n := w.nodes[a.node]
	r := random(a.salt)
	switch a.kind {
	case burst:
		w.inject(&event{what: uint32(i), left: int32(a.n)})
		return
	case linkFails:
		w.linkDown(a.node, a.port)
		w.schedule(event{
			at: w.now + a.span, kind: linkIsUp, node: uint8(a.node), port: uint8(a.port),
		})
	case nodeRestarts:
		w.restart(a, &r)
	case linkLoses:
		n.ports[a.port].loss, n.ports[a.port].salt = a.n, a.salt
		w.schedule(event{
			at: w.now + a.span, kind: lossEnds, node: uint8(a.node), port: uint8(a.port),
		})
	case hostileFrame:
		if frame := w.hostile(&r, n, a.port); n.ports[a.port].downs == 0 {
			n.receive(a.port, frame)
		}
	case wrongPacket:
		n.enqueueWrong(&r, a.port)
	case emptyQueue:
		n.dequeueNothing(&r, a.port)
	case earlyExpire:
		n.expireEarly(&r)
	case timeSteps:
		n.base -= a.span
		n.plan()
	case rebases:
		n.rebase(a.span)
	case operated:
		n.operated(&r)
	case hostCongested:
		n.congested(true)
		w.schedule(event{at: w.now + a.span, kind: congestionEnds, node: uint8(a.node)})
	}
	n.look()
}

// heal ends all faults. Where a configuration does not repair what was lost or forged, every link
// fails once more and comes up: what was told is void then, and is told again.
func (w *world) heal() {
	w.healed = true
	for _, n := range w.nodes {
		for i := range n.ports {
			n.ports[i].loss = 0
		}
		n.congested(false)
		if s, ok := kit.Unwrap(n.m).(*pfc.Switch); ok && w.broken.operated {
			n.told(s.BigRedSwitch(n.time(), false))
		}
	}
	if !w.broken.repair || w.setup.repairs {
		return
	}
	for _, n := range w.nodes {
		for i := range n.ports {
			if n.ports[i].peer > n.id {
				w.linkDown(n.id, sluice.PortID(i))
				w.schedule(event{
					at: w.now + 5*sluice.Microsecond, kind: linkIsUp, node: uint8(n.id), port: uint8(i),
				})
			}
		}
	}
}

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
		if n.driver != nil {
			n.driver.LinkDown(n.time(), end.Port)
			n.moved()
		} else {
			n.do(n.m.LinkDown(n.time(), end.Port))
		}
		if mix(uint64(w.now)^uint64(end.Switch))%3 == 0 {
			n.flush(end.Port)
		}
		n.look()
	}
}

// ends lists both ends of a link.
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
		w.schedule(event{
			at: w.now + a.span, kind: linkIsUp, node: uint8(n.id), port: uint8(i),
		})
	}
	for i := range n.ports {
		n.discard(sluice.PortID(i))
	}
	n.startClock(r)
	n.start()
	for i := range n.ports {
		if n.driver != nil {
			n.driver.LinkDown(n.time(), sluice.PortID(i))
			n.moved()
		} else {
			n.do(n.m.LinkDown(n.time(), sluice.PortID(i)))
		}
	}
}

// restartFast has a node begin anew so fast that nobody missed it: its neighbours call LinkUp alone,
// and what was on the links arrives. False if a link is down.
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
		p := &n.ports[i]
		p.busy = busy[i]
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
	if n.driver != nil {
		n.driver.LinkUp(n.time(), port)
		n.moved()
	} else {
		n.do(n.m.LinkUp(n.time(), port))
	}
	n.ready(port)
	n.look()
}

// discard forgets the packets of a port, with the machine that they were told.
func (n *node) discard(port sluice.PortID) {
	for q := range n.queues {
		if n.driver != nil {
			queue := n.driver.Queue(port, sluice.QueueID(q))
			for h := n.store.Pop(queue); h != 0; h = n.store.Pop(queue) {
				n.store.Release(h)
			}
			continue
		}
		f := &n.ports[port].fifo[q]
		for ; f.head < len(f.items); f.head++ {
			n.store.Release(f.items[f.head])
		}
	}
}

// flush discards what waits at a port whose link is down.
func (n *node) flush(port sluice.PortID) {
	if n.driver != nil {
		n.driver.Flush(n.time(), port)
		n.moved()
	} else {
		for n.ports[port].waiting > 0 {
			h, ok := n.take(port)
			if !ok {
				break
			}
			if h != 0 {
				n.flushed(h)
			}
		}
	}
	if left := n.waiting(port); left > 0 {
		n.fail("5 liveness", "node %d port %d: the link is down, and %d packets cannot be taken out",
			n.id, port, left)
	}
}

// flushed discards a packet that was taken out for want of a link.
func (n *node) flushed(h kit.Handle) {
	n.note(uint64(n.now), uint64(n.id))
	n.store.Release(h)
}

// hostile makes a frame: random bytes, a true one mutated, replayed or renumbered, or a forged one.
func (w *world) hostile(r *random, n *node, port sluice.PortID) []byte {
	recent := w.recent[r.below(16)]
	switch kind := r.below(6); {
	case kind == 0:
		frame := make([]byte, r.below(100))
		for i := range frame {
			frame[i] = byte(r.next())
		}
		return frame
	case kind == 1 && len(recent) > 0:
		frame := append([]byte(nil), recent...)
		for range r.between(1, 3) {
			frame[r.below(len(frame))] = byte(r.next())
		}
		return frame[:r.between(len(frame)*r.below(2), len(frame))]
	case kind == 2 && len(recent) > 0:
		return recent
	case kind == 3 && len(recent) > 0:
		if frame := w.setup.renumber(r, recent); frame != nil {
			return frame
		}
	}
	return w.setup.forge(r, n.id, port)
}

func (n *node) rebase(by sluice.Time) {
	if n.latest-by > 1<<62 || n.latest-by < -1<<62 { // beyond what 64 bits hold
		return
	}
	n.calls++
	n.latest -= by
	n.base += by
	if n.driver != nil {
		n.driver.Rebase(by)
	} else {
		n.m.Rebase(by)
	}
	n.plan()
}

// enqueueWrong offers a packet that no machine may accept.
func (n *node) enqueueWrong(r *random, port sluice.PortID) {
	p := sluice.Packet{Size: 1000, Ingress: sluice.Local, Class: n.setup.classes[0]}
	p.Path.Append(sluice.Hop{Switch: sluice.SwitchID(n.id), Port: port})
	want := sluice.BadIngress
	switch r.below(4) {
	case 0:
		p.Ingress = sluice.PortID(len(n.ports) + r.below(1000))
	case 1:
		p.Class, want = sluice.Class(r.between(8, 255)), sluice.BadClass
	case 2:
		p.Size, want = -int32(r.below(1<<31)), sluice.BadSize
	case 3:
		p.Path = sluice.Path{}
		p.Path.Append(sluice.Hop{Switch: sluice.SwitchID(n.id + 1), Port: port})
		if want = sluice.BadPath; !n.setup.pathOf.Has(p.Class) {
			return
		}
	}
	n.calls++
	if v := n.m.Enqueue(n.latest, port, &p); v != sluice.DropBecause(want) {
		n.fail("6 bounded", "node %d: a wrong packet %+v got %v, want %v", n.id, p, v, want)
	}
}

// dequeueNothing takes a packet from a queue that is empty or does not exist.
func (n *node) dequeueNothing(r *random, port sluice.PortID) {
	q := r.below(n.queues + 2)
	if q < n.queues && !n.empty(port, q) {
		return
	}
	p := sluice.Packet{
		Size: 1000, Ingress: sluice.Local, Class: n.setup.classes[0], Note: r.next(),
		Path: n.flows[0].path,
	}
	n.calls++
	v := n.m.Dequeue(n.latest, port, sluice.QueueID(q), &p)
	if v.Action() != sluice.Drop || v.Reason() == sluice.NoReason || v.Wake() != 0 {
		n.fail("6 bounded", "node %d: Dequeue of queue %d, which is empty, answered %v", n.id, q, v)
	}
}

// expireEarly calls Expire before its time, or with a time that is none.
func (n *node) expireEarly(r *random) {
	deadline := n.m.Deadline()
	if deadline <= n.latest {
		return
	}
	now := n.latest
	if r.one(2) {
		now = sluice.Never
	}
	n.calls++
	if w := n.m.Expire(now); w != 0 || n.m.Deadline() != deadline {
		n.fail("6 bounded", "node %d: Expire(%v) before Deadline %v said %v, and Deadline is %v", n.id, now,
			deadline, w, n.m.Deadline())
	}
}

// congested says that a host cannot take what it receives, or can again.
func (n *node) congested(on bool) {
	s, ok := kit.Unwrap(n.m).(*pyrrha.Switch)
	if !ok || n.congest == on || n.graph.nodes[n.id].tier > 0 {
		return
	}
	n.congest = on
	n.calls++
	n.told(s.Port(0).Congested(n.time(), on))
}

// told acts on the word of a method that no driver calls.
func (n *node) told(w sluice.Wake) {
	if n.driver != nil {
		n.driver.Act(n.time(), w)
		n.moved()
	} else {
		n.do(w)
	}
}

// operated lets an operator have the machine. A driver keeps the machine that it has.
func (n *node) operated(r *random) {
	n.calls++
	m, w := n.setup.operate(r, n.id, n.m, n.time())
	if n.trace {
		fmt.Printf("%v node %d has another machine: %v, %v\n", n.now, n.id, m != n.m, w)
	}
	if m == n.m {
		n.told(w)
		return
	}
	if n.driver != nil {
		return
	}
	n.m = m
	n.plan()
	for i := range n.ports {
		n.ports[i].owing, _ = kit.HooksOf(m, sluice.PortID(i)).(kit.Owing)
		n.kick(sluice.PortID(i))
	}
	n.serve()
}
