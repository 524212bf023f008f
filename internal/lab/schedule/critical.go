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
	// Waits are where packets of the message waited, as far as the simulator says so.
	Waits []Wait
}

// Wait is a port where packets of a message waited.
type Wait struct {
	At sluice.Hop
	// Queued is how long at least one of them did, Held how long in a queue that was held. At the
	// message's own host a packet that waits for the one before does not count.
	Queued, Held sluice.Time
	// For is what they were held for, the longest first.
	For []HeldFor
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
// the last iteration: of a schedule that is read in a window, in a temporary file. O(steps).
func (r *Ranks) Critical(sent func(flow int) sluice.Time) (steps []Step, err error) {
	ends := r.Ends(int(r.iterations) - 1)
	at := slices.Max(ends)
	if at == sluice.Never {
		return nil, nil
	}
	operation, via := r.ranks[slices.Index(ends, at)].final, ByEnd
	back := reader{Ranks: r, pieces: map[int32]*piece{}}
	for operation != none {
		step, err := back.step(operation, via, at, sent)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
		at = step.Begin
		if operation, via, err = r.before(operation, via); err != nil {
			return nil, err
		}
	}
	slices.Reverse(steps)
	return steps, nil
}

// reader reads operations again, as they are not kept when they are done.
type reader struct {
	*Ranks
	pieces  map[int32]*piece // the last of each rank
	effects Effects
}

// read returns an operation of a rank, and the number of its message.
func (r *reader) read(rank, operation int32) (*Operation, int32, error) {
	w := &r.ranks[rank].window
	k := int(uint32(operation-r.s.first[rank]) >> r.s.shift)
	p := r.pieces[rank]
	if p == nil || int(uint32(p.base-r.s.first[rank])>>r.s.shift) != k {
		if p != nil {
			r.effects.spare = append(r.effects.spare, p)
		}
		if p = r.s.take(&r.effects, rank, k); p == nil {
			return nil, 0, r.effects.Err
		}
		p.message = resize(p.message, len(p.operations))
		r.numberMessages(rank, p, w.before[k])
		r.pieces[rank] = p
	}
	i := operation - p.base
	return &p.operations[i], p.message[i], nil
}

// step returns the step of an operation that led to the next at an instant.
func (r *reader) step(
	operation int32, via Via, at sluice.Time, sent func(flow int) sluice.Time,
) (Step, error) {
	rank, number := r.s.Place(operation)
	o, message, err := r.read(int32(rank), operation)
	if err != nil {
		return Step{}, err
	}
	step := Step{
		Rank: rank, Number: number, Operation: *o,
		Begin: at, End: at, Via: via, Flow: none,
	}
	if message != none {
		step.Flow = r.job.First + int(r.iterations-1)*int(r.messages) + int(message)
	}
	switch {
	case via == ByStart:
	case o.Kind == Calc:
		step.Begin -= sluice.Time(o.Size) * sluice.Nanosecond
	case step.Flow != none:
		step.Begin = sent(step.Flow)
	}
	return step, nil
}

// before returns what released an operation last, before its start if it is the start that counts.
func (r *Ranks) before(operation int32, via Via) (int32, Via, error) {
	by, byBefore, err := r.trail.of(operation)
	if via == ByStart && by >= 0 && by&byMessage != 0 {
		by = byBefore
	}
	switch {
	case by < 0:
		return none, ByEnd, err
	case by&byMessage != 0:
		return by & operationBits, ByMessage, err
	case by&byStart != 0:
		return by & operationBits, ByStart, err
	}
	return by, ByEnd, err
}
