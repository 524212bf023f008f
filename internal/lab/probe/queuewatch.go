package probe

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// QueueWatch is a machine that looks whether its queues are held: after each hook at those that the
// hook may have held or released. It behaves like the machine that it wraps.
type QueueWatch struct {
	kit.Machine
	// held reports whether a queue is held, changed hears that it is, or no longer is.
	held    func(port sluice.PortID, q sluice.QueueID) bool
	changed func(now sluice.Time, port sluice.PortID, q sluice.QueueID, held bool)
	was     []bool // by port, then queue; nil if it looks at none
	queues  int
	now     sluice.Time
	// guests are the packets for whose sake it looks, by port, then queue; ofPort by port. Nil if it
	// looks at every queue.
	guests, ofPort []int32
}

// WatchQueues returns a machine that looks at the queues of another. It calls changed when held
// answers otherwise than before, where false is the first answer.
func WatchQueues(
	m kit.Machine, held func(port sluice.PortID, q sluice.QueueID) bool,
	changed func(now sluice.Time, port sluice.PortID, q sluice.QueueID, held bool),
) QueueWatch {
	return QueueWatch{
		Machine: m, held: held, changed: changed,
		was: make([]bool, m.Ports()*m.Queues()), queues: m.Queues(),
	}
}

// WatchGuests returns one that looks only at queues with guests: packets of which Came and Went
// tell.
func WatchGuests(
	m kit.Machine, held func(port sluice.PortID, q sluice.QueueID) bool,
	changed func(now sluice.Time, port sluice.PortID, q sluice.QueueID, held bool),
) QueueWatch {
	w := WatchQueues(m, held, changed)
	w.guests, w.ofPort = make([]int32, len(w.was)), make([]int32, m.Ports())
	return w
}

// Came says that a guest joins a queue.
func (w *QueueWatch) Came(now sluice.Time, id sluice.PortID, q sluice.QueueID) {
	i := int(id)*w.queues + int(q)
	w.guests[i]++
	w.ofPort[id]++
	if w.guests[i] == 1 {
		w.look(now, id, q)
	}
}

// Went says that a guest left a queue. It reports whether none is left: that the queue was held is
// forgotten then, without a call of changed.
func (w *QueueWatch) Went(id sluice.PortID, q sluice.QueueID) (last bool) {
	i := int(id)*w.queues + int(q)
	w.guests[i]--
	w.ofPort[id]--
	if w.guests[i] > 0 {
		return false
	}
	w.was[i] = false
	return true
}

func (w *QueueWatch) Unwrap() kit.Machine { return w.Machine }

// Enqueue looks at the queue that a packet joins, which may be held from its first packet on.
func (w *QueueWatch) Enqueue(now sluice.Time, id sluice.PortID, p *sluice.Packet) sluice.Verdict {
	v := w.Machine.Enqueue(now, id, p)
	w.Joined(now, id, v)
	return v
}

// Joined does so where Enqueue was called of the machine within.
func (w *QueueWatch) Joined(now sluice.Time, id sluice.PortID, v sluice.Verdict) {
	if v.Action() == sluice.Append && w.guests == nil {
		w.look(now, id, v.Queue())
	}
	w.woken(now, id, v.Wake())
}

// Dequeue looks at the queue that a packet leaves, and at the one that it joins.
func (w *QueueWatch) Dequeue(
	now sluice.Time, id sluice.PortID, q sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	v := w.Machine.Dequeue(now, id, q, p)
	w.Left(now, id, q, v)
	return v
}

// Left does so where Dequeue was called of the machine within.
func (w *QueueWatch) Left(
	now sluice.Time, id sluice.PortID, q sluice.QueueID, v sluice.Verdict,
) {
	w.look(now, id, q)
	if v.Action() == sluice.Append {
		w.look(now, id, v.Queue())
	}
	w.woken(now, id, v.Wake())
}

// Receive looks at the queues that a frame may hold or release.
func (w *QueueWatch) Receive(now sluice.Time, id sluice.PortID, frame []byte) (sluice.Wake, error) {
	wake, err := w.Machine.Receive(now, id, frame)
	w.Look(now, id)
	w.woken(now, id, wake)
	return wake, err
}

// LinkDown looks at the queues that it releases, and so does LinkUp.
func (w *QueueWatch) LinkDown(now sluice.Time, id sluice.PortID) sluice.Wake {
	wake := w.Machine.LinkDown(now, id)
	w.Look(now, id)
	w.woken(now, id, wake)
	return wake
}

func (w *QueueWatch) LinkUp(now sluice.Time, id sluice.PortID) sluice.Wake {
	wake := w.Machine.LinkUp(now, id)
	w.Look(now, id)
	w.woken(now, id, wake)
	return wake
}

// Expire looks at the queues that timers hold or release. The ports of a machine of many queues are
// looked at when they are woken.
func (w *QueueWatch) Expire(now sluice.Time) sluice.Wake {
	wake := w.Machine.Expire(now)
	w.now = now
	if id, ok := wake.Port(); ok {
		w.Look(now, id)
	}
	if w.was != nil && w.queues <= sluice.Classes {
		for id := range w.Ports() {
			w.Look(now, sluice.PortID(id))
		}
	}
	return wake
}

// woken looks at the port that a hook of another woke; PollPort has the rest of several.
func (w *QueueWatch) woken(now sluice.Time, by sluice.PortID, wake sluice.Wake) {
	w.now = now
	if id, ok := wake.Port(); ok && id != by {
		w.Look(now, id)
	}
}

// PollPort looks at the ports that a hook woke beside others.
func (w *QueueWatch) PollPort() (sluice.PortID, bool) {
	id, ok := w.Machine.PollPort()
	if ok {
		w.Look(w.now, id)
	}
	return id, ok
}

// Look compares the queues of a port with what they were.
func (w *QueueWatch) Look(now sluice.Time, id sluice.PortID) {
	w.now = now
	if w.was == nil || w.ofPort != nil && w.ofPort[id] == 0 {
		return
	}
	for q := range sluice.QueueID(w.queues) {
		w.look(now, id, q)
	}
}

func (w *QueueWatch) look(now sluice.Time, id sluice.PortID, q sluice.QueueID) {
	i := int(id)*w.queues + int(q)
	if w.was == nil || w.guests != nil && w.guests[i] == 0 {
		return
	}
	if held := w.held(id, q); held != w.was[i] {
		w.was[i] = held
		w.changed(now, id, q, held)
	}
}
