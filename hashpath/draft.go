package hashpath

import (
	"encoding/binary"
	"math"
	"slices"
)

// draft is forwarding state in the making: for each node that changed, an entry by destination. Its
// groups are those of the tables that it began with, and new ones.
type draft struct {
	layout  *layout
	tables  *tables
	changed [][]entry // by node, entries by destination; nil: as in tables

	groups  [][]uint16       // slots
	sets    [][]uint16       // members, once asked for: see distinct
	groupOf map[string]entry // by slots
	known   map[string]entry // results of remember

	distance []int32 // in hops, of the last search
	queue    []uint32
	key      []byte
	members  []uint16
}

const (
	// entryOwn stands for a node's entry for itself. It is never read, so that it becomes whatever
	// makes rows equal.
	entryOwn  entry = math.MaxUint32
	unreached       = math.MaxInt32
)

func newDraft(l *layout, t *tables) *draft {
	d := &draft{
		layout: l, tables: t, changed: make([][]entry, len(t.nodes)), distance: make([]int32, len(t.nodes)),
		groupOf: map[string]entry{}, known: map[string]entry{},
	}
	for _, g := range t.groups {
		d.intern(t.members[g.base : g.base+g.slots])
	}
	return d
}

// routeAll enters the shortest paths to all destinations, afresh.
func (d *draft) routeAll() {
	last := make([]entry, len(d.tables.nodes)) // by node, the entry for the destination before
	lastMembers := make([][]uint16, len(d.tables.nodes))
	for i := range d.changed {
		d.changed[i] = make([]entry, len(d.tables.dests))
	}
	for where, home := range d.layout.homes {
		d.search(uint32(where))
		for i := range d.tables.nodes {
			index := uint32(i)
			if index == home {
				d.changed[i][where] = entryOwn
				continue
			}
			members := d.collect(index, uint32(where))
			if where == 0 || !slices.Equal(members, lastMembers[i]) {
				last[i] = d.fresh(index, members)
				lastMembers[i] = append(lastMembers[i][:0], members...)
			}
			d.changed[i][where] = last[i]
		}
	}
}

// search finds the distance of every node to a destination over the links that are up. Only nodes that
// forward lead on.
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
			if peer := by.peer(); d.distance[peer] == unreached && d.layout.up[int(base)+i] {
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

// collect returns the trunks on the shortest paths of a node to the destination that was searched for
// last, or those of its static route that are up, by port. The slice is good until the next call.
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
			if d.distance[by.peer()] != nearer || !d.layout.up[base+uint32(i)] ||
				by.isEnd() && !d.leadsTo(by.peer(), where) {
				continue
			}
			members = append(members, uint16(i))
			for j := len(members) - 1; j > 0 && trunks[members[j-1]].port() > by.port(); j-- {
				members[j-1], members[j] = members[j], members[j-1]
			}
		}
	}
	d.members = members
	return members
}

// get returns a node's entry for a destination.
func (d *draft) get(index, where uint32) entry {
	if d.changed[index] != nil {
		return d.changed[index][where]
	}
	return d.tables.entryOf(d.tables.nodes[index].row, d.tables.dests[where])
}

// set changes a node's entry for a destination.
func (d *draft) set(index, where uint32, e entry) {
	if d.changed[index] == nil {
		d.changed[index] = d.expand(index)
		if own := d.tables.nodes[index].dest; own != noDest {
			d.changed[index][own] = entryOwn
		}
	}
	d.changed[index][where] = e
}

// expand returns a node's entries in tables, by destination.
func (d *draft) expand(index uint32) []entry {
	t, blocks := d.tables, d.layout.blocks
	entries := make([]entry, len(t.dests))
	for block := range len(blocks) - 1 {
		part := entries[blocks[block]:blocks[block+1]]
		e := t.rows[t.nodes[index].row+uint32(block)]
		if e >= entryDetail {
			copy(part, t.details[e&entryValue:])
			continue
		}
		for i := range part {
			part[i] = e
		}
	}
	return entries
}

