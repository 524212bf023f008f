package tofino

import (
	"cmp"
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// PathConfig says for which network and for which switch path tables are made.
type PathConfig struct {
	// Network is the forwarding state of the network.
	Network *hashpath.Snapshot
	// Switch is the switch that is to know the paths.
	Switch sluice.SwitchID
	// Ports are the chip's ports, by the number that they have in the network.
	Ports []chip.DevPort
	// IPv6 makes tables for addresses of 128 bits instead of 32.
	IPv6 bool
	// Hops is how many hops the program follows a path, this switch included: 1 to
	// [sluice.MaxHops]. Zero means as many as the farthest path has now.
	Hops int
	// Failures leaves room for what [Paths.Update] may bring: any node at any hop, entries for single
	// destinations of several blocks, more entries, more groups.
	Failures bool
}

// Paths are the path tables of one switch in a program: where the program finds the path of a
// packet.
type Paths struct {
	// Port is the chip's port by which the packet leaves, known where HasPort is 1.
	Port, HasPort *ir.Field
	// Roots are the numbers of the ports that the packet passes behind this switch, hop 1 first.
	Roots []RootFields

	config   PathConfig
	node     int // of the switch in the snapshot
	snapshot *hashpath.Snapshot
	parts    destinationParts
	shared   common
	hops     []*hop
	hosts    map[hostPort]lastHop
	entries  entryRoom
}

// RootFields are where a program finds the port of one hop: its number, and whether there is one. A
// path that ends earlier has none.
type RootFields struct {
	Number, Has *ir.Field
}

// newPaths finds what the tables of a switch have to say, and the ways of packets, with which
// [Paths.bind] fills them. Errors are [NewForwarding]'s.
func newPaths(config PathConfig) (*Paths, *reach, error) {
	p := &Paths{config: config, node: -1, hosts: map[hostPort]lastHop{}}
	if err := p.check(); err != nil {
		return nil, nil, err
	}
	most := cmp.Or(config.Hops, sluice.MaxHops)
	r, ends := search(config.Network, p.node, most)
	if !ends {
		return nil, nil, refused("Hops", most, "some paths are longer")
	}
	for range max(len(r.hops), config.Hops) {
		p.hops = append(p.hops, newHop(len(p.hops)))
	}
	if err := p.number(r); err != nil {
		return nil, nil, err
	}
	if err := p.shape(); err != nil {
		return nil, nil, err
	}
	return p, r, nil
}

// Update returns the entries for another state of the same network: the To of a difference that
// begins with the snapshot before, so that its numbers stay. [ir.Diff] says which entries change.
// Update returns a [*sluice.ConfigError] if the program has no room for the new state: make the
// program with [PathConfig.Failures], or more [PathConfig.Hops].
func (p *Paths) Update(s *hashpath.Snapshot) ([]ir.TableConfig, error) {
	r, ends := search(s, p.node, len(p.hops))
	if !ends {
		return nil, refused("Hops", len(p.hops), "some paths are longer now")
	}
	p.snapshot = s
	if err := p.number(r); err != nil {
		return nil, err
	}
	if err := p.fits(); err != nil {
		return nil, err
	}
	tables, err := p.fill(r)
	if err != nil {
		return nil, err
	}
	for _, filled := range tables {
		if len(filled.Entries) > filled.Table.Size {
			return nil, refused("Network", len(filled.Entries), "must need no more entries than table "+
				filled.Table.Name+" has room for")
		}
	}
	return tables, nil
}

// room returns the size of a table from its entries now.
func (p *Paths) room(entries int) int {
	if p.config.Failures {
		return 2*entries + 64
	}
	return max(entries, 1)
}

// Root returns the number that a port has at a hop, 1 or more, or false if no packet passes it
// there.
func (p *Paths) Root(at int, port sluice.Hop) (int, bool) {
	if at < 1 || at >= len(p.hops) {
		return 0, false
	}
	number, known := p.hops[at].roots[port]
	return number, known
}

// Numbers returns how many numbers the ports at a hop have: a register of as many elements has
// one for each.
func (p *Paths) Numbers(at int) int {
	if at < 1 || at >= len(p.hops) {
		return 0
	}
	return p.hops[at].numbers
}

// check refuses a configuration for which no tables can be made.
func (p *Paths) check() error {
	c := &p.config
	if c.Network == nil {
		return refused("Network", nil, "must be a snapshot")
	}
	p.snapshot = c.Network
	for at := range c.Network.Nodes {
		if node := &c.Network.Nodes[at]; node.Forwards && node.Name == c.Switch {
			p.node = at
		}
	}
	if p.node < 0 {
		return refused("Switch", c.Switch, "must be a node of the network that forwards")
	}
	if c.Hops < 0 || c.Hops > sluice.MaxHops {
		return refused("Hops", c.Hops, fmt.Sprintf("must be 0 to %d", sluice.MaxHops))
	}
	for at, port := range c.Ports {
		if _, err := chip.ParseDevPort(int(port)); err != nil {
			return refused(fmt.Sprintf("Ports[%d]", at), uint16(port), err.Error())
		}
	}
	for at := range p.snapshot.Nodes[p.node].Links {
		port := int(p.snapshot.Nodes[p.node].Links[at].Port)
		if port >= len(c.Ports) {
			return refused("Ports", len(c.Ports), fmt.Sprintf("must name port %d of the switch", port))
		}
	}
	return nil
}

func refused(field string, value any, rule string) error {
	return &sluice.ConfigError{
		Package: "tofino", Type: "Config", Field: field, Value: value, Rule: rule,
	}
}
