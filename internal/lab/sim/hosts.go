package sim

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/cc"
	"github.com/sluicefc/sluice/internal/lab/transport"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// hosts is what all senders and receivers have in common.
type hosts struct {
	signals   cc.Signals           // that the control learns from
	paces     bool                 // the control gives flows a rate
	sentBytes []sluice.Bytes       // ever, by port, where telemetry says so
	points    []cc.CongestionPoint // by port, where switches send notices
}

// buildHosts makes the transport and the control of each part.
func (s *Simulator) buildHosts() error {
	c := s.config.Transport
	if c.Kind == transport.GoBackN && c.Timeout == 0 {
		c.Timeout = s.config.RetransmitAfter
	}
	if s.config.RetransmitFromLoss {
		c.Timeout = 0
	}
	control := s.config.Control
	if control.BaseRTT == 0 {
		control.BaseRTT = s.config.Topology.BaseRTT(s.config.Payload)
	}
	if control.Packet == 0 {
		control.Packet = s.config.Payload + s.config.Header
	}
	control.Seed = s.config.Seed
	kind := control.Kind
	if kind == nil {
		kind = cc.None
	}
	s.signals, s.paces = kind.Signals, kind != cc.None || slices.ContainsFunc(
		s.config.Flows, func(f workload.Flow) bool { return f.Rate > 0 })
	for _, host := range s.config.Topology.Hosts() {
		if line := s.config.Topology.FastestPort(host); s.paces && line > cc.MaxRate {
			return &sluice.ConfigError{
				Package: "sim", Type: "Config", Field: "Topology", Value: line, Rule: fmt.Sprintf(
					"must have no host faster than %v, where flows have rates (cc=%v)", cc.MaxRate, kind),
			}
		}
	}
	letters := c.Kind == transport.IRN || s.signals&(cc.RTT|cc.Telemetry) != 0 ||
		s.config.Balance.Kind == PLB
	for _, p := range s.parts {
		var err error
		if p.transport, err = transport.New(c); err != nil {
			return err
		}
		if p.control, err = cc.New(control); err != nil {
			return err
		}
		if letters {
			p.arena.addLetters()
		}
		if s.config.Balance.Kind == PLB {
			p.labels = []relabelling{}
		}
	}
	return nil
}

// buildPoints makes a congestion point for each port of a switch, if switches notify the control.
func (s *Simulator) buildPoints() error {
	if s.signals&cc.Telemetry != 0 {
		s.sentBytes = make([]sluice.Bytes, len(s.ports))
	}
	if s.signals&cc.Feedback == 0 {
		return nil
	}
	s.points = make([]cc.CongestionPoint, len(s.ports))
	for i := range s.points {
		point, err := s.parts[0].control.CongestionPoint(s.config.Seed + uint64(i))
		if err != nil {
			return fmt.Errorf("congestion point: %w", err)
		}
		s.points[i] = point
	}
	return nil
}

// repairs reports whether senders send again what is lost, so that a run without progress may get
// on.
func (s *Simulator) repairs() bool {
	if s.config.Transport.Kind == transport.IRN {
		return true
	}
	timed := s.config.RetransmitAfter > 0 || s.config.Transport.Timeout > 0
	return timed && (s.heard || !s.config.RetransmitFromLoss)
}

// startTimers starts the timers of the part's flows, when the senders hear of the first loss.
func (s *part) startTimers() {
	s.transport.StartTimers(s.now, s.config.RetransmitAfter)
	for slot := range s.flows {
		if s.flows[slot].sends {
			s.planTimeout(int32(slot))
		}
	}
}

// depart does what the congestion control wants of a switch when a packet leaves by a port.
func (s *part) depart(n *node, p *port, h handle) {
	pkt := s.arena.At(h)
	index, waiting := n.firstPort+int32(p.id), p.held
	if s.config.ControlByQueue {
		waiting = n.machine().Backlog(p.id, pkt.UpstreamQueue)
	}
	if s.sentBytes != nil {
		s.sentBytes[index] += pkt.Size
		if pkt.Value.kind == dataPacket {
			s.arena.letters[h].telemetry.Stamp(cc.INTHop{
				Time: s.now, Sent: s.sentBytes[index], Queue: waiting, Rate: s.rateOf(p),
			})
		}
	}
	if s.points != nil && pkt.Value.kind == dataPacket {
		feedback, notify := s.points[index].Arrive(pkt.Size, waiting)
		if notify {
			s.notifyFrom(n, p.nodeID(), pkt.Value.flow, feedback)
		}
	}
}
