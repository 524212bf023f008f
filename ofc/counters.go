package ofc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/fields"
)

// PortCounters counts what happened at a port since New.
type PortCounters struct {
	sluice.Counters

	// Flows, at the egress port. A flow of several ingresses counts once for each.

	FlowsPeak    uint64 `sum:"max"` // most known at once
	Untracked    uint64 // packets of flows that there was no room for
	Spills       uint64 // flows paused by downstream that there was no room for: the class is held
	FlowsPaused  uint64 // flows that came into congested_flow_tab
	FlowsResumed uint64 // and that left it
	Deferrals    uint64 // resumes that waited for the end of a rotation
	Repairs      uint64 // flows that a refresh paused or resumed

	// Rotations, at the egress port.

	Rotations    uint64      // rotations begun
	RotationTime sluice.Time // how long normal queues waited for rotations that ended
	Holds        uint64      // times downstream held a whole class
	Expired      uint64      // classes whose pauses ended without a repetition: Config.Expiry

	// Packets and flows, at the ingress port.

	Overruns      uint64       // times q_in came to X_OFF
	Originals     uint64       // packets that found new flows in an original congestion
	Locals        uint64       // packets that found new flows in a local congestion
	Fallbacks     uint64       // times a whole class was paused because flows were not known
	Resumes       uint64       // times q_in came down to X_ON with something paused
	HeadroomDrops uint64       // packets lost because headroom was full
	IngressPeak   sluice.Bytes `sum:"max"` // the largest q_in of any class

	// Frames.

	PausesSent        uint64 // of flows
	ResumesSent       uint64 // of flows
	AllPausesSent     uint64 // of a whole class
	AllResumesSent    uint64 // of a whole class
	RefreshesSent     uint64 // parts of refreshes
	FlowsSent         uint64 // flows that they named
	PausesReceived    uint64
	ResumesReceived   uint64
	RefreshesReceived uint64 // parts
}

// Counters is the sum of what the ports counted, and what no port counts.
type Counters struct{ PortCounters }

// Counters returns a copy of the port's counters.
func (p *Port) Counters() PortCounters {
	c := p.state.counters
	c.Enqueued, c.Transmitted = p.enqueued, p.transmitted
	c.Resynchronised = p.state.Heard.Resynchronised()
	for class := range sluice.Class(sluice.Classes) {
		peak := p.owner.account(p.id, class).peak
		c.IngressPeak = max(c.IngressPeak, sluice.Bytes(peak))
	}
	return c
}

// Counters returns the sums over all ports, of peaks the highest. A now of Never is misuse, which
// is counted here and at no port. It allocates. O(ports).
func (s *Switch) Counters() Counters {
	sum := Counters{fields.Total(s.ports, (*Port).Counters)}
	sum.Misuse += s.clock.Misuses
	return sum
}
