package tofino_test

import (
	"encoding/binary"
	"fmt"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// finder runs the path tables of one switch: a packet comes in with a flow and leaves with the
// numbers of the ports that it will pass.
type finder struct {
	paths   *tofino.Paths
	machine *ir.Machine
	config  *ir.Config
	numbers []map[int]sluice.Hop
	is6     bool
	first   sluice.SwitchID
}

func field(name string, bits int) *ir.Field { return &ir.Field{Name: name, Bits: bits} }

// newFinder makes the program of paths, and has it put a header with the numbers in front of each
// packet.
func newFinder(t require.TestingT, network *hashpath.Snapshot, at sluice.SwitchID,
	change func(*tofino.PathConfig)) *finder {
	c := tofino.PathConfig{Network: network, Switch: at}
	for port := range 72 {
		c.Ports = append(c.Ports, chip.DevPort(port+128)) // all of them in pipe 1
	}
	if change != nil {
		change(&c)
	}
	made, err := tofino.NewForwarding(c)
	require.NoError(t, err)
	p, paths := made.Program, made.Paths
	out := &ir.Header{Name: "found"}
	body := []ir.Statement{ir.SetValid{Header: out, Valid: true}}
	show := func(number, has *ir.Field) {
		to := field(fmt.Sprintf("number%d", len(out.Fields)), 32)
		out.Fields = append(out.Fields, to)
		body = append(
			body, ir.Assign{To: to, Value: ir.Concat{has, ir.Number(31-number.Bits, 0), number}},
		)
	}
	show(paths.Port, paths.HasPort)
	for _, root := range paths.Roots {
		show(root.Number, root.Has)
	}
	report := &ir.Action{Name: "report", Body: body}
	p.Headers, p.Actions = append([]*ir.Header{out}, p.Headers...), append(p.Actions, report)
	p.Control[ir.Ingress] = append(p.Control[ir.Ingress], ir.Do{Action: report})
	m, err := ir.NewMachine(p)
	require.NoError(t, err)
	f := &finder{paths: paths, machine: m, config: made.Config, is6: c.IPv6, first: at}
	require.NoError(t, m.Load(f.config))
	f.name(network)
	return f
}

// name finds the port of each number.
func (f *finder) name(network *hashpath.Snapshot) {
	f.numbers = make([]map[int]sluice.Hop, sluice.MaxHops+1)
	for at := range f.numbers {
		f.numbers[at] = map[int]sluice.Hop{}
	}
	note := func(hop sluice.Hop) {
		for at := range f.numbers {
			if number, known := f.paths.Root(at, hop); known {
				f.numbers[at][number] = hop
			}
		}
	}
	for i := range network.Nodes {
		for _, link := range network.Nodes[i].Links {
			note(sluice.Hop{Switch: network.Nodes[i].Name, Port: link.Port})
		}
	}
	for _, d := range network.Destinations {
		for _, exit := range d.Exits {
			note(sluice.Hop{Switch: network.Nodes[d.Node].Name, Port: exit.Port})
		}
	}
}

// path runs a packet through the tables and returns the ports that they name.
func (f *finder) path(ingress sluice.PortID, flow *hashpath.Flow) []sluice.Hop {
	frame := ipv4Frame
	if f.is6 {
		frame = ipv6Frame
	}
	copies := f.machine.Receive(0, chip.DevPort(128+int(ingress)), frame(flow)).Copies
	if len(copies) == 0 {
		return nil
	}
	found := copies[0].Octets
	var hops []sluice.Hop
	for at := range len(f.paths.Roots) + 1 {
		word := binary.BigEndian.Uint32(found[at*4:])
		if word>>31 == 0 {
			break
		}
		number := int(word & 0x7FFFFFFF)
		if at == 0 {
			hops = append(hops, sluice.Hop{Switch: f.first, Port: sluice.PortID(number - 128)})
			continue
		}
		hop, known := f.numbers[at][number]
		if !known {
			hop = sluice.Hop{Switch: 1<<32 - 1, Port: sluice.PortID(number)}
		}
		hops = append(hops, hop)
	}
	return hops
}

// agree compares the tables with the network for one flow.
func (f *finder) agree(
	t require.TestingT, net *hashpath.Network, ingress sluice.PortID, flow *hashpath.Flow,
) {
	want, status := net.Path(f.first, ingress, flow)
	got := f.path(ingress, flow)
	if len(want.Hops())+len(got) > 0 {
		require.Equal(t, want.Hops(), got, "from %v by %d, %v: %v", f.first, ingress, flow, status)
	}
}
