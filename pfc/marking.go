package pfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
)

// marking is a Marking with the span of its ramp worked out.
type marking struct {
	kMin, kMax int64
	num        int64 // a queue of kMin + x is marked with the probability x*num / span
	span       uint64
}

func newMarking(m Marking) marking {
	return marking{
		kMin: int64(m.KMin),
		kMax: int64(m.KMax),
		num:  m.PMax.Num,
		span: uint64(m.KMax-m.KMin) * uint64(max(m.PMax.Den, 0)),
	}
}

// mark returns the code point of a packet that leaves behind more than KMin bytes. One draw where the
// queue is on the ramp, none elsewhere.
func (p *Port) mark(class sluice.Class, ecn sluice.ECN) sluice.ECN {
	if ecn != sluice.ECT0 && ecn != sluice.ECT1 {
		return ecn
	}
	m, q := &p.marking[class], p.queues[class].bytes
	if q <= m.kMax && p.random.Below(m.span) >= uint64((q-m.kMin)*m.num) {
		return ecn
	}
	p.counters.Class[class].Marked++
	return sluice.CE
}

// prngOf returns the generator of a port.
func prngOf(seed uint64, id sluice.PortID) prng.Source {
	return prng.New(prng.Mix(seed) + uint64(id))
}
