package floodgate

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/fields"
)

// PortCounters is what happened at one port since New.
type PortCounters struct {
	sluice.Counters

	Uncontrolled uint64 // packets of destinations that the switch does not know
	Isolated     uint64 // packets that went to a VOQ
	Credits      uint64 // frames of credit sent
	SYNs         uint64 // SYNs sent
	Corrections  uint64 // times a SYN corrected what a destination received: something was lost
	VOQsPeak     int    `sum:"max"` // most VOQs that had packets at once
}

// Counters is what happened at a switch since New: the sums over its ports.
type Counters struct {
	PortCounters
	Known            int    `sum:"max"` // destinations that have a state
	Withheld         uint64 // times the credit of a destination began to be withheld
	DestinationsPeak int    `sum:"max"` // most destinations that had packets in VOQs at once
}

func (p *Port) Counters() PortCounters {
	c := p.counters
	c.Resynchronised = p.Heard.Resynchronised()
	return c
}

func (s *Switch) Counters() Counters {
	total := Counters{
		PortCounters: fields.Total(s.ports, (*Port).Counters),
		Known:        len(s.keys) - 1, Withheld: s.delays, DestinationsPeak: s.peak,
	}
	total.Misuse += s.clock.Misuses
	return total
}
