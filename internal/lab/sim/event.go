package sim

import "github.com/sluicefc/sluice"

// event is something that will happen. Events of one time happen in the order of what they are and
// where: see ARCHITECTURE.md, "The simulator".
type event struct {
	at   sluice.Time
	what what
}

// what is the kind of an event in the upper half and in the lower one its place: the number of a
// port, a node, or a flow of the configuration. Of one kind and place two events at one time are
// alike.
type what uint64

func whatOf(kind eventKind, place int32) what { return what(kind)<<32 | what(uint32(place)) }

func (w what) kind() eventKind { return eventKind(w >> 32) }
func (w what) place() int32    { return int32(uint32(w)) }

func (e event) kind() eventKind { return e.what.kind() }
func (e event) place() int32    { return e.what.place() }

// before reports whether e happens before f.
func (e event) before(f event) bool {
	return e.at < f.at || e.at == f.at && e.what < f.what
}

type eventKind uint8

const (
	eventArrival    eventKind = iota // the first packet on the wire into a port has arrived
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
// and a heap of the rest, which goes to the wheel as soon as that reaches it.
type agenda struct {
	wheel wheel
	ahead int // how many events beyond the first are today's, if there are so many
	far   heap
}

// newAgenda returns an empty agenda for events that are mostly planned no longer ahead than the
// horizon. A tick above 0 is the time of a few events: then lookAhead events beyond the first are
// known, if they come within so many ticks.
func newAgenda(horizon, tick sluice.Time) agenda {
	a := agenda{wheel: newWheel(horizon, tick)}
	if tick > 0 {
		a.ahead = lookAhead
	}
	return a
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
	if e := (event{at, whatOf(kind, place)}); !a.wheel.add(e) {
		a.far.push(e)
	}
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
	for len(a.far) > 0 {
		if !a.wheel.add(a.far[0]) {
			break
		}
		a.far.pop()
	}
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
