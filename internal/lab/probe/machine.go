package probe

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

type machine struct {
	kit.Machine
	observer *Observer
	ports    []port
	queues   int
	paused   []bool // by port, then queue, of ports that are watched: downstream pauses the queue
	wants    []bool // by port: packets are captured
	watched  bool   // one of the ports is
	now      sluice.Time
}

// Hang returns the machine of a node, watched.
func (o *Observer) Hang(node sluice.SwitchID, m kit.Machine) kit.Machine {
	first := o.first[node]
	w := &machine{
		Machine: m, observer: o, ports: o.ports[first : first+int32(m.Ports())], queues: m.Queues(),
		wants: make([]bool, m.Ports()),
	}
	for i := range w.ports {
		w.watched = w.watched || w.ports[i].watched
		w.wants[i] = o.config.Capture != nil && o.config.Capture.Wants(w.ports[i].at)
	}
	if w.watched {
		w.paused = make([]bool, m.Ports()*m.Queues())
	}
	o.machines[node] = w
	return w
}

func (w *machine) Unwrap() kit.Machine { return w.Machine }

// Enqueue counts what a port holds.
func (w *machine) Enqueue(now sluice.Time, id sluice.PortID, p *sluice.Packet) sluice.Verdict {
	v := w.Machine.Enqueue(now, id, p)
	if v.Action() == sluice.Append {
		at := &w.ports[id]
		w.observer.hold(at, now, sluice.Bytes(p.Size))
		if at.watched { // a queue may be paused from its first packet on
			w.look(now, id, v.Queue())
		}
	}
	return v
}

// Dequeue counts what leaves a port and how it is marked.
func (w *machine) Dequeue(
	now sluice.Time, id sluice.PortID, q sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	v := w.Machine.Dequeue(now, id, q, p)
	at := &w.ports[id]
	if v.Action() == sluice.Append {
		if at.watched {
			w.look(now, id, q)
			w.look(now, id, v.Queue())
		}
		return v
	}
	w.observer.hold(at, now, -sluice.Bytes(p.Size))
	if v.Action() == sluice.Transmit {
		at.total.sent += sluice.Bytes(p.Size)
		at.total.packets++
		if mark := v.Mark(); mark != p.ECN {
			at.total.marks[mark]++
		}
		if at.series != nil {
			w.observer.leave(at, now, p.Flow, p.ECN, v.Mark())
			if w.observer.config.States {
				w.observer.enterState(at, now, w.state(id, w.observer.config.Class))
			}
		}
		if w.wants[id] {
			leaving := *p
			leaving.ECN = v.Mark()
			w.observer.config.Capture.Packet(now, at.at, &leaving)
		}
	}
	if at.watched {
		w.look(now, id, q)
	}
	return v
}

// PollFrame counts the control frames that a port sends.
func (w *machine) PollFrame(
	now sluice.Time, id sluice.PortID, buf []byte,
) (frame []byte, kind string, ok bool) {
	frame, kind, ok = w.Machine.PollFrame(now, id, buf)
	if ok {
		at := &w.ports[id]
		w.observer.touch(at, now)
		at.total.frames++
		if w.observer.config.Classes {
			w.observer.pause(at, now, frame)
		}
		if w.observer.config.Capture != nil {
			w.observer.config.Capture.Frame(now, at.at, frame)
		}
	}
	return frame, kind, ok
}

// Receive notices the queues that a frame pauses or resumes.
func (w *machine) Receive(now sluice.Time, id sluice.PortID, frame []byte) (sluice.Wake, error) {
	wake, err := w.Machine.Receive(now, id, frame)
	w.lookAt(now, id)
	return wake, err
}

// LinkDown notices the queues that it resumes, and so does LinkUp.
func (w *machine) LinkDown(now sluice.Time, id sluice.PortID) sluice.Wake {
	wake := w.Machine.LinkDown(now, id)
	w.lookAt(now, id)
	return wake
}

func (w *machine) LinkUp(now sluice.Time, id sluice.PortID) sluice.Wake {
	wake := w.Machine.LinkUp(now, id)
	w.lookAt(now, id)
	return wake
}

// Expire notices the queues that timers pause or resume. The ports of a machine of many queues are
// looked at when they are woken.
func (w *machine) Expire(now sluice.Time) sluice.Wake {
	wake := w.Machine.Expire(now)
	if !w.watched {
		return wake
	}
	w.now = now
	if id, ok := wake.Port(); ok {
		w.lookAt(now, id)
	}
	if w.queues <= sluice.Classes {
		for id := range w.ports {
			w.lookAt(now, sluice.PortID(id))
		}
	}
	return wake
}

// PollPort looks at the ports that a hook woke beside others.
func (w *machine) PollPort() (sluice.PortID, bool) {
	id, ok := w.Machine.PollPort()
	if ok && w.watched {
		w.lookAt(w.now, id)
	}
	return id, ok
}

// lookAt compares the queues of a port with what they were.
func (w *machine) lookAt(now sluice.Time, id sluice.PortID) {
	if !w.ports[id].watched {
		return
	}
	w.now = now
	for q := range sluice.QueueID(w.queues) {
		w.look(now, id, q)
	}
}

func (w *machine) look(now sluice.Time, id sluice.PortID, q sluice.QueueID) {
	was := &w.paused[int(id)*w.queues+int(q)]
	if paused := kit.PausedByPeer(w.Machine, id, q); paused != *was {
		*was = paused
		w.observer.switchPaused(&w.ports[id], now, paused)
	}
}

// state returns the state of the detector of a port, "" if it has none.
func (w *machine) state(id sluice.PortID, class sluice.Class) string {
	for m := w.Machine; m != nil; {
		if d, ok := m.(interface {
			DetectorState(sluice.PortID, sluice.QueueID) string
		}); ok {
			return d.DetectorState(id, sluice.QueueID(class))
		}
		u, ok := m.(interface{ Unwrap() kit.Machine })
		if !ok {
			return ""
		}
		m = u.Unwrap()
	}
	return ""
}
