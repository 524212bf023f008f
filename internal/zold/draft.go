package zold

import (
	"math"
	"slices"
)

// draft is forwarding state in the making: the entries of every node by block, not yet shared.
type draft struct {
	layout *layout
	tables *tables // the nodes and trunks; its rows are the old ones

	blocks  int
	entries []entry // by node*blocks + block
	details []entry
	groups  [][]uint16 // slots
	sets    [][]uint16 // members, once asked for: see distinct

	detailOf map[string]uint32 // by content
	groupOf  map[string]entry  // by content
	known    map[string]entry  // results of remember

	distance []int32  // of the last search
	queue    []uint32 // of the last search
	key      []byte
	vector   []entry
	members  []uint16
}

// entryOwn stands for a node's entry for itself, which is never read: whatever makes rows equal.
const entryOwn entry = math.MaxUint32

func newDraft(l *layout, t *tables) *draft {
	return &draft{
		layout: l, tables: t, blocks: len(l.blocks),
		entries:  make([]entry, len(t.nodes)*len(l.blocks)),
		detailOf: map[string]uint32{}, groupOf: map[string]entry{}, known: map[string]entry{},
		distance: make([]int32, len(t.nodes)),
	}
}

// reopen makes a draft of published tables.
func reopen(l *layout, t *tables) *draft {
	d := newDraft(l, t)
	d.details = slices.Clone(t.details)
	for _, g := range t.groups {
		slots := t.members[g.base : g.base+g.slots]
		d.groupOf[string(d.keyOf(slots))] = entryGroup | entry(len(d.groups))
		d.groups = append(d.groups, slots)
	}
	for i := range t.nodes {
		row := d.entries[i*d.blocks : (i+1)*d.blocks]
		copy(row, t.rows[t.nodes[i].row:])
		for block, e := range row {
			if e&entryKind == entryDetail {
				d.internDetail(d.details[e&entryValue:][:len(l.blocks[block])], uint32(e&entryValue))
			}
		}
		if own := t.nodes[i].dest; own != noDest {
			if block := t.dests[own&^flagBit].block; len(l.blocks[block]) == 1 {
				row[block] = entryOwn
			}
		}
	}
	return d
}

// routeBlock enters the shortest paths to all destinations of a block, afresh.
func (d *draft) routeBlock(block uint32) {
	dests := d.layout.blocks[block]
	size := len(dests)
	all := make([]entry, len(d.tables.nodes)*size)
	last := make([]entry, len(d.tables.nodes)) // the last entry by node, whose members
	lastMembers := make([][]uint16, len(d.tables.nodes))
	for offset, where := range dests {
		d.search(where)
		for i := range d.tables.nodes {
			index := uint32(i)
			if d.layout.homes[where] == index {
				all[i*size+offset] = entryOwn
				continue
			}
			members := d.collect(index, where)
			if lastMembers[i] == nil || !slices.Equal(members, lastMembers[i]) {
				last[i] = d.fresh(index, members)
				lastMembers[i] = append(lastMembers[i][:0], members...)
			}
			all[i*size+offset] = last[i]
		}
	}
	for i := range d.tables.nodes {
		d.setBlock(uint32(i), block, all[i*size:(i+1)*size])
	}
}

// search finds the distance in hops of every switch to a destination over the links that are up. Hosts do not
// forward: only the destination has a distance.
func (d *draft) search(where uint32) {
	for i := range d.distance {
		d.distance[i] = unreached
	}
	home := d.layout.homes[where]
	d.distance[home] = 0
	queue := append(d.queue[:0], home)
	for head := 0; head < len(queue); head++ {
		index := queue[head]
		next := d.distance[index] + 1
		base := d.tables.nodes[index].trunks
		for i, by := range d.tables.trunksOf(index) {
			peer := by.peer()
			if d.distance[peer] == unreached && d.layout.up[int(base)+i] && !by.toHost() {
				d.distance[peer] = next
				queue = append(queue, peer)
			}
		}
	}
	d.queue = queue
}

const unreached = math.MaxInt32

// collect returns the trunks on the shortest paths of a node to a destination, which was searched last, or
// those of its static route that are up, by port. The slice is good until the next call.
func (d *draft) collect(index, where uint32) []uint16 {
	base := d.tables.nodes[index].trunks
	members := d.members[:0]
	if static, ok := d.layout.static[[2]uint32{index, where}]; ok {
		for _, m := range static {
			if d.layout.up[base+uint32(m)] {
				members = append(members, m)
			}
		}
		d.members = members
		return members
	}
	trunks := d.tables.trunksOf(index)
	nearest := d.distance[index] - 1
	if d.layout.tiers[index] < 0 {
		nearest = d.nearest(index, trunks)
	}
	if nearest >= unreached-1 {
		return members
	}
	for i, by := range trunks {
		if d.distance[by.peer()] != nearest || !d.layout.up[base+uint32(i)] {
			continue
		}
		members = append(members, uint16(i))
		for j := len(members) - 1; j > 0 && trunks[members[j-1]].port() > by.port(); j-- {
			members[j-1], members[j] = members[j], members[j-1]
		}
	}
	d.members = members
	return members
}

// nearest returns the least distance among a host's neighbours.
func (d *draft) nearest(index uint32, trunks []trunk) int32 {
	least := int32(unreached)
	for i, by := range trunks {
		if d.layout.up[int(d.tables.nodes[index].trunks)+i] {
			least = min(least, d.distance[by.peer()])
		}
	}
	return least
}

