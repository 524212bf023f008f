package explore

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// look returns what the search needs of a state, which stands for all that symmetries make of it:
// the one of the least hash. Hashes are of contents, so that the choice is the same in every run.
func (t *memory) look(w *world) look {
	for i := range w.wires {
		if d := &w.wires[i]; d.number == 0 {
			d.number = t.wire(d)
		}
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	l := look{rests: t.rests(w)}
	var scratch [512]byte
	for g := range t.group.of {
		print := xxhash.Sum64(t.contents(scratch[:0], w, g))
		if g == 0 || print < l.print {
			l.print, l.by = print, uint8(g)
		}
	}
	l.key = string(t.key(scratch[:0], w, int(l.by)))
	return l
}

func sized(scratch []byte, n int) []byte {
	if n <= cap(scratch) {
		return scratch[:n]
	}
	return make([]byte, n)
}

// contents writes what a symmetry makes of a state, as hashes.
func (t *memory) contents(scratch []byte, w *world, g int) []byte {
	s := t.group.of[g]
	wires := 8 * len(w.nodes)
	rest := wires + 8*len(w.wires)
	dst := sized(scratch, rest+w.restSize())
	for i, n := range w.nodes {
		sum := t.nodes[imageNumber(n.images, n.number, g)].sum
		binary.LittleEndian.PutUint64(dst[8*s.node[i]:], sum)
	}
	for i := range w.wires {
		sum := t.wires[t.wireImage(w, i, g)].sum
		binary.LittleEndian.PutUint64(dst[wires+8*s.wire[i]:], sum)
	}
	w.putRest(dst[rest:], s)
	return dst
}

// key writes what a symmetry makes of a state, as numbers.
func (t *memory) key(scratch []byte, w *world, g int) []byte {
	s := t.group.of[g]
	wires := 4 * len(w.nodes)
	rest := wires + 4*len(w.wires)
	dst := sized(scratch, rest+w.restSize())
	for i, n := range w.nodes {
		number := imageNumber(n.images, n.number, g)
		binary.LittleEndian.PutUint32(dst[4*s.node[i]:], number)
	}
	for i := range w.wires {
		binary.LittleEndian.PutUint32(dst[wires+4*s.wire[i]:], t.wireImage(w, i, g))
	}
	w.putRest(dst[rest:], s)
	return dst
}

func (t *memory) wireImage(w *world, i, g int) uint32 {
	number := w.wires[i].number
	return imageNumber(t.wires[number].images, number, g)
}

func (w *world) restSize() int {
	return 2*len(w.entered) + 2 + len(w.faults.flaps) + len(w.faults.restarted)
}

// putRest writes what a symmetry makes of the rest of a state.
func (w *world) putRest(dst []byte, s *symmetry) {
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
		if dst[s.restarts[i]] = 0; r {
			dst[s.restarts[i]] = 1
		}
	}
}

// world reads what key wrote.
func (t *memory) world(key string) *world {
	w := emptyWorld(t.network)
	w.memory = t
	t.mu.RLock()
	defer t.mu.RUnlock()
	b := []byte(key)
	for i := range w.nodes {
		w.nodes[i] = t.nodes[binary.LittleEndian.Uint32(b)]
		b = b[4:]
	}
	for i := range w.wires {
		d := &w.wires[i]
		d.number = binary.LittleEndian.Uint32(b)
		kept := &t.wires[d.number].wire
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
