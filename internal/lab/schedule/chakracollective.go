package schedule

import (
	"fmt"
	"math"
	"strconv"

	"github.com/sluicefc/sluice"
)

// firstCollectiveTag is the first tag of messages of collectives: tags of nodes are below.
const firstCollectiveTag = 1 << 31

// Types of collectives.
const (
	allReduce          = 0
	allGather          = 2
	broadcast          = 5
	allToAll           = 6
	reduceScatter      = 7
	reduceScatterBlock = 8
)

var collectiveNames = [...]string{
	"ALL_REDUCE", "REDUCE", "ALL_GATHER", "GATHER", "SCATTER", "BROADCAST", "ALL_TO_ALL",
	"REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK", "BARRIER",
}

// group is ranks of which each does the same collectives in the same order.
type group struct {
	name  string
	ranks []int32
	place map[int32]int // of each rank in ranks
	count map[int32]int // by rank: its collectives so far
}

type instanceKey struct {
	group  *group
	number int
}

// instance is a collective as the first rank of the files has it.
type instance struct {
	kind, size int64
	rank       int
	node       uint64
	tag        uint32
}

// collective expands what the rank does in a collective, between two marks.
func (c *chakra) collective(n *chakraNode) (first, last Label, err error) {
	kind, err := c.number(n, "comm_type", int64(len(collectiveNames)-1), -1)
	if err != nil {
		return 0, 0, err
	}
	size, err := c.number(n, "comm_size", MaxMessage, -1)
	if err != nil {
		return 0, 0, err
	}
	g, me, err := c.groupOf(n)
	if err != nil {
		return 0, 0, err
	}
	i, err := c.meet(n, g, kind, size)
	if err != nil {
		return 0, 0, err
	}
	return c.b.enclose(c.rank, func() error {
		p := &part{b: c.b, n: len(g.ranks), me: me, ranks: g.ranks, tag: i.tag, cpu: messageStream}
		if p.n == 1 {
			return nil
		}
		return c.expand(n, p, kind, size)
	})
}

// expand adds the messages of the rank.
func (c *chakra) expand(n *chakraNode, p *part, kind, size int64) error {
	bytes := sluice.Bytes(size)
	cut := pieces(bytes, p.n)
	name, o := collectiveNames[kind], &c.options
	algorithm := map[int64]string{
		allReduce: o.AllReduce, allGather: o.AllGather, reduceScatter: o.ReduceScatter,
		reduceScatterBlock: o.ReduceScatter, allToAll: o.AllToAll, broadcast: "tree",
	}[kind]
	if bytes <= o.DirectUpTo && kind != broadcast {
		algorithm = "direct"
	}
	if algorithm == "halving" && !powerOfTwo(p.n) {
		return c.file.errorf("node %d: %s of %d ranks by halving: must be a power of two", n.id, name, p.n)
	}
	if kind == allGather {
		if size > MaxMessage/int64(p.n) {
			return c.file.errorf("node %d: %s of %d bytes of %d ranks: must be %d in all at most", n.id,
				name, size, p.n, int64(MaxMessage))
		}
		cut = each(bytes)
	}
	x := exchange{part: p, size: cut}
	switch name + " " + algorithm {
	case "ALL_REDUCE ring":
		ring(p, bytes)
	case "ALL_REDUCE halving":
		halving(p, bytes)
	case "ALL_REDUCE direct":
		summed := c.mark()
		for _, on := range direct(p, cut) {
			p.requires(summed, on)
		}
		gather(p, cut, &summed)
	case "ALL_GATHER ring", "REDUCE_SCATTER ring", "REDUCE_SCATTER_BLOCK ring":
		around(p, p.n-1, cut)
	case "ALL_GATHER halving":
		x.double()
	case "REDUCE_SCATTER halving", "REDUCE_SCATTER_BLOCK halving":
		x.halve()
	case "ALL_GATHER direct":
		gather(p, cut, nil)
	case "REDUCE_SCATTER direct", "REDUCE_SCATTER_BLOCK direct", "ALL_TO_ALL direct":
		direct(p, cut)
	case "ALL_TO_ALL pairwise":
		pairwise(p, cut)
	case "BROADCAST tree":
		tree(p, bytes)
	default:
		return c.file.errorf("node %d: a collective %s by the algorithm %s is not supported", n.id, name,
			strconv.Quote(algorithm))
	}
	return nil
}

