package hashpath

import (
	"encoding/binary"
	"slices"
)

// compaction makes tables of a draft: nodes with equal entries share a row, equal blocks of entries
// share details, and what no node uses is left out.
type compaction struct {
	*draft
	made    tables
	same    map[string]uint32 // rows by row before and edits
	rows    map[string]uint32 // rows by content
	details map[string]entry  // by content
	moved   []entry           // by group, the new one; entryNone if it has none yet
	entries []entry
}

// finish returns the tables.
func (d *draft) finish() *tables {
	c := compaction{
		draft: d, made: *d.tables, moved: make([]entry, len(d.groups)),
		same: map[string]uint32{}, rows: map[string]uint32{}, details: map[string]entry{},
	}
	t := &c.made
	t.nodes, t.down = slices.Clone(t.nodes), d.down
	t.rows, t.details, t.groups, t.members = nil, nil, nil, nil
	t.generation++
	for i := range t.nodes {
		x := &t.nodes[i]
		if len(d.edits[i]) > 0 && x.dest != noDest {
			d.setOwn(uint32(i), x.dest)
		}
		key := binary.LittleEndian.AppendUint32(d.key[:0], x.row)
		for _, e := range d.edits[i] {
			key = appendKey(key, entry(e.where), e.to)
		}
		d.key = key
		row, ok := c.same[string(key)]
		if !ok {
			name := string(key)
			row = c.rowOf(uint32(i))
			c.same[name] = row
		}
		x.row = row
	}
	return t
}

// setOwn changes a node's entry for itself, which is never read, to what makes nodes alike: the
// next of its block, or if that has no other, that of the next block that needs one entry only.
func (d *draft) setOwn(x, own uint32) {
	at, blocks := d.tables.dests[own], d.layout.blocks
	e, n := entryNone, uint32(len(blocks)-1)
	if size := blocks[at.block+1] - blocks[at.block]; size > 1 {
		e = d.get(x, blocks[at.block]+(at.offset+1)%size)
	} else {
		for i := uint32(1); i < n; i++ {
			if block := (at.block + i) % n; d.isUniform(x, block) {
				e = d.get(x, blocks[block])
				break
			}
		}
	}
	if e != d.get(x, own) {
		d.set(x, own, e)
	}
}

// isUniform reports whether the entries of a node for a block are equal.
func (d *draft) isUniform(x, block uint32) bool {
	first := d.layout.blocks[block]
	for where := first + 1; where < d.layout.blocks[block+1]; where++ {
		if d.get(x, where) != d.get(x, first) {
			return false
		}
	}
	return true
}

// rowOf returns the row for a node.
func (c *compaction) rowOf(x uint32) uint32 {
	entries := c.entries[:0]
	for _, to := range c.tables.dests {
		entries = append(entries, c.tables.entryOf(c.tables.nodes[x].row, to))
	}
	for _, e := range c.edits[x] {
		entries[e.where] = e.to
	}
	c.entries = entries
	t, start := &c.made, len(c.made.rows)
	for block, end := range c.layout.blocks[1:] {
		t.rows = append(t.rows, c.entryOf(entries[c.layout.blocks[block]:end]))
	}
	c.key = appendKey(c.key[:0], t.rows[start:]...)
	row, ok := c.rows[string(c.key)]
	if !ok {
		row = uint32(start)
		c.rows[string(c.key)] = row
	} else {
		t.rows = t.rows[:start]
	}
	return row
}

// entryOf returns the one entry for a block whose destinations have these.
func (c *compaction) entryOf(part []entry) entry {
	if !slices.ContainsFunc(part, func(e entry) bool { return e != part[0] }) {
		return c.move(part[0])
	}
	t, start := &c.made, len(c.made.details)
	for _, e := range part {
		t.details = append(t.details, c.move(e))
	}
	c.key = appendKey(c.key[:0], t.details[start:]...)
	e, ok := c.details[string(c.key)]
	if !ok {
		e = entryDetail | entry(start)
		c.details[string(c.key)] = e
	} else {
		t.details = t.details[:start]
	}
	return e
}

// move returns the new entry for an old one.
func (c *compaction) move(e entry) entry {
	if e&entryKind != entryGroup {
		return e
	}
	moved := &c.moved[e&entryValue]
	if *moved == entryNone {
		t, slots := &c.made, c.groups[e&entryValue]
		*moved = entryGroup | entry(len(t.groups))
		t.groups = append(t.groups, makeGroup(uint32(len(t.members)), uint32(len(slots))))
		t.members = append(t.members, slots...)
	}
	return *moved
}

func appendKey(key []byte, entries ...entry) []byte {
	for _, e := range entries {
		key = binary.LittleEndian.AppendUint32(key, uint32(e))
	}
	return key
}
