package sim

import (
	"math"
	"slices"

	"github.com/sluicefc/sluice"
)

// agenda has the events to come: lanes of events that are planned as long ahead as many others, as
// nearly all are; a wheel of other events within a horizon; and a heap of the rest, which goes to
// the wheel as soon as the wheel reaches it.
type agenda struct {
	elsewhere sluice.Time // no event of the wheel and the heap is earlier
	crowded   bool        // there are enough events to foresee what they touch
	many      int         // events, as many as are enough for that
	lanes     lanes
	far       heap
	wheel     wheel
}

// newAgenda returns an empty agenda for events that are mostly planned no longer ahead than the
// horizon. It is crowded while there are many or more.
func newAgenda(horizon sluice.Time, many int) agenda {
	return agenda{
		elsewhere: sluice.Never, many: many, lanes: newLanes(), wheel: newWheel(horizon),
	}
}

// take removes the first event, and returns it with its lane, or maxLanes if it was in none; false
// if the first event comes no earlier than an instant. No earlier event can be planned any more.
func (a *agenda) take(before sluice.Time) (event, int, bool) {
	e, lane := a.lanes.first, a.lanes.lane
	if e.at >= a.elsewhere && a.comesElsewhere(e) {
		if e = a.wheel.first(); e.at < before {
			a.wheel.pop()
			return e, maxLanes, true
		}
		return e, maxLanes, false
	}
	if e.at >= before {
		return e, lane, false
	}
	a.lanes.pop()
	a.lanes.settle()
	return e, lane, true
}

// first returns the first event, noEvent if there is none.
func (a *agenda) first() event {
	e, _, _ := a.take(math.MinInt64)
	return e
}

// comesElsewhere reports whether the wheel or the heap has an event that comes before e, the first
// of the lanes: then it is the first of the wheel. Ticks that begin after e stay as they are.
func (a *agenda) comesElsewhere(e event) bool {
	w := &a.wheel
	for w.left() == 0 {
		tick, ok := a.following()
		if !ok {
			a.elsewhere = sluice.Never
			return false
		}
		if a.elsewhere = w.start(tick); a.elsewhere > e.at {
			return false
		}
		a.turnTo(tick)
	}
	a.elsewhere = w.first().at
	return w.first().before(e)
}

// plan adds an event. It cannot be earlier than the last one that was taken.
func (a *agenda) plan(at sluice.Time, kind eventKind, place int32) {
	a.add(event{at, whatOf(kind, place)})
}

// planArrival adds the arrival of a packet at a port, in a lane: see join.
func (a *agenda) planArrival(at sluice.Time, port int32, h handle, lane uint8) {
	a.join(event{at, what(uint32(port))<<packetBits | what(h)}, lane)
}

// planSent adds that the transmitter of a port is free, beside the lane of the packet's arrival.
func (a *agenda) planSent(at sluice.Time, port int32, lane uint8) {
	a.join(event{at, whatOf(eventSent, port)}, lane+lanesOfArrivals)
}

// join adds an event to a lane, mostly at its end; or elsewhere, if the lane does not take it.
func (a *agenda) join(e event, lane uint8) {
	if lane < maxLanes {
		if l := &a.lanes.lanes[lane]; l.takes(e) {
			l.push(e)
			return
		}
	}
	a.joinElse(e, lane)
}

// joinElse is join for the cases that join does not inline.
func (a *agenda) joinElse(e event, lane uint8) {
	if lane >= maxLanes || !a.lanes.join(lane, e) {
		a.add(e)
	}
}

// add adds an event that is in no lane, mostly to a tick to come that the wheel reaches.
func (a *agenda) add(e event) {
	a.elsewhere = min(a.elsewhere, e.at)
	w := &a.wheel
	tick := w.tick(e.at)
	if uint64(tick-w.now-1) >= wheelTicks-1 {
		a.addElsewhere(e, tick)
		return
	}
	slot := tick & (wheelTicks - 1)
	last := &w.blocks[w.days[slot].tail]
	i := last.used
	if i >= eventsPerBlock {
		last, i = w.begin(int(slot)), 0
	}
	last.whats[i], last.since[i] = e.what, uint32(e.at)&w.mask
	last.used = i + 1
}

// addElsewhere adds an event of today, or of a tick that the wheel does not reach.
func (a *agenda) addElsewhere(e event, tick int64) {
	if tick <= a.wheel.now {
		a.wheel.insert(e)
	} else {
		a.far.push(e)
	}
}

// withdraw removes the arrivals at a port, and returns them in their order.
func (a *agenda) withdraw(port int32) (arrivals []event) {
	for _, e := range a.empty() {
		if e.kind() == eventArrival && e.place() == port {
			arrivals = append(arrivals, e)
		} else {
			a.add(e)
		}
	}
	slices.SortFunc(arrivals, event.compare)
	return arrivals
}

// empty removes all events, and returns them in any order.
func (a *agenda) empty() []event {
	events := append(a.wheel.empty(), a.far...)
	a.far, a.elsewhere = a.far[:0], sluice.Never
	return append(events, a.lanes.empty()...)
}

// events returns how many events there are.
func (a *agenda) events() int {
	return a.wheel.events() + len(a.far) + a.lanes.events()
}

// following returns the next tick of the wheel that has an event, there or in the heap; false if
// none has.
func (a *agenda) following() (int64, bool) {
	tick, ok := a.wheel.following()
	if len(a.far) > 0 {
		if far := a.wheel.tick(a.far[0].at); !ok || far < tick {
			tick, ok = far, true
		}
	}
	return tick, ok
}

// turnTo makes a tick today. What the wheel reaches from there on goes to it.
func (a *agenda) turnTo(tick int64) {
	a.wheel.turn(tick)
	for len(a.far) > 0 && a.wheel.tick(a.far[0].at)-tick < wheelTicks {
		e := a.far[0]
		a.far.pop()
		a.add(e)
	}
}

const (
	countEvery    = 8192 // events that happen
	adaptEvery    = 1024 // turns of the wheel, or fewer, if they have very many events
	fewestInATick = 6    // events that a tick should have
	mostInATick   = 24
)

// adapt looks whether the agenda is crowded, and whether the ticks of the wheel are of the right
// length.
func (a *agenda) adapt() {
	a.crowded = a.events() >= a.many
	if w := &a.wheel; w.turns >= adaptEvery || w.turned >= adaptEvery*mostInATick {
		a.adaptTicks()
	}
}

// adaptTicks makes ticks longer if they have too few events, when each costs a turn, and shorter if
// they have too many, when they are long to sort. How many they have depends on the traffic.
func (a *agenda) adaptTicks() {
	w := &a.wheel
	bits, each := w.tickBits, w.turned/w.turns
	switch {
	case each < fewestInATick && bits < maxTickBits:
		bits++
	case each > mostInATick && bits > w.leastBits:
		bits--
	}
	if bits != w.tickBits {
		events := w.empty()
		w.setTick(bits)
		for _, e := range events {
			a.add(e)
		}
	}
	w.turns, w.turned = 0, 0
}
