package hashpath

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/sluicefc/sluice/internal/prng"
)

// draft is forwarding state in the making: the tables that it began with, and what changes.
type draft struct {
	*Network
	was  *tables
	down []uint32 // of the next tables

	// Routes, from the first change on: see open.
	up      []bool    // by link
	rows    [][]entry // by node, by destination; nodes share them until they change
	sums    []uint64  // by node, of the entries: equal rows have equal ones
	changed []bool    // by node
	groups  []drawn   // first the groups of the tables, under the same numbers
	groupOf map[string]entry
	known   map[string]entry // see next
	last    []made           // by node

	distance []int32 // in hops, of the last search
	queue    []uint32
	key      []byte
	members  []uint16
}

type drawn struct {
	slots   []uint16
	members []uint16 // members of the slots, each once, ascending
}

// made is the entry that a node was given last for several members: the next destination is mostly
// for the same.
type made struct{ old, to entry }

const unreached = math.MaxInt32

func newDraft(n *Network, t *tables) *draft {
	return &draft{Network: n, was: t, down: slices.Clone(t.down)}
}

// open takes over the routes of the tables.
func (d *draft) open() {
	if d.rows != nil {
		return
	}
	t, n := d.was, len(d.was.nodes)
	d.up = slices.Repeat([]bool{true}, len(t.links))
	for _, i := range d.down {
		d.up[i] = false
	}
	d.rows, d.changed, d.last = make([][]entry, n), make([]bool, n), make([]made, n)
	d.groupOf, d.known, d.distance = map[string]entry{}, map[string]entry{}, make([]int32, n)
	d.sums = make([]uint64, n)
	expanded, sums := map[uint32][]entry{}, map[uint32]uint64{}
	for i, x := range t.nodes {
		if expanded[x.row] == nil {
			expanded[x.row] = t.expand(x.row)
			sum := uint64(0)
			for where, e := range expanded[x.row] {
				sum += mix(uint32(where), e)
			}
			sums[x.row] = sum
		}
		d.rows[i], d.sums[i] = expanded[x.row], sums[x.row]
	}
	for _, g := range t.groups {
		d.intern(t.slotsOf(g))
	}
}

// intern returns the entry of a group with these slots, which equal groups share.
func (d *draft) intern(slots []uint16) entry {
	d.key = appendKey(d.key[:0], slots)
	e, ok := d.groupOf[string(d.key)]
	if !ok {
		e = entryGroup | entry(len(d.groups))
		d.groupOf[string(d.key)] = e
		d.groups = append(d.groups, drawn{slots, distinct(slots)})
	}
	return e
}

func distinct(slots []uint16) []uint16 {
	set := slices.Clone(slots)
	slices.Sort(set)
	return slices.Compact(set)
}

func appendKey[T uint16 | entry](key []byte, numbers []T) []byte {
	for _, v := range numbers {
		key = binary.LittleEndian.AppendUint32(key, uint32(v))
	}
	return key
}

func (d *draft) set(x, where uint32, e entry) {
	if !d.changed[x] {
		d.rows[x], d.changed[x] = slices.Clone(d.rows[x]), true
	}
	d.sums[x] += mix(where, e) - mix(where, d.rows[x][where])
	d.rows[x][where] = e
}

// mix returns the contribution of an entry to the sum of a row.
func mix(where uint32, e entry) uint64 { return prng.Mix(uint64(where)<<32 | uint64(e)) }

func (d *draft) membersOf(e entry) []uint16 {
	switch e & entryKind {
	case entryTrunk:
		return []uint16{uint16(e & entryValue)}
	case entryGroup:
		return d.groups[e&entryValue].members
	}
	return nil
}

// reroute finds the paths from everywhere to a destination anew.
func (d *draft) reroute(where uint32) {
	d.open()
	d.search(where)
	for x := range d.rows {
		if x := uint32(x); x != d.homes[where] {
			d.follow(x, where, d.collect(x, where))
		}
	}
}

// follow gives a node other members for a destination. If they are the same the entry stays.
func (d *draft) follow(x, where uint32, members []uint16) {
	if old := d.rows[x][where]; !slices.Equal(members, d.membersOf(old)) {
		d.set(x, where, d.next(x, old, members, false))
	}
}

// search finds the distance of every node to a destination over the links that are up.
func (d *draft) search(where uint32) {
	distance, home := d.distance, d.homes[where]
	for i := range distance {
		distance[i] = unreached
	}
	distance[home] = 0
	queue := append(d.queue[:0], home)
	for head := 0; head < len(queue); head++ {
		x := queue[head]
		if !d.leadsTo(x, where) {
			continue
		}
		up, farther := d.up[d.was.nodes[x].trunks:], distance[x]+1
		for i, by := range d.was.trunksOf(x) {
			if peer := by.index(); distance[peer] == unreached && up[i] {
				distance[peer] = farther
				queue = append(queue, peer)
			}
		}
	}
	d.queue = queue
}

// leadsTo reports whether packets to a destination may be sent to a node.
func (d *draft) leadsTo(x, where uint32) bool {
	return d.kinds[x].forwards() || d.homes[where] == x
}

// collect returns the trunks on the shortest paths of a node to the destination that was searched
// for last, or the trunks of its static route that are up, ascending. The slice is good until the
// next call.
func (d *draft) collect(x, where uint32) []uint16 {
	trunks, distance := d.was.trunksOf(x), d.distance
	up := d.up[d.was.nodes[x].trunks:][:len(trunks)]
	if static, ok := d.static[[2]uint32{x, where}]; ok {
		return slices.DeleteFunc(slices.Clone(static), func(m uint16) bool { return !up[m] })
	}
	nearer := distance[x] - 1
	if nearer == unreached-1 {
		return nil
	}
	d.members = slices.Grow(d.members[:0], len(trunks))
	members, n := d.members[:len(trunks)], 0
	for i, by := range trunks {
		if distance[by.index()] == nearer && up[i] &&
			(!by.isFlagged() || d.leadsTo(by.index(), where)) {
			members[n] = uint16(i)
			n++
		}
	}
	return members[:n]
}
