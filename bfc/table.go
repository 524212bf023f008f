package bfc

import (
	"math/bits"

	"github.com/sluicefc/sluice"
)

// entry is what an egress port knows of a VFID. The zero value was never used; so a large table
// costs no memory before it is touched.
type entry struct {
	flow     uint64      // of the packet that came when size was last 0
	last     sluice.Time // of the last departure; with packets here it does not matter
	size     uint32      // packets held
	queue    sluice.QueueID
	assigned bool // queue means something
	used     bool
}

// idle reports whether the entry holds nothing and has held nothing for longer than sticky. An entry that
// was never used is idle.
func (e *entry) idle(now, sticky sluice.Time) bool {
	return e.size == 0 && (!e.used || now-e.last > sticky)
}

// table is the flow table of an egress port.
//
// Without exact, the VFID of a flow is its hash, and the index of its entry.
//
// With exact, an entry belongs to one flow, and is found within window places from the flow's
// home, where it hashes to. If none of them is free the flow becomes a guest of its home: it shares
// that entry. While a home has guests, every flow that hashes to it and has no entry is a guest too. So
// a flow never has packets under two entries, and cannot be reordered.
type table struct {
	entries []entry
	guests  []uint32 // by home: packets of guests held; nil unless exact
	seed    uint64
}

const window = 16

func newTable(size int, exact bool, seed uint64) table {
	t := table{entries: make([]entry, size), seed: seed}
	if exact {
		t.guests = make([]uint32, size)
	}
	return t
}

// vfid returns where a flow hashes to. The hash is reduced to the size of the table by
// multiplication, which is as even as a remainder and spares the division.
func (t *table) vfid(flow uint64) int {
	high, _ := bits.Mul64(hash(flow, t.seed), uint64(len(t.entries)))
	return int(high)
}

// find returns the entry of a flow in an exact table, making one if there is room. guest says that
// it belongs to another flow; evicted that it was still sticky to another.
func (t *table) find(home int, flow uint64, now, sticky sluice.Time) (index int, guest, evicted bool) {
	free, second := -1, -1 // the first idle entry, and the first empty one
	i := home
	for range min(window, len(t.entries)) {
		e := &t.entries[i]
		if e.used && e.flow == flow {
			return i, false, false
		}
		if free < 0 && e.idle(now, sticky) {
			free = i
		}
		if second < 0 && e.size == 0 {
			second = i
		}
		if !e.used {
			break // whoever came past found it free
		}
		if i++; i == len(t.entries) {
			i = 0
		}
	}
	if t.guests[home] > 0 {
		return home, true, false
	}
	if free < 0 {
		free, evicted = second, true
	}
	if free < 0 {
		return home, true, false
	}
	t.entries[free] = entry{flow: flow} // whose packet joins it next
	return free, false, evicted
}

// hash spreads the bits of a flow under a seed by the finaliser of XXH64 (Collet, xxHash fast digest
// algorithm, version 0.1.1): a bijection, which is all that is needed of what is a hash already.
func hash(flow, seed uint64) uint64 {
	const (
		prime2 = 0xc2b2ae3d27d4eb4f
		prime3 = 0x165667b19e3779f9
	)
	h := flow ^ seed
	h = (h ^ h>>33) * prime2
	h = (h ^ h>>29) * prime3
	return h ^ h>>32
}

// Layout of sluice.Packet.Note: index of the entry 0-31, queue 32-47, then flags.
const (
	noteQueueShift = 32
	noteValid      = 1 << 48 // a note of ours
	noteCounted    = 1 << 49 // the packet was counted against its upstream queue
	noteGuest      = 1 << 50 // its entry belongs to another flow
)

func makeNote(index int, q sluice.QueueID) uint64 {
	return uint64(uint32(index)) | uint64(q)<<noteQueueShift | noteValid
}

// isNote reports whether note is one of ours, of a packet in queue q.
func isNote(note uint64, q sluice.QueueID) bool {
	return uint32(note>>noteQueueShift)&(2*noteValid>>noteQueueShift-1) == uint32(q)|noteValid>>noteQueueShift
}
