package explore

import (
	"encoding/binary"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/sluicefc/sluice"
)

// memory keeps each state of a node, each thing on a wire, and each content of a wire once, so that
// a state of the network is a few numbers; and what came of everything that happened to a node.
type memory struct {
	network *Network
	group   *group
	nodes   []*node              // by number, from 1
	byNode  map[[2]uint64]uint32 // 128 bits of a node's state
	fresh   []*node              // nodes that start anew, by id; nil: it never does
	effects map[occasion]outcome
	items   []keptItem // by number, from 1
	byItem  map[string]uint32
	wires   []keptWire
	byWire  map[string]uint32
	// unlike is the index of a symmetry that machines do not have after all; 0 if there is none.
	unlike int

	mu sync.RWMutex
}

type keptItem struct {
	item
	images
	sum uint64
}

type keptWire struct {
	wire
	images
	sum uint64
}

// images are the numbers of what the symmetries make of something; empty until that is known.
type images []uint32

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

func newMemory(network *Network, group *group) *memory {
	return &memory{
		network: network, group: group,
		nodes: make([]*node, 1), byNode: map[[2]uint64]uint32{}, effects: map[occasion]outcome{},
		items: make([]keptItem, 1), byItem: map[string]uint32{}, byWire: map[string]uint32{},
	}
}

func (t *memory) touch(before *node, o op) outcome {
	t.mu.RLock()
	known, ok := t.effects[before.occasion(&o)]
	unlike := t.unlike
	t.mu.RUnlock()
	switch {
	case ok:
		return known
	case unlike != 0: // the search will begin anew
		return outcome{before, effect{fault: broken("symmetry", "there is none")}}
	}
	return t.try(before, o)
}

func (n *node) occasion(o *op) occasion {
	return occasion{
		n.number, o.item.number, o.ahead, o.by, o.port, o.kind, uint8(o.flow), uint8(o.count),
	}
}

