package hashpath

import (
	"encoding/binary"
	"math"
	"slices"
)

// draft is forwarding state in the making. Entries are by destination; nodes with equal entries
// share them, so that a change that concerns many nodes is made once.
type draft struct {
	layout  *layout
	tables  *tables // those that it began with
	version []int   // by node, in versions
	// versions are entries by destination: nil if they are those of tables, or no node has them any
	// more. A change leads from one version to another: steps holds those made so far.
	versions []version
	steps    map[step]int

	groups  [][]uint16       // slots; first those of tables, under the same numbers
	sets    [][]uint16       // members, once asked for: see membersOf
	groupOf map[string]entry // by slots
	known   map[string]entry // results of remember

	distance []int32 // in hops, of the last search
	queue    []uint32
	key      []byte
	members  []uint16
}

type version struct {
	entries []entry
	row     uint32 // in tables, if it has not changed
	users   int    // nodes
}

// step is the change of an entry of a version.
type step struct {
	version int
	where   uint32
	to      entry
}

const unreached = math.MaxInt32

func newDraft(l *layout, t *tables) *draft {
	d := &draft{
		layout: l, tables: t, version: make([]int, len(t.nodes)), steps: map[step]int{},
		groupOf: map[string]entry{}, known: map[string]entry{},
		distance: make([]int32, len(t.nodes)),
	}
	for _, g := range t.groups {
		d.intern(t.members[g.base : g.base+g.slots])
	}
	versionOf := map[uint32]int{}
	for i := range t.nodes {
		row := t.nodes[i].row
		v, ok := versionOf[row]
		if !ok {
			v = len(d.versions)
			versionOf[row] = v
			d.versions = append(d.versions, version{row: row})
		}
		d.version[i] = v
		d.versions[v].users++
	}
	return d
}

// routeAll enters the shortest paths to all destinations, afresh.
func (d *draft) routeAll() {
	last := make([]entry, len(d.tables.nodes)) // by node, the entry for the destination before
	lastMembers := make([][]uint16, len(d.tables.nodes))
	d.versions = make([]version, len(d.tables.nodes))
	for i := range d.versions {
		d.version[i] = i
		d.versions[i] = version{entries: make([]entry, len(d.tables.dests)), users: 1}
	}
	for where, home := range d.layout.homes {
		d.search(uint32(where))
		for i := range d.tables.nodes {
			index := uint32(i)
			if index == home {
				continue
			}
			members := d.collect(index, uint32(where))
			if !slices.Equal(members, lastMembers[i]) {
				last[i] = d.fresh(index, members)
				lastMembers[i] = append(lastMembers[i][:0], members...)
			}
			d.versions[i].entries[where] = last[i]
		}
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
	v := &d.versions[d.version[index]]
	if v.entries != nil {
		return v.entries[where]
	}
	return d.tables.entryOf(v.row, d.tables.dests[where])
}

// set changes a node's entry for a destination.
func (d *draft) set(index, where uint32, e entry) {
	from := d.version[index]
	key := step{from, where, e}
	to, ok := d.steps[key]
	if !ok || d.versions[to].entries == nil {
		to = len(d.versions)
		entries := d.expand(from)
		if d.versions[from].users > 1 {
			entries = slices.Clone(entries)
		} else {
			d.versions[from].entries = nil
		}
		entries[where] = e
		d.versions = append(d.versions, version{entries: entries})
		d.steps[key] = to
	}
	d.versions[from].users--
	d.versions[to].users++
	d.version[index] = to
}

// expand returns the entries of a version.
func (d *draft) expand(v int) []entry {
	t, blocks := d.tables, d.layout.blocks
	if d.versions[v].entries != nil {
		return d.versions[v].entries
	}
	entries := make([]entry, len(t.dests))
	for block := range len(blocks) - 1 {
		part := entries[blocks[block]:blocks[block+1]]
		e := t.rows[d.versions[v].row+uint32(block)]
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
	rowOf, moved := map[string]uint32{}, map[int]uint32{} // by content, by version
	for i := range t.nodes {
		x := &t.nodes[i]
		if x.dest != noDest && d.versions[d.version[i]].entries != nil {
			d.setOwn(uint32(i), x.dest)
		}
		v := d.version[i]
		row, ok := moved[v]
		if !ok {
			entries := d.expand(v)
			d.key = appendKey(d.key[:0], entries)
			if row, ok = rowOf[string(d.key)]; !ok {
				row = uint32(len(t.rows))
				rowOf[string(d.key)] = row
				for block := range len(d.layout.blocks) - 1 {
					t.rows = append(t.rows, c.entryOf(d.blockOf(entries, block)))
				}
			}
			moved[v] = row
		}
		x.row = row
	}
	return &t
}

// setOwn changes a node's entry for itself, which is never read, to what makes nodes alike: the
// next of its block, or if that has no other, that of the next block that needs one entry only.
func (d *draft) setOwn(index, own uint32) {
	entries := d.versions[d.version[index]].entries
	at, blocks := d.tables.dests[own], len(d.layout.blocks)-1
	e := entryNone
	if part := d.blockOf(entries, int(at.block)); len(part) > 1 {
		e = part[(int(at.offset)+1)%len(part)]
	} else {
		for i := 1; i < blocks; i++ {
			if part := d.blockOf(entries, (int(at.block)+i)%blocks); isUniform(part) {
				e = part[0]
				break
			}
		}
	}
	if entries[own] != e {
		d.set(index, own, e)
	}
}

// blockOf returns the part of a version's entries that is for a block.
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
