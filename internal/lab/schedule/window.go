package schedule

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// window is the operations of a rank that have been read and are not all done, in pieces. A rank
// reads on so far that every operation which could be due is there: then it makes no difference
// how large pieces are. A receive that waits for nothing, and that nothing but its end is waited
// for, may be read as late as when its message comes.
type window struct {
	pieces       []*piece // nil: not read, or done
	loaded       int      // pieces that have been read
	open         int      // of them: not done
	under        bool     // the iteration has begun
	top          int32    // last operation that anything was released by, counted in the rank
	served       int32    // what is due when the iteration begins has been started up to there
	firstMessage int32    // of the rank in an iteration
	messages     int32    // of the iteration, in the pieces that have been read
	before       []int32  // by piece: the same in pieces before it
	ahead        map[int32]int32
	ports        map[sluice.SwitchID]*ports // nil of a schedule in memory
}

// ports are the source ports of messages from a rank to a host.
type ports struct {
	next uint32 // how many flows between the hosts are before the next
	own  uint32 // how many of an iteration the rank sends
	// how many are sent by other ranks of the host between the rank's last of an iteration and its
	// first of the next one
	others uint32
}

// ended is what an operation waits for that has ended.
const ended = -1

// releaseAhead notes that an operation which has not been read waits for one less.
func (w *window) releaseAhead(operation int32) {
	if w.ahead == nil {
		w.ahead = map[int32]int32{}
	}
	w.ahead[operation]++
}

// numberPorts gives the messages of a piece their source ports, in the order of the file.
func (w *window) numberPorts(p *piece, hosts []sluice.SwitchID) {
	p.ports = slices.Grow(p.ports[:0], len(p.operations))[:len(p.operations)]
	for i, message := range p.message {
		if message != none {
			to := w.ports[hosts[p.operations[i].Peer]]
			p.ports[i] = workload.SourcePort(to.next)
			to.next++
		}
	}
}

// open reads what may be due when an iteration of a rank begins.
func (r *Ranks) open(e *Effects, now sluice.Time, rank int32) {
	st := &r.ranks[rank]
	w := &st.window
	if w.pieces == nil {
		w.pieces, w.before = make([]*piece, st.outline.pieces), make([]int32, st.outline.pieces)
	}
	if st.iteration > 0 {
		for _, p := range w.ports {
			p.next += p.others
		}
	}
	w.loaded, w.open, w.messages, w.top, w.under, w.served = 0, 0, 0, none, false, none
	e.fresh = append(e.fresh, rank)
	r.readWhile(e, now, rank)
	// Receives of messages that are there are due at once: as many pieces as have these.
	found, seen := 0, map[channel]int32(nil)
	for k := 0; st.outline.lazy && found < st.mail.early && e.Err == nil; k++ {
		if k == w.loaded && !r.load(e, now, rank) {
			break
		}
		p := w.pieces[k]
		for i := range p.operations {
			o := &p.operations[i]
			if o.Kind != Recv {
				continue
			}
			c := channel{o.Peer, o.Tag}
			if _, there := st.mail.matches[match{c, numbered(&seen, c, p.uses[i], st.iteration)}]; there {
				found++
			}
		}
	}
	w.under = true
}

// readOn reads on when an operation of a rank releases others.
func (r *Ranks) readOn(e *Effects, now sluice.Time, rank, operation int32) {
	w := &r.ranks[rank].window
	if local := operation - r.s.first[rank]; local > w.top {
		w.top = local
		r.readWhile(e, now, rank)
	}
}

func (r *Ranks) readWhile(e *Effects, now sluice.Time, rank int32) {
	st := &r.ranks[rank]
	w := &st.window
	for w.loaded < st.outline.pieces && st.outline.needs[w.loaded] <= w.top && r.load(e, now, rank) {
	}
}

// readFor reads a piece for a message that no receive waits for, if the receive may be there.
func (r *Ranks) readFor(e *Effects, now sluice.Time, rank int32) bool {
	st := &r.ranks[rank]
	return st.outline.lazy && st.window.under && st.iteration < r.iterations && r.load(e, now, rank)
}

// load reads the next piece of a rank; false if there is none.
func (r *Ranks) load(e *Effects, now sluice.Time, rank int32) bool {
	st := &r.ranks[rank]
	w := &st.window
	k := w.loaded
	if k == st.outline.pieces || e.Err != nil {
		return false
	}
	p := r.s.take(e, rank, k)
	if p == nil {
		return false
	}
	if w.open++; w.open > mostWindows && r.s.spool != nil {
		e.Err = r.tooFar(rank, p)
		return false
	}
	r.trail.lend(p)
	p.begin(r.s.irequires())
	for operation, n := range r.aheadOf(w, p) {
		p.left[operation-p.base] -= n
		delete(w.ahead, operation)
	}
	w.before[k] = w.messages
	if w.messages = r.numberMessages(rank, p, w.messages); w.ports != nil {
		w.numberPorts(p, r.job.Hosts)
	}
	w.pieces[k] = p
	w.loaded++
	if w.under {
		for i, waits := range p.left {
			if waits > 0 {
				continue
			}
			// A receive, as all else that may be due has been read. It was due when the iteration began.
			p.released[i] = none
			if operation := p.base + int32(i); operation < w.served {
				r.receive(e, now, rank, operation)
			} else {
				e.due.push(operation)
			}
		}
	}
	return true
}

// aheadOf returns what operations of a piece no longer wait for.
func (r *Ranks) aheadOf(w *window, p *piece) map[int32]int32 {
	if len(w.ahead) == 0 {
		return nil
	}
	of := map[int32]int32{}
	for i := range p.operations {
		if n := w.ahead[p.base+int32(i)]; n > 0 {
			of[p.base+int32(i)] = n
		}
	}
	return of
}

// numberMessages numbers the messages of a piece within the iteration.
func (r *Ranks) numberMessages(rank int32, p *piece, before int32) int32 {
	hosts, first := r.job.Hosts, r.ranks[rank].window.firstMessage
	for i := range p.operations {
		o := &p.operations[i]
		p.message[i] = none
		if o.Kind == Send && hosts[rank] != hosts[o.Peer] {
			p.message[i] = first + before
			before++
		}
	}
	return before
}

// close frees a piece that is done.
func (r *Ranks) close(e *Effects, rank int32, p *piece) {
	st := &r.ranks[rank]
	if st.iteration == r.iterations-1 && r.s.spool != nil {
		if err := r.trail.keep(p); err != nil {
			e.Err = err
		}
	}
	st.window.pieces[uint32(p.base-r.s.first[rank])>>r.s.shift] = nil
	st.window.open--
	e.spare = append(e.spare, p)
}

// tooFar says which operation keeps a window open.
func (r *Ranks) tooFar(rank int32, read *piece) error {
	w := &r.ranks[rank].window
	for _, p := range w.pieces[:w.loaded] {
		for i := range p.leftOf() {
			if p.left[i] != ended {
				return r.s.spool.errorAt(p.places[i], "%s is not done, and what could be due goes on to "+
					"%s %d: more than %d operations of a rank are open; a larger window=, or window=0 to "+
					"have all in memory, helps", nameOf(int(rank), p.base+int32(i)-r.s.first[rank],
					&p.operations[i]), r.s.spool.unit, read.places[0], mostWindows<<r.s.shift)
			}
		}
	}
	return fmt.Errorf("schedule: rank %d has no window", rank)
}

func (p *piece) leftOf() []int32 {
	if p == nil {
		return nil
	}
	return p.left
}
