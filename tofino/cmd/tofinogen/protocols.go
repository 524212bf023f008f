package main

import (
	"fmt"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/ir"
)

// protocol is something that a switch can be loaded with.
type protocol struct {
	name, doc string
	set       string // parameters by default
	make      func(*made) error
}

// hashes is a hash of the network's switches that the chip computes.
const hashes = "hash=crc32,hash.width=9"

var protocols = []protocol{
	{"paths", "path tables: which ports a packet will pass", hashes, makePaths},
	{"pfc", "priority flow control: tables of the traffic manager and the ports", hashes, makePFC},
}

func findProtocol(name string) (protocol, error) {
	for _, p := range protocols {
		if p.name == name {
			return p, nil
		}
	}
	return protocol{}, fmt.Errorf("-protocol %q: must be one of %s", name, protocolNames())
}

func protocolNames() string {
	var list []string
	for _, p := range protocols {
		list = append(list, p.name)
	}
	return strings.Join(list, ", ")
}

// makePaths makes the path tables and a program that forwards by them.
func makePaths(m *made) error {
	config := tofino.PathConfig{Network: m.network.Snapshot(), Switch: m.node, Ports: m.ports.ports,
		IPv6: m.values.Bool("tofino.ipv6"), Failures: m.values.Bool("tofino.failures")}
	if m.values.IsSet("tofino.hops") {
		config.Hops = int(m.values.Int("tofino.hops"))
	}
	forwarding, err := tofino.NewForwarding(config)
	if err != nil {
		return err
	}
	m.program, m.config = forwarding.Program, forwarding.Config
	if config.Failures {
		m.after = func(s *hashpath.Snapshot) ([]ir.TableConfig, error) { return forwarding.Paths.Update(s) }
	}
	m.published = []string{"Pyrrha, section V-A: path calculation 0.44 MB, which is 28 blocks, of an edge switch of a " +
		"fat-tree with k = 36"}
	return nil
}

// makePFC makes the entries of the traffic manager.
func makePFC(m *made) error {
	config, err := m.run().Configuration(m.node)
	if err != nil {
		return err
	}
	asked := config.(pfc.Config)
	asked.Classes = m.classes()
	asked.ReservedClasses = 0
	realised, changes, err := tofino.RealisePFC(asked)
	if err != nil {
		return err
	}
	made, err := tofino.NewPFC(tofino.PFCConfig{Machine: realised, Ports: m.ports.ports})
	if err != nil {
		return err
	}
	m.program, m.config, m.changes = &ir.Program{Name: "sluice_pfc"}, made.Config, changes
	for _, omitted := range made.Omitted {
		m.notes = append(m.notes, "left as the driver has it: "+omitted)
	}
	return nil
}

// classes returns the lossless classes of pfc.
func (m *made) classes() sluice.ClassSet {
	names, numbers := m.values.List("tofino.classes")
	if len(names) > 0 {
		return sluice.AllClasses
	}
	var set sluice.ClassSet
	for _, number := range numbers {
		set |= sluice.MakeClassSet(sluice.Class(min(number, sluice.Classes)))
	}
	if set == 0 {
		return sluice.NoClasses
	}
	return set
}
