package sim

import (
	"math/bits"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
)

// wheel is a calendar of the near future: it goes round every wheelTicks ticks, and holds nothing
// that is further ahead. The events of a tick to come are kept as they were planned, in blocks of
// two cache lines; they are sorted when the tick becomes one of today's. An event to come takes 12
// bytes, and what is next lies side by side.
type wheel struct {
	now       int64   // the last tick whose events are today's
	today     []event // in order
	next      int     // of today: the first event that is left
	turns     int     // how many ticks became today's, and
	turned    int     // how many events they had, since agenda.adapt looked
	tickBits  uint8
	leastBits uint8  // with which it reaches the horizon
	mask      uint32 // of what is left of an instant below its tick
	free      int32  // list of blocks
	blocks    []block
	busy      bitset.Set // days that have an event; none up to now
	days      [wheelTicks]day
}

const wheelTicks = bitset.Max

// day is a list of the blocks of a tick: only the last may have room. Block 0 is none, and full.
type day struct{ head, tail int32 }

// block is two cache lines of events of a tick: what they are, and the time since the tick began.
type block struct {
	whats [eventsPerBlock]what
	since [eventsPerBlock]uint32
	used  uint32
	next  int32
}

const (
	eventsPerBlock = 10
	maxTickBits    = 28
	todayOver      = 6 // events of today that are over, as many as make room for others
)

// newWheel returns an empty wheel that reaches at least as far as the horizon, or a second if that
// is less.
func newWheel(horizon sluice.Time) wheel {
	least := bits.Len64(uint64(max(horizon, 1))/wheelTicks + 1)
	w := wheel{
		leastBits: uint8(min(least, maxTickBits)),
		busy:      bitset.New(wheelTicks),
		blocks:    make([]block, 1, 64),
	}
	w.blocks[0].used = eventsPerBlock
	w.setTick(w.leastBits)
	return w
}

// setTick sets the length of the ticks of an empty wheel.
func (w *wheel) setTick(bits uint8) {
	if bits > w.tickBits {
		w.now >>= bits - w.tickBits
	} else {
		w.now = (w.now+1)<<(w.tickBits-bits) - 1
	}
	w.tickBits, w.mask = bits, 1<<bits-1
}

// tick returns the tick of an instant.
func (w *wheel) tick(at sluice.Time) int64 { return int64(at) >> (w.tickBits & 63) }

// start returns the instant at which a tick begins.
func (w *wheel) start(tick int64) sluice.Time { return sluice.Time(tick << (w.tickBits & 63)) }

// begin begins another block of a day.
func (w *wheel) begin(slot int) *block {
	i := w.free
	if i == 0 {
		w.blocks = append(w.blocks, block{})
		i = int32(len(w.blocks) - 1)
	}
	b := &w.blocks[i]
	w.free = b.next
	b.used, b.next = 0, 0
	d := &w.days[slot]
	if d.head == 0 {
		d.head = i
		w.busy.Add(slot)
	} else {
		w.blocks[d.tail].next = i
	}
	d.tail = i
	return b
}

// insert adds an event of today, at its place among the events that are left.
func (w *wheel) insert(e event) {
	w.today = append(w.today, e)
	i := len(w.today) - 1
	for i > w.next && e.before(w.today[i-1]) {
		w.today[i] = w.today[i-1]
		i--
	}
	w.today[i] = e
}

// left returns how many of today's events are left.
func (w *wheel) left() int { return len(w.today) - w.next }

// first returns the first event of a wheel whose today has one left.
func (w *wheel) first() event { return w.today[w.next] }

// coming returns the events of today's that come nearAhead and farAhead after the first that is
// left; nil if there are not as many.
func (w *wheel) coming() (near, far *event) {
	if w.left() <= farAhead {
		return nil, nil
	}
	return &w.today[w.next+nearAhead], &w.today[w.next+farAhead]
}

// pop removes the first event of a wheel whose today has one left.
func (w *wheel) pop() { w.next++ }

// following returns the first tick after today that has an event; false if none has.
func (w *wheel) following() (int64, bool) {
	from := int((w.now + 1) & (wheelTicks - 1))
	slot := w.busy.Next(from)
	if slot < 0 {
		slot = w.busy.Next(0)
	}
	return w.now + 1 + int64((slot-from)&(wheelTicks-1)), slot >= 0
}

// turn adds a tick to today: no tick before it has an event that is not today's.
func (w *wheel) turn(to int64) {
	w.now = to
	if w.next > todayOver {
		w.today = w.today[:copy(w.today, w.today[w.next:])]
		w.next = 0
	}
	slot := to & (wheelTicks - 1)
	i := w.days[slot].head
	if i == 0 {
		return
	}
	w.days[slot] = day{}
	w.busy.Remove(int(slot))
	start := w.start(to)
	known := len(w.today)
	for i != 0 {
		b := &w.blocks[i]
		since := b.since[:min(b.used, eventsPerBlock)]
		for j, what := range b.whats[:len(since)] {
			w.today = append(w.today, event{start + sluice.Time(since[j]), what})
		}
		i, b.next, w.free = b.next, w.free, i
	}
	sortEvents(w.today[known:])
	w.turns++
	w.turned += len(w.today) - known
}

// events returns how many events there are.
func (w *wheel) events() int {
	n := w.left()
	for slot := w.busy.Next(0); slot >= 0; slot = w.busy.Next(slot + 1) {
		for i := w.days[slot].head; i != 0; i = w.blocks[i].next {
			n += int(w.blocks[i].used)
		}
	}
	return n
}

// empty removes all events, and returns them in any order.
func (w *wheel) empty() []event {
	for tick, ok := w.following(); ok; tick, ok = w.following() {
		now := w.now
		w.turn(tick)
		w.now = now
	}
	events := slices.Clone(w.today[w.next:])
	w.today, w.next = w.today[:0], 0
	return events
}

// sortEvents puts the events of a tick in order.
func sortEvents(events []event) {
	const few = 48
	if len(events) > few {
		slices.SortFunc(events, event.compare)
		return
	}
	for i := 1; i < len(events); i++ {
		e := events[i]
		at := i
		for at > 0 && e.before(events[at-1]) {
			events[at] = events[at-1]
			at--
		}
		events[at] = e
	}
}
