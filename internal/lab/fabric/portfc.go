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

var portfcParameters = []params.Definition{
	{Name: "portfc.xoff", Kind: params.Rational, Default: "6", Max: "1024", Section: "portfc",
		Doc: "X_off of the IHFQs of a switch port together, in one-way bandwidth-delay products"},
	{Name: "portfc.xon", Kind: params.Rational, Default: "4", Max: "1024", Section: "portfc",
		Doc: "X_on of the IHFQs, in the same"},
	{Name: "portfc.direct-xoff", Kind: params.Rational, Default: "", Max: "1024", Section: "portfc",
		Doc: "X_off of the DDQ, in the same; unset: portfc.xoff"},
	{Name: "portfc.direct-xon", Kind: params.Rational, Default: "", Max: "1024", Section: "portfc",
		Doc: "X_on of the DDQ, in the same; unset: portfc.xon"},
	{Name: "portfc.relay", Kind: params.Rational, Default: "0", Max: "1024", Section: "portfc",
		Doc: "threshold of the relay queue of a node port, in the same; 0: none, as in the paper, but " +
			"X_off for k above 1"},
	{Name: "portfc.service", Kind: params.Choice, Default: "first", Choices: []string{"first", "turn"},
		Section: "portfc",
		Doc:     "service of relay queues: before a node's own packets, or in turn with them"},
	{Name: "portfc.refresh", Kind: params.Time, Default: "0", Max: "1s", Section: "portfc",
		Doc: "period in which pauses are sent again; 0: never, as in the paper"},
	{Name: "portfc.expiry", Kind: params.Time, Default: "", Max: "4s", Section: "portfc",
		Doc: "time after which a pause that was not sent again is not obeyed any more; unset: four " +
			"refreshes"},
}

// portfcFleet is a network of portfc nodes and switches.
type portfcFleet struct {
	*plan
	network  portfc.NDC
	err      error // the network is none of its kind
	switches []*portfc.Switch
}

func buildPortFC(p *plan) fleet {
	f := &portfcFleet{plan: p}
	f.network, f.err = NDCOf(p.graph)
	return f
}

// NDCOf returns the NDC that a graph is, as its devices are numbered by portfc and by topo.NDC; an
// error if it is none.
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
	if f.err != nil {
		return nil, f.err
	}
	s, err := portfc.New(f.config(node))
	if err != nil {
		return nil, err
	}
	f.switches = append(f.switches, s)
	return kit.Wrap(s), nil
}

func (f *portfcFleet) config(node sluice.SwitchID) portfc.Config {
	v := f.values
	c := portfc.Config{
		Network: f.network, Switch: node, MAC: MAC(node), HopClasses: f.network.K > 1,
		High: f.apart | sluice.NoClasses, Seed: f.seed + uint64(node),
		XOff: ratio(v, "portfc.xoff"), XOn: ratio(v, "portfc.xon"),
		RelayInTurn: v.String("portfc.service") == "turn",
		Buffer:      f.buffer(node), Quantum: f.packet(), Refresh: v.Time("portfc.refresh"),
		Expiry: v.Time("portfc.expiry"),
	}
	if v.IsSet("portfc.direct-xoff") {
		c.DirectXOff = ratio(v, "portfc.direct-xoff")
	}
	if v.IsSet("portfc.direct-xon") {
		c.DirectXOn = ratio(v, "portfc.direct-xon")
	}
	if relay := ratio(v, "portfc.relay"); relay.Num > 0 {
		c.RelayXOff = relay
	}
	for _, end := range f.graph.Nodes[node].Ports {
		c.Ports = append(c.Ports, portfc.PortConfig{Link: end.Link})
	}
	return c
}

// report says how full queues became, the relay queue above all, for it has no bound, and what was
// lost.
func (f *portfcFleet) report(r *sim.Result) {
	var peaks portfc.Peaks
	var pauses, lost uint64
	for i, s := range f.switches {
		c := s.Counters()
		pauses += c.IHFQPauses + c.DDQPauses
		lost += c.Dropped[sluice.BufferFull]
		peaks.RelayPeak = max(peaks.RelayPeak, c.RelayPeak)
		if !f.network.IsNode(sluice.SwitchID(i)) {
			peaks.IHFQPeak = max(peaks.IHFQPeak, c.IHFQPeak)
			peaks.DDQPeak = max(peaks.DDQPeak, c.DDQPeak)
		}
	}
	r.Figure("bytes in the IHFQs of a switch port at once", int64(peaks.IHFQPeak))
	r.Figure("bytes in the DDQ of a switch port at once", int64(peaks.DDQPeak))
	r.Figure("bytes in the relay queue of a node port at once", int64(peaks.RelayPeak))
	if pauses == 0 {
		r.Note("portfc never paused: no detector reached X_off, %v one-way bandwidth-delay products",
			ratio(f.values, "portfc.xoff"))
	}
	if lost > 0 {
		r.Note(
			"portfc lost %d packets: the buffer is less than what its detectors allow, see "+
				"portfc.Config.Headroom",
			lost,
		)
	}
}
