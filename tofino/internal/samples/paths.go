// Package samples makes programs for tests of what reads programs: the path tables of a fat-tree,
// and a program with something of everything that the representation can say.
package samples

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// field is a field of a header or of metadata.
func field(name string, bits int) *ir.Field { return &ir.Field{Name: name, Bits: bits} }

// ethernet is what every packet begins with.
func ethernet() *ir.Header {
	return &ir.Header{Name: "ethernet",
		Fields: []*ir.Field{field("destination", 48), field("source", 48),
			field("kind", 16)}}
}

// ip is an IPv4 header without options.
func ip() *ir.Header {
	return &ir.Header{Name: "ip", Fields: []*ir.Field{field("version", 8), field("service", 8),
		field("length", 16), field("number", 16), field("fragment", 16), field("hops", 8),
		field("protocol", 8), field("checksum", 16), field("src", 32), field("dst", 32)}}
}

// Paths returns the program that sends packets by the path tables of the first edge switch of a
// fat-tree of so many ports a switch, with CRC-32.
func Paths(k int) (*ir.Program, *ir.Config, error) {
	network, err := Network(k)
	if err != nil {
		return nil, nil, err
	}
	p, cfg, _, err := pathsOf(network.Snapshot(), k, false)
	return p, cfg, err
}

// Network returns a fat-tree.
func Network(k int) (*hashpath.Network, error) {
	g, err := topo.FatTree(topo.FatTreeConfig{K: k,
		Link: sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}})
	if err != nil {
		return nil, err
	}
	return fabric.Builder(g).Build(hashpath.Config{Hash: hashpath.Hash{
		Kind: hashpath.KindCRC32, Width: 9,
	},
		Seed: 7})
}

// FailingPaths is [Paths] of a network as it is at one moment, with room for failures, and what
// returns the configuration of the same program for another moment.
func FailingPaths(network *hashpath.Snapshot, k int) (*ir.Program, *ir.Config,
	func(*hashpath.Snapshot) (*ir.Config, error), error) {
	return pathsOf(network, k, true)
}

func pathsOf(network *hashpath.Snapshot, k int, failures bool) (*ir.Program, *ir.Config,
	func(*hashpath.Snapshot) (*ir.Config, error), error) {
	ports := make([]chip.DevPort, k)
	for at := range ports {
		port, err := chip.NewDevPort(at/32, 1+at%32/4, at%4*2)
		if err != nil {
			return nil, nil, nil, err
		}
		ports[at] = port
	}
	link, ipv4 := ethernet(), ip()
	transport := &ir.Header{
		Name: "transport", Fields: []*ir.Field{field("src_port", 16), field("dst_port", 16)},
	}
	c := tofino.PathConfig{Network: network, Switch: sluice.SwitchID(k * k * k / 4), Ports: ports,
		Flow: tofino.FlowFields{Src: ipv4.Fields[8], Dst: ipv4.Fields[9], SrcPort: transport.Fields[0],
			DstPort: transport.Fields[1], Protocol: ipv4.Fields[6]}}
	if failures {
		c.Failures, c.Hops = true, 7
	}
	paths, tables, err := tofino.NewPaths(c)
	if err != nil {
		return nil, nil, nil, err
	}
	parsePorts := &ir.State{Name: "transport", Extract: []*ir.Header{transport}}
	parseIP := &ir.State{Name: "ip", Extract: []*ir.Header{ipv4}, Default: parsePorts}
	start := &ir.State{Name: "ethernet", Extract: []*ir.Header{link}, Select: link.Fields[2],
		Refuse: true,
		Cases:  []ir.Case{{Value: ir.Uint(0x0800), Mask: ir.Mask(16), Next: parseIP}}}
	send := &ir.Action{
		Name: "send", Body: []ir.Statement{ir.Assign{To: ir.EgressSpec, Value: paths.Port}},
	}
	p := &ir.Program{Name: "paths", Headers: []*ir.Header{link, ipv4, transport},
		Functions: paths.Functions, Actions: append(paths.Actions, send), Tables: paths.Tables}
	p.Parse[ir.Ingress] = start
	p.Metadata[ir.Ingress] = paths.Metadata
	p.Control[ir.Ingress] = append(paths.Steps, ir.If{
		Condition: ir.Compare{X: paths.HasPort, Y: ir.Number(1, 1)},
		Then:      []ir.Step{ir.Do{Action: send}}})
	return p, &ir.Config{Tables: tables}, func(now *hashpath.Snapshot) (*ir.Config, error) {
		tables, err := paths.Update(now)
		return &ir.Config{Tables: tables}, err
	}, nil
}
