package sim

import "github.com/sluicefc/sluice"

// event is something that will happen. Equal times happen in the order they were planned.
type event struct {
	at       sluice.Time
	sequence uint64
	index    int32 // of the port, node or flow
	kind     eventKind
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
	eventRelease                     // a control frame was held back for long enough
)

func (e *event) before(f *event) bool {
	return e.at < f.at || e.at == f.at && e.sequence < f.sequence
}

// agenda is what will happen: a wheel of what comes within a horizon, which is nearly everything,
// and a heap of the rest. The first of both comes first.
type agenda struct {
	wheel    wheel
	far      heap
	sequence uint64
	fromFar  bool // the first event is that of the heap
}

// newAgenda returns an empty agenda for events that are mostly planned no longer ahead than the
// horizon.
func newAgenda(horizon sluice.Time) agenda { return agenda{wheel: newWheel(horizon)} }

func (a *agenda) empty() bool { return a.wheel.empty() && len(a.far) == 0 }

// plan adds an event. It cannot be earlier than the first that was dropped or postponed last.
func (a *agenda) plan(at sluice.Time, kind eventKind, index int32) {
	a.sequence++
	e := event{at, a.sequence, index, kind}
	if a.wheel.reaches(at) {
		a.wheel.add(e)
	} else {
		a.far.push(e)
	}
}

// first returns the first event of an agenda that is not empty.
func (a *agenda) first() event {
	if a.wheel.empty() {
		a.fromFar = true
		return a.far[0]
	}
	e := a.wheel.first()
	if a.fromFar = len(a.far) > 0 && a.far[0].before(e); a.fromFar {
		return a.far[0]
	}
	return *e
}

// drop removes the event that first returned, after which nothing was planned.
func (a *agenda) drop() {
	if a.fromFar {
		a.wheel.advance(a.far[0].at)
		a.far.pop()
	} else {
		a.wheel.pop()
	}
}

// postpone moves the event that first returned to a later time, as if it were planned now.
func (a *agenda) postpone(e event, at sluice.Time) {
	a.drop()
	a.plan(at, e.kind, e.index)
}

// heap is a 4-ary heap of events by value.
type heap []event

func (h *heap) push(e event) {
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
func (h heap) sink(e event) {
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
