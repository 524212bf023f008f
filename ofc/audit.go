package ofc

import (
	"fmt"

	"github.com/sluicefc/sluice"
)

// Audit recomputes the numbered invariants of Switch and names the first one broken, nil if all
// hold. It cannot see the packets: what it says of a flow's packets it knows from counts. It takes
// time in proportion to the memory of the switch.
func (s *Switch) Audit() error {
	if err := s.auditBytes(); err != nil {
		return err
	}
	if err := s.woken.Audit(); err != nil {
		return fmt.Errorf("ofc: %w", err)
	}
	for i := range s.ports {
		p := &s.ports[i]
		for class := range sluice.Class(sluice.Classes) {
			for _, audit := range [...]func(sluice.Class) error{
				p.auditQueues, p.auditFlows, p.auditTold, p.auditFrames,
			} {
				if err := audit(class); err != nil {
					return fmt.Errorf("ofc: port %d class %d: %w", i, class, err)
				}
			}
		}
		if err := p.auditTable(); err != nil {
			return fmt.Errorf("ofc: port %d: %w", i, err)
		}
	}
	return nil
}

// auditBytes checks invariant 1.
func (s *Switch) auditBytes() error {
	total := int64(0)
	for class := range sluice.Class(sluice.Classes) {
		var in, out, untrackedIn, untrackedOut int64
		for i := range len(s.ports) + 1 {
			a := &s.accounts[i*sluice.Classes+int(class)]
			if a.bytes < 0 || a.bytes > a.limit {
				return fmt.Errorf("ofc: invariant 1: ingress %d class %d: q_in %d of at most %d",
					i-1, class, a.bytes, a.limit)
			}
			in += a.bytes
			untrackedIn += int64(a.untracked)
		}
		for i := range s.ports {
			k := &s.ports[i].classes[class]
			for q, n := range k.bytes {
				if n < 0 || (n == 0) != (k.packets[q] == 0) || n < int64(k.packets[q]) {
					return fmt.Errorf("ofc: invariant 1: port %d class %d queue %d: %d packets of %d bytes",
						i, class, q, k.packets[q], n)
				}
				out += n
			}
			untrackedOut += int64(k.untracked)
		}
		if in != out || untrackedIn != untrackedOut {
			return fmt.Errorf("ofc: invariant 1: class %d: %d bytes by ingress, %d by egress; %d and %d "+
				"packets of unknown flows", class, in, out, untrackedIn, untrackedOut)
		}
		total += out
	}
	if total != int64(s.Buffered()) {
		return fmt.Errorf("ofc: invariant 1: queues hold %d bytes, the switch counts %d",
			total, s.Buffered())
	}
	return nil
}

// auditQueues checks invariants 2 and 7.
func (p *Port) auditQueues(class sluice.Class) error {
	k := &p.classes[class]
	if k.paused == normal || k.paused >= QueuesPerClass || k.serving >= QueuesPerClass ||
		k.serving == k.paused {
		return fmt.Errorf("invariant 2: queue %d is served, %d is the paused queue", k.serving, k.paused)
	}
	other := 3 - k.paused
	if (k.bytes[other] > 0) != (k.serving != normal) {
		return fmt.Errorf("invariant 2: queue %d is served, and backup queue %d holds %d bytes",
			k.serving, other, k.bytes[other])
	}
	held := k.held() || p.state.slow.Has(class)
	if held != p.blocked.Has(class) {
		return fmt.Errorf("invariant 7: the class is held: %t, blocked: %t", held, p.blocked.Has(class))
	}
	if ready := !held && k.bytes[k.serving] > 0; ready != sluice.ClassSet(p.ready).Has(class) {
		return fmt.Errorf("invariant 7: queue %d may send: %t, the class is ready: %t",
			k.serving, ready, sluice.ClassSet(p.ready).Has(class))
	}
	if queue := uint8(class)*QueuesPerClass + k.serving; queue != p.heads[class] {
		return fmt.Errorf("invariant 7: queue %d is served, Next answers %d", queue, p.heads[class])
	}
	gate := uint8(0)
	if !held && k.serving == normal {
		gate = 1 << class
	}
	if p.gates[class] != gate {
		return fmt.Errorf("invariant 7: a packet makes classes %b ready, not %b", p.gates[class], gate)
	}
	return nil
}

