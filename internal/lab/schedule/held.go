package schedule

import (
	"cmp"
	"slices"

	"github.com/sluicefc/sluice"
)

// Cause is what a queue was held for: the congestion root that its pause named, or else, as most
// pauses name none, the port of the queue, which the next device paused.
type Cause struct {
	At   sluice.Hop
	Root bool
}

func (c Cause) compare(d Cause) int {
	if order := cmp.Compare(c.At.Key(), d.At.Key()); order != 0 || c.Root == d.Root {
		return order
	}
	if c.Root {
		return -1
	}
	return 1
}

// Hold is a time in which at least one packet of a message waited in a held queue.
type Hold struct {
	From, To sluice.Time
	For      Cause
}

// past is what Ranks keep of a job whose operations are in memory until the run is over.
type past struct {
	sends []int32 // operations, by message of an iteration
	// by message, of all iterations: when its last bit left, and since when its receiver communicated
	// by it; Never before
	injected, awaited []sluice.Time
	holds             [][]Hold // by rank; nil before Hold
}

func (p *past) begin(job *Job, r *Ranks) {
	if job.Schedule.InWindow() {
		return
	}
	job.eachMessage(func(_, operation int32, _ *Operation) { p.sends = append(p.sends, operation) })
	p.injected = slices.Repeat([]sluice.Time{sluice.Never}, len(p.sends)*job.iterations())
	p.awaited = slices.Clone(p.injected)
	for rank := range r.ranks {
		r.ranks[rank].meter.records = true
	}
}

func (p *past) injectedAt(job *Job, m *Message, now sluice.Time) {
	if p.injected != nil {
		p.injected[int(m.Flow)-job.First] = now
	}
}

func (p *past) awaitedSince(job *Job, m *Message, since sluice.Time) {
	if p.awaited != nil {
		p.awaited[int(m.Flow)-job.First] = since
	}
}

// Hold says when packets of a message, of an index in the list of flows, were held, when the
// message was sent and when it arrived, Never if it did not until now. It is for after the run.
//
// A message that a rank sends keeps the rank until its last bit has left the host; a message that
// it gets, while it is the next that will arrive. Of these times Times.Held has what is Exposed.
func (r *Ranks) Hold(flow int, sent, arrived, now sluice.Time, holds []Hold) {
	p := &r.past
	if p.holds == nil {
		p.holds = make([][]Hold, r.s.Ranks)
	}
	i := flow - r.job.First
	operation := p.sends[i%len(p.sends)]
	from, to := r.s.rankOf(operation), r.s.operations[operation].Peer
	since := p.awaited[i]
	if arrived == sluice.Never {
		since = max(sent, r.ranks[to].meter.last)
	}
	r.holdRank(from, sent, min(p.injected[i], now), holds)
	r.holdRank(to, since, min(arrived, now), holds)
}

// holdRank notes the part of holds within a time, in which a rank communicates by the message.
func (r *Ranks) holdRank(rank int32, from, to sluice.Time, holds []Hold) {
	spans := r.ranks[rank].meter.spans
	for _, h := range holds {
		h.From, h.To = max(h.From, from), min(h.To, to)
		first, _ := slices.BinarySearchFunc(spans, h.From, func(s Span, at sluice.Time) int {
			return cmp.Compare(s.To, at)
		})
		for _, s := range spans[first:] {
			if s.From >= h.To {
				break
			}
			part := Hold{max(h.From, s.From), min(h.To, s.To), h.For}
			if s.State == Exposed && part.From < part.To {
				r.past.holds[rank] = append(r.past.holds[rank], part)
			}
		}
	}
}

// heldSpans returns when a rank was held, in the order of time, and for what: of several causes at
// once for the one that began first.
func (r *Ranks) heldSpans(rank int) (spans []Span) {
	if r.past.holds == nil {
		return nil
	}
	holds, until := r.past.holds[rank], sluice.Time(0)
	sortHolds(holds)
	for i := range holds {
		h := &holds[i]
		if from := max(h.From, until); from < h.To {
			spans = appendSpan(spans, Span{From: from, To: h.To, State: Held, For: h.For})
			until = h.To
		}
	}
	return spans
}

