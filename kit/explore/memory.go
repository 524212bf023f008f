package explore

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// memory keeps each state of a node, and each content of a wire, once, so that a state of the
// network is a few numbers; and what came of everything that happened to a node.
type memory struct {
	nodes   []*node              // by number, from 1
	byNode  map[[2]uint64]uint32 // 128 bits of a node's state
	quiet   []bool               // by node: it is quiescent
	empty   []bool               // by node: no packet waits there
	effects map[occasion]outcome
	wires   []wire
	byWire  map[string]uint32
	scratch []byte
}

// occasion is something that happens to a node in a state.
type occasion struct {
	node uint32
	op   op
}

type outcome struct {
	node *node
	effect
}

func newMemory() *memory {
	return &memory{
		byNode: map[[2]uint64]uint32{}, byWire: map[string]uint32{},
		effects: map[occasion]outcome{}, nodes: make([]*node, 1), quiet: make([]bool, 1), empty: make([]bool, 1),
	}
}

// touch is world.touch.
func (t *memory) touch(w *world, id int, o op) effect {
	before := w.nodes[id]
	at := occasion{t.node(before), o}
	known, ok := t.effects[at]
	if !ok {
		n := before.clone()
		n.number = 0
		known.effect = n.do(o)
		known.node = t.nodes[t.node(n)]
		t.effects[at] = known
	}
	w.nodes[id] = known.node
	return known.effect
}

// node returns the number of a node's state, and takes n to stand for it if it is new.
func (t *memory) node(n *node) uint32 {
	if n.number != 0 {
		return n.number
	}
	t.scratch = binary.AppendUvarint(t.scratch[:0], uint64(n.id))
	t.scratch = n.append(t.scratch)
	sum := [2]uint64{xxhash.Sum64(t.scratch)}
	digest := xxhash.NewWithSeed(sum[0] ^ seed)
	digest.Write(t.scratch)
	sum[1] = digest.Sum64()
	number, known := t.byNode[sum]
	if !known {
		number = uint32(len(t.nodes))
		n.number = number
		t.byNode[sum] = number
		t.nodes = append(t.nodes, n)
		t.quiet = append(t.quiet, n.machine.Quiescent() == nil)
		t.empty = append(t.empty, n.empty())
	}
	return number
}

const seed = 0x9e3779b97f4a7c15

// wire returns the number of what is on a wire.
func (t *memory) wire(w *wire) uint32 {
	t.scratch = binary.AppendUvarint(t.scratch[:0], uint64(w.ahead))
	for i := range w.items {
		it := &w.items[i]
		t.scratch = binary.AppendUvarint(t.scratch, uint64(len(it.frame)))
		if it.frame != "" {
			t.scratch = append(t.scratch, it.frame...)
		} else {
			t.scratch = it.packet.append(t.scratch)
		}
	}
	id, known := t.byWire[string(t.scratch)]
	if !known {
		id = uint32(len(t.wires))
		t.byWire[string(t.scratch)] = id
		t.wires = append(t.wires, *w)
	}
	return id
}

// key writes a state of the network as numbers.
func (t *memory) key(dst []byte, w *world) []byte {
	for _, n := range w.nodes {
		dst = binary.LittleEndian.AppendUint32(dst, t.node(n))
	}
	for i := range w.wires {
		dst = binary.AppendUvarint(dst, uint64(t.wire(&w.wires[i])))
	}
	for i := range w.entered {
		dst = append(dst, byte(w.entered[i]), byte(w.arrived[i]))
	}
	dst = append(dst, byte(w.faults.lost), byte(w.faults.doubled))
	for _, f := range w.faults.flaps {
		dst = append(dst, byte(f))
	}
	for _, r := range w.faults.restarted {
		if dst = append(dst, 0); r {
			dst[len(dst)-1] = 1
		}
	}
	return dst
}

// world reads what key wrote.
func (t *memory) world(network *Network, key string) *world {
	w := &world{
		network: network, memory: t, nodes: make([]*node, len(network.Nodes)),
		wires:   make([]wire, 2*len(network.Links)),
		entered: make([]int, len(network.Flows)), arrived: make([]int, len(network.Flows)),
		faults: faults{
			flaps:     make([]flap, len(network.Faults.Flaps)),
			restarted: make([]bool, len(network.Faults.Restarts)),
		},
	}
	b := []byte(key)
	for i := range w.nodes {
		w.nodes[i] = t.nodes[binary.LittleEndian.Uint32(b)]
		b = b[4:]
	}
	for i := range w.wires {
		id, n := binary.Uvarint(b)
		w.wires[i] = t.wires[id]
		end := network.Links[i/2]
		w.wires[i].from, w.wires[i].to = end.A, end.B
		if i%2 == 1 {
			w.wires[i].from, w.wires[i].to = end.B, end.A
		}
		b = b[n:]
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

// rests reports whether in a state of the network nothing is left to do, or if not all, whether no
// packet is anywhere.
func (t *memory) rests(w *world, key string) (empty, quiet bool) {
	empty, quiet = true, true
	for i := range w.nodes {
		id := binary.LittleEndian.Uint32([]byte(key[4*i:]))
		empty, quiet = empty && t.empty[id], quiet && t.quiet[id]
	}
	for i := range w.wires {
		for k := range w.wires[i].items {
			quiet = false
			empty = empty && w.wires[i].items[k].frame != ""
		}
	}
	return empty, quiet && empty
}
