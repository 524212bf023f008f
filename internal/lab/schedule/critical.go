package schedule

import (
	"slices"

	"github.com/sluicefc/sluice"
)

// What released an operation last, in Ranks.released: an operation, and one of these if it was not
// the operation's end.
const (
	byStart       = 1 << 28
	byMessage     = 1 << 29 // of a receive: the send whose message came after the receive was due
	operationBits = byStart - 1
	earlier       = none - 1 // a message that was sent in an iteration before
)

// Via says how a step leads to the next one.
type Via uint8

const (
	ByEnd     Via = iota // the next began, or was due, at the end of the step's operation
	ByStart              // at its start
	ByMessage            // the next is a receive, and ended when the message arrived
)

func (v Via) String() string { return [...]string{"end", "start", "message"}[v] }

// Step is an operation on the critical path, from its begin until what the next step hung on: for
// ByMessage that is the arrival. So each step begins when the one before ends.
type Step struct {
	Rank, Number int // Number: of the operation in its rank, from 1, in the order of the file
	Operation
	Begin, End sluice.Time
	Via        Via
	Flow       int // the message's index in the list of flows; -1 if there is none
}

// Critical returns the critical path of the last iteration: the chain of operations that its end
// hung on, in the order of time. It ends with the operation that ended last, and each step before
// is the operation that released the next one last: the end or start that the next required last,
// the computation that held its stream, or the send whose message it waited for. It begins with an
// operation that waits for nothing, at the begin of its rank's iteration; or earlier messages end
// the way back, where a message of an iteration before was received. It is nil if a rank has not
// done all. Of a message sent says when it was.
//
// Four bytes are kept of each operation, eight where operations require the starts of others, of
// the last iteration. O(steps).
func (r *Ranks) Critical(sent func(flow int) sluice.Time) (steps []Step) {
	ends := r.Ends(int(r.iterations) - 1)
	at := slices.Max(ends)
	if at == sluice.Never {
		return nil
	}
	operation, via := r.final[slices.Index(ends, at)], ByEnd
	for operation != none {
		step := r.step(operation, via, at, sent)
		steps = append(steps, step)
		at = step.Begin
		operation, via = r.before(operation, via)
	}
	slices.Reverse(steps)
	return steps
}

// step returns the step of an operation that led to the next at an instant.
func (r *Ranks) step(
	operation int32, via Via, at sluice.Time, sent func(flow int) sluice.Time,
) Step {
	o, rank := r.s.operations[operation], r.s.rankOf(operation)
	step := Step{
		Rank: int(rank), Number: int(operation-r.s.first[rank]) + 1, Operation: o,
		Begin: at, End: at, Via: via, Flow: none,
	}
	if m := r.message[operation]; m != none {
		step.Flow = r.job.First + (int(r.iterations)-1)*len(r.sends) + int(m)
	}
	switch {
	case via == ByStart:
	case o.Kind == Calc:
		step.Begin -= sluice.Time(o.Size) * sluice.Nanosecond
	case step.Flow != none:
		step.Begin = sent(step.Flow)
	}
	return step
}

// before returns what released an operation last, before its start if it is the start that counts.
func (r *Ranks) before(operation int32, via Via) (int32, Via) {
	by := r.released[operation]
	if via == ByStart && by >= 0 && by&byMessage != 0 {
		by = r.releasedStart[operation]
	}
	switch {
	case by < 0:
		return none, ByEnd
	case by&byMessage != 0:
		return by & operationBits, ByMessage
	case by&byStart != 0:
		return by & operationBits, ByStart
	}
	return by, ByEnd
}
