package hashpath

import "slices"

// compaction makes tables of a draft: nodes with equal entries share a row, equal blocks of entries
// share details, and what no node uses is left out.
type compaction struct {
	*draft
	made   *tables
	row    map[uint64]laid  // by draft.sums
	detail map[string]entry // by the entries of a block
	moved  []entry          // by group, the new one; entryNone if it has none yet
}

// laid is a row that is made, of these entries by destination.
type laid struct {
	entries []entry
	row     uint32
}

func (d *draft) finish() *tables {
	t := *d.was
	t.generation++
	t.down = d.down
	if d.rows == nil {
		return &t
	}
	t.nodes = slices.Clone(t.nodes)
	t.rows, t.details, t.groups, t.members = nil, nil, nil, nil
	c := compaction{d, &t, map[uint64]laid{}, map[string]entry{}, make([]entry, len(d.groups))}
	same := map[uint32]uint32{} // by row before, of nodes without a change
	for i := range t.nodes {
		x := &t.nodes[i]
		row, known := same[x.row]
		if d.changed[i] {
			d.setOwn(uint32(i), x.dest)
		}
		if d.changed[i] || !known {
			row = c.rowOf(i)
		}
		if !d.changed[i] {
			same[x.row] = row
		}
		x.row = row
	}
	return &t
}

// setOwn changes a node's entry for itself, which is never read, to what makes nodes alike: the
// next member of its block or, if the block has no other, of the next block that needs one entry.
func (d *draft) setOwn(x, own uint32) {
	if own == none {
		return
	}
	row, at, n := d.rows[x], d.was.dests[own], uint32(len(d.blocks)-1)
	if part := d.partOf(row, at.block); len(part) > 1 {
		d.set(x, own, part[(at.offset+1)%uint32(len(part))])
		return
	}
	d.set(x, own, entryNone)
	for i := at.block + 1; i < at.block+n; i++ {
		if part := d.partOf(row, i%n); isUniform(part) {
			d.set(x, own, part[0])
			return
		}
	}
}

func (d *draft) partOf(row []entry, block uint32) []entry {
	return row[d.blocks[block]:d.blocks[block+1]]
}

func isUniform(part []entry) bool {
	return !slices.ContainsFunc(part, func(e entry) bool { return e != part[0] })
}

// isEqual compares rows, many entries at a time.
func isEqual(a, b []entry) bool {
	for ; len(a) >= 64; a, b = a[64:], b[64:] {
		if *(*[64]entry)(a) != *(*[64]entry)(b) {
			return false
		}
	}
	return slices.Equal(a, b)
}

func (c *compaction) rowOf(x int) uint32 {
	entries := c.rows[x]
	found, ok := c.row[c.sums[x]]
	if !ok || !isEqual(found.entries, entries) {
		found = laid{entries, uint32(len(c.made.rows))}
		c.row[c.sums[x]] = found
		for block := range len(c.blocks) - 1 {
			c.made.rows = append(c.made.rows, c.entryOf(c.partOf(entries, uint32(block))))
		}
	}
	return found.row
}

func (c *compaction) entryOf(part []entry) entry {
	if isUniform(part) {
		return c.move(part[0])
	}
	key := appendKey(c.key[:0], part)
	c.key = key
	e, ok := c.detail[string(key)]
	if !ok {
		e = entryDetail | entry(len(c.made.details))
		c.detail[string(key)] = e
		for _, old := range part {
			c.made.details = append(c.made.details, c.move(old))
		}
	}
	return e
}

func (c *compaction) move(e entry) entry {
	if e&entryKind != entryGroup {
		return e
	}
	moved := &c.moved[e&entryValue]
	if *moved == entryNone {
		t, slots := c.made, c.groups[e&entryValue].slots
		*moved = entryGroup | entry(len(t.groups))
		t.groups = append(t.groups, makeGroup(uint32(len(t.members)), uint32(len(slots))))
		t.members = append(t.members, slots...)
	}
	return *moved
}
