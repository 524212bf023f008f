package sim

import (
	"cmp"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/schedule"
	"github.com/sluicefc/sluice/kit"
)

// stay is since when a packet waits at its port, and in its queue there.
type stay struct{ port, queue sluice.Time }

// stays notes where the packets of jobs' messages wait in a part, and which of their queues are
// held then. What a message waited at a port is noted when a packet leaves the port, so that a part
// touches what it has alone.
type stays struct {
	waits  []wait
	number map[waitKey]int32 // of waits
	last   []int32           // by port: of waits, as used last, plus one
	begin  sluice.Time       // when the packet that is sent into a host's card begins to wait
	joins  bool              // the packet that is enqueued now is of a message
}

// waitKey names a message and a port, by their numbers.
type waitKey struct{ flow, port int32 }

// wait is what a message waited at a port.
type wait struct {
	waitKey
	queued sluice.Time // in which at least one packet waited
	until  sluice.Time // up to which that is counted
	holds  []schedule.Hold
}

// holder is the machine of a node with what is known of its queues that were held while they had
// packets of messages, which are the guests of its QueueWatch.
type holder struct {
	probe.QueueWatch
	node    *node
	id      sluice.SwitchID
	rooted  kit.Rooted // nil if pauses name no root
	perPort int
	number  []int32 // by port, then queue: of holds, plus one
	holds   []queueHold
	few     bool // a packet that leaves may hold or release other queues of its port
}

// fewQueues is how many queues a port of OFC has, whose three queues of a class change places. In
// protocols with more queues, queues of a port do not depend on each other.
const fewQueues = 3 * sluice.Classes

// queueHold is when a queue was held since the packet of a message came that left it last, or since
// the first came of those that wait there.
type queueHold struct {
	since sluice.Time // Never if it is not held
	cause schedule.Cause
	ended []schedule.Hold // the oldest first
}

// watchStays hangs a holder on the machine of a node.
func (n *node) watchStays(id sluice.SwitchID, m kit.Machine) kit.Machine {
	w := &holder{
		node: n, id: id, rooted: kit.RootedOf(m), number: make([]int32, m.Ports()*m.Queues()),
		perPort: m.Queues(), few: m.Queues() > sluice.Classes && m.Queues() <= fewQueues,
	}
	w.QueueWatch = probe.WatchGuests(m, w.held, w.changed)
	return w
}

// Hooks returns what packets pass.
func (w *holder) Hooks(id sluice.PortID) kit.Hooks {
	return &holderHooks{kit.HooksOf(w.Machine, id), w, id}
}

type holderHooks struct {
	kit.Hooks
	of *holder
	id sluice.PortID
}

func (h *holderHooks) Unwrap() kit.Hooks { return h.Hooks }

// Enqueue notes that a packet of a message joins a queue.
func (h *holderHooks) Enqueue(now sluice.Time, p *sluice.Packet) sluice.Verdict {
	w := h.of
	joins := w.node.part.stays.joins
	v := h.Hooks.Enqueue(now, p)
	if joins && v.Action() == sluice.Append {
		w.Came(now, h.id, v.Queue())
	}
	w.Joined(now, h.id, v)
	return v
}

// Dequeue notes what the head of a queue waited.
func (h *holderHooks) Dequeue(
	now sluice.Time, q sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	w := h.of
	head := w.node.driver.Queue(h.id, q).Head()
	v := h.Hooks.Dequeue(now, q, p)
	if s := w.node.part; s.isOfMessage(&s.arena.At(head).Value) {
		w.leave(now, h.id, q, head, v.Action() != sluice.Append)
		w.gone(h.id, q)
		if v.Action() == sluice.Append {
			s.arena.stays[head].queue = now
			w.Came(now, h.id, v.Queue())
		}
	}
	w.Left(now, h.id, q, v)
	if w.few {
		w.Look(now, h.id)
	}
	return v
}

// gone forgets when a queue was held if no packet of a message is left in it.
func (w *holder) gone(id sluice.PortID, q sluice.QueueID) {
	if !w.Went(id, q) {
		return
	}
	if hold := w.of(id, q); hold != nil {
		hold.since, hold.ended = sluice.Never, hold.ended[:0]
	}
}

// wait notes since when a packet waits that is enqueued next.
func (s *part) wait(h handle, pkt *packet) {
	s.stays.joins = s.isOfMessage(&pkt.Value)
	if s.stays.joins {
		begin := max(s.now, s.stays.begin)
		s.arena.stays[h] = stay{begin, begin}
	}
}

// isOfMessage reports whether a packet's stays are noted: it has data of a message that is in
// memory for the whole run.
func (s *part) isOfMessage(c *cargo) bool {
	return c.kind == dataPacket && s.isMessage(c.flow) && int(c.flow) < len(s.config.Flows)
}

// held reports whether a queue is held: it may not send. Where pauses name roots the queue must be
// paused, as an isolation queue also may not send while another of its level has its turn.
func (w *holder) held(id sluice.PortID, q sluice.QueueID) bool {
	if w.rooted != nil {
		return kit.PausedByPeer(w.Machine, id, q)
	}
	return !w.Machine.Sendable(id, q)
}

