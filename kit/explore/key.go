package explore

import (
	"encoding/binary"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// look returns what the search needs of a state, which stands for all that symmetries make of it:
// the state of the least hash. Hashes are of contents, so that the choice is the same in every run.
func (t *memory) look(w *world) look {
	for i := range w.wires {
		if d := &w.wires[i]; d.number == 0 {
			d.number = t.wire(d)
		}
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	l := look{rests: t.rests(w)}
	var numbers [64]uint32
	var text [512]byte
	for g, s := range t.group.of {
		sums := text[:0]
		for i, number := range t.images(numbers[:0], w, g) {
			sums = binary.LittleEndian.AppendUint64(sums, t.sum(number, i < len(w.nodes)))
		}
		print := xxhash.Sum64(w.appendRest(sums, s))
		if g == 0 || print < l.print {
			l.print, l.by = print, uint8(g)
		}
	}
	key := text[:0]
	for _, number := range t.images(numbers[:0], w, int(l.by)) {
		key = binary.LittleEndian.AppendUint32(key, number)
	}
	l.key = string(w.appendRest(key, t.group.of[l.by]))
	return l
}

// images appends the numbers of what a symmetry makes of the nodes and the wires of a state.
func (t *memory) images(dst []uint32, w *world, g int) []uint32 {
	s, nodes := t.group.of[g], len(w.nodes)
	dst = slices.Grow(dst, nodes+len(w.wires))[:nodes+len(w.wires)]
	for i, n := range w.nodes {
		dst[s.node[i]] = t.nodes.image(n.number, g)
	}
	for i := range w.wires {
		dst[nodes+s.wire[i]] = t.wires.image(w.wires[i].number, g)
	}
	return dst
}

// appendRest appends what a symmetry makes of the rest of a state.
func (w *world) appendRest(to []byte, s *symmetry) []byte {
	size := 2*len(w.entered) + 2 + len(w.faults.flaps) + len(w.faults.restarted)
	to = append(to, make([]byte, size)...)
	dst := to[len(to)-size:]
	for i := range w.entered {
		dst[2*s.flow[i]], dst[2*s.flow[i]+1] = byte(w.entered[i]), byte(w.arrived[i])
	}
	dst = dst[2*len(w.entered):]
	dst[0], dst[1] = byte(w.faults.lost), byte(w.faults.doubled)
	dst = dst[2:]
	for i, f := range w.faults.flaps {
		dst[s.flaps[i]] = byte(f)
	}
	dst = dst[len(w.faults.flaps):]
	for i, r := range w.faults.restarted {
		if r {
			dst[s.restarts[i]] = 1
		}
	}
	return to
}

// sum returns the hash of a node or of a wire.
func (t *memory) sum(number uint32, ofNode bool) uint64 {
	if ofNode {
		return t.nodes.kept[number].sum
	}
	return t.wires.kept[number].sum
}

// world makes a state from its key.
func (t *memory) world(key string) *world {
	w := emptyWorld(t.network)
	w.memory = t
	t.mu.RLock()
	defer t.mu.RUnlock()
	b := []byte(key)
	for i := range w.nodes {
		w.nodes[i] = t.nodes.kept[binary.LittleEndian.Uint32(b)].it
		b = b[4:]
	}
	for i := range w.wires {
		d := &w.wires[i]
		d.number = binary.LittleEndian.Uint32(b)
		kept := &t.wires.kept[d.number].it
		d.items, d.ahead = kept.items, kept.ahead
		b = b[4:]
	}
	for i := range w.entered {
		w.entered[i], w.arrived[i] = int(b[0]), int(b[1])
		b = b[2:]
	}
	w.faults.lost, w.faults.doubled, b = int(b[0]), int(b[1]), b[2:]
	for i := range w.faults.flaps {
		w.faults.flaps[i], b = flap(b[0]), b[1:]
	}
	for i := range w.faults.restarted {
		w.faults.restarted[i], b = b[0] != 0, b[1:]
	}
	return w
}

func (t *memory) rests(w *world) rests {
	all := emptyState | quietState
	for _, n := range w.nodes {
		all &= n.rests
	}
	for i := range w.wires {
		for k := range w.wires[i].items {
			all &^= quietState
			if w.wires[i].items[k].frame == "" {
				all &^= emptyState
			}
		}
	}
	if all&emptyState == 0 {
		all = 0
	}
	return all
}
