package explore

import (
	"encoding/binary"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/sluicefc/sluice"
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
	byItem  map[string]uint32 // what is on wires, from 1

	mu sync.RWMutex
}

// occasion is something that happens to a node in a state: an op, whose item is a number.
type occasion struct {
	node, item, ahead uint32
	by                sluice.Time
	port              sluice.PortID
	kind              opKind
	flow, number      uint8
}

type outcome struct {
	node *node
	effect
}

func newMemory() *memory {
	return &memory{
		byNode: map[[2]uint64]uint32{}, byWire: map[string]uint32{},
		byItem:  map[string]uint32{},
		effects: map[occasion]outcome{}, nodes: make([]*node, 1), quiet: make([]bool, 1),
		empty: make([]bool, 1),
	}
}

// touch is world.touch.
func (t *memory) touch(w *world, id int, o op) effect {
	before := w.nodes[id]
	at := occasion{
		before.number, o.item.number, o.ahead, o.by, o.port, o.kind, uint8(o.flow), uint8(o.count),
	}
	t.mu.RLock()
	known, ok := t.effects[at]
	t.mu.RUnlock()
	if !ok {
		n := before.clone()
		e := n.do(o)
		t.mu.Lock()
		known = outcome{t.keep(n), e}
		if e.sent {
			known.item.number = t.item(&known.item)
		}
		t.effects[at] = known
		t.mu.Unlock()
	}
	w.nodes[id] = known.node
	return known.effect
}

// keep returns the node that stands for all in the same state: n if it is new.
func (t *memory) keep(n *node) *node {
	state := n.append(binary.AppendUvarint(nil, uint64(n.id)))
	sum := [2]uint64{xxhash.Sum64(state)}
	digest := xxhash.NewWithSeed(sum[0] ^ seed)
	digest.Write(state)
	sum[1] = digest.Sum64()
	if number, known := t.byNode[sum]; known {
		return t.nodes[number]
	}
	n.number = uint32(len(t.nodes))
	t.byNode[sum] = n.number
	t.nodes = append(t.nodes, n)
	t.quiet = append(t.quiet, n.machine.Quiescent() == nil)
	t.empty = append(t.empty, n.empty())
	return n
}

// item returns the number of what is sent.
func (t *memory) item(it *item) uint32 {
	text := it.frame
	if text == "" {
		text = string(it.packet.append(nil))
	}
	number, known := t.byItem[text]
	if !known {
		number = uint32(len(t.byItem)) + 1
		t.byItem[text] = number
	}
	return number
}

const seed = 0x9e3779b97f4a7c15

// wire returns the number of what is on a wire.
func (t *memory) wire(w *wire) uint32 {
	var scratch [64]byte
	text := binary.AppendUvarint(scratch[:0], uint64(w.ahead))
	for i := range w.items {
		text = binary.AppendUvarint(text, uint64(w.items[i].number))
	}
	t.mu.RLock()
	id, known := t.byWire[string(text)]
	t.mu.RUnlock()
	if known {
		return id
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	id, known = t.byWire[string(text)]
	if !known {
		id = uint32(len(t.wires))
		t.byWire[string(text)] = id
		t.wires = append(t.wires, *w)
	}
	return id
}

// key writes a state of the network as numbers.
func (t *memory) key(dst []byte, w *world) []byte {
	for _, n := range w.nodes {
		dst = binary.LittleEndian.AppendUint32(dst, n.number)
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
	t.mu.RLock()
	defer t.mu.RUnlock()
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
	t.mu.RLock()
	defer t.mu.RUnlock()
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
