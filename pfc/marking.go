package pfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
)

// mark returns the code point of a packet that leaves behind more than KMin bytes.
func (p *Port) mark(class sluice.Class, ecn sluice.ECN) sluice.ECN {
	marked := p.marking[class].Mark(ecn, p.queues[class].bytes, &p.random)
	if marked != ecn {
		p.counters.Class[class].Marked++
	}
	return marked
}

// prngOf returns the generator of a port.
func prngOf(seed uint64, id sluice.PortID) prng.Source {
	return prng.New(prng.Mix(seed) + uint64(id))
}
