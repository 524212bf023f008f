package ir

import "encoding/binary"

// walk runs a control. It learns the control's ways as packets take them: a test whose outcome
// follows from earlier tests on the way, or from a number that an action wrote, is not made again.
type walk struct {
	machine *Machine
	start   *node
	nodes   map[string]*node // by the instruction at which they begin and what is known there
	most    int              // how many nodes may depend on what is known
	facts   []fact           // by position, while a node is made
	scratch pass             // of tests that are decided
	key     []byte
}

// mostNodes bounds the nodes of a control that depend on what is known: in further nodes every test
// is made.
const mostNodes = 1 << 14

// node is a part of a way through a control: actions one after the other, then a test or a table.
type node struct {
	body   block
	kind   instructionKind
	at     int // of a field that is tested, its position
	number uint64
	holds  decided
	table  *lookup
	next   []*node // nil where no packet has gone yet

	last  *instruction // the test or the table
	facts []placed     // what is known before it
}

// fact is what is known of a value of at most 64 bits: its number, or a set of numbers below 64
// that it does not have.
type fact struct {
	known  bool
	number uint64
}

// placed is what is known of the value at a position.
type placed struct {
	at int
	fact
}

// newWalk returns the walk of a control of a gress.
func (m *Machine) newWalk(gress Gress, most int) *walk {
	w := &walk{machine: m, nodes: map[string]*node{}, most: most, facts: make([]fact, m.positions),
		scratch: pass{values: make([]Value, m.positions)}}
	s := parts{machine: m}
	first := s.steps(m.program.Control[gress], nil)
	for _, field := range m.program.Metadata[gress] {
		w.facts[m.fields[field]] = fact{known: true} // zero
	}
	w.start = w.node(first)
	return w
}

// run gives the packet of a pass to the control.
func (w *walk) run(p *pass) {
	for n := w.start; ; {
		for _, statement := range n.body {
			statement(p)
		}
		taken := 0
		switch n.kind {
		case testsField:
			if p.values[n.at].Lo == n.number {
				taken = 1
			}
		case testsOther:
			if n.holds(p) {
				taken = 1
			}
		case applies:
			taken = w.machine.apply(p, n.table)
		default:
			return
		}
		next := n.next[taken]
		if next == nil {
			next = w.follow(n, taken)
			n.next[taken] = next
		}
		n = next
	}
}

// follow returns the node to which a way leads from another.
func (w *walk) follow(n *node, taken int) *node {
	clear(w.facts)
	for _, known := range n.facts {
		w.facts[known.at] = known.fact
	}
	if n.kind == applies {
		w.learn(n.table.writes[taken/2])
	} else {
		w.conclude(&n.last.test, taken == 1)
	}
	return w.node(n.last.next[taken])
}

// node returns the node that begins with an instruction, for what is known.
func (w *walk) node(i *instruction) *node {
	if len(w.nodes) >= w.most {
		clear(w.facts)
	}
	key := w.name(i)
	n, made := w.nodes[string(key)]
	if !made {
		n = w.make(i)
		w.nodes[string(key)] = n
	}
	return n
}

// name returns an instruction and what is known of values that are live there.
func (w *walk) name(i *instruction) []byte {
	key := w.key[:0]
	if i != nil {
		key = binary.LittleEndian.AppendUint32(key, uint32(i.number))
		for at, known := range w.facts {
			if known != (fact{}) && i.live.has(at) {
				key = binary.LittleEndian.AppendUint32(key, uint32(at))
				key = binary.LittleEndian.AppendUint64(key, known.number)
				if known.known {
					key = append(key, 1)
				} else {
					key = append(key, 0)
				}
			}
		}
	}
	w.key = key
	return key
}

// make makes a node, which goes on as long as the outcomes of tests are known.
func (w *walk) make(i *instruction) *node {
	n := &node{}
	for i != nil {
		if i.kind == acts {
			n.body = append(n.body, i.body...)
			w.learn(i.writes)
			i = i.next[0]
			continue
		}
		outcome, known := w.decided(i)
		if !known {
			break
		}
		i = i.next[outcome]
	}
	if i == nil {
		return n
	}
	n.kind, n.at, n.number, n.holds, n.table = i.kind, i.test.at, i.test.number, i.test.holds, i.table
	n.next, n.last = make([]*node, len(i.next)), i
	for at, known := range w.facts {
		if known != (fact{}) && i.live.has(at) {
			n.facts = append(n.facts, placed{at, known})
		}
	}
	return n
}

func (w *walk) learn(writes []effect) {
	for _, write := range writes {
		switch write.kind {
		case becomesNumber:
			w.facts[write.to] = fact{true, write.number}
		case becomesValue:
			w.facts[write.to] = w.facts[write.from]
		default:
			w.facts[write.to] = fact{}
		}
	}
}

func (w *walk) conclude(t *test, held bool) {
	if t.holds != nil {
		return
	}
	known := &w.facts[t.at]
	switch {
	case held:
		*known = fact{true, t.number}
	case t.bit:
		*known = fact{true, 1 - t.number}
	case t.number < 64:
		known.number |= 1 << t.number
	}
}

// decided returns the outcome of a test if it is known.
func (w *walk) decided(i *instruction) (outcome int, known bool) {
	switch i.kind {
	case testsField:
		is := w.facts[i.test.at]
		if is.known {
			return numbered(is.number == i.test.number), true
		}
		return 0, i.test.number < 64 && is.number>>i.test.number&1 != 0
	case testsOther:
		for _, at := range i.test.reads {
			if !w.facts[at].known {
				return 0, false
			}
			w.scratch.values[at] = Uint(w.facts[at].number)
		}
		if i.test.reads == nil {
			return 0, false
		}
		return numbered(i.test.holds(&w.scratch)), true
	default:
		return 0, false
	}
}

// numbered returns 1 for true.
func numbered(is bool) int {
	if is {
		return 1
	}
	return 0
}
