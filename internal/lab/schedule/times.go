package schedule

import "github.com/sluicefc/sluice"

// Times are what the time of a rank is made of: Computation, Exposed and Idle sum up to it. It is
// communicating while a message of its own leaves its host, or while the message that reaches it
// next has been sent; a message counts in the iteration of the rank in which it arrives.
type Times struct {
	Computation sluice.Time // at least one of its computations is under way
	Overlap     sluice.Time // of that: it is communicating too
	Exposed     sluice.Time // it is communicating, and computes nothing
	// Held is the part of Exposed in which a packet of a message that it communicates by waited in a
	// held queue, as Ranks.Hold has it.
	Held sluice.Time
	Idle sluice.Time // neither: what reaches it next has not been sent yet
}

// Sum returns the time that Times are of.
func (t *Times) Sum() sluice.Time { return t.Computation + t.Exposed + t.Idle }

func (t *Times) add(o *Times, sign sluice.Time) {
	t.Computation += sign * o.Computation
	t.Overlap += sign * o.Overlap
	t.Exposed += sign * o.Exposed
	t.Held += sign * o.Held
	t.Idle += sign * o.Idle
}

// meter measures Times of a rank.
type meter struct {
	at                 sluice.Time // up to which all is counted
	computing, leaving int32       // computations, and messages of its own
	sum                Times
	records            bool        // in spans
	spans              []Span      // Computing and Exposed
	last               sluice.Time // arrival
	// when it computed, and no message left, since the last arrival: whether that overlaps with
	// communication is known when the next message has arrived
	open []stretch
}

type stretch struct{ from, to sluice.Time }

func (m *meter) record(s Span) {
	if m.records {
		m.spans = appendSpan(m.spans, s)
	}
}

// count counts what a rank did up to now, before it does anything else.
func (m *meter) count(now sluice.Time) {
	from, length := m.at, now-m.at
	m.at = now
	switch {
	case length == 0:
	case m.computing == 0 && m.leaving == 0: // what ends it is an arrival: see arrive
		m.sum.Idle += length
	case m.computing == 0:
		m.sum.Exposed += length
		m.record(Span{From: from, To: now, State: Exposed})
	case m.leaving > 0:
		m.sum.Computation += length
		m.sum.Overlap += length
		m.record(Span{From: from, To: now, State: Computing})
	default:
		m.sum.Computation += length
		m.record(Span{From: from, To: now, State: Computing})
		if last := len(m.open) - 1; last >= 0 && m.open[last].to == from {
			m.open[last].to = now
		} else {
			m.open = append(m.open, stretch{from, now})
		}
	}
}

// arrive does so when a message has arrived, which was sent at an instant. It returns since when
// the rank communicated by it: since it was sent, or the message before had arrived.
func (m *meter) arrive(now, sent sluice.Time) (since sluice.Time) {
	since = max(m.last, sent)
	m.last = now
	if alone := max(m.at, sent); m.computing == 0 && m.leaving == 0 && alone < now {
		m.sum.Exposed += now - alone
		m.sum.Idle -= now - alone
		m.record(Span{From: alone, To: now, State: Exposed})
	}
	m.count(now)
	for i := len(m.open) - 1; i >= 0 && m.open[i].to > sent; i-- {
		m.sum.Overlap += m.open[i].to - max(m.open[i].from, sent)
	}
	m.open = m.open[:0]
	return since
}

// Iteration returns the times of an iteration, counted from 0: of each rank from when it had done
// the one before until it had done this one. It returns the mean over ranks, and the times of the
// rank that ended last, of several the first; false if a rank has not done the iteration.
func (r *Ranks) Iteration(k int) (mean, last Times, ok bool) { return r.between(k, k+1) }

// Total returns the same of all iterations, from the start of each rank.
func (r *Ranks) Total() (mean, last Times, ok bool) { return r.between(0, int(r.iterations)) }

// between returns the times of iterations.
func (r *Ranks) between(from, behind int) (mean, last Times, ok bool) {
	latest := sluice.Time(-1)
	for rank, end := range r.Ends(behind - 1) {
		if end == sluice.Never {
			return Times{}, Times{}, false
		}
		one := r.sums[(behind-1)*r.s.Ranks+rank]
		begin := r.job.Start
		if from > 0 {
			one.add(&r.sums[(from-1)*r.s.Ranks+rank], -1)
			begin = r.Ends(from - 1)[rank]
		}
		one.Held = within(r.heldSpans(rank), begin, end)
		if end > latest {
			latest, last = end, one
		}
		mean.add(&one, 1)
	}
	ranks, sum := sluice.Time(r.s.Ranks), mean.Sum()
	mean = Times{
		Computation: mean.Computation / ranks, Overlap: mean.Overlap / ranks,
		Exposed: mean.Exposed / ranks, Held: mean.Held / ranks,
	}
	mean.Idle = sum/ranks - mean.Computation - mean.Exposed
	return mean, last, true
}
