package sim

import (
	"math/bits"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
)

// wheel is a calendar of the near future: a list of events for each tick, in order. It goes round
// every wheelTicks ticks, and holds nothing that is further ahead. A tick is so short that its list
// is seldom longer than an event or two, so that to add and to remove take constant time.
type wheel struct {
	tickBits uint
	now      int64 // the tick of the event that was removed last
	days     [wheelTicks]day
	busy     bitset.Set // days that have an event
	notes    []note     // note 0 is none
	free     int32      // list of notes
}

const wheelTicks = bitset.Max

// day is a list of the events of a tick, in order.
type day struct{ head, tail int32 }

type note struct {
	event
	next int32
}

// newWheel returns an empty wheel that reaches at least as far as the horizon.
func newWheel(horizon sluice.Time) wheel {
	ticks := uint64(max(horizon, 1))/wheelTicks + 1
	return wheel{tickBits: uint(bits.Len64(ticks)), busy: bitset.New(wheelTicks), notes: make([]note, 1, 1024)}
}

func (w *wheel) empty() bool { return w.busy.Empty() }

// reaches reports whether an instant is near enough to be added.
func (w *wheel) reaches(at sluice.Time) bool { return int64(at)>>w.tickBits-w.now < wheelTicks }

// add adds an event that the wheel reaches.
func (w *wheel) add(e event) {
	n := w.take()
	w.notes[n] = note{event: e}
	slot := int(int64(e.at)>>w.tickBits) & (wheelTicks - 1)
	d := &w.days[slot]
	switch {
	case d.head == 0:
		w.busy.Add(slot)
		*d = day{n, n}
	case !e.before(&w.notes[d.tail].event):
		w.notes[d.tail].next = n
		d.tail = n
	default:
		w.insert(d, n)
	}
}

// insert puts a note into a list before its tail.
func (w *wheel) insert(d *day, n int32) {
	e := &w.notes[n]
	at := &d.head
	for !e.before(&w.notes[*at].event) {
		at = &w.notes[*at].next
	}
	e.next = *at
	*at = n
}

// first returns the first event of a wheel that is not empty.
func (w *wheel) first() *event {
	slot := w.busy.NextCyclic(int(w.now) & (wheelTicks - 1))
	return &w.notes[w.days[slot].head].event
}

// pop removes the first event.
func (w *wheel) pop() {
	slot := w.busy.NextCyclic(int(w.now) & (wheelTicks - 1))
	d := &w.days[slot]
	n := d.head
	w.advance(w.notes[n].at)
	if d.head = w.notes[n].next; d.head == 0 {
		w.busy.Remove(slot)
	}
	w.notes[n].next = w.free
	w.free = n
}

// advance tells the wheel that nothing earlier will be added any more.
func (w *wheel) advance(to sluice.Time) { w.now = int64(to) >> w.tickBits }

func (w *wheel) take() int32 {
	if n := w.free; n != 0 {
		w.free = w.notes[n].next
		return n
	}
	w.notes = append(w.notes, note{})
	return int32(len(w.notes) - 1)
}
