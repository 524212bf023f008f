package schedule

import (
	"slices"

	"github.com/sluicefc/sluice"
)

// Ranks carries out a job. What it keeps of a rank is touched only by calls that are about this
// rank: messages that leave, or arrive at, its host, and its computations. So the ranks of hosts
// that different threads simulate may be called at once, if each thread has its own Effects and no
// message arrives before the threads have met since it left.
type Ranks struct {
	job  *Job
	s    *Schedule
	left []int32 // by operation: ends and starts that it still waits for
	link []int32 // by operation: the next that waits for the same stream, or none
	// by rank
	undone    []int32 // operations of the iteration at hand
	iteration []int32 // that is at hand, or how many are done
	streams   []stream
	ends      []sluice.Time // by iteration, then rank; Never before
	final     []int32       // operation that ended last in the iteration at hand, or the last
	meters    []meter
	sums      []Times // by iteration, then rank: from the start until its end

	message    []int32 // by operation: number of the message within an iteration; none if it is local
	sends      []int32 // operations, by the same number
	sequence   []int32 // by message, of all iterations: how many its channel had before
	sent       []int32 // by channel; the sender's
	due        []int32 // by channel: receives; the receiver's
	matches    []int32 // by channel and receive: the operation that waits, plus one; or early
	iterations int32

	released []int32 // by operation, of its last iteration: see Critical
	// the same of receives as they became due; nil if no start is required
	releasedStart []int32
}

const (
	none  = -1
	early = -1 // the message came before its receive was due
)

// stream is what sends and computations of a rank take, one at a time.
type stream struct {
	first, last int32 // operations that wait
	busy        bool
}

// Effects is what calls of Ranks want done, and what one thread keeps of all jobs. Who calls
// empties the lists.
type Effects struct {
	Messages     []int32 // indexes of flows that start now
	Computations []Computation

	// Computing is how many computations are under way.
	Computing int
	// Finished counts ranks that have done all.
	Finished int

	// of one rank, or of ranks of one host: what is due and was not begun, the first in the order of
	// the schedule on top
	due heap
}

// Computation is one that ends at an instant.
type Computation struct {
	Operation int32
	End       sluice.Time
}

// NewRanks returns a job before its start. The job has passed Check.
func NewRanks(job *Job) *Ranks {
	s, n, channels := job.Schedule, len(job.Schedule.operations), job.Schedule.channels.count()
	r := &Ranks{
		job: job, s: s, left: make([]int32, n), link: make([]int32, n),
		undone: make([]int32, s.Ranks), iteration: make([]int32, s.Ranks),
		streams: slices.Repeat([]stream{{first: none, last: none}}, s.Ranks*s.cpus),
		message: slices.Repeat([]int32{none}, n),
		sent:    make([]int32, channels), due: make([]int32, channels),
		iterations: int32(job.iterations()), meters: make([]meter, s.Ranks),
		final: slices.Repeat([]int32{none}, s.Ranks), released: make([]int32, n),
	}
	r.sums = make([]Times, s.Ranks*job.iterations())
	if len(s.besides) > 0 {
		r.releasedStart = make([]int32, n)
	}
	r.ends = slices.Repeat([]sluice.Time{sluice.Never}, s.Ranks*job.iterations())
	job.eachMessage(func(_, operation int32, _ *Operation) {
		r.message[operation] = int32(len(r.sends))
		r.sends = append(r.sends, operation)
	})
	r.sequence = make([]int32, len(r.sends)*job.iterations())
	r.matches = make([]int32, int(s.channels.receives[channels])*job.iterations())
	return r
}

// Has reports whether a flow is a message of the job.
func (r *Ranks) Has(flow int32) bool {
	i := int(flow) - r.job.First
	return i >= 0 && i < len(r.sequence)
}

// Begin starts a rank.
func (r *Ranks) Begin(e *Effects, now sluice.Time, rank int32) {
	r.meters[rank].at = now
	r.iterate(e, now, rank)
	r.serve(e, now)
}

// Injected says that the last bit of a message has left its host.
func (r *Ranks) Injected(e *Effects, now sluice.Time, flow int32) {
	operation := r.sends[(int(flow)-r.job.First)%len(r.sends)]
	m := &r.meters[r.s.rankOf(operation)]
	m.count(now)
	m.leaving--
	r.end(e, now, operation)
	r.serve(e, now)
}

// Arrived says that all of a message has arrived, and when it was sent.
func (r *Ranks) Arrived(e *Effects, now, sent sluice.Time, flow int32) {
	i := int(flow) - r.job.First
	operation, by := r.sends[i%len(r.sends)], int32(earlier)
	if i/len(r.sends) == int(r.iterations)-1 {
		by = operation | byMessage
	}
	r.arrive(e, now, sent, operation, r.sequence[i], by)
	r.serve(e, now)
}

// Computed says that a computation has ended.
func (r *Ranks) Computed(e *Effects, now sluice.Time, operation int32) {
	e.Computing--
	rank := r.s.rankOf(operation)
	r.meters[rank].count(now)
	r.meters[rank].computing--
	at := &r.streams[int(rank)*r.s.cpus+int(r.s.operations[operation].CPU)]
	at.busy = false
	r.end(e, now, operation)
	for at.first != none && !at.busy {
		next := at.first
		at.first = r.link[next]
		r.released[next] = operation
		r.begin(e, now, rank, next, at)
	}
	r.serve(e, now)
}

