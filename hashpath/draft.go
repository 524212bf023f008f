package hashpath

import (
	"cmp"
	"math"
	"slices"
)

// draft is forwarding state in the making: the tables that it began with, and what changes.
type draft struct {
	layout *layout
	tables *tables
	edits  [][]edit // by node, by destination
	down   []spot   // of the next tables

	groups  [][]uint16       // slots; first those of tables, under the same numbers
	sets    [][]uint16       // members, once asked for: see membersOf
	groupOf map[string]entry // by slots
	known   map[string]entry // see next
	last    []lastGroup      // by node

	distance []int32 // in hops, of the last search
	queue    []uint32
	key      []byte
	members  []uint16
}

// edit is a node's new entry for a destination.
type edit struct {
	where uint32
	to    entry
}

const unreached = math.MaxInt32

func newDraft(l *layout, t *tables) *draft {
	n := len(t.nodes)
	d := &draft{
		layout: l, tables: t, edits: make([][]edit, n), down: slices.Clone(t.down),
		groupOf: map[string]entry{}, known: map[string]entry{}, last: make([]lastGroup, n),
		distance: make([]int32, n),
	}
	for _, g := range t.groups {
		d.intern(t.slotsOf(g))
	}
	return d
}

// get returns a node's entry for a destination.
func (d *draft) get(x, where uint32) entry {
	if i, ok := d.find(x, where); ok {
		return d.edits[x][i].to
	}
	return d.tables.entryOf(d.tables.nodes[x].row, d.tables.dests[where])
}

// set changes a node's entry for a destination.
func (d *draft) set(x, where uint32, e entry) {
	i, ok := d.find(x, where)
	if !ok {
		d.edits[x] = slices.Insert(d.edits[x], i, edit{where: where})
	}
	d.edits[x][i].to = e
}

// find returns where a node's edit for a destination is, or would be. Edits are mostly made
// in order.
func (d *draft) find(x, where uint32) (int, bool) {
	list := d.edits[x]
	if n := len(list); n == 0 || list[n-1].where < where {
		return n, false
	}
	return slices.BinarySearchFunc(list, where, func(c edit, where uint32) int {
		return cmp.Compare(c.where, where)
	})
}

// routeAll finds the paths to all destinations, in tables that are empty.
func (d *draft) routeAll() {
	for x := range d.edits {
		d.edits[x] = make([]edit, 0, len(d.layout.homes))
	}
	for i, home := range d.layout.homes {
		where := uint32(i)
		d.search(where)
		for x := range d.edits {
			if x := uint32(x); x != home {
				e := d.next(x, entryNone, d.collect(x, where), false)
				d.edits[x] = append(d.edits[x], edit{where, e})
			}
		}
	}
}

// reroute finds the paths from everywhere to a destination anew.
func (d *draft) reroute(where uint32) {
	d.search(where)
	for i := range d.tables.nodes {
		if x := uint32(i); x != d.layout.homes[where] {
			d.follow(x, where, d.collect(x, where))
		}
	}
}

// follow gives a node other members for a destination. If they are the same the entry stays.
func (d *draft) follow(x, where uint32, members []uint16) {
	if old := d.get(x, where); !slices.Equal(members, d.membersOf(x, old)) {
		d.set(x, where, d.next(x, old, members, false))
	}
}

// search finds the distance of every node to a destination over the links that are up. Only nodes
// that forward lead on.
func (d *draft) search(where uint32) {
	for i := range d.distance {
		d.distance[i] = unreached
	}
	home := d.layout.homes[where]
	d.distance[home] = 0
	queue := append(d.queue[:0], home)
	for head := 0; head < len(queue); head++ {
		index := queue[head]
		if !d.leadsTo(index, where) {
			continue
		}
		base := d.tables.nodes[index].trunks
		for i, by := range d.tables.trunksOf(index) {
			if peer := by.index(); d.distance[peer] == unreached && d.layout.up[int(base)+i] {
				d.distance[peer] = d.distance[index] + 1
				queue = append(queue, peer)
			}
		}
	}
	d.queue = queue
}

// leadsTo reports whether packets to a destination may be sent to a node.
func (d *draft) leadsTo(index, where uint32) bool {
	return d.layout.kinds[index].forwards() || d.layout.homes[where] == index
}

// collect returns the trunks on the shortest paths of a node to the destination that was searched
// for last, or those of its static route that are up, by port. The slice is good until the next
// call.
func (d *draft) collect(index, where uint32) []uint16 {
	t, base := d.tables, d.tables.nodes[index].trunks
	members := d.members[:0]
	if static, ok := d.layout.static[[2]uint32{index, where}]; ok {
		for _, m := range static {
			if d.layout.up[base+uint32(m)] {
				members = append(members, m)
			}
		}
	} else if nearer := d.distance[index] - 1; nearer != unreached-1 {
		trunks := t.trunksOf(index)
		for i, by := range trunks {
			if d.distance[by.index()] == nearer && d.layout.up[base+uint32(i)] &&
				(!by.isFlagged() || d.leadsTo(by.index(), where)) {
				members = insertByPort(trunks, members, uint16(i))
			}
		}
	}
	d.members = members
	return members
}

// insertByPort adds a member to those of a node, which have lower ports mostly.
func insertByPort(trunks []spot, members []uint16, m uint16) []uint16 {
	members = append(members, m)
	for i := len(members) - 1; i > 0 && trunks[members[i-1]].port() > trunks[m].port(); i-- {
		members[i-1], members[i] = m, members[i-1]
	}
	return members
}
