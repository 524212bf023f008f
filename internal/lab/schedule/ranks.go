package schedule

import (
	"math"
	"slices"

	"github.com/sluicefc/sluice"
)

// Ranks carries out a job. What it keeps of a rank is touched only by calls that are about this
// rank: messages that leave, or arrive at, its host, and its computations. So the ranks of hosts
// that different threads simulate may be called at once, if each thread has its own Effects and no
// message arrives before the threads have met since it left.
type Ranks struct {
	job        *Job
	s          *Schedule
	ranks      []rankState
	streams    []stream
	ends       []sluice.Time // by iteration, then rank; Never before
	sums       []Times       // by iteration, then rank: from the start until its end
	iterations int32
	messages   int32 // that go to other hosts in an iteration
	trail      trail
	past       past
}

// rankState is how far a rank is.
type rankState struct {
	outline   outline
	window    window
	iteration int32 // that is at hand, or how many are done
	undone    int32 // operations of the iteration at hand
	final     int32 // operation that ended last in the iteration at hand, or the last
	mail      mail
	meter     meter
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
	Messages     []Message // that start now
	Computations []Computation

	// Computing is how many computations are under way.
	Computing int
	// Finished counts ranks that have done all.
	Finished int
	// Err is why operations cannot be read: the job cannot go on.
	Err error

	// of one rank, or of ranks of one host: what is due and was not begun, the first in the order of
	// the schedule on top
	due    heap
	fresh  []int32 // ranks whose iteration has begun in the call at hand
	spare  []*piece
	buffer []byte
}

// Message is a send under way to another host.
type Message struct {
	Flow      int32 // index in the list of flows
	Operation int32
	Number    int32 // how many of its ranks and tag were before it
	From, To  int32 // ranks
	Tag       uint32
	SrcPort   uint16 // of the flow, if the schedule is read in a window
	Last      bool   // it is of the last iteration
	Size      int64
}

// Computation is one that ends at an instant.
type Computation struct {
	Operation int32
	End       sluice.Time
}

// NewRanks returns a job before its start. The job has passed Check.
func NewRanks(job *Job) *Ranks {
	s := job.Schedule
	r := &Ranks{
		job: job, s: s, ranks: make([]rankState, s.Ranks),
		streams:    slices.Repeat([]stream{{first: none, last: none}}, s.Ranks*s.cpus),
		iterations: int32(job.iterations()), messages: int32(job.Messages() / job.iterations()),
	}
	r.sums = make([]Times, s.Ranks*job.iterations())
	r.ends = slices.Repeat([]sluice.Time{sluice.Never}, s.Ranks*job.iterations())
	r.trail = newTrail(s)
	first := job.firstMessages()
	for rank := range r.ranks {
		st := &r.ranks[rank]
		st.final, st.outline = none, s.outline(int32(rank))
		st.window.firstMessage = first[rank]
	}
	job.assignPorts(r)
	r.past.begin(job, r)
	return r
}

// Begin starts a rank.
func (r *Ranks) Begin(e *Effects, now sluice.Time, rank int32) {
	r.ranks[rank].meter.at = now
	r.iterate(e, now, rank)
	r.serve(e, now)
}

// Injected says that the last bit of a message has left its host.
func (r *Ranks) Injected(e *Effects, now sluice.Time, m *Message) {
	meter := &r.ranks[m.From].meter
	meter.count(now)
	meter.leaving--
	r.past.injectedAt(r.job, m, now)
	r.end(e, now, m.From, m.Operation)
	r.serve(e, now)
}

// Arrived says that all of a message has arrived, and when it was sent.
func (r *Ranks) Arrived(e *Effects, now, sent sluice.Time, m *Message) {
	r.past.awaitedSince(r.job, m, r.arrive(e, now, sent, m))
	r.serve(e, now)
}

// Computed says that a computation has ended.
func (r *Ranks) Computed(e *Effects, now sluice.Time, operation int32) {
	e.Computing--
	rank := r.s.rankOf(operation)
	meter := &r.ranks[rank].meter
	meter.count(now)
	meter.computing--
	p, i := r.at(rank, operation)
	at := &r.streams[int(rank)*r.s.cpus+int(p.operations[i].CPU)]
	at.busy = false
	r.end(e, now, rank, operation)
	for at.first != none && !at.busy {
		next := at.first
		p, i := r.at(rank, next)
		at.first = p.link[i]
		p.released[i] = operation
		r.begin(e, now, rank, next, at)
	}
	r.serve(e, now)
}

// at returns where an operation of a rank is that is under way.
func (r *Ranks) at(rank, operation int32) (*piece, int32) {
	local := operation - r.s.first[rank]
	p := r.ranks[rank].window.pieces[uint32(local)>>r.s.shift]
	return p, operation - p.base
}

