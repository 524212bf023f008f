package transport

import "github.com/sluicefc/sluice"

// Answered takes an answer that came to the sender of flow i: ask Next then. O(1), under irn
// amortised over the flow.
func (t *Transport) Answered(i int32, a Answer) {
	if !t.known(i) || a.Expected < 0 || a.Expected > t.flows[i].sentUpTo || a.Kind == NoAnswer {
		t.counters.Ignored++
		return
	}
	if t.config.Kind == IRN {
		t.answeredSelective(i, a)
		return
	}
	f := &t.flows[i]
	f.acked = max(f.acked, a.Expected)
	f.next = max(f.next, f.acked)
	if a.Kind == Nack && a.Expected == f.acked {
		f.next = f.acked
	}
	if f.acked >= f.packets {
		f.deadline = sluice.Never
	}
}

// Deadline returns when Expire is due for flow i, Never if no timer runs. It changes with Start,
// Send, Answered and Expire. Under irn it may be early by as much as packets were acknowledged
// since: Expire then finds nothing.
func (t *Transport) Deadline(i int32) sluice.Time { return t.flow(i).deadline }

// StartTimers gives gbn a Timeout from now on, for flows that are under way and for later flows.
// Linear in the flows.
func (t *Transport) StartTimers(now, timeout sluice.Time) {
	if t.config.Kind != GoBackN || timeout <= 0 {
		return
	}
	t.config.Timeout = timeout
	for i := range t.flows {
		f := &t.flows[i]
		if f.acked < f.packets {
			f.progress, f.deadline = f.acked, now.Add(timeout)
		}
	}
}

// Expire says that now has reached Deadline of flow i, and returns the number of timers that ended
// by then: 0 or 1, under irn any number. waiting says that the packet sent last is still in the
// network card: it is not lost, and under gbn no packet is, since packets before it may be paused
// there as well. O(1), under irn O(packets in flight).
func (t *Transport) Expire(now sluice.Time, i int32, waiting bool) (timeouts int32) {
	if !t.known(i) || now < t.flows[i].deadline {
		return 0
	}
	f := &t.flows[i]
	switch {
	case t.config.Kind == IRN:
		timeouts = t.expireSelective(now, i, waiting)
	case f.acked >= f.packets:
		f.deadline = sluice.Never
	default:
		if f.progress == f.acked && f.next > f.acked && !waiting {
			f.next = f.acked
			timeouts = 1
		}
		f.progress = f.acked
		f.deadline = now.Add(t.config.Timeout)
	}
	t.counters.Timeouts += uint64(timeouts)
	return timeouts
}
