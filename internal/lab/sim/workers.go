package sim

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/sluicefc/sluice"
)

// workers are the threads of a run: the thread that began it, and others, which take parts of a
// window as long as some are left, spin for longer than most windows take when none is, and then
// sleep.
type workers struct {
	sim    *Simulator
	others int
	asleep atomic.Int64
	wake   chan struct{}
	over   atomic.Bool
	group  sync.WaitGroup

	_      [64]byte      // so that a window writes one cache line that all threads look at
	shared atomic.Uint64 // how many windows were shared
	end    sluice.Time   // of the last of them, and its parity
	parity int
	_      [64]byte
}

// turn says which windows that threads shared a part had its turn in.
type turn struct {
	taken atomic.Uint64 // the last one in which a thread took the part
	done  atomic.Uint64 // and the last one in which a thread was done with it
}

// busy is how many events a window must be likely to have for several threads to share it: as many
// as take some microseconds.
const busy = 64

// spins is how often a thread looks whether there is something to do before it sleeps: for some 200
// microseconds, as another thread may have a whole part of a window left, and one that sleeps wakes
// late.
const spins = 200_000

// hire starts the threads.
func (s *Simulator) hire() *workers {
	w := &workers{sim: s, others: max(0, min(s.config.Threads, len(s.parts))-1)}
	w.wake = make(chan struct{}, w.others)
	for i := range w.others {
		w.group.Go(func() { w.work(i + 1) })
	}
	return w
}

// dismiss ends the threads.
func (w *workers) dismiss() {
	w.over.Store(true)
	for range w.others {
		w.wakeOne()
	}
	w.group.Wait()
}

func (w *workers) wakeOne() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// window has all parts carry out their events up to the end of the window. One with little in it is
// for one thread.
func (w *workers) window() {
	s := w.sim
	events := int64(0)
	for _, p := range s.parts {
		events += p.activity
	}
	if w.others == 0 || events < busy {
		for _, p := range s.parts {
			p.run(s.check, s.parity)
		}
		return
	}
	w.end, w.parity = s.check, s.parity
	number := w.shared.Add(1)
	for range w.asleep.Load() {
		w.wakeOne()
	}
	w.share(0, number)
	for _, p := range s.parts {
		for i := 0; p.turn.done.Load() != number; i++ {
			if i >= spins {
				runtime.Gosched()
			}
		}
	}
}

// share has a thread carry out the events of parts: first of its own parts, whose state its core
// may still have, from first to last, then of what is left of others' parts, from last to first.
func (w *workers) share(thread int, number uint64) {
	parts := len(w.sim.parts)
	from, to := parts*thread/(w.others+1), parts*(thread+1)/(w.others+1)
	for i := from; i < to; i++ {
		w.take(i, number)
	}
	for i := from + parts - 1; i >= to; i-- {
		w.take(i%parts, number)
	}
}

// take has the caller carry out the events of a part in a window, unless a thread took it.
func (w *workers) take(part int, number uint64) {
	p := w.sim.parts[part]
	if before := p.turn.taken.Load(); before < number && p.turn.taken.CompareAndSwap(before, number) {
		p.run(w.end, w.parity)
		p.turn.done.Store(number)
	}
}

// work is what the other threads do.
func (w *workers) work(thread int) {
	last := uint64(0)
	for idle := 0; !w.over.Load(); idle++ {
		number := w.shared.Load()
		switch {
		case number != last:
			w.share(thread, number)
			last, idle = number, 0
		case idle >= spins:
			w.asleep.Add(1)
			if w.shared.Load() == last && !w.over.Load() {
				<-w.wake
			}
			w.asleep.Add(-1)
			idle = 0
		}
	}
}
