package ir

import "slices"

// node is a piece of a control as it runs: actions one after the other, then a test or a table.
type node struct {
	body   block
	kind   nodeKind
	at     int // of a value that is compared with a number, its position
	number uint64
	holds  decided // another condition
	table  *lookup
	// next are the nodes that may follow: after a test for no and for yes, after a table as many as
	// way has numbers.
	next []*node
}

type nodeKind uint8

const (
	ends nodeKind = iota
	testsField
	testsOther
	applies
)

// way numbers the outcomes of a table.
func way(action int, matched bool) int {
	if matched {
		return 2*action + 1
	}
	return 2 * action
}

// run gives the packet of a pass to a control.
func (m *Machine) run(n *node, p *pass) {
	for {
		n.body.run(p)
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
			taken = m.apply(p, n.table)
		default:
			return
		}
		n = n.next[taken]
	}
}

// steps compiles a sequence that a node follows.
func (m *Machine) steps(steps []Step, next *node) *node {
	for _, step := range slices.Backward(steps) {
		switch step := step.(type) {
		case Do:
			first := *next
			first.body = slices.Concat(m.body(step.Action), next.body)
			next = &first
		case If:
			next = m.condition(step.Condition, m.steps(step.Then, next), m.steps(step.Else, next))
		case Apply:
			next = m.applied(step, next)
		}
	}
	return next
}

// applied compiles the use of a table. A control branches on the action or on whether an entry
// matched, not on both.
func (m *Machine) applied(step Apply, next *node) *node {
	n := &node{kind: applies, table: m.tables[step.Table],
		next: make([]*node, 2*len(step.Table.Actions))}
	hit, miss := m.steps(step.Hit, next), m.steps(step.Miss, next)
	for action := range step.Table.Actions {
		n.next[way(action, true)], n.next[way(action, false)] = hit, miss
	}
	for _, branch := range step.After {
		then, action := m.steps(branch.Then, next), step.Table.action(branch.Action)
		n.next[way(action, true)], n.next[way(action, false)] = then, then
	}
	return n
}

// condition compiles a condition: no part is tested once the whole is decided.
func (m *Machine) condition(x Expr, yes, no *node) *node {
	switch x := x.(type) {
	case All:
		for _, part := range slices.Backward(x) {
			yes = m.condition(part, yes, no)
		}
		return yes
	case Any:
		for _, part := range slices.Backward(x) {
			no = m.condition(part, yes, no)
		}
		return no
	case Not:
		return m.condition(x.X, no, yes)
	case Valid:
		return &node{kind: testsField, at: m.headers[x.Header].valid, number: 1, next: []*node{no, yes}}
	}
	compared := x.(Compare)
	field, isField := compared.X.(*Field)
	number, isConst := compared.Y.(Const)
	if isField && isConst && field.Bits <= 64 && compared.Op <= NotEqual {
		if compared.Op == NotEqual {
			yes, no = no, yes
		}
		return &node{kind: testsField, at: m.fields[field], number: number.Value.Lo,
			next: []*node{no, yes}}
	}
	return &node{kind: testsOther, holds: m.relation(compared), next: []*node{no, yes}}
}

// numbered returns 1 for true.
func numbered(is bool) int {
	if is {
		return 1
	}
	return 0
}
