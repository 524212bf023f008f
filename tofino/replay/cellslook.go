package replay

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/ofc"
)

// PollPort implements [kit.Machine].
func (s *cellSwitch) PollPort() (sluice.PortID, bool) { return s.woken.Poll() }

// Expire implements [kit.Machine].
func (s *cellSwitch) Expire(now sluice.Time) sluice.Wake {
	s.clock.Advance(now)
	return 0
}

// Deadline implements [kit.Machine].
func (s *cellSwitch) Deadline() sluice.Time { return sluice.Never }

// Rebase implements [kit.Machine].
func (s *cellSwitch) Rebase(by sluice.Time) { s.clock.Rebase(by) }

// class returns the class that a queue is of, and its number there; false if there is no such
// queue.
func (s *cellSwitch) class(id sluice.PortID, q sluice.QueueID) (k *cellClass, number int, is bool) {
	if int(q) >= s.Queues() {
		return nil, 0, false
	}
	return &s.ports[id].classes[q/ofc.QueuesPerClass], int(q % ofc.QueuesPerClass), true
}

// Backlog implements [kit.Machine].
func (s *cellSwitch) Backlog(id sluice.PortID, q sluice.QueueID) sluice.Bytes {
	k, number, is := s.class(id, q)
	if !is {
		return 0
	}
	return k.bytes[number]
}

// Sendable implements [kit.Machine].
func (s *cellSwitch) Sendable(id sluice.PortID, q sluice.QueueID) bool {
	k, number, is := s.class(id, q)
	return is && number == k.serving && !k.blocked()
}

// WaitsFor implements [kit.Machine]: see [ofc.Port.WaitsFor].
func (s *cellSwitch) WaitsFor(
	id sluice.PortID, q sluice.QueueID, p *sluice.Packet, _ sluice.QueueID, came bool,
) bool {
	k, number, is := s.class(id, q)
	return is && came && sluice.QueueID(p.Class) == q/ofc.QueuesPerClass &&
		(k.blocked() || number == k.paused)
}

// Buffered implements [kit.Machine].
func (s *cellSwitch) Buffered() (sum sluice.Bytes) {
	for at := range s.accounts {
		for class := range s.accounts[at] {
			sum += s.accounts[at][class].bytes
		}
	}
	return sum
}

// Counters implements [kit.Machine].
func (s *cellSwitch) Counters(id sluice.PortID) sluice.Counters {
	c := s.ports[id].counters
	c.Resynchronised = s.ports[id].Heard.Resynchronised()
	return c
}

// Snapshot implements [kit.Machine].
func (s *cellSwitch) Snapshot() any {
	all := ofc.Snapshot{Now: s.clock.Now(), Deadline: sluice.Never, Buffered: s.Buffered()}
	for id := range sluice.PortID(len(s.ports)) {
		p := ofc.PortSnapshot{Port: id, Down: s.ports[id].Down}
		for class := range sluice.Class(sluice.Classes) {
			p.Classes[class] = s.snapshot(id, class)
			p.Known += p.Classes[class].Flows
		}
		all.Ports = append(all.Ports, p)
	}
	return all
}

func (s *cellSwitch) snapshot(id sluice.PortID, class sluice.Class) ofc.ClassSnapshot {
	k, a := &s.ports[id].classes[class], s.account(id, class)
	return ofc.ClassSnapshot{State: k.state(), Serving: k.serving, Paused: k.paused, Queues: k.bytes,
		Flows: k.flows.count(taken), Congested: k.congested.count(taken),
		Deferred: k.congested.count(marked), Held: k.blocked(), Ingress: a.bytes,
		Told: a.told.count(marked), AllPaused: a.allWanted, Pending: s.owes(id, class) != owed{}}
}