func (w *holder) changed(now sluice.Time, id sluice.PortID, q sluice.QueueID, held bool) {
	number := &w.number[int(id)*w.perPort+int(q)]
	if *number == 0 {
		w.holds = append(w.holds, queueHold{since: sluice.Never})
		*number = int32(len(w.holds))
	}
	h := &w.holds[*number-1]
	if !held {
		h.ended = append(h.ended, schedule.Hold{From: h.since, To: now, For: h.cause})
		h.since = sluice.Never
		return
	}
	h.since, h.cause = now, schedule.Cause{At: sluice.Hop{Switch: w.id, Port: id}}
	if w.rooted != nil {
		if root, ok := w.rooted.PausedFor(id, q); ok {
			h.cause = schedule.Cause{At: root, Root: true}
		}
	}
}

// forget drops what ended before an instant.
func (h *queueHold) forget(before sluice.Time) {
	n := 0
	for n < len(h.ended) && h.ended[n].To <= before {
		n++
	}
	if n > 0 {
		h.ended = slices.Delete(h.ended, 0, n)
	}
}

// of returns when a queue was held, nil if it never was.
func (w *holder) of(id sluice.PortID, q sluice.QueueID) *queueHold {
	if number := w.number[int(id)*w.perPort+int(q)]; number > 0 {
		return &w.holds[number-1]
	}
	return nil
}

// leave notes what a packet of a message waited in its queue, and at its port if it leaves the
// port.
func (w *holder) leave(
	now sluice.Time, id sluice.PortID, q sluice.QueueID, h handle, port bool,
) {
	s, at := w.node.part, w.node.part.arena.stays[h]
	key := waitKey{s.arena.At(h).Value.flow, w.node.firstPort + int32(id)}
	if held := w.of(id, q); held != nil && at.queue < now {
		held.forget(at.queue)
		for i := range held.ended {
			s.stays.at(key).hold(held.ended[i], at.queue, now)
		}
		if held.since < now {
			s.stays.at(key).hold(schedule.Hold{From: held.since, To: now, For: held.cause}, at.queue, now)
		}
	}
	if port && at.port < now {
		wait := s.stays.at(key)
		wait.queued += now - max(wait.until, at.port)
		wait.until = now
	}
}

// at returns what a message waited at a port so far.
func (s *stays) at(key waitKey) *wait {
	last := &s.last[key.port]
	if *last > 0 && s.waits[*last-1].flow == key.flow {
		return &s.waits[*last-1]
	}
	number, known := s.number[key]
	if !known {
		number = int32(len(s.waits))
		s.number[key] = number
		s.waits = append(s.waits, wait{waitKey: key})
	}
	*last = number + 1
	return &s.waits[number]
}

// hold notes the part of a hold within a packet's stay. Packets that follow each other make one.
func (w *wait) hold(h schedule.Hold, from, to sluice.Time) {
	h.From, h.To = max(h.From, from), min(h.To, to)
	if last := len(w.holds) - 1; last >= 0 && w.holds[last].For == h.For &&
		h.From <= w.holds[last].To && w.holds[last].From <= h.From {
		w.holds[last].To = max(w.holds[last].To, h.To)
		return
	}
	w.holds = append(w.holds, h)
}

// watchesStays reports whether a job has its operations in memory. What packets wait is kept until
// the end of a run, which is too much of jobs whose operations are read in a window.
func (s *Simulator) watchesStays() bool {
	return len(s.config.Jobs) > 0 && !s.config.Jobs[0].Schedule.InWindow()
}

// startStays prepares what notes the stays of packets.
func (s *Simulator) startStays() {
	for _, p := range s.parts {
		p.stays = &stays{number: map[waitKey]int32{}, last: make([]int32, len(s.ports))}
		p.arena.addStays()
	}
}

// finishStays notes what waits at the end of a run.
func (s *Simulator) finishStays() {
	for i := range s.ports {
		p := &s.ports[i]
		if p.held == 0 {
			continue
		}
		n := &s.nodes[p.node]
		w := n.machine().(*holder)
		for q := range sluice.QueueID(w.Queues()) {
			for h := n.driver.Queue(p.id, q).Head(); h != 0; h = n.part.arena.After(h) {
				if n.part.isOfMessage(&n.part.arena.At(h).Value) {
					w.leave(s.Now(), p.id, q, h, true)
				}
			}
		}
	}
}

// allWaits returns what messages waited, by message, then port.
func (s *Simulator) allWaits() (all []wait) {
	for _, p := range s.parts {
		all = append(all, p.stays.waits...)
	}
	slices.SortFunc(all, func(a, b wait) int {
		return cmp.Or(cmp.Compare(a.flow, b.flow), cmp.Compare(a.port, b.port))
	})
	return all
}

// describe returns a wait as results have it.
func (s *Simulator) describe(w *wait) schedule.Wait {
	p := &s.ports[w.port]
	return schedule.Wait{
		At:     sluice.Hop{Switch: p.nodeID(), Port: p.id},
		Queued: w.queued, Held: schedule.HeldWithin(w.holds, 0, sluice.Never),
		For: schedule.CausesOf(w.holds, 0, sluice.Never),
	}
}