// auditFlows checks invariants 3 and 4 of the flows of a class.
func (p *Port) auditFlows(class sluice.Class) error {
	var packets, pausedPackets int64
	var sum egress
	for i := p.base() + 1; i <= p.base()+p.fresh; i++ {
		e := &p.owner.entries[i]
		if e.class() != class {
			continue
		}
		packets += int64(e.packets)
		in := e.flags&congested != 0
		if in {
			sum.congested++
			pausedPackets += int64(e.packets)
		} else if e.flags&(deferred|chained|named) != 0 {
			return fmt.Errorf("invariant 4: flow %x is not in congested_flow_tab, flags %b", e.flow, e.flags)
		}
		if e.flags&deferred != 0 {
			sum.deferred++
		}
		if e.packets > 0 {
			sum.present++
			if in {
				sum.presentCongested++
			}
		}
	}
	return p.auditCounts(class, &sum, packets, pausedPackets)
}

// auditCounts compares what the flows of a class sum up to with its counters: their packets, the
// packets of paused flows, and how many flows there are of each kind.
func (p *Port) auditCounts(class sluice.Class, sum *egress, packets, pausedPackets int64) error {
	k := &p.classes[class]
	held := int64(k.packets[0]) + int64(k.packets[1]) + int64(k.packets[2])
	switch {
	case p.owner.classes.Has(class) && packets+int64(k.untracked) != held:
		return fmt.Errorf("invariant 4: flows have %d packets, %d are of unknown flows, queues have %d",
			packets, k.untracked, held)
	case int64(k.packets[k.paused]) > pausedPackets+int64(k.untracked):
		return fmt.Errorf("invariant 3: the paused queue has %d packets, paused flows %d",
			k.packets[k.paused], pausedPackets)
	case k.congested != sum.congested, k.deferred != sum.deferred, k.present != sum.present,
		k.presentCongested != sum.presentCongested:
		return fmt.Errorf("invariant 4: %d flows paused (%d deferred), %d present (%d paused), "+
			"counted %d (%d), %d (%d)", sum.congested, sum.deferred, sum.present, sum.presentCongested,
			k.congested, k.deferred, k.present, k.presentCongested)
	case k.serving == normal && (k.chain != 0 || k.deferred != 0):
		return fmt.Errorf("invariant 3: no rotation is under way, %d resumes are deferred", k.deferred)
	}
	return nil
}

func (p *Port) auditTable() error {
	s := p.owner
	known := int32(0)
	for i := p.base() + 1; i <= p.base()+p.fresh; i++ {
		e := &s.entries[i]
		if e.packets == 0 && e.flags&(congested|told) == 0 {
			continue // not in use
		}
		known++
		j := p.find(e.flow, e.class())
		for j != 0 && j != i {
			j = s.entries[j].sibling
		}
		if j != i || e.packets < 0 {
			return fmt.Errorf("invariant 4: flow %x with %d packets is not found", e.flow, e.packets)
		}
	}
	if known != p.known {
		return fmt.Errorf("invariant 4: %d flows are known, the counter says %d", known, p.known)
	}
	return nil
}

