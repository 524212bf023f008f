package schedule

import (
	"slices"

	"github.com/sluicefc/sluice"
)

// State is what a rank does.
type State uint8

const (
	Computing State = iota
	Exposed         // it communicates, and computes nothing
	Held            // so it does, and a packet of a message waits in a held queue
)

func (s State) String() string { return [...]string{"computing", "exposed", "held"}[s] }

// Span is a time in which a rank does the same. Between spans it is idle.
type Span struct {
	From, To sluice.Time
	State    State
	For      Cause // of Held
}

// appendSpan appends a span, or makes the last one longer.
func appendSpan(spans []Span, s Span) []Span {
	if last := len(spans) - 1; last >= 0 && spans[last].To == s.From &&
		spans[last].State == s.State && spans[last].For == s.For {
		spans[last].To = s.To
		return spans
	}
	return append(spans, s)
}

// Timeline returns what each rank did, in the order of time. Exposed time in which it was held is
// Held. It is nil of a schedule that is read in a window.
func (r *Ranks) Timeline() [][]Span {
	if r.s.InWindow() {
		return nil
	}
	lines := make([][]Span, r.s.Ranks)
	for rank := range lines {
		lines[rank] = divide(r.ranks[rank].meter.spans, r.heldSpans(rank))
	}
	return lines
}

// divide cuts held spans, which lie within Exposed ones, out of spans.
func divide(spans, held []Span) (all []Span) {
	for _, s := range spans {
		for len(held) > 0 && held[0].From < s.To && s.State == Exposed {
			if s.From < held[0].From {
				all = append(all, Span{From: s.From, To: held[0].From, State: Exposed})
			}
			all = append(all, held[0])
			s.From = held[0].To
			held = held[1:]
		}
		if s.From < s.To {
			all = append(all, s)
		}
	}
	return all
}

// WithoutCauses returns spans that do not say what a rank was held for, so that there are fewer.
func WithoutCauses(spans []Span) (all []Span) {
	for _, s := range spans {
		s.For = Cause{}
		all = appendSpan(all, s)
	}
	return all
}

// Coarse returns at most a number of spans of a rank. If there are more it cuts the time into as
// many equal pieces: each has what the rank does most in it, and if that is Held its longest cause.
func Coarse(spans []Span, from, to sluice.Time, most int) (all []Span) {
	if len(spans) <= most {
		return spans
	}
	n := sluice.Time(most)
	for i := range n {
		piece := Span{From: from + (to-from)*i/n, To: from + (to-from)*(i+1)/n}
		for len(spans) > 0 && spans[0].To <= piece.From {
			spans = spans[1:]
		}
		if piece.mostOf(spans) {
			all = appendSpan(all, piece)
		}
	}
	return all
}

// mostOf gives a piece what is done most of its time in spans, of which the first ends in it or
// later; it reports false if the rank is idle most.
func (s *Span) mostOf(spans []Span) bool {
	const idle = Held + 1
	sums := [idle + 1]sluice.Time{idle: s.To - s.From}
	var causes []HeldFor
	for i := range spans {
		one := &spans[i]
		if one.From >= s.To {
			break
		}
		part := min(one.To, s.To) - max(one.From, s.From)
		sums[one.State] += part
		sums[idle] -= part
		if one.State == Held {
			causes = addCause(causes, HeldFor{one.For, part})
		}
	}
	for state := range idle + 1 {
		if sums[state] > sums[s.State] {
			s.State = state
		}
	}
	if s.State == Held {
		s.For = slices.MinFunc(causes, HeldFor.compare).Cause
	}
	return s.State != idle
}

func addCause(causes []HeldFor, h HeldFor) []HeldFor {
	for i := range causes {
		if causes[i].Cause == h.Cause {
			causes[i].Time += h.Time
			return causes
		}
	}
	return append(causes, h)
}
