package sim

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/internal/prng"
)

// PLBConfig configures protective load balancing (Qureshi et al., SIGCOMM 2022). A round ends when
// what was sent before it is acknowledged; it is congested if a share of its acknowledgements bring
// a mark. After IdleRounds or Rounds congested rounds in a row the sender draws a new IPv6 flow
// label, by which switches hash, and so another way: after IdleRounds only if nothing is in flight,
// so that nothing is reordered, after Rounds in any case. A timeout draws one, too, and suspends
// the rest for a while.
//
// # Deviations
//
//   - A host marks by the code point CE that a packet arrived with, each in the answer to it,
//     whatever the congestion control learns from.
//   - Under irn a timer of any packet is a timeout.
type PLBConfig struct {
	Share              sluice.Ratio // K: of a round's acknowledgements; 0 to 1
	IdleRounds, Rounds int32        // M and N; 1 to 1,000
	Suspend            sluice.Time  // after a timeout, one to two times as long; at most 50 days
}

func (c *PLBConfig) validate(fail func(field string, value any, rule string) error) error {
	switch {
	case c.Share.Num < 0 || c.Share.Den <= 0 || c.Share.Num > c.Share.Den:
		return fail("Balance.PLB.Share", c.Share, "must be 0 to 1")
	case c.Rounds < 1 || c.Rounds > 1000:
		return fail("Balance.PLB.Rounds", c.Rounds, "must be 1 to 1000")
	case c.IdleRounds < 1 || c.IdleRounds > 1000:
		return fail("Balance.PLB.IdleRounds", c.IdleRounds, "must be 1 to 1000")
	case c.Suspend < 0 || c.Suspend > latest/2:
		return fail("Balance.PLB.Suspend", c.Suspend, "must be 0 to 25 days")
	}
	return nil
}

// relabelling is a flow that sends under PLB.
type relabelling struct {
	labels       prng.Source
	acks, marks  int64 // of the round
	ends         int32 // packets acknowledged at the round's end
	rounds       int32 // congested in a row
	suspendUntil sluice.Time
}

const labelBits = 20

// labelsOf returns the stream of a flow's labels.
func (s *Simulator) labelsOf(index int32) prng.Source {
	const places = 0x6c_61_62_65_6c // so that no other stream of the seed is alike
	return prng.New(prng.Mix(prng.Mix(s.config.Seed+places) + s.numberOf(index)))
}

// tuple returns the five-tuple of a flow, under PLB with its first label.
func (s *Simulator) tuple(index int32) hashpath.Flow {
	f := s.flowOf(index)
	if s.config.Balance.Kind != PLB {
		return workload.Key(f, int(index))
	}
	labels := s.labelsOf(index)
	return workload.Key6(f, int(index), uint32(labels.Below(1<<labelBits)))
}

// startLabels prepares the labels of a flow of a slot.
func (s *part) startLabels(slot, index int32) {
	for int(slot) >= len(s.labels) {
		s.labels = append(s.labels, relabelling{})
	}
	l := relabelling{labels: s.labelsOf(index)}
	l.labels.Uint64() // the first is tuple's
	s.labels[slot] = l
}

// judge counts an acknowledgement of a flow, and draws another label if it is time.
func (s *part) judge(slot int32, c *cargo) {
	l, plb := &s.labels[slot], &s.config.Balance.PLB
	l.acks++
	if c.mark == sluice.CE {
		l.marks++
	}
	if acked := s.transport.Acked(slot); acked > l.ends {
		if l.marks*plb.Share.Den >= l.acks*plb.Share.Num && l.marks > 0 {
			l.rounds = min(l.rounds+1, plb.Rounds)
		} else {
			l.rounds = 0
		}
		l.acks, l.marks, l.ends = 0, 0, s.transport.Highest(slot)-1
	}
	idle := l.rounds >= plb.IdleRounds && s.transport.InFlight(slot) == 0
	if (idle || l.rounds == plb.Rounds) && s.now >= l.suspendUntil && !s.transport.Done(slot) {
		s.relabel(slot)
	}
}

// suspend draws another label after a timeout, and lets congestion draw none for a while, so that
// the flow does not return to a way that leads nowhere.
func (s *part) suspend(slot int32) {
	l, span := &s.labels[slot], s.config.Balance.PLB.Suspend
	s.relabel(slot)
	l.suspendUntil = s.now.Add(span).Add(sluice.Time(l.labels.Below(uint64(span) + 1)))
}

// relabel draws another label for a flow, and what it sends from now on takes the new label's way.
func (s *part) relabel(slot int32) {
	f, l := &s.flows[slot], &s.labels[slot]
	l.rounds = 0
	s.result.Relabelled++
	f.keys[0].FlowLabel = uint32(l.labels.Below(1 << labelBits))
	src := s.flowOf(f.index).Src
	f.forward = s.wayOr(f.forward, src, &f.keys[0])
	f.source = s.portOf(src, f.forward)
}
