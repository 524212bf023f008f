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
	nodes   shelf[[2]uint64, *node] // by 128 bits of a node's state
	items   shelf[string, item]
	wires   shelf[string, wire]
	fresh   []*node // nodes that start anew, by id; nil: it never does
	effects map[occasion]outcome
	// unlike is the index of a symmetry that machines do not have after all; 0 if there is none.
	unlike int

	mu sync.RWMutex
}

// shelf keeps things of one kind, each once.
type shelf[K comparable, T any] struct {
	numbers map[K]uint32
	kept    []kept[T] // by number, from 1
}

type kept[T any] struct {
	it  T
	sum uint64 // the hash of it
	// images are the numbers of what the symmetries make of it; empty until that is known.
	images []uint32
}

func newShelf[K comparable, T any]() shelf[K, T] {
	return shelf[K, T]{numbers: map[K]uint32{}, kept: make([]kept[T], 1)}
}

// add keeps a thing under a key that is new, and returns its number.
func (s *shelf[K, T]) add(key K, it T, sum uint64) uint32 {
	number := uint32(len(s.kept))
	s.numbers[key] = number
	s.kept = append(s.kept, kept[T]{it: it, sum: sum})
	return number
}

// image returns the number of what a symmetry makes of a thing: the thing's own once the symmetry
// was given up.
func (s *shelf[K, T]) image(number uint32, symmetry int) uint32 {
	images := s.kept[number].images
	if len(images) == 0 || images[symmetry] == 0 {
		return number
	}
	return images[symmetry]
}

// relate notes what each symmetry makes of the things that the symmetries made of one. It returns a
// symmetry of which something else was known, 0 if there is none.
func (s *shelf[K, T]) relate(ids []uint32, group *group) (unlike int) {
	for g, id := range ids {
		k := &s.kept[id]
		if len(k.images) == 0 {
			k.images = make([]uint32, len(ids))
		}
		for h := range ids {
			switch to := ids[group.times[h][g]]; k.images[h] {
			case to:
			case 0:
				k.images[h] = to
			default:
				unlike = h
			}
		}
	}
	return unlike
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

func newMemory(network *Network, group *group) *memory {
	return &memory{
		network: network, group: group,
		nodes: newShelf[[2]uint64, *node](), items: newShelf[string, item](),
		wires: newShelf[string, wire](), effects: map[occasion]outcome{},
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

// try lets something happen to a node, and its image under each symmetry to the image of the node:
// the outcomes must be the images of the first.
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
	t.relateOutcomes(outcomes)
	for g, at := range occasions {
		t.effects[at] = outcomes[g]
	}
	return outcomes[0]
}

// relateOutcomes notes which outcomes are the images of the first, or that one is not.
func (t *memory) relateOutcomes(outcomes []outcome) {
	first := &outcomes[0]
	nodes, items := make([]uint32, len(outcomes)), make([]uint32, len(outcomes))
	for g := range outcomes {
		o := &outcomes[g]
		if !first.like(o) || !first.node.like(o.node, t.group.of[g]) ||
			first.sent && !first.item.like(&o.item, t.group.of[g]) {
			t.unlike = g
			return
		}
		nodes[g], items[g] = o.node.number, o.item.number
	}
	t.note(t.nodes.relate(nodes, t.group))
	if first.sent {
		t.note(t.items.relate(items, t.group))
	}
}

// note notes that machines do not have a symmetry, if it is one.
func (t *memory) note(unlike int) {
	if unlike != 0 {
		t.unlike = unlike
	}
}

// like reports whether an effect can be what a symmetry makes of another.
func (e *outcome) like(o *outcome) bool {
	return o.fault == (fault{}) && e.sent == o.sent && e.heard == o.heard &&
		e.delivered == o.delivered && e.ahead == o.ahead
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

// image returns the node that a symmetry makes of another.
func (t *memory) image(n *node, symmetry int) *node {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.nodes.kept[t.nodes.image(n.number, symmetry)].it
}

func (t *memory) imageOf(it item, symmetry int) item {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.items.kept[t.items.image(it.number, symmetry)].it
}

// keep returns the node that stands for all nodes in the state of n: n if the state is new.
func (t *memory) keep(n *node) *node {
	state := n.append(binary.AppendUvarint(nil, uint64(n.id)))
	sum := [2]uint64{xxhash.Sum64(state)}
	digest := xxhash.NewWithSeed(sum[0] ^ seed)
	digest.Write(state)
	sum[1] = digest.Sum64()
	n.rests = 0
	if n.empty() {
		n.rests |= emptyState
	}
	if n.machine.Quiescent() == nil {
		n.rests |= quietState
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if number, known := t.nodes.numbers[sum]; known {
		return t.nodes.kept[number].it
	}
	n.number = t.nodes.add(sum, n, sum[0])
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
	number, known := t.items.numbers[text]
	if !known {
		number = t.items.add(text, *it, xxhash.Sum64String(text))
		t.items.kept[number].it.number = number
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
	t.note(t.items.relate(ids, t.group))
	return t.items.kept[ids[0]].it
}

// wire returns the number of what is on a wire.
func (t *memory) wire(w *wire) uint32 {
	var scratch [64]byte
	text := w.append(scratch[:0])
	t.mu.RLock()
	id, known := t.wires.numbers[string(text)]
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
			image.items = append(image.items, t.items.kept[t.items.image(it.number, g)].it)
		}
		ids[g] = t.keepWire(&image)
	}
	t.note(t.wires.relate(ids, t.group))
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
	if id, known := t.wires.numbers[text]; known {
		return id
	}
	sums := binary.LittleEndian.AppendUint32(nil, w.ahead)
	for i := range w.items {
		sums = binary.LittleEndian.AppendUint64(sums, t.items.kept[w.items[i].number].sum)
	}
	return t.wires.add(text, *w, xxhash.Sum64(sums))
}