// iterate begins the iteration at hand of a rank, if there is one.
func (r *Ranks) iterate(e *Effects, now sluice.Time, rank int32) {
	st := &r.ranks[rank]
	count := r.s.first[rank+1] - r.s.first[rank]
	if count == 0 {
		for ; st.iteration < r.iterations; st.iteration++ {
			r.ends[int(st.iteration)*r.s.Ranks+int(rank)] = now
		}
	}
	if st.iteration == r.iterations {
		e.Finished++
		return
	}
	st.undone = count
	r.open(e, now, rank)
	for _, p := range st.window.pieces[:st.window.loaded] {
		for i, waits := range p.left {
			if waits == 0 {
				p.released[i] = none
				e.due.push(p.base + int32(i))
			}
		}
	}
}

// serve starts what is due.
func (r *Ranks) serve(e *Effects, now sluice.Time) {
	for len(e.due) > 0 && e.Err == nil {
		operation := e.due.pop()
		for _, fresh := range e.fresh {
			w := &r.ranks[fresh].window
			w.served = max(w.served, operation)
		}
		rank := r.s.rankOf(operation)
		p, i := r.at(rank, operation)
		if p.operations[i].Kind == Recv {
			r.start(e, now, rank, operation)
			r.receive(e, now, rank, operation)
			continue
		}
		at := &r.streams[int(rank)*r.s.cpus+int(p.operations[i].CPU)]
		if !at.busy {
			r.begin(e, now, rank, operation, at)
			continue
		}
		p.link[i] = none
		if at.first == none {
			at.first = operation
		} else {
			last, k := r.at(rank, at.last)
			last.link[k] = operation
		}
		at.last = operation
	}
	for _, rank := range e.fresh {
		r.ranks[rank].window.served = math.MaxInt32
	}
	e.fresh = e.fresh[:0]
}

// release has operations of a rank wait for one less: what by says, as in released.
func (r *Ranks) release(e *Effects, rank int32, operations []int32, by int32) {
	w := &r.ranks[rank].window
	for _, operation := range operations {
		k := uint32(operation-r.s.first[rank]) >> r.s.shift
		if int(k) >= w.loaded {
			w.releaseAhead(operation)
			continue
		}
		p := w.pieces[k]
		i := operation - p.base
		if p.left[i]--; p.left[i] == 0 {
			p.released[i] = by
			e.due.push(operation)
		}
	}
}

// start says that an operation has started.
func (r *Ranks) start(e *Effects, now sluice.Time, rank, operation int32) {
	p, i := r.at(rank, operation)
	if from, to := p.besidesAt[i], p.besidesAt[i+1]; from < to {
		r.readOn(e, now, rank, operation)
		r.release(e, rank, p.besides[from:to], operation|byStart)
	}
}

// end says that an operation has ended.
func (r *Ranks) end(e *Effects, now sluice.Time, rank, operation int32) {
	p, i := r.at(rank, operation)
	if from, to := p.afterAt[i], p.afterAt[i+1]; from < to {
		r.readOn(e, now, rank, operation)
		r.release(e, rank, p.after[from:to], operation)
	}
	p.left[i] = ended
	st := &r.ranks[rank]
	if p.undone--; p.undone == 0 {
		r.close(e, rank, p)
	}
	if st.undone--; st.undone == 0 {
		at, m := int(st.iteration)*r.s.Ranks+int(rank), &st.meter
		m.open = m.open[:0]
		r.ends[at], r.sums[at], st.final = now, m.sum, operation
		st.iteration++
		r.iterate(e, now, rank)
	}
}

// begin starts a send or a computation, whose stream is free.
func (r *Ranks) begin(e *Effects, now sluice.Time, rank, operation int32, at *stream) {
	r.start(e, now, rank, operation)
	p, i := r.at(rank, operation)
	o := &p.operations[i]
	switch {
	case o.Kind == Send:
		r.send(e, now, rank, operation)
	case o.Size == 0:
		r.end(e, now, rank, operation)
	default:
		at.busy = true
		r.ranks[rank].meter.count(now)
		r.ranks[rank].meter.computing++
		e.Computing++
		e.Computations = append(e.Computations, Computation{
			operation, now.Add(sluice.Time(o.Size) * sluice.Nanosecond),
		})
	}
}

// Ends returns when each rank had done an iteration, counted from 0; Never if it had not.
func (r *Ranks) Ends(iteration int) []sluice.Time {
	return r.ends[iteration*r.s.Ranks : (iteration+1)*r.s.Ranks]
}
