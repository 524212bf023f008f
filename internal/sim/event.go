package sim

import "github.com/sluicefc/sluice"

// event is something that will happen. Equal times happen in the order they were planned.
type event struct {
	at    sluice.Time
	index int32 // of the port, node or flow
	kind  eventKind
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
	eventLinkDown                    // a link fails
	eventLinkUp                      // it is repaired
	eventLateAnswer                  // an acknowledgement or a notice was held back for long enough
	eventRelease                     // a control frame was held back for long enough
)

// agenda is what will happen: a wheel of what comes within a horizon, which is nearly everything,
// and a heap of the rest, which goes to the wheel as soon as that reaches it.
type agenda struct {
	wheel   wheel
	far     heap
	planned uint64 // events that went to the heap
}

// newAgenda returns an empty agenda for events that are mostly planned no longer ahead than the
// horizon.
func newAgenda(horizon sluice.Time) agenda { return agenda{wheel: newWheel(horizon)} }

// ready reports whether there is an event. If so, first returns the first one, and no earlier one
// can be planned any more.
func (a *agenda) ready() bool { return a.wheel.next < len(a.wheel.today) || a.turn() }

// first returns the first event of an agenda that is ready.
func (a *agenda) first() event { return a.wheel.first() }

// plan adds an event. It cannot be earlier than the last one that first returned.
func (a *agenda) plan(at sluice.Time, kind eventKind, index int32) {
	if tick := a.wheel.tick(at); a.wheel.reaches(tick) {
		a.wheel.add(tick, at, kind, index)
		return
	}
	a.planned++
	a.far.push(farEvent{event{at, index, kind}, a.planned})
}

// turn makes the next tick that has an event today, false if there is none. What the wheel reaches
// from there on goes to it before anything else can be planned for the same time, so that equal
// times stay in order.
func (a *agenda) turn() bool {
	tick, ok := a.wheel.following()
	if len(a.far) > 0 {
		if far := a.wheel.tick(a.far[0].at); !ok || far < tick {
			tick, ok = far, true
		}
	}
	if !ok {
		return false
	}
	a.wheel.turn(tick)
	for len(a.far) > 0 {
		e := a.far[0].event
		tick := a.wheel.tick(e.at)
		if !a.wheel.reaches(tick) {
			break
		}
		a.far.pop()
		a.wheel.add(tick, e.at, e.kind, e.index)
	}
	return true
}

// drop removes the event that first returned last.
func (a *agenda) drop() { a.wheel.pop() }

// postpone moves the event that first returned last to a later time, as if it were planned now.
func (a *agenda) postpone(e event, at sluice.Time) {
	a.drop()
	a.plan(at, e.kind, e.index)
}

// farEvent is an event that the wheel does not reach yet.
type farEvent struct {
	event
	order uint64 // of being planned
}

func (e *farEvent) before(f *farEvent) bool {
	return e.at < f.at || e.at == f.at && e.order < f.order
}

// heap is a 4-ary heap of events by value.
type heap []farEvent

func (h *heap) push(e farEvent) {
	*h = append(*h, e)
	s := *h
	i := len(s) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(&s[parent]) {
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
func (h heap) sink(e farEvent) {
	i := 0
	for {
		child := 4*i + 1
		if child >= len(h) {
			break
		}
		first := child
		for c := child + 1; c < min(child+4, len(h)); c++ {
			if h[c].before(&h[first]) {
				first = c
			}
		}
		if !h[first].before(&e) {
			break
		}
		h[i] = h[first]
		i = first
	}
	h[i] = e
}
