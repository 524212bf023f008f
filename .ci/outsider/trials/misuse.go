package main

import "github.com/sluicefc/sluice"

// hostile makes a frame: random bytes, a true frame mutated, replayed or renumbered, or a forged
// frame.
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

// expireEarly calls Expire before its time, or at Never.
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
		n.fail("6 bounded", "node %d: Expire(%v) before Deadline %v said %v, and Deadline is %v", n.id,
			now, deadline, w, n.m.Deadline())
	}
}
