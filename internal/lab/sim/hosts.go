package sim

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/cc"
	"github.com/sluicefc/sluice/internal/lab/transport"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// hosts is what senders and receivers do, and what it is made of: the transport and the congestion
// control of all flows.
type hosts struct {
	transport *transport.Transport
	control   *cc.Control
	signals   cc.Signals     // that the control learns from
	paces     bool           // the control gives flows a rate
	sentBytes []sluice.Bytes // ever, by port, where telemetry says so
	letter    letter         // at hand: of the packet that was delivered, or is sent
}

// buildHosts makes the transport and the control.
func (s *Simulator) buildHosts() (err error) {
	c := s.config.Transport
	if c.Kind == transport.GoBackN && c.Timeout == 0 {
		c.Timeout = s.config.RetransmitAfter
	}
	if s.config.RetransmitFromLoss {
		c.Timeout = 0
	}
	if s.transport, err = transport.New(c); err != nil {
		return err
	}
	control := s.config.Control
	if control.BaseRTT == 0 {
		control.BaseRTT = s.config.Topology.BaseRTT(s.config.Payload)
	}
	if control.Packet == 0 {
		control.Packet = s.config.Payload + s.config.Header
	}
	control.Seed = s.config.Seed
	if s.control, err = cc.New(control); err != nil {
		return err
	}
	kind := s.control.Kind()
	s.signals, s.paces = kind.Signals, kind != cc.None || slices.ContainsFunc(
		s.config.Flows, func(f workload.Flow) bool { return f.Rate > 0 })
	if c.Kind == transport.IRN || s.signals&(cc.RTT|cc.Telemetry) != 0 {
		s.arena.addLetters()
	}
	return nil
}

// buildPoints makes a congestion point for each port of a switch, if the control is told by
// switches.
func (s *Simulator) buildPoints() error {
	if s.signals&cc.Telemetry != 0 {
		s.sentBytes = make([]sluice.Bytes, len(s.ports))
	}
	if s.signals&cc.Feedback == 0 {
		return nil
	}
	s.points = make([]cc.CongestionPoint, len(s.ports))
	for i := range s.points {
		point, err := s.control.CongestionPoint(s.config.Seed + uint64(i))
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
	return timed && (!s.config.RetransmitFromLoss || s.result.Dropped > 0)
}

// startTimers starts the timers of all flows, when the senders hear of the first loss.
func (s *Simulator) startTimers() {
	s.transport.StartTimers(s.now, s.config.RetransmitAfter)
	for slot := range s.flows {
		s.planTimeout(int32(slot))
	}
}

// depart does what the congestion control wants of a switch when a packet leaves by a port.
func (s *Simulator) depart(n *node, p *port, h handle) {
	pkt := s.arena.At(h)
	index, waiting := n.firstPort+int32(p.id), p.held
	if s.config.ControlByQueue {
		waiting = n.machine().Backlog(p.id, pkt.UpstreamQueue)
	}
	if s.sentBytes != nil {
		s.sentBytes[index] += sluice.Bytes(pkt.Size)
		if pkt.Value.kind == dataPacket {
			s.arena.letters[h].telemetry.Stamp(cc.INTHop{
				Time: s.now, Sent: s.sentBytes[index], Queue: waiting, Rate: s.rateOf(p),
			})
		}
	}
	if s.points != nil && pkt.Value.kind == dataPacket {
		feedback, notify := s.points[index].Arrive(sluice.Bytes(pkt.Size), waiting)
		if notify {
			s.notifyFrom(n, p.nodeID(), pkt.Value.flow, feedback)
		}
	}
}
