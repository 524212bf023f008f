package sim

import (
	"slices"

	"github.com/sluicefc/sluice"
)

// agenda has the events to come: lanes of events that are planned as long ahead as many others, as
// nearly all are; a wheel of other events within a horizon; and a heap of the rest, which goes to
// the wheel as soon as the wheel reaches it.
type agenda struct {
	elsewhere sluice.Time // no event of the wheel and the heap is earlier
	until     sluice.Time // the last of soon; -1 if there is none
	next, end int         // of soon: the first event, and behind the last
	ahead     int         // events beyond the first that are soon, at most
	taken     int         // events since adapt looked
	lanes     lanes
	many      int // events, as many as make some worth knowing ahead
	far       heap
	wheel     wheel
	soon      [soonRoom]event // what comes next, in order: nothing in lanes, wheel and heap is earlier
}

// newAgenda returns an empty agenda for events that are mostly planned no longer ahead than the
// horizon. While there are many or more, lookAhead beyond the first are known.
func newAgenda(horizon sluice.Time, many int) agenda {
	return agenda{
		elsewhere: sluice.Never, until: -1, many: many, lanes: newLanes(), wheel: newWheel(horizon),
	}
}

const (
	lookAhead      = 6
	lookAheadTicks = 16
	soonRoom       = 32
)

// take removes the first event, and returns it, if it comes before an instant. No earlier one can
// be planned any more.
func (a *agenda) take(before sluice.Time) (event, bool) {
	if a.taken++; a.taken == countEvery {
		a.adapt()
	}
	if a.ahead == 0 && a.next == a.end {
		e, lane := a.lanes.head()
		if e.at < a.elsewhere {
			if e.at >= before {
				return e, false
			}
			a.lanes.pop(lane)
			return e, true
		}
	}
	e, ok := a.first()
	if !ok || e.at >= before {
		return e, false
	}
	if a.next++; a.next == a.end {
		a.until = -1
	}
	return e, true
}

// first returns the first event, false if there is none. It makes events soon, as far as one looks
// ahead: no further than some ticks, as later events would then be sorted into the wheel's today.
func (a *agenda) first() (event, bool) {
	for a.end-a.next <= a.ahead {
		if a.end == soonRoom {
			a.moveSoon()
		}
		e, lane := a.lanes.head()
		limit := e.at
		if a.next < a.end {
			limit = min(limit, a.until+a.wheel.start(lookAheadTicks))
		}
		if a.elsewhere <= limit && a.comesElsewhere(e, limit) {
			e = a.wheel.first()
			a.wheel.pop()
		} else if e.at == limit && e != noEvent {
			a.lanes.pop(lane)
		} else {
			break
		}
		a.soon[a.end] = e
		a.until = e.at
		a.end++
	}
	return a.soon[a.next&(soonRoom-1)], a.next < a.end
}

// comesElsewhere reports whether the wheel or the heap has an event that comes before e, the first
// of the lanes: then it is the first of the wheel. Ticks that begin after the limit stay as they
// are.
func (a *agenda) comesElsewhere(e event, limit sluice.Time) bool {
	w := &a.wheel
	for w.left() == 0 {
		tick, ok := a.following()
		if !ok {
			a.elsewhere = sluice.Never
			return false
		}
		if a.elsewhere = w.start(tick); a.elsewhere > limit {
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

// join adds an event to a lane, mostly at its end; or elsewhere, if it is one of the next events or
// the lane does not take it.
func (a *agenda) join(e event, lane uint8) {
	if lane < maxLanes && e.at > a.until {
		if l := &a.lanes.lanes[lane]; l.takes(e) {
			l.push(e)
			return
		}
	}
	a.joinElse(e, lane)
}

// joinElse is join for the cases that join does not inline.
func (a *agenda) joinElse(e event, lane uint8) {
	if lane >= maxLanes || e.at <= a.until || !a.lanes.join(lane, e) {
		a.add(e)
	}
}

// add adds an event that is in no lane, mostly to a tick to come that the wheel reaches.
func (a *agenda) add(e event) {
	if e.at <= a.until && e.before(a.soon[a.end-1]) {
		a.insert(e)
		return
	}
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

// insert adds an event to the next ones. If there is no room, the last of these leaves them.
func (a *agenda) insert(e event) {
	if a.end == soonRoom {
		a.moveSoon()
	}
	if a.end == soonRoom {
		last := a.soon[soonRoom-1]
		a.end--
		a.insert(e)
		a.add(last)
		return
	}
	i := a.end
	for ; i > a.next && e.before(a.soon[i-1]); i-- {
		a.soon[i] = a.soon[i-1]
	}
	a.soon[i] = e
	a.until = a.soon[a.end].at
	a.end++
}

// moveSoon makes room behind the next events, if there is some before them.
func (a *agenda) moveSoon() { a.end, a.next = copy(a.soon[:], a.soon[a.next:a.end]), 0 }

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
	events = append(events, a.lanes.empty()...)
	events = append(events, a.soon[a.next:a.end]...)
	a.far, a.next, a.end = a.far[:0], 0, 0
	a.until, a.elsewhere = -1, sluice.Never
	return events
}

// events returns how many events there are.
func (a *agenda) events() int {
	return a.wheel.events() + len(a.far) + a.lanes.events() + a.end - a.next
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
	countEvery    = 8192 // events that are taken
	adaptEvery    = 1024 // turns of the wheel, or fewer, if they have very many events
	fewestInATick = 6    // events that a tick should have
	mostInATick   = 24
)

// adapt looks whether there are enough events to know some ahead, and whether the ticks of the
// wheel are of the right length.
func (a *agenda) adapt() {
	a.taken = 0
	if a.ahead = 0; a.events() >= a.many {
		a.ahead = lookAhead
	}
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
