package portfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/fields"
)

// PortCounters counts what happened at a port since New.
type PortCounters struct {
	sluice.Counters
	Marked uint64 // packets whose code point became CE

	// Detectors of the egress port.
	IHFQPauses, IHFQResumes   uint64
	DDQPauses, DDQResumes     uint64
	RelayPauses, RelayResumes uint64 // Config.RelayXOff

	// Frames.
	PausesSent      uint64
	ResumesSent     uint64
	Relayed         uint64 // among frames sent, on behalf of another port's peer
	Refreshed       uint64 // among frames sent, told before: Config.Refresh
	PausesReceived  uint64
	ResumesReceived uint64

	// Queues that the peer holds.
	QueuesHeld     uint64 // became held
	QueuesReleased uint64 // became sendable
	Expired        uint64 // pauses that ended without a repetition: Config.Expiry

	// The most bytes that the queues of the port held at once; of a switch, the bytes of the port
	// that held most. IHFQPeak counts all IHFQs; at a node, its own packets with relays left. With
	// Config.HopClasses it is the highest peak of a class.
	IHFQPeak  sluice.Bytes `sum:"max"`
	DDQPeak   sluice.Bytes `sum:"max"` // of the DDQ; at a node of its own packets without relays left
	RelayPeak sluice.Bytes `sum:"max"` // of the relay queue, for which the paper has no bound
	HighPeak  sluice.Bytes `sum:"max"` // of the HQ
}

// Counters is the sum of what the ports counted, and what no port counts.
type Counters struct {
	PortCounters
	BufferPeak sluice.Bytes // most bytes held in all queues
}

// Counters returns a copy of the port's counters. O(queues).
func (p *Port) Counters() PortCounters {
	c := p.counters
	c.Enqueued = p.enqueued
	c.Transmitted = p.enqueued - uint64(p.packets())
	c.Resynchronised = p.heard.Resynchronised()
	c.DDQPeak, c.RelayPeak, c.HighPeak = p.peaks[0], p.peaks[relayClass], p.peaks[highClass]
	for class := 1; class <= p.owner.network.K; class++ {
		c.IHFQPeak = max(c.IHFQPeak, p.peaks[class])
	}
	return c
}

// Counters returns the sums over all ports, of peaks the highest. A now of Never is counted here
// and at no port. It allocates. O(ports x queues).
func (s *Switch) Counters() Counters {
	sum := Counters{fields.Total(s.ports, (*Port).Counters), s.config.room() - s.least}
	sum.Misuse += s.clock.Misuses
	return sum
}

// packets returns how many packets the port holds.
func (p *Port) packets() (n int64) {
	for q := range p.owner.queues {
		n += int64(p.queue(q).packets)
	}
	return n
}

// crossed counts that a detector changed.
func (c *PortCounters) crossed(class uint8, pauses bool) {
	pause, resume := &c.IHFQPauses, &c.IHFQResumes
	switch class {
	case 0:
		pause, resume = &c.DDQPauses, &c.DDQResumes
	case relayClass:
		pause, resume = &c.RelayPauses, &c.RelayResumes
	}
	if pauses {
		*pause++
	} else {
		*resume++
	}
}
