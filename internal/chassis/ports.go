package chassis

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
)

// Ports are the ports of a switch, by number.
type Ports[P any] []P

// At returns a port, nil for a port that does not exist.
func (p Ports[P]) At(id sluice.PortID) *P {
	if int(id) >= len(p) {
		return nil
	}
	return &p[id]
}

// Each returns what a function says of every port.
func Each[P, S any](ports []P, of func(*P) S) (all []S) {
	for i := range ports {
		all = append(all, of(&ports[i]))
	}
	return all
}

// Fault returns what is wrong with a packet at a switch with that number of ports, NoReason if
// nothing is.
func Fault(p *sluice.Packet, ports int) sluice.Reason {
	switch {
	case int(p.Ingress) >= ports && p.Ingress != sluice.Local:
		return sluice.BadIngress
	case p.Class >= sluice.Classes:
		return sluice.BadClass
	case !p.Sized():
		return sluice.BadSize
	}
	return sluice.NoReason
}

// Woken collects the ports that a hook woke and the word that says so. What wakes a port, or moves
// the deadline, notes it here; the hook takes the word once, as it returns. One port fits in the
// word; if there are more, all of them go into a set, which PollPort walks. Adding a port, and
// polling one, takes constant time. Make it with NewWoken.
type Woken struct {
	word  sluice.Wake // of the hook under way
	ports bitset.Set  // woken and not polled yet
}

// NewWoken returns the set for a switch with that number of ports, at most bitset.Max.
func NewWoken(ports int) Woken { return Woken{ports: bitset.New(ports)} }

// Port notes that a port may have something to send.
func (w *Woken) Port(id sluice.PortID) {
	if w.word == 0 {
		w.word = sluice.WakePort(id)
	} else {
		w.another(id)
	}
}

//go:noinline
func (w *Woken) another(id sluice.PortID) { w.Note(sluice.WakePort(id)) } // so that Port is inlined

// Deadline notes that the switch's deadline moved.
func (w *Woken) Deadline() { w.word |= sluice.WakeDeadline }

// Note notes all that a word says.
func (w *Woken) Note(wake sluice.Wake) {
	before, one := w.word.Port()
	next, other := wake.Port()
	w.word = w.word.Merge(wake)
	if !w.word.Has(sluice.WakeSeveral) {
		return
	}
	if one {
		w.ports.Add(int(before))
	}
	if other {
		w.ports.Add(int(next))
	}
	w.word &= sluice.WakeSeveral | sluice.WakeDeadline // both ports are in the set
}

// Take ends a hook: it returns the word and begins a new one.
func (w *Woken) Take() sluice.Wake {
	word := w.word
	w.word = 0
	return word
}

// Answer ends a hook that answers a verdict, which has no wake unless the hook is quiet: it returns
// v with the word.
func (w *Woken) Answer(v sluice.Verdict) sluice.Verdict {
	if w.word == 0 {
		return v
	}
	return w.answer(v)
}

func (w *Woken) answer(v sluice.Verdict) sluice.Verdict { return v.WithWake(w.Take()) }

// Quiet reports whether the hook under way has noted nothing.
func (w *Woken) Quiet() bool { return w.word == 0 }

// Audit returns an error if a hook noted what it did not answer: the next would answer it.
func (w *Woken) Audit() error {
	if w.Quiet() {
		return nil
	}
	return fmt.Errorf("invariant 4 of the contract: a hook did not answer its wake, %v", w.word)
}

// Poll removes and returns the next of the ports that did not fit in a word; false if there is
// none.
func (w *Woken) Poll() (sluice.PortID, bool) {
	port := w.ports.Next(0)
	if port < 0 {
		return 0, false
	}
	w.ports.Remove(port)
	return sluice.PortID(port), true
}
