package transport

import "github.com/sluicefc/sluice"

// AnswerKind is what a receiver says.
type AnswerKind uint8

const (
	NoAnswer AnswerKind = iota
	Ack                 // all packets before Expected have come
	Nack                // as Ack, and a later packet came that was not kept
	Sack                // as Ack, and Seen came
)

// Answer is what a receiver sends back. The zero value is nothing.
type Answer struct {
	Kind     AnswerKind
	Again    bool  // it says nothing that was not said before
	Expected int32 // the first packet that is missing; of Sack with Config.Single, in the last gap
	Seen     int32 // of Sack, and with Config.Single of Ack: the packet that came
}

// Arrive takes packet sequence of flow i that came to its destination. kept reports whether it is
// new and was kept: each packet of a flow is kept once. O(1), under irn amortised over the flow.
func (t *Transport) Arrive(now sluice.Time, i, sequence int32) (answer Answer, kept bool) {
	f := t.flow(i)
	if sequence < 0 || sequence >= f.packets {
		t.counters.Ignored++
		return Answer{}, false
	}
	if sequence < f.expected {
		t.counters.Duplicates++
		if t.config.IgnoreDuplicates && t.config.Kind == GoBackN {
			return Answer{}, false
		}
		answer = Answer{Kind: Ack, Again: true, Expected: f.expected} // the last may be lost
		if t.config.Single {
			answer.Seen = sequence
		}
		return answer, false
	}
	if t.config.Kind == IRN {
		return t.arriveSelective(i, sequence)
	}
	if sequence > f.expected {
		return t.arriveEarly(now, f), false
	}
	f.expected++
	f.complained = false
	if n := t.config.AckEvery; n > 1 && f.expected%n != 0 && f.expected != f.packets {
		return Answer{}, true
	}
	return Answer{Kind: Ack, Expected: f.expected}, true
}

func (t *Transport) arriveEarly(now sluice.Time, f *flow) Answer {
	t.counters.Gaps++
	if t.config.Kind == Lossless {
		return Answer{Kind: Ack, Again: true, Expected: f.expected}
	}
	if f.complained && now < f.nackedAt.Add(t.config.NackInterval) {
		return Answer{}
	}
	f.complained, f.nackedAt = true, now
	return Answer{Kind: Nack, Expected: f.expected}
}

// arriveSelective takes a packet that is expected or comes after the expected one.
func (t *Transport) arriveSelective(i, sequence int32) (answer Answer, kept bool) {
	f, s := &t.flows[i], &t.sends[i]
	if sequence-f.expected >= t.config.span() {
		t.counters.Ignored++ // a sender that keeps to the cap has not sent it
		return Answer{}, false
	}
	beyond := s.highest
	s.highest = max(s.highest, sequence+1)
	if sequence > f.expected {
		kept = s.receive(&t.rings, sequence)
		if kept {
			t.counters.Gaps++
		} else {
			t.counters.Duplicates++
		}
		answer = Answer{Kind: Sack, Again: !kept, Expected: f.expected, Seen: sequence}
		switch {
		case t.config.Single && sequence <= beyond:
			answer.Kind = Ack
		case t.config.Single:
			answer.Expected = beyond
		}
		return answer, kept
	}
	f.expected++
	for f.expected < f.packets && s.takeReceived(&t.rings, f.expected) {
		f.expected++
	}
	answer = Answer{Kind: Ack, Expected: f.expected}
	if t.config.Single {
		answer.Seen = sequence
	}
	return answer, true
}
