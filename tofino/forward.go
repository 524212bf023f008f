package tofino

import (
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

// NewForwarding returns the program of a switch, programs/paths.p4, and what fills it. Packets are
// IPv4, or IPv6 where the configuration says so, in untagged Ethernet frames; ports are read of TCP
// and UDP behind a header without options or extensions and are 0 elsewhere.
//
// It refuses, with a [*sluice.ConfigError], a network whose switches hash with XXH64 or Toeplitz,
// or where the nodes that hash at one hop do not take the same bits of the same function. It
// follows every destination from the switch: for an edge switch of a fat-tree with k = 36, a
// quarter of a million pairs of node and destination.
func NewForwarding(config PathConfig) (*Forwarding, error) {
	paths, found, err := newPaths(config)
	if err != nil {
		return nil, err
	}
	var d defines
	d.set("IPV6", bit(config.IPv6))
	paths.define(&d)
	src, err := readProgram("paths", &d)
	if err != nil {
		return nil, err
	}
	tables, err := paths.bind(src, &d, found)
	if err != nil {
		return nil, err
	}
	d.settled(src.Program)
	return &Forwarding{src.Program, &ir.Config{Tables: tables}, paths}, nil
}