func sortHolds(holds []Hold) {
	slices.SortFunc(holds, func(a, b Hold) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), a.For.compare(b.For))
	})
}

// union returns the times of chosen holds, which it sorts.
func union(holds []Hold, chosen func(*Hold) bool) (spans []Span) {
	sortHolds(holds)
	for i := range holds {
		h := &holds[i]
		if !chosen(h) {
			continue
		}
		if last := len(spans) - 1; last >= 0 && h.From <= spans[last].To {
			spans[last].To = max(spans[last].To, h.To)
			continue
		}
		spans = append(spans, Span{From: h.From, To: h.To, State: Held})
	}
	return spans
}

// within returns how much of spans lies within a time.
func within(spans []Span, from, to sluice.Time) (sum sluice.Time) {
	for _, s := range spans {
		sum += max(0, min(s.To, to)-max(s.From, from))
	}
	return sum
}

// HeldFor is how long something was held for a cause.
type HeldFor struct {
	Cause
	Time sluice.Time
}

// Causes returns what the ranks were held for in all iterations, as the mean over ranks, the
// longest first. Where messages of a rank waited for several causes at once the time counts for
// each, so that all together may be longer than Times.Held. It is nil if a rank has not done all.
func (r *Ranks) Causes() (all []HeldFor) {
	ends := r.Ends(int(r.iterations) - 1)
	if r.past.holds == nil || slices.Max(ends) == sluice.Never {
		return nil
	}
	sums := map[Cause]sluice.Time{}
	for rank, holds := range r.past.holds {
		for _, h := range CausesOf(holds, r.job.Start, ends[rank]) {
			sums[h.Cause] += h.Time
		}
	}
	for cause, sum := range sums {
		if sum /= sluice.Time(r.s.Ranks); sum > 0 {
			all = append(all, HeldFor{cause, sum})
		}
	}
	slices.SortFunc(all, HeldFor.compare)
	return all
}

// compare has the longest first.
func (h HeldFor) compare(other HeldFor) int {
	return cmp.Or(cmp.Compare(other.Time, h.Time), h.Cause.compare(other.Cause))
}

// CausesOf returns for what there were holds within a time, the longest first. It sorts the holds.
func CausesOf(holds []Hold, from, to sluice.Time) (all []HeldFor) {
	causes := map[Cause]bool{}
	for i := range holds {
		causes[holds[i].For] = true
	}
	for cause := range causes {
		spans := union(holds, func(h *Hold) bool { return h.For == cause })
		if sum := within(spans, from, to); sum > 0 {
			all = append(all, HeldFor{cause, sum})
		}
	}
	slices.SortFunc(all, HeldFor.compare)
	return all
}

// HeldWithin returns how much of a time at least one of the holds lasted. It sorts the holds.
func HeldWithin(holds []Hold, from, to sluice.Time) sluice.Time {
	return within(union(holds, func(*Hold) bool { return true }), from, to)
}

// Stop ends the time of ranks that have not done all with a run. Of messages that are under way it
// is given when they were sent: by them their receivers communicate.
func (r *Ranks) Stop(now sluice.Time, underWay func(visit func(flow int, sent sluice.Time))) {
	if r.s.InWindow() {
		return
	}
	since := slices.Repeat([]sluice.Time{now}, r.s.Ranks)
	underWay(func(flow int, sent sluice.Time) {
		to := r.s.operations[r.past.sends[(flow-r.job.First)%len(r.past.sends)]].Peer
		since[to] = min(since[to], max(sent, r.ranks[to].meter.at))
	})
	for rank := range r.ranks {
		m := &r.ranks[rank].meter
		switch {
		case r.ranks[rank].iteration == r.iterations:
		case m.computing+m.leaving > 0:
			m.count(now)
		case since[rank] < now:
			m.spans = appendSpan(m.spans, Span{From: since[rank], To: now, State: Exposed})
		}
	}
}
