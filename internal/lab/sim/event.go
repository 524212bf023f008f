package sim

import "github.com/sluicefc/sluice"

// event is something that will happen. Events of one time happen in the order of what they are and
// where: see ARCHITECTURE.md, "The simulator".
type event struct {
	at   sluice.Time
	what what
}

// what is, from the highest bits on, the kind of an event, its place, which is the number of a
// port, a node, a flow of the configuration, or an operation or rank of its jobs, and the packet
// that arrives. Ties beyond kind and place are interchangeable: no two packets come at
// once by one port.
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
	eventInjected                    // the last bit of a job's message left its host
	eventComputed                    // a computation of a job has ended
	eventBegin                       // a rank of a job begins
)

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
