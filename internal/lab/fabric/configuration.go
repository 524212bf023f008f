package fabric

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo/ways"
)

// Configuration returns the configuration that the run gives the flow control of a switch: a
// pfc.Config, bfc.Config, ofc.Config, portfc.Config or pyrrha.Config.
func (r *Run) Configuration(node sluice.SwitchID) (any, error) {
	protocol, err := Find(r.Protocol)
	if err != nil {
		return nil, err
	}
	switch f := protocol.build(r.plan(protocol, r.Forwarding)).(type) {
	case *pfcFleet:
		return f.configured(node)
	case *bfcFleet:
		return f.switchConfig(node), nil
	case *ofcFleet:
		return f.configOf(node), nil
	case *portfcFleet:
		return f.configOf(node), f.err
	case *pyrrhaFleet:
		return f.configOf(node), f.err
	}
	return nil, fmt.Errorf("%s: its configuration is not shown", r.Protocol)
}

// Forwarding returns the forwarding state that the run begins with.
func (r *Run) Forwarding() (*hashpath.Network, error) {
	hash, parameters := hashing(r.Values)
	var balance sim.Balance
	r.Values.Fill(balanceParameter(&balance))
	c := hashpath.Config{Hash: hash, Seed: r.Seed, HostHops: r.Values.IsSet("drain")}
	address := hashpath.HostAddress
	if balance.Kind == sim.PLB {
		address = byLabel(&c)
	}
	n, err := build(ways.Builder(r.Topology, address), c, r.Routes)
	return n, r.Values.Explain(err, parameters)
}
