package samples

import (
	"net/netip"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/portfc"
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// routes send 10.N.0.0/16 by port N.
func routes(ports int) (list []tofino.Route) {
	for at := range ports {
		list = append(list, tofino.Route{Port: sluice.PortID(at),
			To: netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(at)}), 16)})
	}
	return list
}

// BFC returns the program of BFC for a switch of three ports, with depths from one source.
func BFC(depth tofino.DepthSource) (*ir.Program, *ir.Config, error) {
	made, err := tofino.NewBFC(tofino.BFCConfig{Routes: routes(3),
		Site: tofino.Site{Depth: depth, Ports: []chip.DevPort{136, 138, 140}}, Machine: bfc.Config{
			Ports:  []bfc.PortConfig{{Link: link}, {Link: link, UpstreamQueues: 100}, {Link: link}},
			Queues: 16, Index: bfc.LowBits, Assignment: bfc.LastFreed, Overflow: bfc.HashQueue,
			AssignPaused: true, Signalling: bfc.Transitions, QueuesPerFrame: 1,
		}})
	if err != nil {
		return nil, nil, err
	}
	return made.Program, made.Config, nil
}

// OFC returns the program of OFC for a switch of three ports, with q_out from one source.
func OFC(depth tofino.DepthSource) (*ir.Program, *ir.Config, error) {
	made, err := tofino.NewOFC(tofino.OFCConfig{Routes: routes(3),
		Site: tofino.Site{Depth: depth, Ports: []chip.DevPort{136, 138, 140}}, Machine: ofc.Config{
			Ports: []ofc.PortConfig{{Link: link}, {Link: link}, {Link: link}}, Flows: 64,
			MaxFlowsPerFrame: 1,
		}})
	if err != nil {
		return nil, nil, err
	}
	return made.Program, made.Config, nil
}

// PortFC returns the program of a switch of NDC(4,1), with the DDQ's length from one source.
func PortFC(depth tofino.DepthSource) (*ir.Program, *ir.Config, error) {
	far := sluice.Link{Rate: link.Rate, Delay: 10 * sluice.Microsecond}
	made, err := tofino.NewPortFC(tofino.PortFCConfig{
		Machine:   portfc.SwitchConfig(portfc.NDC{N: 4, K: 1}, 20, far),
		Site:      tofino.Site{Depth: depth, Ports: []chip.DevPort{8, 16, 24, 32}},
		Addresses: tofino.DigitLayout{Base: netip.MustParseAddr("10.0.0.0")},
	})
	if err != nil {
		return nil, nil, err
	}
	return made.Program, made.Config, nil
}

// Pyrrha returns the program of Pyrrha for a switch of a fat-tree of k ports a switch: the first of
// a tier, which is 0 for edges.
func Pyrrha(k, tier int, depth tofino.DepthSource) (*tofino.Pyrrha, error) {
	c, err := PyrrhaConfig(k, tier, depth)
	if err != nil {
		return nil, err
	}
	return tofino.NewPyrrha(c)
}

// PyrrhaConfig returns the configuration of the program that [Pyrrha] returns.
func PyrrhaConfig(k, tier int, depth tofino.DepthSource) (c tofino.PyrrhaConfig, err error) {
	network, err := Network(k)
	if err != nil {
		return c, err
	}
	snapshot := network.Snapshot()
	c.Network, c.Depth = snapshot, depth
	for at := range snapshot.Nodes {
		node := &snapshot.Nodes[at]
		if node.Forwards && !node.Host && node.Tier == tier {
			c.Machine.Switch = node.Name
			break
		}
	}
	for at := range k {
		port := pyrrha.PortConfig{Link: link, Role: pyrrha.Down}
		switch {
		case tier == 0 && at < k/2:
			port.Role = pyrrha.Host
		case tier < 2 && at >= k/2:
			port.Role = pyrrha.Up
		}
		c.Machine.Ports = append(c.Machine.Ports, port)
		c.Ports = append(c.Ports, chip.DevPort(1<<7|(1+at%8)<<3|at/8))
	}
	if k > 8 {
		c.Carving, c.Machine.IQs = tofino.PyrrhaCarving(c.Ports)
	}
	c.Machine, _, err = tofino.RealisePyrrha(c.Machine)
	return c, err
}

// PFC returns the entries of PFC for two ports in two pipes, and a program without anything.
func PFC() (*ir.Program, *ir.Config, error) {
	port := pfc.PortConfig{Link: link,
		Profile: pfc.Profile{Alpha: sluice.Ratio{Num: 1, Den: 4}, ResumeOffset: 18 * chip.CellBytes,
			Headroom: 300 * chip.CellBytes}}
	machine := pfc.Config{Ports: []pfc.PortConfig{port, port}, Buffer: 100_000 * chip.CellBytes,
		CellSize: chip.CellBytes, Classes: sluice.MakeClassSet(3)}
	made, err := tofino.NewPFC(tofino.PFCConfig{Machine: machine, Ports: []chip.DevPort{8, 136}})
	if err != nil {
		return nil, nil, err
	}
	return &ir.Program{Name: "sluice_pfc"}, made.Config, nil
}

// Protocols returns what makes the program of each protocol, by name.
func Protocols() map[string]func() (*ir.Program, *ir.Config, error) {
	made := map[string]func() (*ir.Program, *ir.Config, error){
		"pfc": PFC, "paths": func() (*ir.Program, *ir.Config, error) { return Paths(4) },
	}
	for name, program := range map[string]func(tofino.DepthSource) (*ir.Program, *ir.Config, error){
		"bfc": BFC, "ofc": OFC, "portfc": PortFC,
		"pyrrha": func(depth tofino.DepthSource) (*ir.Program, *ir.Config, error) {
			made, err := Pyrrha(4, 0, depth)
			if err != nil {
				return nil, nil, err
			}
			return made.Program, made.Config, nil
		},
	} {
		made[name] = func() (*ir.Program, *ir.Config, error) { return program(tofino.Notices) }
		made[name+"-ghost"] = func() (*ir.Program, *ir.Config, error) { return program(tofino.Ghost) }
	}
	return made
}
