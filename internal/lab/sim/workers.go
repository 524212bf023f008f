package sim

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/sluicefc/sluice"
)

// workers are the threads of a run: the one that began it, and others, which take parts of a window
// as long as some are left, spin for a few microseconds when none is, and then sleep.
type workers struct {
	sim     *Simulator
	others  int
	ticket  atomic.Uint64 // number of the window in the upper half; parts that are left in the lower
	done    atomic.Int64  // parts that are done in this window
	asleep  atomic.Int64
	wake    chan struct{}
	over    atomic.Bool
	group   sync.WaitGroup
	windows uint64
	end     sluice.Time
	parity  int
}

// busy is how many events a window must be likely to have for several threads to share it: those of
// some ten microseconds.
const busy = 64

// spins is how often a thread looks whether there is something to do before it sleeps.
const spins = 2000

// hire starts the threads.
func (s *Simulator) hire() *workers {
	w := &workers{sim: s, others: min(s.config.Threads, len(s.parts)) - 1}
	w.others = max(w.others, 0)
	w.wake = make(chan struct{}, w.others)
	for range w.others {
		w.group.Go(w.work)
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
	w.done.Store(0)
	w.windows++
	w.ticket.Store(w.windows<<32 | uint64(len(s.parts)))
	for range w.asleep.Load() {
		w.wakeOne()
	}
	for w.take() {
	}
	for i := 0; w.done.Load() < int64(len(s.parts)); i++ {
		if i >= spins {
			runtime.Gosched()
		}
	}
}

// take has the caller carry out the events of a part that is left; false if none is.
func (w *workers) take() bool {
	for {
		ticket := w.ticket.Load()
		left := uint32(ticket)
		if left == 0 {
			return false
		}
		if w.ticket.CompareAndSwap(ticket, ticket-1) {
			w.sim.parts[left-1].run(w.end, w.parity)
			w.done.Add(1)
			return true
		}
	}
}

// work is what the other threads do.
func (w *workers) work() {
	for idle := 0; !w.over.Load(); idle++ {
		switch {
		case w.take():
			idle = 0
		case idle >= spins:
			w.asleep.Add(1)
			if uint32(w.ticket.Load()) == 0 && !w.over.Load() {
				<-w.wake
			}
			w.asleep.Add(-1)
			idle = 0
		}
	}
}
