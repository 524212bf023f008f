package tofino

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/tofino/ir"
)

// hop is one copy of the tables: its numbers, its fields and its tables.
type hop struct {
	at      int
	nodes   numbering[int]
	classes numbering[class]
	groups  numbering[int]
	numbers int                // of roots
	roots   map[sluice.Hop]int // number of each
	classAt []int              // by node, the number of its class, of arriving where no packet passes
	routes  []route            // by class and block
	details []detail           // by class, block and offset

	passes   bool // packets go on from here; else all that come have arrived
	hashes   bool
	function int // of the nodes that hash here
	hash     hashpath.Hash
	digests  bool // the first hop that uses its hash function
	ingress  bool // hop 0 hashes the port by which the packet came
	value    int  // bits of the value that chooses a member
	detailed bool // some block does not go one way
	blocks   bool // details are of several blocks of a class
	grouped  bool // some details go by a group

	limits limits
	tables hopTables
}

// class stands for nodes that forward alike: nodes with one replica. A node at which packets may
// also arrive at this hop has a class of its own: what its replica says of itself means nothing.
type class struct{ replica, own int }

// arriving is the class of nodes at which packets only arrive: number 0, for which no table has an
// entry.
var arriving = class{-1, -1}

// limits are how many numbers the widths of a hop have room for.
type limits struct{ nodes, classes, groups, numbers int }

func newHop(at int) *hop {
	h := &hop{at: at, roots: map[sluice.Hop]int{}}
	h.classes.number(arriving)
	return h
}

// hostPort is a port by which packets leave the network.
type hostPort struct {
	destination int
	port        sluice.PortID
}

// lastHop is the number that a host's port has at every hop at which packets arrive for it.
type lastHop struct {
	number int
	hops   uint16 // set of hops
}

// number gives numbers to the nodes, classes, groups and ports of each hop that have none, and
// plans what the hop's tables hold.
func (p *Paths) number(r *reach) error {
	p.numberHosts(r)
	order := p.byBlock()
	for at, h := range p.hops {
		var here reached
		if at < len(r.hops) {
			here = r.hops[at]
			if err := p.numberHop(h, &here); err != nil {
				return err
			}
		}
		h.routes, h.details = p.plan(h, &here, order)
	}
	return nil
}

// numberHop numbers nodes, classes, groups and links' ports of one hop. Classes and groups that are
// gone leave their numbers to others.
func (p *Paths) numberHop(h *hop, r *reached) error {
	nodes, groups, err := p.passing(h, r)
	if err != nil {
		return err
	}
	owns := r.owns()
	classes, used := map[class]bool{arriving: true}, map[int]bool{}
	for _, node := range nodes {
		classes[h.classOf(p.snapshot, node, owns)] = true
	}
	for _, group := range groups {
		used[group] = true
	}
	h.classes.keep(classes)
	h.groups.keep(used)
	h.classAt = make([]int, len(p.snapshot.Nodes))
	for _, node := range nodes {
		h.nodes.number(node)
		h.classAt[node] = h.classes.number(h.classOf(p.snapshot, node, owns))
	}
	for _, group := range groups {
		h.groups.number(group)
	}
	for _, step := range r.next {
		p.root(h, step)
	}
	return nil
}

// passing returns the nodes through which packets pass at a hop and the groups that choose their
// links, each once and in the order in which it is met.
func (p *Paths) passing(h *hop, r *reached) (nodes, groups []int, err error) {
	h.passes = h.passes || len(r.transits) > 0
	met, hash := newMarks(len(p.snapshot.Nodes)), newMarks(len(p.snapshot.Nodes))
	used := newMarks(len(p.snapshot.Groups))
	for _, t := range r.transits {
		if met.first(t.node) {
			nodes = append(nodes, t.node)
		}
		e := p.entry(t)
		if e.Kind != hashpath.ToGroup {
			continue
		}
		if used.first(e.Index) {
			groups = append(groups, e.Index)
		}
		if hash.first(t.node) {
			if err := p.hashing(h, t.node); err != nil {
				return nil, nil, err
			}
		}
	}
	return nodes, groups, nil
}

// classOf returns the class of a node through which packets pass at a hop where packets arrive at
// the nodes of owns.
func (h *hop) classOf(s *hashpath.Snapshot, node int, owns map[int]bool) class {
	x := &s.Nodes[node]
	if owns[node] && h.at > 0 {
		return class{x.Replica, x.Destination}
	}
	return class{x.Replica, -1}
}