func (k *cellClass) state() ofc.State {
	passes := k.untracked > 0 || k.flows.count(taken) == 0 ||
		k.flows.count(func(c *cell) bool { return !k.congested.has(c.flow) }) > 0
	switch {
	case k.blocked():
		return ofc.AllPaused
	case k.serving != 0:
		return ofc.PartialResumed
	case k.congested.count(taken) == 0:
		return ofc.AllResumed
	case passes:
		return ofc.PartialPaused
	}
	return ofc.AllPaused
}

// Audit implements [kit.Machine]: it checks that bytes and packets are the same by ingress, by
// queue and by flow, that each flow is in a cell of its own, and that a rotation is under way
// exactly while its queue has packets.
func (s *cellSwitch) Audit() error {
	for class := range sluice.Class(sluice.Classes) {
		var bytes sluice.Bytes
		untracked := 0
		for at := range s.accounts {
			a := &s.accounts[at][class]
			bytes += a.bytes
			untracked += a.untracked
			if !a.told.sound() || a.told.count(taken)-a.told.count(marked) != len(a.pending) {
				return fmt.Errorf("ingress %d class %d: %d flows told, %d pending: %+v", at, class,
					a.told.count(marked), len(a.pending), a.told)
			}
		}
		for at := range s.ports {
			k := &s.ports[at].classes[class]
			if err := k.audit(s.config.Classes.Has(class)); err != nil {
				return fmt.Errorf("port %d class %d: %w", at, class, err)
			}
			bytes -= k.bytes[0] + k.bytes[1] + k.bytes[2]
			untracked -= k.untracked
		}
		if bytes != 0 || untracked != 0 {
			return fmt.Errorf("class %d: %d bytes and %d packets without cells by ingress, not by egress",
				class, bytes, untracked)
		}
	}
	return s.woken.Audit()
}

func (k *cellClass) audit(under bool) error {
	held, flows := k.packets[0]+k.packets[1]+k.packets[2], k.untracked
	k.flows.each(taken, func(c *cell) { flows += c.packets })
	switch {
	case under && held != flows:
		return fmt.Errorf("queues hold %d packets, flows %d", held, flows)
	case !k.flows.sound() || !k.congested.sound():
		return fmt.Errorf("a flow is in no cell of its own: %+v, %+v", k.flows, k.congested)
	case (k.bytes[3-k.paused] > 0) != (k.serving == 3-k.paused),
		k.serving == 0 && k.congested.count(marked) > 0:
		return fmt.Errorf("queue %d is served, %d is the paused queue, they hold %v", k.serving,
			k.paused, k.bytes)
	}
	for q, bytes := range k.bytes {
		if bytes < sluice.Bytes(k.packets[q]) || (bytes == 0) != (k.packets[q] == 0) {
			return fmt.Errorf("queue %d holds %d packets of %d bytes", q, k.packets[q], bytes)
		}
	}
	return nil
}

// sound reports whether each flow is in one of its cells and free cells are empty.
func (t table) sound() bool {
	for at := range t {
		choices := t.choices(t[at].flow)
		if t[at].packets == 0 && t[at] != (cell{}) || t[at].packets < 0 ||
			t[at].packets > 0 && at != choices[0] && at != choices[1] {
			return false
		}
	}
	return true
}

// Quiescent implements [kit.Machine].
func (s *cellSwitch) Quiescent() error {
	for id := range sluice.PortID(len(s.ports)) {
		for class := range sluice.Class(sluice.Classes) {
			k, a := &s.ports[id].classes[class], s.account(id, class)
			if a.bytes > 0 || a.active || a.allTold || a.told.count(taken) > 0 || k.blocked() ||
				k.flows.count(taken)+k.congested.count(taken) > 0 || s.owes(id, class) != (owed{}) {
				return fmt.Errorf("port %d class %d is not idle: %+v", id, class, s.snapshot(id, class))
			}
		}
	}
	if held := s.Buffered(); held > 0 {
		return fmt.Errorf("%d bytes held", held)
	}
	return nil
}
