// Package samples makes programs for tests of the packages that read programs: the path tables of a
// fat-tree, the programs of the protocols, and a program with something of everything that the
// representation can say.
package samples

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/topo/ways"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

var link = sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}

// Network returns a fat-tree whose switches have k ports and hash by CRC-32.
func Network(k int) (*hashpath.Network, error) {
	g, err := topo.FatTree(topo.FatTreeConfig{K: k, Link: link})
	if err != nil {
		return nil, err
	}
	return ways.Builder(g, hashpath.HostAddress).Build(hashpath.Config{Seed: 7,
		Hash: hashpath.Hash{Kind: hashpath.KindCRC32, Width: 9}})
}

// Paths returns the program that sends packets by the path tables of the first edge switch of a
// fat-tree.
func Paths(k int) (*ir.Program, *ir.Config, error) {
	network, err := Network(k)
	if err != nil {
		return nil, nil, err
	}
	made, err := forwarding(tofino.PathConfig{Network: network.Snapshot()}, k)
	if err != nil {
		return nil, nil, err
	}
	return made.Program, made.Config, nil
}

// FailingPaths is [Paths] of a network as it is at one moment, with room for failures, and what
// returns the configuration of the same program for another moment.
func FailingPaths(network *hashpath.Snapshot, k int) (*ir.Program, *ir.Config,
	func(*hashpath.Snapshot) (*ir.Config, error), error) {
	made, err := forwarding(tofino.PathConfig{Network: network, Failures: true, Hops: 7}, k)
	if err != nil {
		return nil, nil, nil, err
	}
	return made.Program, made.Config, func(now *hashpath.Snapshot) (*ir.Config, error) {
		tables, err := made.Paths.Update(now)
		return &ir.Config{Tables: tables}, err
	}, nil
}

func forwarding(c tofino.PathConfig, k int) (*tofino.Forwarding, error) {
	c.Switch = sluice.SwitchID(k * k * k / 4)
	for at := range k {
		c.Ports = append(c.Ports, chip.DevPort(at/32<<7|(1+at%32/4)<<3|at%4*2))
	}
	return tofino.NewForwarding(c)
}
