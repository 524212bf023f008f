package hol

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
)

// Flow is a flow and its route.
type Flow struct {
	// ID is a hash of the flow's five-tuple: all that BFC knows of it. Flows may share one.
	ID uint64
	// Path lists the egress ports that the flow takes, first to last. It may begin at the sender's
	// network card. The last port leads to the receiver and names it. A port may come twice: a
	// routing loop.
	Path []sluice.Hop
}

// MaxFlows is the largest number of flows of a Scenario, and of congested ports, so that each can
// have a queue.
const MaxFlows = 1<<16 - 1

// Scenario is the state of a network at one instant (the paper's S): its flows and their routes,
// and which ports are congested. Flows are named by their index.
type Scenario struct {
	flows   []Flow
	ports   []sluice.Hop // ascending; a port's number is its index
	number  map[sluice.Hop]int32
	route   [][]int32 // by flow: the numbers of its ports
	through [][]place // by port: who passes it
	root    []bool    // by port: congested
}

// place is a port of a flow's route: route[flow][i].
type place struct{ flow, i int32 }

// New returns the scenario of the given flows and congested ports. It copies both. Every flow needs
// a port, and there are at most MaxFlows flows and congested ports. A congested port that no flow
// passes is allowed and pauses no queue.
func New(flows []Flow, congested []sluice.Hop) (*Scenario, error) {
	if len(flows) > MaxFlows {
		return nil, fmt.Errorf("hol: %d flows: at most %d", len(flows), MaxFlows)
	}
	if len(congested) > MaxFlows {
		return nil, fmt.Errorf("hol: %d congested ports: at most %d", len(congested), MaxFlows)
	}
	s := &Scenario{number: make(map[sluice.Hop]int32)}
	s.ports = slices.Clone(congested)
	for f, flow := range flows {
		if len(flow.Path) == 0 {
			return nil, fmt.Errorf("hol: flow %d: the path is empty", f)
		}
		s.flows = append(s.flows, Flow{ID: flow.ID, Path: slices.Clone(flow.Path)})
		s.ports = append(s.ports, flow.Path...)
	}
	slices.SortFunc(s.ports, compareHops)
	s.ports = slices.Compact(s.ports)
	for n, port := range s.ports {
		s.number[port] = int32(n)
	}
	s.root = make([]bool, len(s.ports))
	for _, port := range congested {
		s.root[s.number[port]] = true
	}
	s.route = make([][]int32, len(flows))
	s.through = make([][]place, len(s.ports))
	for f, flow := range s.flows {
		for i, hop := range flow.Path {
			port := s.number[hop]
			s.route[f] = append(s.route[f], port)
			s.through[port] = append(s.through[port], place{int32(f), int32(i)})
		}
	}
	return s, nil
}

// Flows returns how many flows there are.
func (s *Scenario) Flows() int { return len(s.flows) }

// Flow returns the f-th flow. Its path aliases the scenario's.
func (s *Scenario) Flow(f int) Flow { return s.flows[f] }

// Ports returns the ports that are congested or passed by a flow, in ascending order.
func (s *Scenario) Ports() []sluice.Hop { return slices.Clone(s.ports) }

// Congested returns the congested ports, Pyrrha's roots, in ascending order.
func (s *Scenario) Congested() []sluice.Hop {
	var roots []sluice.Hop
	for port, congested := range s.root {
		if congested {
			roots = append(roots, s.ports[port])
		}
	}
	return roots
}

// Through returns the flows that pass a port, in ascending order: N(Q(p)).
func (s *Scenario) Through(port sluice.Hop) []int {
	n, known := s.number[port]
	if !known {
		return nil
	}
	var flows []int
	for _, at := range s.through[n] {
		flows = append(flows, int(at.flow))
	}
	return slices.Compact(flows)
}

// PausedPorts returns the ports that the flows through a port pass before it, in ascending order:
// the potentially paused ports of Definition 4.
func (s *Scenario) PausedPorts(port sluice.Hop) []sluice.Hop {
	n, known := s.number[port]
	if !known {
		return nil
	}
	var paused []sluice.Hop
	for _, at := range s.through[n] {
		paused = append(paused, s.flows[at.flow].Path[:at.i]...)
	}
	slices.SortFunc(paused, compareHops)
	return slices.Compact(paused)
}

// ahead reports whether a port is on the rest of flow f's route, beyond its i-th port.
func (s *Scenario) ahead(f, i, port int32) bool {
	return slices.Contains(s.route[f][i+1:], port)
}

// rootsAhead returns the roots on the rest of flow f's route beyond its i-th port, each once,
// nearest first, and how many hops ahead they are. The port's own root is none of them: a port
// ignores a PAUSE for itself (sections IV-E and VII), so it never isolates for itself.
func (s *Scenario) rootsAhead(f, i int32) (roots []int32, hops []int) {
	own := s.route[f][i]
	for j, port := range s.route[f][i+1:] {
		if s.root[port] && port != own && !slices.Contains(roots, port) {
			roots = append(roots, port)
			hops = append(hops, j+1)
		}
	}
	return roots, hops
}

func compareHops(a, b sluice.Hop) int { return cmp.Compare(a.Key(), b.Key()) }
