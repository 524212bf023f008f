package bfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/testnet"
	"github.com/sluicefc/sluice/kit"
)

// network is switches and cards of this package, and sinks, with links between them.
type network struct{ *testnet.Network }

func newNetwork(t testing.TB, seed uint64) *network { return &network{testnet.New(t, seed)} }

// start gives a node its machine, of a configuration whose Ports lack UpstreamQueues only.
func (n *network) start(id sluice.SwitchID, c Config, upstream ...int) {
	c.Ports = nil
	for i, l := range n.Node(id).Links {
		port := PortConfig{Link: l.Link}
		if i < len(upstream) {
			port.UpstreamQueues = upstream[i]
		}
		c.Ports = append(c.Ports, port)
	}
	n.Start(id, func() kit.Machine { return kit.Wrap(mustNew(n, c)) })
}

// hostConfig is a card with the given number of queues, whose link the network fills in.
func hostConfig(queues int) Config {
	c := HostConfig(sluice.Link{})
	c.Queues = queues
	return c
}

// hop is a port of a node.
func hop(id sluice.SwitchID, port sluice.PortID) sluice.Hop {
	return sluice.Hop{Switch: id, Port: port}
}

// send starts a flow of packets of 1,000 bytes.
func (n *network) send(flow uint64, packets int, start sluice.Time, way ...sluice.Hop) {
	f := &testnet.Flow{
		Packet: sluice.Packet{Flow: flow, Size: 1000}, Count: packets, Start: start,
	}
	for _, hop := range way {
		f.Packet.Path.Append(hop)
		f.To = n.Node(hop.Switch).Links[hop.Port].Peer.ID
	}
	n.Send(f)
}

func (n *network) of(id sluice.SwitchID) *Switch { return switchOf(n.Node(id)) }

// switchOf returns the machine of a node, nil of a sink.
func switchOf(v *testnet.Node) *Switch {
	if v.Driver == nil {
		return nil
	}
	return kit.Unwrap(v.Machine()).(*Switch)
}

// audit asserts the invariants of every machine, and that nothing was reordered or misused.
func (n *network) audit() {
	n.Audit()
	for _, v := range n.Nodes {
		if s := switchOf(v); s != nil {
			require.Zero(n, s.Counters().Misuse)
			require.Zero(n, s.Counters().BadUpstreamQueue)
		}
	}
	require.Zero(n, n.Overtaken)
}

// orphans counts queues that are paused although the counter downstream is 0.
func (n *network) orphans() (orphans int) {
	for _, v := range n.Nodes {
		s := switchOf(v)
		if s == nil {
			continue
		}
		for i, l := range v.Links {
			for q := range sluice.QueueID(s.Queues()) {
				if !s.Port(sluice.PortID(i)).Sendable(q) && switchOf(l.Peer).Port(l.Port).Counter(q) == 0 {
					orphans++
				}
			}
		}
	}
	return orphans
}
