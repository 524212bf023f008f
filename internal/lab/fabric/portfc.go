package fabric

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/portfc"
)

func portfcParameters(c *portfc.Config) []params.Field {
	check := func() error {
		one, some := *c, portfc.SwitchConfig(portfc.NDC{N: 2, K: 1}, 4, anyLink)
		one.Network, one.Switch, one.Ports = some.Network, some.Switch, some.Ports
		_, err := portfc.New(one)
		return err
	}
	return params.Checked(c, check,
		params.Bind("portfc.xoff", &c.XOff, "6",
			"X_off of the IHFQs of a switch port together, in one-way bandwidth-delay products"),
		params.Bind("portfc.xon", &c.XOn, "4",
			"X_on of the IHFQs, in one-way bandwidth-delay products"),
		params.Bind("portfc.direct-xoff", &c.DirectXOff, "",
			"X_off of the DDQ, in one-way bandwidth-delay products; unset: portfc.xoff"),
		params.Bind("portfc.direct-xon", &c.DirectXOn, "",
			"X_on of the DDQ, in one-way bandwidth-delay products; unset: portfc.xon"),
		params.Bind("portfc.relay", &c.RelayXOff, "0",
			"threshold of the relay queue of a node port, in one-way bandwidth-delay products; 0: no "+
				"threshold, as in the paper, but X_off for k above 1").Zero(sluice.Ratio{}),
		params.Bind("portfc.service", &c.RelayInTurn, "first",
			"service of relay queues: before a node's own packets, or in turn with them").
			Of("first", "turn"),
		params.Bind("portfc.refresh", &c.Refresh, "0",
			"period in which pauses are sent again; 0: never, as in the paper"),
		params.Bind("portfc.expiry", &c.Expiry, "",
			"time after which a pause that was not sent again is not obeyed any more; unset: four "+
				"refreshes"),
	)
}

type portfcFleet struct {
	*plan
	config   portfc.Config // what all nodes have in common
	network  portfc.NDC
	switches []*portfc.Switch
}

func buildPortFC(p *plan) (fleet, error) {
	network, err := NDCOf(p.graph)
	f := &portfcFleet{plan: p, network: network}
	p.fill(portfcParameters(&f.config))
	return f, err
}

// NDCOf returns the NDC that a graph is, as its devices are numbered by portfc and by topo.NDC. A
// graph that is no NDC is an error.
func NDCOf(g *topo.Graph) (portfc.NDC, error) {
	var t portfc.NDC
	if hosts := g.Hosts(); len(hosts) > 0 && len(g.Nodes[hosts[0]].Ports) > 0 {
		ports := g.Nodes[hosts[0]].Ports
		t = portfc.NDC{N: len(g.Nodes[ports[0].Peer].Ports), K: len(ports) - 1}
	}
	err := fmt.Errorf("portfc runs on NDC(n,k) only, topology=ndc; %s is none", g.Name)
	if t.Check() != nil || t.Devices() != len(g.Nodes) || !g.HostsForward {
		return t, err
	}
	for id := range g.Nodes {
		node := sluice.SwitchID(id)
		if len(g.Nodes[id].Ports) != t.Ports(node) {
			return t, err
		}
		for port, end := range g.Nodes[id].Ports {
			far, _ := t.Peer(sluice.Hop{Switch: node, Port: sluice.PortID(port)})
			if far != (sluice.Hop{Switch: end.Peer, Port: end.PeerPort}) {
				return t, err
			}
		}
	}
	return t, nil
}

func (f *portfcFleet) machine(node sluice.SwitchID) (kit.Machine, error) {
	return kit.WrapNew(kept(&f.switches, portfc.New, f.configOf(node)))
}

func (f *portfcFleet) configOf(node sluice.SwitchID) portfc.Config {
	c := f.config
	c.Network, c.Switch, c.MAC, c.HopClasses = f.network, node, MAC(node), f.network.K > 1
	c.High, c.Seed = f.apart|sluice.NoClasses, f.seed+uint64(node)
	c.Buffer, c.Quantum = f.buffer(node), f.packet()
	for _, end := range f.graph.Nodes[node].Ports {
		c.Ports = append(c.Ports, portfc.PortConfig{Link: end.Link})
	}
	return c
}

// report says how full queues became, the relay queue above all, for it has no bound, and what was
// lost.
func (f *portfcFleet) report(r *sim.Result) {
	nodes := min(f.network.Nodes(), len(f.switches))
	switches := summed(f.switches[nodes:])
	sum := summed(f.switches)
	r.Figure("bytes in the IHFQs of a switch port at once", int64(switches.IHFQPeak))
	r.Figure("bytes in the DDQ of a switch port at once", int64(switches.DDQPeak))
	r.Figure("bytes in the relay queue of a node port at once", int64(sum.RelayPeak))
	if sum.IHFQPauses+sum.DDQPauses == 0 {
		r.Note("portfc never paused: no detector reached X_off, %v one-way bandwidth-delay products",
			f.config.XOff)
	}
	if lost := sum.Dropped[sluice.BufferFull]; lost > 0 {
		r.Note("portfc lost %d packets: the buffer is less than what its detectors allow, see "+
			"portfc.Config.Headroom", lost)
	}
}