// try lets something happen to a node, and to every node that a symmetry makes of it what that
// makes of it: the outcomes are what the symmetry makes of the first.
func (t *memory) try(before *node, o op) outcome {
	occasions, outcomes := make([]occasion, len(t.group.of)), make([]outcome, len(t.group.of))
	for g, s := range t.group.of {
		from, op := t.image(before, g), s.op(before.id, o)
		if o.item.number != 0 {
			op.item = t.imageOf(o.item, g)
		}
		occasions[g] = from.occasion(&op)
		t.mu.RLock()
		known, ok := t.effects[occasions[g]]
		t.mu.RUnlock()
		if !ok {
			n := from.clone()
			known.effect = n.do(op)
			known.node = t.keep(n)
			if known.sent {
				known.item.number = t.item(&known.item)
			}
		}
		if outcomes[g] = known; known.fault != (fault{}) && g == 0 {
			return known
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.relateOutcomes(outcomes, o.kind)
	for g, at := range occasions {
		t.effects[at] = outcomes[g]
	}
	return outcomes[0]
}

// relateOutcomes notes what symmetries make of an outcome, if they do.
func (t *memory) relateOutcomes(outcomes []outcome, kind opKind) {
	first := &outcomes[0]
	nodes, items := make([]uint32, len(outcomes)), make([]uint32, len(outcomes))
	for g := range outcomes {
		o := &outcomes[g]
		if !first.like(o, kind) || !first.node.like(o.node, t.group.of[g]) ||
			first.sent && !first.item.like(&o.item, t.group.of[g]) {
			t.unlike = g
			return
		}
		nodes[g], items[g] = o.node.number, o.item.number
	}
	t.relateNodes(nodes)
	if first.sent {
		t.relate(items, func(id uint32) *images { return &t.items[id].images })
	}
}

// like reports whether an effect can be what a symmetry makes of another.
func (e *outcome) like(o *outcome, kind opKind) bool {
	return o.fault == (fault{}) && e.sent == o.sent && e.heard == o.heard &&
		e.delivered == o.delivered && (kind == opEnter || kind == opPass || e.ahead == o.ahead)
}

// like reports whether the network can do with a node what it can with another.
func (n *node) like(o *node, s *symmetry) bool {
	for p, ready := range n.ready {
		if ready != o.ready[s.port[n.id][p]] {
			return false
		}
	}
	return o.id == s.node[n.id] && n.rests == o.rests && n.counts == o.counts &&
		n.machine.Deadline() == o.machine.Deadline()
}

func (it *item) like(o *item, s *symmetry) bool {
	p, q := &it.packet, &o.packet
	return (it.frame == "") == (o.frame == "") && (it.frame != "" ||
		s.flow[p.flow] == int(q.flow) && p.number == q.number && p.Path.Len() == q.Path.Len())
}

func (t *memory) relateNodes(ids []uint32) {
	t.relate(ids, func(id uint32) *images { return &t.nodes[id].images })
}

// relate notes what each symmetry makes of the things that the symmetries made of one.
func (t *memory) relate(ids []uint32, of func(id uint32) *images) {
	for g, id := range ids {
		known := of(id)
		if len(*known) == 0 {
			*known = make(images, len(ids))
		}
		for h := range ids {
			switch to := ids[t.group.times[h][g]]; (*known)[h] {
			case to:
			case 0:
				(*known)[h] = to
			default:
				t.unlike = h
			}
		}
	}
}

// image returns the node that a symmetry makes of another.
func (t *memory) image(n *node, symmetry int) *node {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.nodes[imageNumber(n.images, n.number, symmetry)]
}

func (t *memory) imageOf(it item, symmetry int) item {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.items[imageNumber(t.items[it.number].images, it.number, symmetry)].item
}

// imageNumber is the number of an image; that of the thing itself once the symmetry was given up.
func imageNumber(known images, number uint32, symmetry int) uint32 {
	if len(known) == 0 || known[symmetry] == 0 {
		return number
	}
	return known[symmetry]
}

// keep returns the node that stands for all in the same state: n if it is new.
func (t *memory) keep(n *node) *node {
	state := n.append(binary.AppendUvarint(nil, uint64(n.id)))
	sum := [2]uint64{xxhash.Sum64(state)}
	digest := xxhash.NewWithSeed(sum[0] ^ seed)
	digest.Write(state)
	sum[1] = digest.Sum64()
	n.sum, n.rests = sum[0], 0
	if n.empty() {
		n.rests |= emptyState
	}
	if n.machine.Quiescent() == nil {
		n.rests |= quietState
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if number, known := t.byNode[sum]; known {
		return t.nodes[number]
	}
	n.number = uint32(len(t.nodes))
	n.images = nil
	t.byNode[sum] = n.number
	t.nodes = append(t.nodes, n)
	return n
}

const seed = 0x9e3779b97f4a7c15

// item returns the number of what is sent.
func (t *memory) item(it *item) uint32 {
	text := it.frame
	if text == "" {
		text = string(it.packet.append(nil))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	number, known := t.byItem[text]
	if !known {
		number = uint32(len(t.items))
		t.byItem[text] = number
		kept := keptItem{item: *it, sum: xxhash.Sum64String(text)}
		kept.number = number
		t.items = append(t.items, kept)
	}
	return number
}

// renumber returns what an item on a wire becomes when its sequence number is less.
func (t *memory) renumber(it item, by uint32) item {
	ids := make([]uint32, len(t.group.of))
	for g := range ids {
		image := t.imageOf(it, g)
		image.renumber(by)
		ids[g] = t.item(&image)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.relate(ids, func(id uint32) *images { return &t.items[id].images })
	return t.items[ids[0]].item
}

// wire returns the number of what is on a wire.
func (t *memory) wire(w *wire) uint32 {
	var scratch [64]byte
	text := w.append(scratch[:0])
	t.mu.RLock()
	id, known := t.byWire[string(text)]
	t.mu.RUnlock()
	if known {
		return id
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	ids := make([]uint32, len(t.group.of))
	for g := range ids {
		image := wire{ahead: w.ahead}
		for _, it := range w.items {
			number := imageNumber(t.items[it.number].images, it.number, g)
			image.items = append(image.items, t.items[number].item)
		}
		ids[g] = t.keepWire(&image)
	}
	t.relate(ids, func(id uint32) *images { return &t.wires[id].images })
	return ids[0]
}

func (w *wire) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(w.ahead))
	for i := range w.items {
		dst = binary.AppendUvarint(dst, uint64(w.items[i].number))
	}
	return dst
}

func (t *memory) keepWire(w *wire) uint32 {
	text := string(w.append(nil))
	id, known := t.byWire[text]
	if !known {
		if len(t.wires) == 0 {
			t.wires = append(t.wires, keptWire{}) // numbers are from 1
		}
		id = uint32(len(t.wires))
		t.byWire[text] = id
		sums := binary.LittleEndian.AppendUint32(nil, w.ahead)
		for i := range w.items {
			sums = binary.LittleEndian.AppendUint64(sums, t.items[w.items[i].number].sum)
		}
		t.wires = append(t.wires, keptWire{wire: *w, sum: xxhash.Sum64(sums)})
	}
	return id
}
