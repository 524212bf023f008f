package sim

import (
	"math/bits"
	"slices"

	"github.com/sluicefc/sluice"
)

// lanes are FIFOs of events. Each has events that are planned equally long ahead, as arrivals of
// packets of about one size on links of one kind. So the events of a lane come nearly in order, and
// the first event of all is one of few heads: there is nothing to sort.
type lanes struct {
	first event           // of all, noEvent if all lanes are empty
	lane  int             // where it is
	heads [maxLanes]event // first events of the lanes; noEvent if a lane is empty
	more  bool            // lanes of the second kind of links have had an event
	lanes [maxLanes]lane
}

// lane is a FIFO in a ring whose length is a power of two.
type lane struct {
	last        event // if the lane is not empty
	ring        []event
	first, next uint32 // where in the ring the first event is, and the place behind the last
	_           [16]byte
}

// Each kind of link has lanes for arrivals, and lanes for transmitters that are free: of packets
// about as small as answers, and of packets about as large as most that have data.
const (
	smallLane = iota
	largeLane
	lanesOfArrivals
	lanesOfLink = 2 * lanesOfArrivals
)

const (
	maxLanes    = 2 * lanesOfLink
	noLane      = maxLanes // and greater numbers
	laneAtFirst = 64       // events
	laneSteps   = 8        // the most events of a lane that may come after an event that joins it
)

// noEvent is later than all events.
var noEvent = event{sluice.Never, 1<<64 - 1}

func newLanes() (l lanes) {
	l.first = noEvent
	for i := range l.lanes {
		l.heads[i] = noEvent
		l.lanes[i].ring = make([]event, laneAtFirst)
	}
	return l
}

// settle finds the first event of all lanes, after the head of one has changed.
func (l *lanes) settle() {
	h := &l.heads
	e, i := earlier(h[0], 0, h[1], 1)
	f, j := earlier(h[2], 2, h[3], 3)
	e, i = earlier(e, i, f, j)
	if l.more {
		f, j = earlier(h[4], 4, h[5], 5)
		g, k := earlier(h[6], 6, h[7], 7)
		f, j = earlier(f, j, g, k)
		e, i = earlier(e, i, f, j)
	}
	l.first, l.lane = e, i
}

// earlier returns one of two events, and its lane: the first unless the second is before it. Which
// one that is cannot be predicted: so the processor compares without jumps, with the borrow of
// subtractions.
func earlier(e event, i int, f event, j int) (event, int) {
	_, less := bits.Sub64(uint64(f.what), uint64(e.what), 0)
	_, less = bits.Sub64(uint64(f.at), uint64(e.at), less)
	if less != 0 {
		i = j
	}
	if less != 0 {
		e.at = f.at
	}
	if less != 0 {
		e.what = f.what
	}
	return e, i
}

// pop removes the first event. Then settle is due, which is apart so that pop is inlined.
func (l *lanes) pop() {
	a := &l.lanes[l.lane&(maxLanes-1)]
	a.first++
	head := &l.heads[l.lane&(maxLanes-1)]
	if a.first == a.next {
		*head = noEvent
	} else {
		*head = *a.at(a.first)
	}
}

// join adds an event to a lane; false if it comes before too many of the lane's events.
func (l *lanes) join(i uint8, e event) bool {
	a := &l.lanes[i]
	if a.full() {
		a.grow()
	}
	if a.first == a.next {
		l.heads[i], l.more = e, l.more || i >= lanesOfLink
		l.settle()
	} else if e.before(a.last) {
		return l.insert(i, e)
	}
	a.push(e)
	return true
}

// takes reports whether an event may be pushed to a lane that is not empty: mostly it may.
func (a *lane) takes(e event) bool {
	return a.first != a.next && !a.full() && !e.before(a.last)
}

func (a *lane) full() bool { return a.next-a.first == uint32(len(a.ring)) }

// push adds an event to the end of a lane that is not full.
func (a *lane) push(e event) {
	*a.at(a.next) = e
	a.last = e
	a.next++
}

// coming returns the events that come nearAhead and farAhead after the first; nil if there are not
// as many.
func (a *lane) coming() (near, far *event) {
	if a.next-a.first <= farAhead {
		return nil, nil
	}
	return a.at(a.first + nearAhead), a.at(a.first + farAhead)
}

// insert is join for an event that comes before the last of its lane, which is not full.
func (l *lanes) insert(i uint8, e event) bool {
	a := &l.lanes[i]
	to := a.next - 1
	for ; to != a.first && e.before(*a.at(to - 1)); to-- {
		if a.next-to == laneSteps {
			return false
		}
	}
	for from := a.next - 1; ; from-- {
		*a.at(from + 1) = *a.at(from)
		if from == to {
			break
		}
	}
	*a.at(to) = e
	if to == a.first {
		l.heads[i] = e
		l.settle()
	}
	a.next++
	return true
}

// at returns a place of the ring.
func (a *lane) at(place uint32) *event { return &a.ring[place&uint32(len(a.ring)-1)] }

// grow doubles the ring, which is full.
func (a *lane) grow() {
	ring := make([]event, 2*len(a.ring))
	n := copy(ring, a.ring[a.first&uint32(len(a.ring)-1):])
	copy(ring[n:], a.ring)
	a.first, a.next, a.ring = 0, uint32(len(a.ring)), ring
}

// events returns how many events the lanes have.
func (l *lanes) events() (n int) {
	for i := range l.lanes {
		n += int(l.lanes[i].next - l.lanes[i].first)
	}
	return n
}

// empty removes all events, and returns them in any order.
func (l *lanes) empty() (events []event) {
	for l.first != noEvent {
		events = append(events, l.first)
		l.pop()
		l.settle()
	}
	return events
}

// laneOf returns the lane for the arrival of a packet that leaves by a port.
func (s *part) laneOf(p *port, size sluice.Bytes) uint8 {
	if size > s.large {
		return p.lanes + largeLane
	}
	return p.lanes + smallLane
}

// assignLanes gives lanes to ports, by the kinds of their links, until there are no more lanes.
func (s *Simulator) assignLanes() {
	s.large = (s.config.Payload + s.config.Header) / 2
	var kinds []sluice.Link
	for i := range s.ports {
		p := &s.ports[i]
		link := sluice.Link{Rate: s.rateOf(p), Delay: p.delay}
		kind := slices.Index(kinds, link)
		if kind < 0 && len(kinds) < maxLanes/lanesOfLink {
			kind, kinds = len(kinds), append(kinds, link)
		}
		if p.lanes = noLane; kind >= 0 {
			p.lanes = uint8(kind * lanesOfLink)
		}
		p.lane = p.lanes
	}
}
