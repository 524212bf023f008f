package sim

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
)

// fate is what a bad wire does to a control frame, or a bad host to what comes back to a sender.
type fate uint8

const (
	frameDelivered fate = iota
	frameLost
	frameDoubled
	frameHeldBack // it comes after the next frame of its link, or heldBackFor later
)

const heldBackFor = 10 * sluice.Microsecond

// Faults are what happens to some of what is sent: probabilities in parts per million, whose sum is
// at most a million.
type Faults struct {
	Loss      uint64
	Duplicate uint64
	Reorder   uint64 // held back for 10 us
}

func (f *Faults) sum() uint64 { return f.Loss + f.Duplicate + f.Reorder }

// faults draws fates.
type faults struct {
	Faults
	enabled bool
	random  prng.Source
}

func newFaults(f Faults, seed uint64) faults {
	return faults{Faults: f, enabled: f.sum() > 0, random: prng.New(seed)}
}

func (f *faults) draw() fate {
	x := f.random.Below(million)
	switch {
	case x < f.Loss:
		return frameLost
	case x < f.Loss+f.Duplicate:
		return frameDoubled
	case x < f.sum():
		return frameHeldBack
	}
	return frameDelivered
}

const million = 1_000_000

// spoil decides what happens to an acknowledgement or a notice that came to its host; it reports
// whether it is not to be delivered now.
func (s *Simulator) spoil(p *port, h handle) bool {
	switch s.answerFaults.draw() {
	case frameLost:
		s.result.LostAnswers++
		s.release(h)
		return true
	case frameDoubled:
		again := s.copyOf(h)
		s.deliver(p, again, s.arena.At(again))
	case frameHeldBack:
		s.agenda.plan(s.now+heldBackFor, eventLateAnswer, int32(h))
		return true
	}
	return false
}

// copyOf returns a packet like another of the same flow.
func (s *Simulator) copyOf(h handle) handle {
	again, pkt := s.arena.take()
	original := s.arena.At(h)
	pkt.Packet, pkt.Value = original.Packet, original.Value
	if s.arena.letters != nil {
		s.arena.letters[again] = s.arena.letters[h]
	}
	s.flows[pkt.Value.flow].underWay++
	return again
}

// deliverAnswer delivers what was held back.
func (s *Simulator) deliverAnswer(h handle) {
	pkt := s.arena.At(h)
	s.deliver(&s.ports[s.flows[pkt.Value.flow].source], h, pkt)
}