// iterate begins the iteration at hand of a rank, if there is one.
func (r *Ranks) iterate(e *Effects, now sluice.Time, rank int32) {
	first, behind := r.s.first[rank], r.s.first[rank+1]
	if first == behind {
		for ; r.iteration[rank] < r.iterations; r.iteration[rank]++ {
			r.ends[int(r.iteration[rank])*r.s.Ranks+int(rank)] = now
		}
	}
	if r.iteration[rank] == r.iterations {
		e.Finished++
		return
	}
	copy(r.left[first:behind], r.s.waits[first:behind])
	r.undone[rank] = behind - first
	for i := first; i < behind; i++ {
		if r.s.waits[i] == 0 {
			r.released[i] = none
			e.due.push(i)
		}
	}
}

// serve starts what is due.
func (r *Ranks) serve(e *Effects, now sluice.Time) {
	for len(e.due) > 0 {
		operation := e.due.pop()
		rank := r.s.rankOf(operation)
		if r.s.operations[operation].Kind == Recv {
			r.start(e, operation)
			r.receive(e, now, operation)
			continue
		}
		at := &r.streams[int(rank)*r.s.cpus+int(r.s.operations[operation].CPU)]
		if !at.busy {
			r.begin(e, now, rank, operation, at)
			continue
		}
		r.link[operation] = none
		if at.first == none {
			at.first = operation
		} else {
			r.link[at.last] = operation
		}
		at.last = operation
	}
}

// release has operations wait for one less: what by says, as in released.
func (r *Ranks) release(e *Effects, operations []int32, by int32) {
	for _, w := range operations {
		if r.left[w]--; r.left[w] == 0 {
			r.released[w] = by
			e.due.push(w)
		}
	}
}

// start says that an operation has started.
func (r *Ranks) start(e *Effects, operation int32) {
	r.release(e, r.s.besides[r.s.besidesAt[operation]:r.s.besidesAt[operation+1]],
		operation|byStart)
}

// end says that an operation has ended.
func (r *Ranks) end(e *Effects, now sluice.Time, operation int32) {
	r.release(e, r.s.after[r.s.afterAt[operation]:r.s.afterAt[operation+1]], operation)
	rank := r.s.rankOf(operation)
	if r.undone[rank]--; r.undone[rank] == 0 {
		at, m := int(r.iteration[rank])*r.s.Ranks+int(rank), &r.meters[rank]
		m.open = m.open[:0]
		r.ends[at], r.sums[at], r.final[rank] = now, m.sum, operation
		r.iteration[rank]++
		r.iterate(e, now, rank)
	}
}

// begin starts a send or a computation, whose stream is free.
func (r *Ranks) begin(e *Effects, now sluice.Time, rank, operation int32, at *stream) {
	r.start(e, operation)
	o := &r.s.operations[operation]
	switch {
	case o.Kind == Send:
		r.send(e, now, rank, operation)
	case o.Size == 0:
		r.end(e, now, operation)
	default:
		at.busy = true
		r.meters[rank].count(now)
		r.meters[rank].computing++
		e.Computing++
		e.Computations = append(e.Computations, Computation{
			operation, now.Add(sluice.Time(o.Size) * sluice.Nanosecond),
		})
	}
}

// send starts a message.
func (r *Ranks) send(e *Effects, now sluice.Time, rank, operation int32) {
	channel := r.s.channels.of[operation]
	number := r.sent[channel]
	r.sent[channel]++
	m := r.message[operation]
	if m == none { // to the same host
		by := operation | byMessage
		if r.iteration[rank] < r.iterations-1 {
			by = earlier
		}
		r.arrive(e, now, now, operation, number, by)
		r.end(e, now, operation)
		return
	}
	i := int(r.iteration[rank])*len(r.sends) + int(m)
	r.sequence[i] = number
	r.meters[rank].count(now)
	r.meters[rank].leaving++
	e.Messages = append(e.Messages, int32(r.job.First+i))
}

// match returns where the match of a receive of a channel is noted; nil if there is no such
// receive.
func (r *Ranks) match(channel, number int32) *int32 {
	first, behind := r.s.channels.receives[channel], r.s.channels.receives[channel+1]
	if int(number) >= int(behind-first)*int(r.iterations) {
		return nil
	}
	return &r.matches[int(first)*int(r.iterations)+int(number)]
}

func (r *Ranks) receive(e *Effects, now sluice.Time, operation int32) {
	channel := r.s.channels.of[operation]
	m := r.match(channel, r.due[channel])
	r.due[channel]++
	if *m == early {
		r.end(e, now, operation)
		return
	}
	*m = operation + 1
}

// arrive matches the message of a send with a receive. If that was due, by released it.
func (r *Ranks) arrive(e *Effects, now, sent sluice.Time, send, number, by int32) {
	to := r.s.operations[send].Peer
	if r.iteration[to] < r.iterations {
		r.meters[to].arrive(now, sent)
	}
	switch m := r.match(r.s.channels.of[send], number); {
	case m == nil: // no receive matches it
	case *m == 0:
		*m = early
	default:
		operation := *m - 1
		*m = early
		if r.releasedStart != nil {
			r.releasedStart[operation] = r.released[operation]
		}
		r.released[operation] = by
		r.end(e, now, operation)
	}
}

// Ends returns when each rank had done an iteration, counted from 0; Never if it had not.
func (r *Ranks) Ends(iteration int) []sluice.Time {
	return r.ends[iteration*r.s.Ranks : (iteration+1)*r.s.Ranks]
}
