package voq

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/fields"
)

// PortCounters is what happened at one port since New.
type PortCounters struct {
	sluice.Counters

	Unqueued       uint64 // packets whose destination found no queue
	UnqueuedPauses uint64 // pauses received of destinations that found none
	Pauses         uint64 // destinations that frames paused upstream
	Resumes        uint64
	QueuesPeak     int `sum:"max"` // most queues that had packets at once
}

// Counters is what happened at a switch since New: the sums over its ports.
type Counters struct {
	PortCounters
	DestinationsPeak int `sum:"max"` // most destinations that had a queue at once
}

func (p *Port) Counters() PortCounters {
	c := p.counters
	c.Resynchronised = p.Heard.Resynchronised()
	return c
}

func (s *Switch) Counters() Counters {
	total := Counters{fields.Total(s.ports, (*Port).Counters), s.peak}
	total.Misuse += s.clock.Misuses
	return total
}
