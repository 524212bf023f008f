package voq

import "fmt"

// Audit recomputes the numbered invariants of Switch and returns an error that names the first one
// broken, nil if all hold. O(ports x queues). It allocates only to report.
func (s *Switch) Audit() error {
	total, assigned := int64(0), 0
	strangers := int64(0)
	for i := range s.slots {
		d := &s.slots[i]
		bytes, paused := int64(0), 0
		for j := range s.ports {
			p := &s.ports[j]
			bytes += p.bytes[i]
			if p.paused.Has(i) {
				paused++
			}
			switch {
			case p.bytes[i] < 0:
				return fmt.Errorf("voq: invariant 1: queue %d of port %d: %d bytes", i, j, p.bytes[i])
			case p.ring.Eligible(i) != (p.bytes[i] > 0 && !p.heldFor(i)):
				return fmt.Errorf("voq: invariant 3: queue %d of port %d: eligible %v, %d bytes",
					i, j, p.ring.Eligible(i), p.bytes[i])
			case p.owes.Has(i) != (d.want.Has(j) != d.told.Has(j)):
				return fmt.Errorf("voq: invariant 4: port %d, destination of queue %d", j, i)
			}
		}
		total += bytes
		if bytes != d.bytes || paused != d.paused {
			return fmt.Errorf("voq: invariant 1: queue %d: %d bytes, %d pauses; counted %d, %d",
				i, bytes, paused, d.bytes, d.paused)
		}
		if i == 0 {
			continue
		}
		found, known := s.directory.Find(d.key)
		used := bytes > 0 || paused > 0 || !d.want.Empty() || !d.told.Empty()
		if used != !s.free.Has(i) || used && (!known || found != i) {
			return fmt.Errorf("voq: invariant 2: queue %d: needed %v, free %v", i, used, s.free.Has(i))
		}
		if used {
			assigned++
		}
	}
	rest := int64(0)
	for j := range s.ports {
		strangers += s.ports[j].guests
		rest += s.ports[j].rest
	}
	switch {
	case total != s.buffered:
		return fmt.Errorf("voq: invariant 1: %d bytes queued, %d buffered", total, s.buffered)
	case assigned != s.assigned || assigned != s.directory.Len():
		return fmt.Errorf("voq: invariant 2: %d destinations, %d counted, %d in the directory",
			assigned, s.assigned, s.directory.Len())
	case rest > s.slots[0].bytes || s.strangers < strangers ||
		(s.strangers > strangers) != (s.slots[0].bytes > 0):
		return fmt.Errorf("voq: invariant 5: %d of the rest, %d of them pauses, %d bytes",
			s.strangers, strangers, s.slots[0].bytes)
	}
	return nil
}

// Quiescent returns nil when no packet is queued, no pause holds and no destination has a queue.
func (s *Switch) Quiescent() error {
	if s.buffered != 0 {
		return fmt.Errorf("voq: %d bytes queued", s.buffered)
	}
	for i := range s.ports {
		if p := &s.ports[i]; p.stopped || p.guests > 0 || p.Owes() {
			return fmt.Errorf("voq: port %d holds packets, is held, or owes a frame", p.id)
		}
	}
	if s.assigned > 0 {
		return fmt.Errorf("voq: %d destinations have a queue", s.assigned)
	}
	return nil
}