// finish returns tables in which nodes with equal entries share a row, without what no node
// uses any more.
func (d *draft) finish() *tables {
	t := *d.tables
	t.nodes = slices.Clone(t.nodes)
	t.rows, t.details, t.groups, t.members = nil, nil, nil, nil
	c := compaction{draft: d, tables: &t, details: map[string]entry{}, groups: map[entry]entry{}}
	rowOf, moved := map[string]uint32{}, map[uint32]uint32{} // by content, by old row
	for i := range t.nodes {
		x, entries := &t.nodes[i], d.changed[i]
		old := x.row
		if entries == nil {
			if row, ok := moved[old]; ok {
				x.row = row
				continue
			}
			entries = d.expand(uint32(i))
		} else if x.dest != noDest {
			d.fillOwn(entries, x.dest)
		}
		d.key = appendKey(d.key[:0], entries)
		row, ok := rowOf[string(d.key)]
		if !ok {
			row = uint32(len(t.rows))
			rowOf[string(d.key)] = row
			for block := range len(d.layout.blocks) - 1 {
				t.rows = append(t.rows, c.entryOf(d.blockOf(entries, block)))
			}
		}
		if x.row = row; d.changed[i] == nil {
			moved[old] = row
		}
	}
	return &t
}

// fillOwn replaces a node's entry for itself: by the next of its block, or if that has no other, by
// that of the next block that needs one entry only.
func (d *draft) fillOwn(entries []entry, own uint32) {
	at, blocks := d.tables.dests[own], len(d.layout.blocks)-1
	if part := d.blockOf(entries, int(at.block)); len(part) > 1 {
		entries[own] = part[(int(at.offset)+1)%len(part)]
		return
	}
	entries[own] = entryNone
	for i := 1; i < blocks; i++ {
		if part := d.blockOf(entries, (int(at.block)+i)%blocks); isUniform(part) {
			entries[own] = part[0]
			return
		}
	}
}

// blockOf returns the part of a node's entries that is for a block.
func (d *draft) blockOf(entries []entry, block int) []entry {
	return entries[d.layout.blocks[block]:d.layout.blocks[block+1]]
}

// isUniform reports whether the entries of a block are equal.
func isUniform(part []entry) bool {
	for _, e := range part {
		if e != part[0] {
			return false
		}
	}
	return true
}

func appendKey(key []byte, entries []entry) []byte {
	for _, e := range entries {
		key = binary.LittleEndian.AppendUint32(key, uint32(e))
	}
	return key
}

// compaction copies what rows use of a draft's groups, and makes details.
type compaction struct {
	draft   *draft
	tables  *tables
	details map[string]entry // by content
	groups  map[entry]entry  // new by old
}

// entryOf returns the one entry for a block whose destinations have these.
func (c *compaction) entryOf(part []entry) entry {
	if isUniform(part) {
		return c.move(part[0])
	}
	moved := make([]entry, len(part))
	for offset, e := range part {
		moved[offset] = c.move(e)
	}
	key := string(appendKey(nil, moved))
	e, ok := c.details[key]
	if !ok {
		e = entryDetail | entry(len(c.tables.details))
		c.details[key] = e
		c.tables.details = append(c.tables.details, moved...)
	}
	return e
}

// move returns the new entry for an old one.
func (c *compaction) move(e entry) entry {
	if e&entryKind != entryGroup {
		return e
	}
	moved, ok := c.groups[e]
	if !ok {
		moved = entryGroup | entry(len(c.tables.groups))
		c.groups[e] = moved
		slots := c.draft.groups[e&entryValue]
		base := uint32(len(c.tables.members))
		c.tables.groups = append(c.tables.groups, makeGroup(base, uint32(len(slots))))
		c.tables.members = append(c.tables.members, slots...)
	}
	return moved
}
