package cbfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/fields"
)

// VLCounters is what happened to one VL of one port since New.
type VLCounters struct {
	// As an egress.

	Enqueued         uint64       // packets appended to the queue
	Transmitted      uint64       // packets sent from it
	TransmittedBytes sluice.Bytes // and their sizes
	Holds            uint64       // times it ran out of credit for an MTU
	HeldTime         sluice.Time  // how long it had none, a hold under way included
	FCPsReceived     uint64

	// As an ingress.

	Consumed    uint64 // packets passed to Consume
	Overflows   uint64 // packets lost because the peer sent without credit
	Corrections uint64 // FCPs that changed the count of blocks received: after a loss or out of order
	FCPsSent    uint64
}

// PortCounters is what happened at one port since New.
type PortCounters struct {
	sluice.Counters
	VL [sluice.Classes]VLCounters
}

// Counters is what happened at a switch since New: the sums over its ports.
type Counters struct {
	PortCounters
	BufferPeak sluice.Bytes // most bytes held in all queues
}

// Counters returns a copy of the port's counters.
func (p *Port) Counters() PortCounters {
	t := p.state
	counters := t.counters
	counters.Counters = p.common()
	for i := range counters.VL {
		c, v := &counters.VL[i], &p.vls[i]
		c.Enqueued, c.Transmitted = v.enqueued, v.transmitted
		c.TransmittedBytes = sluice.Bytes(v.bytesOut)
		if p.blocked>>i&1 != 0 {
			c.HeldTime = p.heldTime(sluice.Class(i))
		}
	}
	return counters
}

// common returns what every protocol counts.
func (p *Port) common() sluice.Counters {
	c := p.state.counters.Counters
	for i := range p.vls {
		c.Enqueued += p.vls[i].enqueued
		c.Transmitted += p.vls[i].transmitted
	}
	return c
}

// Counters returns the sums over all ports, and hooks called at Never as misuse. It allocates.
// O(ports).
func (s *Switch) Counters() Counters {
	total := Counters{fields.Total(s.ports, (*Port).Counters), sluice.Bytes(s.peak)}
	total.Misuse += s.clock.Misuses
	return total
}
