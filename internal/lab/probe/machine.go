package probe

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

type machine struct {
	QueueWatch
	observer *Observer
	ports    []port
	wants    []bool // by port: packets are captured
}

// Hang returns the machine of a node, watched.
func (o *Observer) Hang(node sluice.SwitchID, m kit.Machine) kit.Machine {
	first := o.first[node]
	w := &machine{
		QueueWatch: QueueWatch{Machine: m}, observer: o, ports: o.ports[first : first+int32(m.Ports())],
		wants: make([]bool, m.Ports()),
	}
	watched := false
	for i := range w.ports {
		watched = watched || w.ports[i].watched
		w.wants[i] = o.config.Capture != nil && o.config.Capture.Wants(w.ports[i].at)
	}
	if watched {
		w.QueueWatch = WatchQueues(m, w.paused, w.pauseChanged)
	}
	o.machines[node] = w
	return w
}

// paused reports whether downstream pauses a queue, of a port that is watched.
func (w *machine) paused(id sluice.PortID, q sluice.QueueID) bool {
	return w.ports[id].watched && kit.PausedByPeer(w.Machine, id, q)
}

func (w *machine) pauseChanged(
	now sluice.Time, id sluice.PortID, _ sluice.QueueID, paused bool,
) {
	w.observer.switchPaused(&w.ports[id], now, paused)
}

// Enqueue counts what a port holds.
func (w *machine) Enqueue(now sluice.Time, id sluice.PortID, p *sluice.Packet) sluice.Verdict {
	v := w.QueueWatch.Enqueue(now, id, p)
	if v.Action() == sluice.Append {
		w.observer.hold(&w.ports[id], now, p.Size)
	}
	return v
}

// Dequeue counts what leaves a port and how it is marked.
func (w *machine) Dequeue(
	now sluice.Time, id sluice.PortID, q sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	v := w.QueueWatch.Dequeue(now, id, q, p)
	if v.Action() == sluice.Append {
		return v
	}
	at := &w.ports[id]
	w.observer.hold(at, now, -p.Size)
	if v.Action() == sluice.Transmit {
		at.total.sent += p.Size
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
