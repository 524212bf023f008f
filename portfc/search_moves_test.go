package portfc

import (
	"fmt"

	"github.com/sluicefc/sluice"
)

// move is an event of a port, for people.
type move struct {
	at   sluice.Hop
	kind eventKind
	of   signal
}

func (m move) String() string {
	if m.kind == arrives {
		return fmt.Sprintf("%v gets %v", m.at, m.of)
	}
	return fmt.Sprintf("%v sends %v", m.at, m.of)
}

// flush puts the frames that a device has due on its wires, one frame at a time on each. To let
// them wait would add nothing: on a wire they can wait as well, and no packet passes them at either
// place.
func (s *search) flush(g *global, device int) {
	for port := range ports {
		hop := sluice.Hop{Switch: sluice.SwitchID(device), Port: sluice.PortID(port)}
		for s.locals[g.device[device]].due[port] && !s.carriesFrame(g, hop) {
			var out signal
			g.device[device], out = s.step(g.device[device], event{kind: polls, port: hop.Port})
			s.send(g, hop, out)
			if s.settles {
				far, _ := s.network.Peer(hop)
				s.deliver(g, far)
			}
		}
	}
}

// deliver delivers what is first on the wire that leads to a port.
func (s *search) deliver(g *global, to sluice.Hop) signal {
	far, _ := s.network.Peer(to)
	i := int(far.Switch)*ports + int(far.Port)
	contents := s.wires[g.wire[i]]
	g.wire[i] = s.wire(contents[1:])
	at := &g.device[to.Switch]
	*at, _ = s.step(*at, event{kind: arrives, port: to.Port, signal: contents[0]})
	s.flush(g, int(to.Switch))
	if contents[0].flow < 0 {
		s.flush(g, int(far.Switch))
	}
	return contents[0]
}

func (s *search) carriesFrame(g *global, from sluice.Hop) bool {
	for _, on := range s.wires[g.wire[int(from.Switch)*ports+int(from.Port)]] {
		if on.flow < 0 {
			return true
		}
	}
	return false
}

// successors calls do for every state that one event leads to.
func (s *search) successors(g *global, do func(next *global, what move)) {
	for device := range g.device {
		here := &s.locals[g.device[device]]
		for port := range ports {
			hop := sluice.Hop{Switch: sluice.SwitchID(device), Port: sluice.PortID(port)}
			far, _ := s.network.Peer(hop)
			if g.wire[int(far.Switch)*ports+int(far.Port)] != 0 {
				next := *g
				first := s.deliver(&next, hop)
				do(&next, move{hop, arrives, first})
			}
			if s.atOnce && !s.mayPass(g, hop) || here.due[port] { // frames go first
				continue
			}
			for q, may := range s.served(here, port) {
				if may {
					next := *g
					var out signal
					next.device[device], out = s.step(
						g.device[device], event{kind: sends, port: hop.Port, queue: sluice.QueueID(q)},
					)
					s.send(&next, hop, out)
					s.flush(&next, device)
					do(&next, move{hop, sends, out})
				}
			}
		}
	}
}

// mayPass reports whether nothing is on the wire of a port: what is there arrives first.
func (s *search) mayPass(g *global, hop sluice.Hop) bool {
	return g.wire[int(hop.Switch)*ports+int(hop.Port)] == 0
}

// served returns the queues that may be served next: at a node of PortFC the relay queue first,
// else any, for who has the turn does not matter here.
func (s *search) served(l *local, port int) []bool {
	relay := int(s.network.RelayQueue())
	if heads := l.heads[port]; s.network.IsNode(l.device) && len(heads) == relay+2 && heads[relay] {
		only := make([]bool, len(heads))
		only[relay] = true
		return only
	}
	return l.heads[port]
}

func (o signal) String() string {
	if o.flow >= 0 {
		return fmt.Sprintf("packet %d of flow %d", o.number, o.flow)
	}
	var f Frame
	if f.Parse([]byte(o.frame)) == nil {
		return f.String()
	}
	return "a frame of PFC"
}