// auditTold checks invariant 5 of what came in by this port.
func (p *Port) auditTold(class sluice.Class) error {
	s := p.owner
	a := s.account(p.id, class)
	count := int32(0)
	for i := a.toldList.head; i != 0; i = s.entries[i].next {
		e := &s.entries[i]
		if e.flags&told == 0 || e.place != uint16(place(p.id, class)) {
			return fmt.Errorf("invariant 5: flow %x is among those told", e.flow)
		}
		if count++; count > a.count {
			break
		}
	}
	if count != a.count {
		return fmt.Errorf("invariant 5: %d flows told, the counter says %d", count, a.count)
	}
	for egress := range s.ports {
		g := s.group(sluice.PortID(egress), p.id, class)
		listed := int32(0)
		for _, l := range [...]*list{&g.plain, &g.congested} {
			before, seen := int32(0), l.upTo == 0
			for i := l.head; i != 0; before, i = i, s.entries[i].next {
				e := &s.entries[i]
				if e.prev != before || g.of(e.flags) != l || e.flags&told != 0 || e.packets <= 0 {
					return fmt.Errorf("invariant 5: flow %x is in a list of egress %d", e.flow, egress)
				}
				seen = seen || l.upTo == i
				listed++
			} // no list is a circle: the entry where it closed would have another before it
			if l.tail != before || !seen {
				return fmt.Errorf("invariant 5: a list of egress %d ends at %d, not at %d", egress,
					before, l.tail)
			}
		}
		if present := s.ports[egress].unnamedOf(p.id, class); present != listed {
			return fmt.Errorf("invariant 5: %d flows wait at egress %d untold, %d are listed",
				present, egress, listed)
		}
		if wanted := g.plain.upTo|g.congested.upTo != 0; wanted != a.has(egress) {
			return fmt.Errorf("invariant 6: flows of egress %d are to be announced: %t", egress, wanted)
		}
	}
	return nil
}

func (a *account) has(egress int) bool { return !a.wanted.Empty() && a.wanted.Has(egress) }

// unnamedOf counts the flows with packets here that came in by an ingress and that no frame paused
// upstream.
func (p *Port) unnamedOf(ingress sluice.PortID, class sluice.Class) (n int32) {
	for i := p.base() + 1; i <= p.base()+p.fresh; i++ {
		e := &p.owner.entries[i]
		if e.packets > 0 && e.flags&told == 0 && e.place == uint16(place(ingress, class)) {
			n++
		}
	}
	return n
}

// auditFrames checks invariant 6.
func (p *Port) auditFrames(class sluice.Class) error {
	a := p.owner.account(p.id, class)
	down := p.state.Down
	urgent := a.allWanted != a.allTold && !down
	owed := (a.telling != notAgain || a.resume || !a.wanted.Empty()) && !down
	if urgent != p.urgent.Has(class) || owed != p.owed.Has(class) {
		return fmt.Errorf("invariant 6: a frame is owed: %t, %t, pending: %t, %t",
			urgent, owed, p.urgent.Has(class), p.owed.Has(class))
	}
	if a.count > 0 && !a.active && !a.resume {
		return fmt.Errorf("invariant 6: %d flows are announced and nothing is paused", a.count)
	}
	if down && a.allTold {
		return fmt.Errorf("invariant 6: the link is down, and the class is announced")
	}
	return nil
}

// Quiescent returns nil when no packet waits, no frame holds a flow or class upstream, and
// downstream pauses none of ours; else an error that names the rest.
func (s *Switch) Quiescent() error {
	if n := s.Buffered(); n != 0 {
		return fmt.Errorf("ofc: %d bytes held", n)
	}
	for i := range s.ports {
		p := &s.ports[i]
		switch {
		case p.urgent|p.owed != 0:
			return fmt.Errorf("ofc: port %d: a frame about classes %v is pending", i, p.urgent|p.owed)
		case p.known > 0:
			return fmt.Errorf("ofc: port %d: %d flows are paused", i, p.known)
		}
		for class := range sluice.Class(sluice.Classes) {
			if a := s.account(p.id, class); a.active || a.allTold {
				return fmt.Errorf("ofc: port %d: upstream is paused in class %d", i, class)
			}
			if p.classes[class].held() {
				return fmt.Errorf("ofc: port %d: class %d is held", i, class)
			}
		}
	}
	return nil
}
