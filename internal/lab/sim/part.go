package sim

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/lab/cc"
	"github.com/sluicefc/sluice/internal/lab/schedule"
	"github.com/sluicefc/sluice/internal/lab/transport"
	"github.com/sluicefc/sluice/internal/prefetch"
	"github.com/sluicefc/sluice/kit"
)

// part is a piece of the network, and what happens there: nodes, the packets that they have and
// that are on their way to them, and the ends of flows at its hosts. Within a window it needs
// nothing of other parts, and one thread has it. A network that is not cut is one part.
type part struct {
	*Simulator
	number int16
	nodes  []node // of the whole network, as are ports
	ports  []port
	sites  []site

	now      sluice.Time
	end      sluice.Time // of the window: events from then on wait
	next     sluice.Time // the first event after the window, or what the part sent; Never if none
	activity int64       // events of the last window
	agenda   agenda
	arena    arena
	plain    bool     // packets that arrive go where their paths say: nothing is drawn, or asked
	boxes    [2][]box // what crosses to other parts, by the window's parity, then part
	parity   int

	flows     []flow  // by slot
	spare     []int32 // slots that are free
	transport *transport.Transport
	control   *cc.Control
	letter    letter  // at hand: of the packet that was delivered, or is sent
	leaving   []int32 // flows that may be over
	strays    []stray // packets of flows that neither begin nor end here
	order     []int32 // flows that begin or end here, by start
	flowsFrom int     // flows among them that begin here
	begun     int     // of order: started, or the next to start
	planned   bool    // the last of these is still to start
	started   int     // flows that begin here
	stranded  []int32 // flows that have no way while links are down
	pagesOver []int32 // pages of messages of which nothing is left

	labels     []relabelling    // by slot, under PLB
	outOfOrder []outOfOrder     // by slot, where receivers have packets wait
	effects    schedule.Effects // of the ranks here, on what they do next
	toBegin    int              // ranks here
	stays      *stays           // of jobs' packets; nil without jobs

	lateTo      map[int32]sluice.Time // by port: when the control frame that is held back goes on
	lateAnswers map[int32]kit.Queue   // by host: answers that are held back

	lastSent sluice.Time // when the last packet that is not a control frame was sent
	// when the last such packet was sent that had not been sent before, or the last flow started
	lastNew sluice.Time
	lostAt  sluice.Time // see firstLoss; Never if there was none

	whole      *Result // of the run: of its flows each part writes what happens here
	result     Result  // what is counted here, to be added up
	frameKinds []frameCount
	drops      map[dropKey]int
	delivered  sluice.Bytes
	byGroup    [4]sluice.Bytes // delivered since the last sample
	err        error
	key        hashpath.Flow  // kept here, as an interface would have it on the heap
	foreseen   prefetch.Lines // see foresee
	_          [64]byte       // so that other threads write no cache line of what is above, or below
	turn       turn
	_          [64]byte
}

// stray is packets of a flow that begin to be under way where it neither begins nor ends, or no
// longer are.
type stray struct{ index, packets int32 }

func (s *Simulator) newPart(number int16, horizon sluice.Time, many int) *part {
	return &part{
		Simulator: s, number: number, whole: &s.result, lostAt: sluice.Never,
		agenda: newAgenda(horizon, many), arena: newArena(),
		drops: make(map[dropKey]int), lateTo: make(map[int32]sluice.Time),
		lateAnswers: make(map[int32]kit.Queue),
	}
}

// has reports whether a node is of this part.
func (s *part) has(node int32) bool { return s.partOf[node] == s.number }

// prepare finds the first event.
func (s *part) prepare() { s.next = s.agenda.first().at }

// run carries out the events of a window.
func (s *part) run(end sluice.Time, parity int) {
	s.end, s.parity = end, parity
	s.unpack(1 - parity)
	before, inspect := s.result.Events, s.config.Inspect
	for a, ok := &s.agenda, true; ; {
		e, lane := a.lanes.first, a.lanes.lane
		if e.at < min(a.elsewhere, s.end) { // nearly always: what take would do
			a.lanes.pop()
			a.lanes.settle()
		} else if e, lane, ok = a.take(s.end); !ok {
			break
		}
		if a.crowded {
			s.foresee(lane)
		}
		s.now = e.at
		if s.result.Events++; s.result.Events%countEvery == 0 {
			a.adapt()
		}
		switch e.kind() {
		case eventArrival:
			s.arrived(e.place(), e.packet())
		case eventSent:
			s.sent(e.place())
		default:
			s.handle(e)
		}
		if inspect != nil && s.err == nil {
			s.stop(inspect(s.Simulator))
		}
	}
	s.activity = s.result.Events - before
	s.prepare()
	for i := range s.boxes[parity] {
		s.next = min(s.next, s.boxes[parity][i].first)
	}
}

// handle carries out an event that is rarer than arrivals and free transmitters.
func (s *part) handle(e event) {
	switch e.kind() {
	case eventFlow:
		if s.live != nil {
			s.live.startNext()
			return
		}
		if s.isMessage(e.place()) {
			s.startMessage(e.place())
			return
		}
		if !s.has(s.endsAt(e.place()).node[sending]) {
			s.result.Events-- // it is one where the flow begins
		}
		s.planned = false
		s.start(e.place())
		s.planNextFlow()
	case eventTimer:
		s.timer(e.place(), e.at)
	case eventDrained:
		s.drained(e.place())
	case eventLateAnswer:
		s.deliverAnswer(e.place())
	case eventRelease:
		s.releaseLate(e.place())
	case eventInjected:
		s.injected(e.place())
	case eventComputed:
		s.computed(e.place())
	case eventBegin:
		s.beginRank(e.place())
	default:
		s.handleFlow(e)
	}
}

// handleFlow carries out an event of a flow, if that is under way.
func (s *part) handleFlow(e event) {
	end := sending
	if e.kind() == eventNotice || e.kind() == eventGiveUp {
		end = receiving
	}
	known := s.endsAt(e.place())
	if known == nil || known.slot[end] == none {
		return
	}
	slot := known.slot[end]
	switch e.kind() {
	case eventRetransmit:
		s.retransmit(slot, e.at)
	case eventPace:
		s.paced(slot, e.at)
	case eventNotice:
		s.noticed(slot, e.at)
	case eventGiveUp:
		s.waited(slot, e.at)
	}
}
