package topo

import (
	"errors"
	"fmt"

	"github.com/sluicefc/sluice"
)

// Validate returns nil if the graph is a network, else an error that names the first node that
// breaks a rule. The rules: there is a host; hosts have exactly one port, which leads to a switch,
// or where they forward at least one, which may lead to a host; a node has at most MaxPorts ports,
// and both ends of a link name each other and agree on its rate and delay; rates are positive and
// delays not negative; every node can be reached from every other. Linear in nodes and links.
func (g *Graph) Validate() error {
	if err := g.check(); err != nil {
		return fmt.Errorf("topo: %w", err)
	}
	return nil
}

func (g *Graph) check() error {
	if len(g.Nodes) > MaxNodes {
		return fmt.Errorf("%d nodes, at most %d are supported", len(g.Nodes), MaxNodes)
	}
	hosts := 0
	for id := range g.Nodes {
		n := sluice.SwitchID(id)
		if err := g.validateNode(n); err != nil {
			return fmt.Errorf("%s %d: %w", g.kind(n), id, err)
		}
		if g.IsHost(n) {
			hosts++
		}
	}
	if hosts == 0 {
		return errors.New("there is no host")
	}
	for id, distance := range g.Distances(0) {
		if distance < 0 {
			return fmt.Errorf("%s %d cannot be reached from node 0", g.kind(sluice.SwitchID(id)), id)
		}
	}
	return nil
}

func (g *Graph) validateNode(n sluice.SwitchID) error {
	node := &g.Nodes[n]
	switch {
	case len(node.Ports) > MaxPorts:
		return fmt.Errorf("%d ports, at most %d are supported", len(node.Ports), MaxPorts)
	case node.Tier < 0:
		return fmt.Errorf("tier %d is negative", node.Tier)
	case node.Tier == 0 && len(node.Ports) == 0:
		return errors.New("0 ports, a host has at least 1")
	case node.Tier == 0 && len(node.Ports) > 1 && !g.HostsForward:
		return fmt.Errorf("%d ports, a host that does not forward has 1", len(node.Ports))
	}
	for i, p := range node.Ports {
		if err := g.validatePort(n, sluice.PortID(i), p); err != nil {
			return fmt.Errorf("port %d: %w", i, err)
		}
	}
	return nil
}

func (g *Graph) validatePort(n sluice.SwitchID, at sluice.PortID, p Port) error {
	if int(p.Peer) >= len(g.Nodes) || int(p.PeerPort) >= len(g.Nodes[p.Peer].Ports) {
		return fmt.Errorf("leads to %d:%d, which is not there", p.Peer, p.PeerPort)
	}
	back := g.Nodes[p.Peer].Ports[p.PeerPort]
	switch {
	case p.Peer == n:
		return errors.New("leads back to its own node")
	case back.Peer != n || back.PeerPort != at:
		return fmt.Errorf("leads to %d:%d, which leads elsewhere", p.Peer, p.PeerPort)
	case back.Link != p.Link:
		return fmt.Errorf(
			"its end has %v %v, the other end %v %v", p.Link.Rate, p.Link.Delay, back.Link.Rate,
			back.Link.Delay,
		)
	case g.IsHost(n) && g.IsHost(p.Peer) && !g.HostsForward:
		return fmt.Errorf("leads to host %d, not to a switch", p.Peer)
	}
	if rule := linkRule(p.Link); rule != "" {
		return fmt.Errorf("link of %v, %v: %s", p.Link.Rate, p.Link.Delay, rule)
	}
	return nil
}

func (g *Graph) kind(n sluice.SwitchID) string {
	if g.IsHost(n) {
		return "host"
	}
	return "switch"
}

func linkRule(l sluice.Link) string {
	switch {
	case l.Rate <= 0:
		return "the rate must be positive"
	case l.Delay < 0:
		return "the delay must not be negative"
	case l.Delay > maxDelay:
		return "the delay must be at most " + maxDelay.String()
	}
	return ""
}

// maxDelay keeps sums of delays along any path in range.
const maxDelay = sluice.Second
