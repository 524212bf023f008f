package sim

import (
	"slices"

	"github.com/sluicefc/sluice"
)

// ResequenceConfig has receivers hand packets of a flow up in order: a packet that comes before a
// missing one waits for it beneath the transport, as in the layer that DRILL puts there. If what is
// missing does not come in time, or too many wait, all are handed up, and packets pass until it has
// come.
type ResequenceConfig struct {
	Timeout sluice.Time // how long the first one waits; 0: none waits. At most 50 days
	Packets int32       // of a flow that wait at most; positive
}

// outOfOrder is the packets of a flow that wait at its receiver.
type outOfOrder struct {
	waiting []arrival   // by sequence
	due     sluice.Time // they go then; Never if none waits
	missing int32       // the receiver waits for this packet no longer; -1 for none
	planned sluice.Time // the earliest eventGiveUp in the agenda, Never if none
}

// arrival is a data packet that came to its destination.
type arrival struct {
	cargo
	size   sluice.Bytes
	ecn    sluice.ECN
	letter letter
}

// resequences reports whether receivers have packets wait.
func (s *Simulator) resequences() bool { return s.config.Resequence.Timeout > 0 }

// startWaiting prepares the receiver of a flow of a slot.
func (s *part) startWaiting(slot int32) {
	for int(slot) >= len(s.outOfOrder) {
		s.outOfOrder = append(s.outOfOrder, outOfOrder{})
	}
	o := &s.outOfOrder[slot]
	*o = outOfOrder{
		waiting: o.waiting[:0], due: sluice.Never, missing: -1, planned: sluice.Never,
	}
}

// resequence takes a data packet, or has it wait for packets before it.
func (s *part) resequence(slot int32, a arrival) {
	o := &s.outOfOrder[slot]
	expected := s.transport.Received(slot)
	if a.sequence <= expected || expected == o.missing {
		s.handUp(slot, &a)
		s.handUpNext(slot)
		return
	}
	s.result.Resequenced++
	at := len(o.waiting)
	for at > 0 && o.waiting[at-1].sequence > a.sequence {
		at--
	}
	o.waiting = slices.Insert(o.waiting, at, a)
	s.result.MaxResequence = max(s.result.MaxResequence, len(o.waiting))
	if len(o.waiting) == 1 {
		s.waitFor(slot)
	} else if len(o.waiting) > int(s.config.Resequence.Packets) {
		s.giveUp(slot)
	}
}

// handUpNext hands up the packets that nothing is missing before, and has the others wait anew.
func (s *part) handUpNext(slot int32) {
	n := 0
	for n < len(s.outOfOrder[slot].waiting) {
		a := s.outOfOrder[slot].waiting[n]
		if a.sequence > s.transport.Received(slot) {
			break
		}
		n++
		s.handUp(slot, &a)
	}
	if n > 0 {
		o := &s.outOfOrder[slot]
		o.waiting = slices.Delete(o.waiting, 0, n)
		s.waitFor(slot)
	}
}

// handUp gives a packet to the transport, with its letter.
func (s *part) handUp(slot int32, a *arrival) {
	s.letter = a.letter
	s.takeData(slot, a.size, &a.cargo, a.ecn)
}

// waitFor plans when the packets that wait for another are handed up without it.
func (s *part) waitFor(slot int32) {
	o := &s.outOfOrder[slot]
	if o.due = sluice.Never; len(o.waiting) > 0 {
		o.due = s.now.Add(s.config.Resequence.Timeout)
		s.planSooner(&o.planned, o.due, eventGiveUp, slot)
	}
}

// waited handles the instant at which packets may have waited for long enough.
func (s *part) waited(slot int32, planned sluice.Time) {
	o := &s.outOfOrder[slot]
	if planned != o.planned {
		return
	}
	o.planned = sluice.Never
	switch {
	case o.due == sluice.Never:
	case o.due > s.now:
		s.planSooner(&o.planned, o.due, eventGiveUp, slot)
	default:
		s.giveUp(slot)
	}
}

// giveUp hands up what waits of a flow, in order.
func (s *part) giveUp(slot int32) {
	index := s.flows[slot].index
	s.account(index, 1) // the flow lives until what follows is done
	s.result.GivenUp++
	s.firstLoss() // none, but a go-back-N that hears of gaps needs its timer from now on
	o := &s.outOfOrder[slot]
	waiting := o.waiting
	o.waiting, o.due = nil, sluice.Never
	o.missing = s.transport.Received(slot)
	for i := range waiting {
		s.handUp(slot, &waiting[i])
	}
	o.waiting = waiting[:0]
	s.leaveFlow(index)
}
