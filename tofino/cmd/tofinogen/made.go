package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/topo/byname"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// made is everything with which one switch is loaded, and from what it was made.
type made struct {
	options *options
	values  *params.Values
	graph   *topo.Graph
	network *hashpath.Network
	node    sluice.SwitchID
	ports   *portMap

	// Products of the protocol's generator.
	program   *ir.Program // without tables and controls, if the protocol needs none
	config    *ir.Config
	changes   []tofino.Change
	notes     []string // what is left out or assumed
	published []string // figures of the papers for comparison
	never     []neverHeld
	// after returns the entries that another state of the network needs; nil if none depends on it.
	after func(*hashpath.Snapshot) ([]ir.TableConfig, error)
}

func newMade(o *options) (*made, error) {
	m := &made{options: o}
	protocol, err := findProtocol(o.Protocol)
	if err != nil {
		return nil, err
	}
	registry, err := params.NewRegistry(parameters, byname.Definitions(), fabric.Definitions())
	if err != nil {
		return nil, err
	}
	if m.values, err = registry.Parse(append([]string{protocol.set}, o.Set...)...); err != nil {
		return nil, err
	}
	if err := m.build(); err != nil {
		return nil, err
	}
	if err := protocol.make(m); err != nil {
		return nil, err
	}
	if err := m.unread(registry, protocol.set); err != nil {
		return nil, err
	}
	if err := m.program.Validate(); err != nil {
		return nil, err
	}
	return m, m.config.Validate(m.program)
}

// parameters are the parameters of this command.
var parameters = []params.Definition{
	{Name: "tofino.classes", Kind: params.List, Default: "3+4", Choices: []string{"all"},
		Section: "tofino", Doc: "lossless classes of pfc"},
	{Name: "tofino.ipv6", Kind: params.Bool, Default: "off", Section: "tofino",
		Doc: "path tables for IPv6 instead of IPv4"},
	{Name: "tofino.hops", Kind: params.Int, Default: "", Min: "1", Max: strconv.Itoa(sluice.MaxHops),
		Section: "tofino", Doc: "hops that path tables follow; unset: as many as the farthest path has"},
	{Name: "tofino.stages", Kind: params.Int, Default: strconv.Itoa(chip.Stages), Min: "1",
		Section: "tofino", Doc: "stages that the longest chain of pyrrha's tables may take by " +
			"estimate; the chip has 20"},
	{Name: "tofino.failures", Kind: params.Bool, Default: "off", Section: "tofino",
		Doc: "path tables with room for what failing links bring, which -diff needs"},
}

// build makes the network, and finds the switch and its ports.
func (m *made) build() (err error) {
	if m.options.network != nil {
		name := m.options.topology
		m.graph, err = topo.Read(bytes.NewReader(m.options.network), name)
	} else {
		m.graph, err = byname.Build(m.values)
	}
	if err != nil {
		return err
	}
	if m.node, err = findSwitch(m.graph, m.options.Switch); err != nil {
		return err
	}
	if m.options.portTable == nil {
		if m.ports, err = defaultPorts(m.graph, m.node); err != nil {
			return fmt.Errorf("%w; give -ports, or other rates", err)
		}
	} else if m.ports, err = readPorts(m.options.portTable, m.options.ports, m.graph,
		m.node); err != nil {
		return err
	}
	for at, rate := range m.ports.rates {
		m.graph.Nodes[m.node].Ports[at].Link.Rate = rate
	}
	m.network, err = m.run().Forwarding()
	return err
}

// run is a run of the protocol over the network, whose machines are meant.
func (m *made) run() *fabric.Run {
	return &fabric.Run{
		Protocol: m.options.Protocol, Topology: m.graph, Values: m.values, Seed: m.options.Seed,
	}
}

// unread refuses parameters that were set and that change nothing of the files.
func (m *made) unread(registry *params.Registry, own string) error {
	for name := range m.values.Set() {
		if !m.values.WasRead(name) && !strings.Contains(","+own, ","+name+"=") {
			return fmt.Errorf("parameter %s has nothing to do with protocol %s on this network", name,
				m.options.Protocol)
		}
	}
	return nil
}

// tiers are the names of switches by their distance from the hosts: the first such is meant.
var tiers = map[string]topo.Tier{"edge": 1, "aggregation": 2, "spine": 2, "core": 3}

// findSwitch returns the switch of a number, or the first of a tier.
func findSwitch(g *topo.Graph, name string) (sluice.SwitchID, error) {
	if tier, known := tiers[name]; known {
		for id := range g.Nodes {
			if g.Nodes[id].Tier == tier {
				return sluice.SwitchID(id), nil
			}
		}
		return 0, fmt.Errorf("-switch %s: %s has no such switch", name, g.Name)
	}
	id, err := strconv.ParseUint(name, 10, 32)
	if err != nil || id >= uint64(len(g.Nodes)) || g.IsHost(sluice.SwitchID(id)) {
		return 0, fmt.Errorf("-switch %s: must be edge, aggregation, spine, core or the number of a "+
			"switch", name)
	}
	return sluice.SwitchID(id), nil
}

// changeList lists the changes of realising the configuration, equal changes in one line.
func (m *made) changeList() string {
	type alike struct {
		field, rule string
		from, to    any
	}
	counts := map[alike]int{}
	of := func(c tofino.Change) alike {
		return alike{elements.ReplaceAllString(c.Field, "[]"), c.Rule, c.From, c.To}
	}
	for _, c := range m.changes {
		counts[of(c)]++
	}
	var lines []string
	for _, c := range m.changes {
		like := of(c)
		count := counts[like]
		counts[like] = 0
		if count > 1 {
			c.Field += fmt.Sprintf(" and %d more", count-1)
		} else if count == 0 {
			continue // it was in the line of an earlier change
		}
		lines = append(lines, "  "+c.String())
	}
	return strings.Join(lines, "\n")
}

// elements are the numbers of elements in the name of a field.
var elements = regexp.MustCompile(`\[\d+\]`)
