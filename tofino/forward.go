package tofino

import (
	"github.com/sluicefc/sluice/tofino/internal/lang"
	"github.com/sluicefc/sluice/tofino/ir"
)

// Forwarding is a program that does nothing but find paths: packets leave by the port that the
// tables name, and packets for which the tables name none are dropped. A program of one's own
// begins with it: the numbers of the ports behind this switch are in the metadata.
type Forwarding struct {
	Program *ir.Program
	Config  *ir.Config
	Paths   *Paths
}

// NewForwarding returns the program of a switch and what fills it. Packets are IPv4, or IPv6 where
// the configuration says so, in untagged Ethernet frames; ports are read of TCP and UDP behind a
// header without options or extensions and are 0 elsewhere. The fields of the configuration's Flow
// are the program's own: what the configuration says of them is ignored. Errors are [NewPaths]'s.
func NewForwarding(config PathConfig) (*Forwarding, error) {
	p := &ir.Program{Name: "sluice_paths"}
	src := lang.New(p, map[string]int{"ipv6": bit(config.IPv6)})
	if err := readText(src, "flow"); err != nil {
		return nil, err
	}
	ip, protocol := "ipv4.", "ipv4.protocol"
	config.Flow = FlowFields{SrcPort: src.Field("ports.src_port"),
		DstPort: src.Field("ports.dst_port")}
	if config.IPv6 {
		ip, protocol = "ipv6.", "ipv6.next_header"
		config.Flow.FlowLabel = src.Field("ipv6.flow_label")
	}
	config.Flow.Src, config.Flow.Dst = src.Field(ip+"src_addr"), src.Field(ip+"dst_addr")
	config.Flow.Protocol = src.Field(protocol)
	paths, tables, err := NewPaths(config)
	if err != nil {
		return nil, err
	}
	paths.joins(src)
	return &Forwarding{p, &ir.Config{Tables: tables}, paths}, readText(src, "forward")
}

// joins adds the tables to a program, whose text puts their steps somewhere.
func (p *Paths) joins(src *lang.Source) {
	to := src.Program
	to.Functions, to.Actions, to.Tables = p.Functions, p.Actions, p.Tables
	to.Metadata[ir.Ingress], src.Steps["paths"] = p.Metadata, p.Steps
}
