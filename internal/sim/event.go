package sim

import "github.com/sluicefc/sluice"

// event is something that will happen. Equal times happen in the order they were planned.
type event struct {
	at       sluice.Time
	sequence uint64
	kind     eventKind
	index    int32 // of the port, node or flow
}

type eventKind int32

const (
	eventArrival    eventKind = iota // the first packet on the wire into a port has arrived
	eventSent                        // a port's transmitter is free
	eventFlow                        // a flow starts
	eventTimer                       // a machine's deadline
	eventRetransmit                  // a flow's sender looks for progress
	eventSample                      // the network is sampled
	eventRelease                     // a control frame was held back for long enough
)

func (e *event) before(f *event) bool {
	return e.at < f.at || e.at == f.at && e.sequence < f.sequence
}

// agenda is a 4-ary heap of events by value.
type agenda struct {
	heap     []event
	sequence uint64
}

func (a *agenda) empty() bool { return len(a.heap) == 0 }

func (a *agenda) plan(at sluice.Time, kind eventKind, index int32) {
	a.sequence++
	e := event{at, a.sequence, kind, index}
	a.heap = append(a.heap, e)
	i := len(a.heap) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(&a.heap[parent]) {
			break
		}
		a.heap[i] = a.heap[parent]
		i = parent
	}
	a.heap[i] = e
}

// drop removes the first event.
func (a *agenda) drop() {
	last := len(a.heap) - 1
	e := a.heap[last]
	a.heap = a.heap[:last]
	if last > 0 {
		a.sink(e)
	}
}

// postpone moves the first event to a later time, as if it were planned now.
func (a *agenda) postpone(at sluice.Time) {
	a.sequence++
	e := a.heap[0]
	e.at, e.sequence = at, a.sequence
	a.sink(e)
}

// sink puts e at the root and lets it down to its place.
func (a *agenda) sink(e event) {
	heap := a.heap
	i := 0
	for {
		child := 4*i + 1
		if child >= len(heap) {
			break
		}
		first := child
		for c := child + 1; c < min(child+4, len(heap)); c++ {
			if heap[c].before(&heap[first]) {
				first = c
			}
		}
		if !heap[first].before(&e) {
			break
		}
		heap[i] = heap[first]
		i = first
	}
	heap[i] = e
}
