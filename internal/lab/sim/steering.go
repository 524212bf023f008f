package sim

import "github.com/sluicefc/sluice"

// Steering chooses the way of a flow's data at its source, by what the sources have in flight,
// where Config.Network would go by addresses and hashes.
type Steering interface {
	// Path returns the way of a flow that starts, the source's own egress port first; false leaves
	// it to the network.
	Path(src, dst sluice.SwitchID) (sluice.Path, bool)
	// Moved says by how many bytes of payload what is in flight has changed, of flows whose way
	// begins with a port: sent and not acknowledged.
	Moved(first sluice.Hop, by sluice.Bytes)
	// Sample says how it stands, for Result.Steered.
	Sample() (weight, closedForm float64)
}

// SteeringSample is what Config.Steering did at one instant.
type SteeringSample struct {
	At sluice.Time
	// Weight is the share of flows that go by a domain first, ClosedForm what theory says that it
	// should be with what is in flight now. Means over all that choose.
	Weight, ClosedForm float64
}

// steer returns the way of a flow's data.
func (s *part) steer(f *flow, src, dst sluice.SwitchID) sluice.Path {
	if s.config.Steering != nil {
		if path, ok := s.config.Steering.Path(src, dst); ok {
			return path
		}
	}
	return s.route(src, f, 0)
}

// weigh tells the steering what a flow has in flight, after the transport was asked or told.
func (s *part) weigh(slot int32) {
	if s.config.Steering == nil {
		return
	}
	f := &s.flows[slot]
	n := sluice.Bytes(s.transport.InFlight(slot)) * s.config.Payload
	if by := n - f.inFlight; by != 0 {
		f.inFlight = n
		p := &s.ports[f.source]
		s.config.Steering.Moved(sluice.Hop{Switch: p.nodeID(), Port: p.id}, by)
	}
}
