package tofino

import "github.com/sluicefc/sluice/tofino/ir"

// Forwarding is a program that does nothing but find paths: packets leave by the port that the
// tables name, those for which they name none are dropped. It is what a program of one's own begins
// with: the numbers of the ports behind this switch are in the metadata.
type Forwarding struct {
	Program *ir.Program
	Config  *ir.Config
	Paths   *Paths
}

// Numbers of Ethernet and IP that the parser selects by.
const (
	etherTypeIPv4 = 0x0800
	etherTypeIPv6 = 0x86DD
	protocolTCP   = 6
	protocolUDP   = 17
	plainIPv4     = 0x45 // version 4, a header without options
)

// NewForwarding returns the program of a switch and what fills it. Packets are IPv4, or IPv6 where
// the configuration says so, in untagged Ethernet frames; ports are read of TCP and UDP behind a
// header without options or extensions and are 0 elsewhere. The fields of the configuration's Flow
// are the program's own: what the configuration says of them is ignored. Errors are those of
// [NewPaths].
func NewForwarding(config PathConfig) (*Forwarding, error) {
	p := &ir.Program{Name: "sluice_paths"}
	p.Parse[ir.Ingress], config.Flow = parseFlow(p, config.IPv6)
	paths, tables, err := NewPaths(config)
	if err != nil {
		return nil, err
	}
	p.Functions, p.Tables = paths.Functions, paths.Tables
	p.Metadata[ir.Ingress] = append(p.Metadata[ir.Ingress], paths.Metadata...)
	leave := &ir.Action{Name: "leave", Body: []ir.Statement{
		ir.Assign{To: ir.EgressSpec, Value: paths.Port}}}
	drop := &ir.Action{Name: "drop", Body: []ir.Statement{
		ir.Assign{To: ir.IngressDrop, Value: ir.Number(3, 1)}}}
	p.Actions = append(paths.Actions, leave, drop)
	known := ir.Compare{Op: ir.Equal, X: paths.HasPort, Y: ir.Number(1, 1)}
	p.Control[ir.Ingress] = append(paths.Steps, ir.If{Condition: known,
		Then: []ir.Step{ir.Do{Action: leave}}, Else: []ir.Step{ir.Do{Action: drop}}})
	return &Forwarding{p, &ir.Config{Tables: tables}, paths}, nil
}

// parseFlow adds the headers of a packet to a program, and returns where its parser begins and in
// which fields a packet says what it is.
func parseFlow(p *ir.Program, v6 bool) (*ir.State, FlowFields) {
	field := func(name string, bits int) *ir.Field { return &ir.Field{Name: name, Bits: bits} }
	kind := field("ether_type", 16)
	ethernet := &ir.Header{Name: "ethernet", Fields: []*ir.Field{field("dst_addr", 48),
		field("src_addr", 48), kind}}
	ports := &ir.Header{
		Name: "ports", Fields: []*ir.Field{field("src_port", 16), field("dst_port", 16)},
	}
	flow := FlowFields{SrcPort: ports.Fields[0], DstPort: ports.Fields[1]}
	transport := &ir.State{Name: "parse_ports", Extract: []*ir.Header{ports}}
	network, etherType := &ir.State{Name: "parse_ipv4"}, uint64(etherTypeIPv4)
	var ip *ir.Header
	if v6 {
		flow.Protocol, flow.FlowLabel = field("next_header", 8), field("flow_label", 20)
		flow.Src, flow.Dst = field("src_addr", 128), field("dst_addr", 128)
		ip = &ir.Header{Name: "ipv6", Fields: []*ir.Field{field("version", 4), field("traffic_class", 8),
			flow.FlowLabel, field("payload_length", 16), flow.Protocol, field("hop_limit", 8), flow.Src,
			flow.Dst}}
		network.Name, etherType = "parse_ipv6", etherTypeIPv6
		network.Select = flow.Protocol
		network.Cases = []ir.Case{sameAs(protocolTCP, 8, transport), sameAs(protocolUDP, 8, transport)}
	} else {
		first, fragment := field("version_ihl", 8), field("fragment", 16)
		flow.Protocol, flow.Src, flow.Dst = field(
			"protocol", 8,
		), field("src_addr", 32), field("dst_addr", 32)
		ip = &ir.Header{Name: "ipv4",
			Fields: []*ir.Field{first, field("tos", 8), field("total_length", 16),
				field("identification", 16), fragment, field("ttl", 8), flow.Protocol,
				field("checksum", 16), flow.Src, flow.Dst}}
		whole := &ir.State{Name: "parse_protocol", Select: flow.Protocol, Cases: []ir.Case{
			sameAs(protocolTCP, 8, transport), sameAs(protocolUDP, 8, transport)}}
		begins := &ir.State{Name: "parse_fragment", Select: fragment, Cases: []ir.Case{
			{Mask: ir.Uint(0x3FFF), Next: whole}}} // neither an offset nor more fragments
		network.Select, network.Cases = first, []ir.Case{sameAs(plainIPv4, 8, begins)}
	}
	network.Extract = []*ir.Header{ip}
	p.Headers = append(p.Headers, ethernet, ip, ports)
	return &ir.State{Name: "start", Extract: []*ir.Header{ethernet}, Select: kind,
		Cases: []ir.Case{sameAs(etherType, 16, network)}}, flow
}

// sameAs is the case that a value of so many bits is equal.
func sameAs(value uint64, bits int, next *ir.State) ir.Case {
	return ir.Case{Value: ir.Uint(value), Mask: ir.Mask(bits), Next: next}
}
