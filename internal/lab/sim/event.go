package sim

import (
	"slices"

	"github.com/sluicefc/sluice"
)

// event is something that will happen. Events of one time happen in the order of what they are and
// where: see ARCHITECTURE.md, "The simulator".
type event struct {
	at   sluice.Time
	what what
}

// what is, from the highest bits on, the kind of an event, its place, which is the number of a
// port, a node, or a flow of the configuration, and the packet that arrives. Of one kind and place
// two events at one time are alike: no two packets come at once by one port.
type what uint64

const (
	packetBits = 32
	placeBits  = 28
	maxPlaces  = 1 << placeBits
)

func whatOf(kind eventKind, place int32) what {
	return what(kind)<<(placeBits+packetBits) | what(uint32(place))<<packetBits
}

func (e event) kind() eventKind { return eventKind(e.what >> (placeBits + packetBits)) }
func (e event) place() int32    { return int32(e.what >> packetBits & (maxPlaces - 1)) }
func (e event) packet() handle  { return handle(e.what) }

// before reports whether e happens before f.
func (e event) before(f event) bool {
	return e.at < f.at || e.at == f.at && e.what < f.what
}

// compare is before as slices want it.
func (e event) compare(f event) int {
	if e.before(f) {
		return -1
	}
	return 1
}

type eventKind uint8

const (
	eventArrival    eventKind = iota // a packet has arrived at a port
	eventSent                        // a port's transmitter is free
	eventFlow                        // a flow starts
	eventTimer                       // a machine's deadline
	eventRetransmit                  // a timer of a flow's transport
	eventPace                        // the rate of a flow lets it send
	eventNotice                      // a flow's receiver has a notice to send
	eventDrained                     // a host took a packet that its card received
	eventLateAnswer                  // a host's oldest answer was held back for long enough
	eventRelease                     // a control frame was held back for long enough
	eventGiveUp                      // a flow's packets waited at its receiver for long enough
)

// agenda is what will happen: a wheel of what comes within a horizon, which is nearly everything,
// and a heap of the rest, which goes to the wheel as soon as the wheel reaches it.
type agenda struct {
	wheel wheel
	ahead int // how many events beyond the first are today's, if there are so many
	many  int // events, as many as make some worth knowing ahead
	far   heap
}

// newAgenda returns an empty agenda for events that are mostly planned no longer ahead than the
// horizon. While there are so many or more, lookAhead beyond the first are known, if they come
// within lookAheadTicks.
func newAgenda(horizon sluice.Time, many int) agenda {
	return agenda{wheel: newWheel(horizon), many: many}
}

// ready reports whether there is an event. If so, first returns the first one, and no earlier one
// can be planned any more.
func (a *agenda) ready() bool { return a.wheel.left() > a.ahead || a.look() }

const (
	lookAhead      = 6
	lookAheadTicks = 16
)

// look makes more ticks today, as far as one looks ahead. It reports whether there is an event.
func (a *agenda) look() bool {
	w := &a.wheel
	if w.turns >= adaptEvery || w.turned >= adaptEvery*mostInATick {
		a.adapt()
	}
	if w.left() == 0 && !a.turn() {
		return false
	}
	last := w.tick(w.first().at) + lookAheadTicks
	for w.left() <= a.ahead {
		tick, ok := w.following()
		if !ok || tick > last {
			break
		}
		a.turnTo(tick)
	}
	return true
}

// first returns the first event of an agenda that is ready.
func (a *agenda) first() event { return a.wheel.first() }

// plan adds an event. It cannot be earlier than the last one that first returned.
func (a *agenda) plan(at sluice.Time, kind eventKind, place int32) {
	a.add(event{at, whatOf(kind, place)})
}

// planArrival adds the arrival of a packet at a port.
func (a *agenda) planArrival(at sluice.Time, port int32, h handle) {
	a.add(event{at, what(uint32(port))<<packetBits | what(h)})
}

// add adds an event: mostly one of a tick to come that the wheel reaches.
func (a *agenda) add(e event) {
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
	rest := append(a.wheel.empty(), a.far...)
	a.far = a.far[:0]
	for _, e := range rest {
		if e.kind() == eventArrival && e.place() == port {
			arrivals = append(arrivals, e)
		} else {
			a.add(e)
		}
	}
	slices.SortFunc(arrivals, event.compare)
	return arrivals
}

// turn makes the next tick that has an event today, false if there is none.
func (a *agenda) turn() bool {
	tick, ok := a.wheel.following()
	if len(a.far) > 0 {
		if far := a.wheel.tick(a.far[0].at); !ok || far < tick {
			tick, ok = far, true
		}
	}
	if ok {
		a.turnTo(tick)
	}
	return ok
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
	adaptEvery    = 1024 // turns, or sooner, if they have many events
	fewestInATick = 6    // events that a tick should have
	mostInATick   = 24
)

// adapt makes ticks longer if they have too few events, when each costs a turn, and shorter if they
// have too many, when they are long to sort. How many they have depends on the traffic.
func (a *agenda) adapt() {
	w := &a.wheel
	if a.ahead = 0; w.events() >= a.many {
		a.ahead = lookAhead
	}
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

// drop removes the event that first returned last.
func (a *agenda) drop() { a.wheel.pop() }

// heap is a 4-ary heap of events by value.
type heap []event

func (h *heap) push(e event) {
	*h = append(*h, e)
	s := *h
	i := len(s) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(s[parent]) {
			break
		}
		s[i] = s[parent]
		i = parent
	}
	s[i] = e
}

// pop removes the first event.
func (h *heap) pop() {
	last := len(*h) - 1
	e := (*h)[last]
	*h = (*h)[:last]
	if last > 0 {
		h.sink(e)
	}
}

// sink puts e at the root and lets it down to its place.
func (h heap) sink(e event) {
	i := 0
	for {
		child := 4*i + 1
		if child >= len(h) {
			break
		}
		first := child
		for c := child + 1; c < min(child+4, len(h)); c++ {
			if h[c].before(h[first]) {
				first = c
			}
		}
		if !h[first].before(e) {
			break
		}
		h[i] = h[first]
		i = first
	}
	h[i] = e
}
