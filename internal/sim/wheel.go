package sim

import (
	"math/bits"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
)

// wheel is a calendar of the near future: it goes round every so many ticks, and holds nothing that
// is further ahead. The events of a tick to come are kept as they were planned, in blocks of a
// cache line; they are sorted when their tick has come. Sorting is stable, so that equal times stay
// in the order they were planned. An event takes 8 bytes, and what is next lies side by side.
type wheel struct {
	tickBits uint
	now      int64  // the tick that today's events are of
	today    []note // in order
	next     int    // of today: the first event that is left
	blocks   []block
	free     int32      // list of blocks
	busy     bitset.Set // days that have an event; today is none of them
	days     [wheelTicks]day
}

// A tick is so short that it seldom has more than a few events in a network of a thousand ports.
const wheelTicks = bitset.Max

// day is a list of the blocks of a tick: all but the last are full. Block 0 is none.
type day struct{ head, tail int32 }

// block is a cache line of events.
type block struct {
	notes [notesPerBlock]note
	used  uint32
	next  int32
}

const notesPerBlock = 7

// note is an event of a known tick.
type note struct {
	when  uint32 // since the tick began, in the upper bits; the kind in the lower
	index int32
}

const (
	kindBits    = 4
	maxTickBits = 32 - kindBits
)

// newWheel returns an empty wheel that reaches at least as far as the horizon, or a second if that
// is less.
func newWheel(horizon sluice.Time) wheel {
	ticks := uint64(max(horizon, 1))/wheelTicks + 1
	return wheel{
		tickBits: min(uint(bits.Len64(ticks)), maxTickBits),
		busy:     bitset.New(wheelTicks),
		blocks:   make([]block, 1, 64),
	}
}

// tick returns the tick of an instant.
func (w *wheel) tick(at sluice.Time) int64 { return int64(at) >> w.tickBits }

// reaches reports whether a tick, not before today, is near enough to be added to.
func (w *wheel) reaches(tick int64) bool { return tick-w.now < wheelTicks }

// add adds an event of a tick that the wheel reaches.
func (w *wheel) add(tick int64, at sluice.Time, kind eventKind, index int32) {
	n := note{uint32(at)<<kindBits&(1<<(w.tickBits+kindBits)-1) | uint32(kind), index}
	if tick == w.now {
		w.insert(n)
		return
	}
	slot := int(tick & (wheelTicks - 1))
	d := &w.days[slot]
	if d.head != 0 {
		if last := &w.blocks[d.tail]; last.used < notesPerBlock {
			last.notes[last.used] = n
			last.used++
			return
		}
	}
	w.begin(d, n)
	w.busy.Add(slot)
}

// begin begins another block of a day.
func (w *wheel) begin(d *day, n note) {
	i := w.free
	if i == 0 {
		w.blocks = append(w.blocks, block{})
		i = int32(len(w.blocks) - 1)
	}
	b := &w.blocks[i]
	w.free = b.next
	b.notes[0], b.used, b.next = n, 1, 0
	if d.head == 0 {
		d.head = i
	} else {
		w.blocks[d.tail].next = i
	}
	d.tail = i
}

// insert adds an event of today behind all that are not later.
func (w *wheel) insert(n note) {
	w.today = append(w.today, n)
	i := len(w.today) - 1
	for i > w.next && n.before(w.today[i-1]) {
		w.today[i] = w.today[i-1]
		i--
	}
	w.today[i] = n
}

// before reports whether an event is earlier than another of its tick.
func (n note) before(other note) bool { return n.when>>kindBits < other.when>>kindBits }

// first returns the first event of a wheel whose today has one left.
func (w *wheel) first() event {
	n := w.today[w.next]
	return event{
		at:    sluice.Time(w.now<<w.tickBits) + sluice.Time(n.when>>kindBits),
		index: n.index,
		kind:  eventKind(n.when & (1<<kindBits - 1)),
	}
}

// pop removes the first event of a wheel whose today has one left.
func (w *wheel) pop() { w.next++ }

// following returns the first tick after today that has an event; false if none has.
func (w *wheel) following() (int64, bool) {
	from := int((w.now + 1) & (wheelTicks - 1))
	slot := w.busy.NextCyclic(from)
	return w.now + 1 + int64((slot-from)&(wheelTicks-1)), slot >= 0
}

// turn makes a tick today, whose events are all removed: there is no event before that tick.
func (w *wheel) turn(to int64) {
	w.now = to
	w.today, w.next = w.today[:0], 0
	slot := int(to & (wheelTicks - 1))
	i := w.days[slot].head
	if i == 0 {
		return
	}
	for i != 0 {
		b := &w.blocks[i]
		w.today = append(w.today, b.notes[:b.used]...)
		i, b.next, w.free = b.next, w.free, i
	}
	w.days[slot].head = 0
	w.busy.Remove(slot)
	sortNotes(w.today)
}

// sortNotes sorts events of a tick by time; equal times stay as they are.
func sortNotes(notes []note) {
	const few = 48
	if len(notes) > few {
		slices.SortStableFunc(notes, func(a, b note) int {
			return int(a.when>>kindBits) - int(b.when>>kindBits)
		})
		return
	}
	for i := 1; i < len(notes); i++ {
		n := notes[i]
		at := i
		for at > 0 && n.before(notes[at-1]) {
			notes[at] = notes[at-1]
			at--
		}
		notes[at] = n
	}
}
