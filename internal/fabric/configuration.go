package fabric

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
)

// Configuration returns the configuration that the run gives the flow control of a switch: a
// pfc.Config, bfc.Config, ofc.Config, portfc.Config or pyrrha.Config.
func (r *Run) Configuration(node sluice.SwitchID) (any, error) {
	protocol, err := Find(r.Protocol)
	if err != nil {
		return nil, err
	}
	classes := r.classes(protocol)
	paths := r.paths()
	fleet := protocol.build(&plan{graph: r.Topology, values: r.Values, seed: r.Seed,
		classes: classes.all(), apart: classes.apart(), detect: r.detector(), control: r.control(),
		protocol: protocol,
		levels: func() (map[sluice.Hop]int, error) {
			network, err := r.Forwarding()
			if err != nil {
				return nil, err
			}
			return r.levels(network, paths)
		}})
	switch f := fleet.(type) {
	case *pfcFleet:
		return f.config(node), nil
	case *bfcFleet:
		return f.switchConfig(node), nil
	case *ofcFleet:
		return f.config(node), nil
	case *portfcFleet:
		return f.config(node), f.err
	case *pyrrhaFleet:
		return f.switchConfig(node), f.err
	}
	return nil, fmt.Errorf("%s: its configuration is not shown", r.Protocol)
}

// Forwarding returns the forwarding state that the run begins with.
func (r *Run) Forwarding() (*hashpath.Network, error) {
	return forwarding(r.Topology, r.paths(), r.Routes...)
}

// paths returns how the run's switches choose paths.
func (r *Run) paths() hashpath.Config {
	return hashpath.Config{
		Hash: hashing(r.Values), Seed: r.Seed, HostHops: r.Values.IsSet("drain"),
	}
}