// groupOf returns the group of a node, and the place of the rank in it. An empty name and 0 are all
// ranks, as ASTRA-sim has it.
func (c *chakra) groupOf(n *chakraNode) (*group, int, error) {
	if a, there := n.attributes["involved_dim"]; there && a.field == attributeBools {
		if all, err := c.allTrue(a.bytes); err != nil || !all {
			if err == nil {
				err = c.file.errorf("node %d has an involved_dim that is false: groups must have a pg_name",
					n.id)
			}
			return nil, 0, err
		}
	}
	a := n.attributes["pg_name"]
	name := string(a.bytes)
	if a.isNumber {
		name = strconv.FormatInt(a.number, 10)
	}
	g := c.here[name]
	if g == nil {
		var err error
		if g, err = c.findGroup(n, name); err != nil {
			return nil, 0, err
		}
		c.here[name] = g
	}
	me, is := g.place[int32(c.rank)]
	if !is {
		return nil, 0, c.file.errorf("node %d is of group %s, which rank %d is not of", n.id,
			strconv.Quote(name), c.rank)
	}
	return g, me, nil
}

// findGroup returns the group that a name means in the file of the rank. It takes as long as the
// group has ranks.
func (c *chakra) findGroup(n *chakraNode, name string) (*group, error) {
	var ranks []int32
	if name != "" && name != "0" {
		var known bool
		if ranks, known = c.named[name]; !known {
			ranks, known = c.options.Groups[name]
		}
		if !known {
			return nil, c.file.errorf("node %d is of group %s, which is not there", n.id,
				strconv.Quote(name))
		}
		if err := c.checkMembers(name, ranks); err != nil {
			return nil, err
		}
	}
	if len(ranks) == 0 {
		for rank := range c.n {
			ranks = append(ranks, int32(rank))
		}
	}
	key := fmt.Sprint(name, ranks)
	g := c.groups[key]
	if g == nil {
		g = &group{name: name, ranks: ranks, place: map[int32]int{}, count: map[int32]int{}}
		for i, rank := range ranks {
			g.place[rank] = i
		}
		c.groups[key], c.order = g, append(c.order, g)
	}
	return g, nil
}

// allTrue reports whether a list of bools has no false.
func (c *chakra) allTrue(list []byte) (bool, error) {
	all := true
	err := c.file.fields(c.file.last, list, func(d field) error {
		for _, b := range d.bytes {
			all = all && b != 0
		}
		all = all && (d.bytes != nil || d.value != 0)
		return nil
	})
	return all, err
}

// meet finds the collective that a node of the rank is of: the first of a group's with the first of
// each rank, and so on.
func (c *chakra) meet(n *chakraNode, g *group, kind, size int64) (*instance, error) {
	key := instanceKey{g, g.count[int32(c.rank)]}
	g.count[int32(c.rank)]++
	i := c.instances[key]
	if i == nil {
		steps := 2 * uint32(len(g.ranks))
		if c.nextTag > math.MaxUint32-1-steps {
			return nil, c.file.errorf("node %d: there are too many collectives", n.id)
		}
		i = &instance{kind: kind, size: size, rank: c.rank, node: n.id, tag: c.nextTag}
		c.nextTag += steps
		c.instances[key] = i
	}
	if i.kind != kind || i.size != size {
		return nil, c.file.errorf("node %d is %s of %d bytes, and node %d of rank %d is %s of %d bytes: "+
			"both are collective %d of group %s", n.id, collectiveNames[kind], size, i.node, i.rank,
			collectiveNames[i.kind], i.size, key.number+1, strconv.Quote(g.name))
	}
	return i, nil
}

// checkGroups refuses groups in which a rank does fewer collectives than another.
func (c *chakra) checkGroups() error {
	for _, g := range c.order {
		for _, rank := range g.ranks {
			if first := g.ranks[0]; g.count[rank] != g.count[first] {
				return fmt.Errorf("schedule: rank %d has %d collectives of group %s, and rank %d has %d", rank,
					g.count[rank], strconv.Quote(g.name), first, g.count[first])
			}
		}
	}
	return nil
}