// entry returns where a node sends packets for a destination.
func (p *Paths) entry(t transit) hashpath.Entry {
	return p.snapshot.Replicas[p.snapshot.Nodes[t.node].Replica][t.destination]
}

// root gives the port of a link its number. At hop 0 it is the chip's own.
func (p *Paths) root(h *hop, step leap) {
	node := &p.snapshot.Nodes[step.node]
	port := sluice.Hop{Switch: node.Name, Port: node.Links[step.link].Port}
	if _, known := h.roots[port]; !known {
		h.roots[port] = h.numbers
		h.numbers++
	}
}

// numberHosts gives hosts' ports their numbers: one number at all hops at which packets arrive
// for it, so that the entry of the address can name it.
func (p *Paths) numberHosts(r *reach) {
	hops := make([]uint16, len(p.snapshot.Destinations))
	for at, reached := range r.hops {
		for _, t := range reached.arrivals {
			hops[t.destination] |= 1 << at
		}
	}
	for destination := range p.snapshot.Destinations {
		d := &p.snapshot.Destinations[destination]
		behind := hops[destination] &^ 1
		if behind == 0 {
			continue
		}
		for _, exit := range d.Exits {
			key := hostPort{destination, exit.Port}
			known, is := p.hosts[key]
			if is && known.hops&behind == behind {
				continue
			}
			port := sluice.Hop{Switch: p.snapshot.Nodes[d.Node].Name, Port: exit.Port}
			hops := known.hops | behind
			p.hosts[key] = lastHop{p.commonNumber(hops, port), hops}
		}
	}
}

// commonNumber returns the least number from which on no port has a number at any of the hops, and
// gives it to a port at all of the hops.
func (p *Paths) commonNumber(hops uint16, port sluice.Hop) int {
	number := 0
	for set := hops; set != 0; set &= set - 1 {
		number = max(number, p.hops[bits.TrailingZeros16(set)].numbers)
	}
	for set := hops; set != 0; set &= set - 1 {
		h := p.hops[bits.TrailingZeros16(set)]
		h.numbers, h.roots[port] = number+1, number
	}
	return number
}

// hashing notes that a node hashes at a hop, or refuses it.
func (p *Paths) hashing(h *hop, node int) error {
	x := &p.snapshot.Nodes[node]
	if !h.hashes {
		if _, err := function(x.Hash, x.Function); err != nil {
			return err
		}
		h.hashes, h.function, h.hash = true, x.Function, x.Hash
		h.ingress = h.at == 0 && slices.Contains(x.Hash.Fields, hashpath.FieldIngressPort)
		return nil
	}
	same := h.function == x.Function && h.hash.Offset == x.Hash.Offset && h.hash.Width == x.Hash.Width
	if !same {
		return refused(fmt.Sprintf("Network.Nodes[%d].Hash", node), x.Name,
			fmt.Sprintf("must take the bits and the function that others take at hop %d", h.at))
	}
	return nil
}

// digest returns the hash function of the hop's nodes, which hashing tried.
func (h *hop) digest() *ir.HashFunction {
	f, _ := function(h.hash, h.function)
	return f
}

// function returns the chip's hash function without a seed, under which a flow of zeros has the
// value 0: a node's own value of that flow is the constant that the node adds.
func function(h hashpath.Hash, number int) (*ir.HashFunction, error) {
	f := &ir.HashFunction{Name: fmt.Sprintf("path_hash%d", number), Kind: ir.CRC}
	parameters, is := h.Function()
	switch {
	case is:
	case h.Kind == hashpath.KindXOR16:
		f.Kind, f.Bits = ir.Fold, 16
		return f, nil
	case h.Kind == hashpath.KindXOR32:
		f.Kind, f.Bits = ir.Fold, 32
		return f, nil
	default:
		return nil, refused("Network hash", h.Kind, "must be a CRC or an XOR fold: the chip computes no "+
			"other")
	}
	if parameters.ReflectIn != parameters.ReflectOut {
		return nil, refused("Network hash", h.Kind, "must reflect both input and result, or neither")
	}
	f.Bits, f.Polynomial = int(parameters.Width), parameters.Polynomial
	f.Reflected = parameters.ReflectIn
	return f, nil
}