// vectorOf returns a node's entries for the destinations of a block. The slice is good until the
// next call.
func (d *draft) vectorOf(index, block uint32) []entry {
	size := len(d.layout.blocks[block])
	e := d.entries[int(index)*d.blocks+int(block)]
	d.vector = d.vector[:0]
	if e != entryOwn && e&entryKind == entryDetail {
		return append(d.vector, d.details[e&entryValue:int(e&entryValue)+size]...)
	}
	for range size {
		d.vector = append(d.vector, e)
	}
	return d.vector
}

// set enters a node's entry for one destination.
func (d *draft) set(index, where uint32, e entry) {
	at := d.tables.dests[where]
	vector := d.vectorOf(index, at.block)
	vector[at.offset] = e
	d.markOwn(index, at.block, vector)
	d.setBlock(index, at.block, vector)
}

// get returns a node's entry for a destination.
func (d *draft) get(index, where uint32) entry {
	at := d.tables.dests[where]
	e := d.entries[int(index)*d.blocks+int(at.block)]
	if e != entryOwn && e&entryKind == entryDetail {
		e = d.details[uint32(e&entryValue)+at.offset]
	}
	return e
}

// markOwn puts entryOwn where it is in a vector.
func (d *draft) markOwn(index, block uint32, vector []entry) {
	own := d.tables.nodes[index].dest
	if own == noDest {
		return
	}
	if at := d.tables.dests[own&^flagBit]; at.block == block {
		vector[at.offset] = entryOwn
	}
}

// setBlock enters a node's entries for a block: as one entry if they are all the same, else in
// details, which equal ones share. The node's own entry is whatever the next is.
func (d *draft) setBlock(index, block uint32, vector []entry) {
	own := slices.Index(vector, entryOwn)
	if own >= 0 && len(vector) > 1 {
		vector[own] = vector[(own+1)%len(vector)]
	}
	at := &d.entries[int(index)*d.blocks+int(block)]
	same := true
	for _, e := range vector[1:] {
		same = same && e == vector[0]
	}
	if same {
		*at = vector[0]
		return
	}
	*at = entryDetail | entry(d.internDetail(vector, noBase))
}

const noBase = math.MaxUint32

// internDetail returns where in details the vector is: at base, at an equal one, or, if base is noBase, at the end.
func (d *draft) internDetail(vector []entry, base uint32) uint32 {
	d.key = appendKey(d.key[:0], vector)
	if known, ok := d.detailOf[string(d.key)]; ok {
		return known
	}
	if base == noBase {
		base = uint32(len(d.details))
		d.details = append(d.details, vector...)
	}
	d.detailOf[string(d.key)] = base
	return base
}

func appendKey(key []byte, entries []entry) []byte {
	for _, e := range entries {
		key = append(key, byte(e), byte(e>>8), byte(e>>16), byte(e>>24))
	}
	return key
}

// finish returns tables in which nodes with equal entries share a row, without what no node
// uses any more.
func (d *draft) finish() *tables {
	t := *d.tables
	t.nodes = slices.Clone(t.nodes)
	t.rows, t.details, t.groups, t.members = nil, nil, nil, nil
	c := compaction{draft: d, tables: &t, details: map[entry]entry{}, groups: map[entry]entry{}}
	rowOf := map[string]uint32{}
	for i := range t.nodes {
		row := d.entries[i*d.blocks : (i+1)*d.blocks]
		resolveOwn(row)
		d.key = appendKey(d.key[:0], row)
		base, ok := rowOf[string(d.key)]
		if !ok {
			base = uint32(len(t.rows))
			rowOf[string(d.key)] = base
			for block, e := range row {
				t.rows = append(t.rows, c.move(e, len(d.layout.blocks[block])))
			}
		}
		t.nodes[i].row = base
	}
	return &t
}

// resolveOwn replaces a node's own entry, if its block is of one destination only, by the next that is
// no detail.
func resolveOwn(row []entry) {
	own := slices.Index(row, entryOwn)
	if own < 0 {
		return
	}
	row[own] = entryNone
	for i := 1; i < len(row); i++ {
		if e := row[(own+i)%len(row)]; e&entryKind != entryDetail {
			row[own] = e
			return
		}
	}
}

// compaction copies what is used of a draft's details and groups.
type compaction struct {
	draft           *draft
	tables          *tables
	details, groups map[entry]entry // new by old
}

// move returns the new entry for an old one of a row, whose block has size destinations.
func (c *compaction) move(e entry, size int) entry {
	if e&entryKind != entryDetail {
		return c.moveGroup(e)
	}
	moved, ok := c.details[e]
	if !ok {
		moved = entryDetail | entry(len(c.tables.details))
		c.details[e] = moved
		for _, x := range c.draft.details[e&entryValue : int(e&entryValue)+size] {
			c.tables.details = append(c.tables.details, c.moveGroup(x))
		}
	}
	return moved
}

func (c *compaction) moveGroup(e entry) entry {
	if e&entryKind != entryGroup {
		return e
	}
	moved, ok := c.groups[e]
	if !ok {
		moved = entryGroup | entry(len(c.tables.groups))
		c.groups[e] = moved
		slots := c.draft.groups[e&entryValue]
		c.tables.groups = append(c.tables.groups, makeGroup(uint32(len(c.tables.members)), uint32(len(slots))))
		c.tables.members = append(c.tables.members, slots...)
	}
	return moved
}
