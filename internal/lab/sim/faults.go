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

// faults draws fates, for each place from a stream of its own.
type faults struct {
	Faults
	enabled bool
	streams []prng.Source // by place; nil if nothing is drawn
}

func newFaults(f Faults, seed uint64, places int) faults {
	all := faults{Faults: f, enabled: f.sum() > 0}
	if all.enabled {
		all.streams = make([]prng.Source, places)
		for i := range all.streams {
			all.streams[i] = prng.New(prng.Mix(seed + uint64(i)))
		}
	}
	return all
}

func (f *faults) draw(place int32) fate {
	x := f.streams[place].Below(million)
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
func (s *part) spoil(p *site, h handle) bool {
	switch s.answerFaults.draw(p.node) {
	case frameLost:
		s.result.LostAnswers++
		s.release(h)
		return true
	case frameDoubled:
		again := s.copyOf(h)
		s.deliver(p, again, s.arena.At(again))
	case frameHeldBack:
		late := s.lateAnswers[p.node]
		s.arena.Push(&late, h)
		s.lateAnswers[p.node] = late
		s.agenda.plan(s.now+heldBackFor, eventLateAnswer, p.node)
		return true
	}
	return false
}

// copyOf returns a packet like another of the same flow.
func (s *part) copyOf(h handle) handle {
	again, pkt := s.arena.take()
	original := s.arena.At(h)
	pkt.Packet, pkt.Value = original.Packet, original.Value
	if s.arena.letters != nil {
		s.arena.letters[again] = s.arena.letters[h]
	}
	s.account(pkt.Value.flow, 1)
	return again
}

// deliverAnswer delivers the oldest answer that a host was held back.
func (s *part) deliverAnswer(host int32) {
	late := s.lateAnswers[host]
	h := s.arena.Pop(&late)
	s.lateAnswers[host] = late
	s.deliver(&s.sites[s.nodes[host].firstPort], h, s.arena.At(h))
}

// buildFaults makes what draws fates: of frames and packets for each port that they come in by, of
// answers for each host.
func (s *Simulator) buildFaults() {
	c, ports := &s.config, len(s.ports)
	s.faults = newFaults(c.frameFaults(), prng.Mix(c.Seed), ports)
	s.answerFaults = newFaults(c.Answers, prng.Mix(c.Seed+1), len(s.nodes))
	s.wire = newFaults(Faults{Loss: c.Loss}, prng.Mix(c.Seed+2), ports)
}
