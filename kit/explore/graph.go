package explore

import "slices"

// graph is the states that were visited, in the order in which they were found, and where each step
// leads. Of a state it keeps 64 bits of its hash and how it was reached; the state itself waits in
// the frontier until its steps were tried.
type graph struct {
	prints   []uint64 // by state
	reached  []reached
	index    []uint32 // 1 + a state, at its hash or behind; its length is a power of two
	frontier []string // keys of the states whose steps were not tried
	levels   []uint32 // the first state at each depth
	begin    []uint32 // by state whose steps were tried: where in to they begin
	to       []uint32
}

// reached is how a state was reached: by a step from another state, and then a symmetry.
type reached struct {
	parent uint32
	step   uint32 // see pack
	by     uint8  // index of the symmetry
	rests
}

// rests is how much of a state is at rest.
type rests uint8

const (
	emptyState rests = 1 << iota // no packet is anywhere
	quietState                   // nothing is left to do
)

// look is what the search needs of a state: its hash, a key to make it from, and the symmetry that
// made it of the state that a step led to.
type look struct {
	print uint64
	key   string
	by    uint8
	rests
}

// visit returns the number of a state, which it notes if it is new.
func (g *graph) visit(l look, parent uint32, step Step) uint32 {
	if 2*len(g.prints) >= len(g.index) {
		g.grow()
	}
	at := g.find(l.print)
	if g.index[at] == 0 {
		id := uint32(len(g.prints))
		if g.index[at] = id + 1; id == 0 || parent >= g.levels[len(g.levels)-1] {
			g.levels = append(g.levels, id)
		}
		g.prints = append(g.prints, l.print)
		g.reached = append(g.reached, reached{parent, step.pack(), l.by, l.rests})
		g.frontier = append(g.frontier, l.key)
	}
	return g.index[at] - 1
}

// find returns where in the index a hash is, or would be.
func (g *graph) find(print uint64) int {
	mask := len(g.index) - 1
	at := int(print) & mask
	for g.index[at] != 0 && g.prints[g.index[at]-1] != print {
		at = (at + 1) & mask
	}
	return at
}

func (g *graph) grow() {
	g.index = make([]uint32, max(1024, 2*len(g.index)))
	for i, print := range g.prints {
		g.index[g.find(print)] = uint32(i) + 1
	}
}

// take returns the next states of the frontier, at most n, with the number of the first.
func (g *graph) take(n int) (from int, keys []string) {
	keys = g.frontier[:min(n, len(g.frontier))]
	g.frontier = g.frontier[len(keys):]
	return len(g.begin), keys
}

// stuck returns the first state from which no state of the wanted rest is reached. States whose
// steps were not tried count as if such a state were reached. It goes backwards over all states
// until a round learns nothing: states that were found later are mostly nearer to rest.
func (g *graph) stuck(want rests) (state uint32, found bool) {
	reaches := make([]bool, len(g.prints))
	for learnt := true; learnt; {
		learnt = false
		for i := len(reaches) - 1; i >= 0; i-- {
			if reaches[i] {
				continue
			}
			ok := i >= len(g.begin) || g.reached[i].rests&want != 0
			for _, to := range g.targets(i, !ok) {
				if ok = reaches[to]; ok {
					break
				}
			}
			reaches[i], learnt = ok, learnt || ok
		}
	}
	bad := slices.Index(reaches, false)
	return uint32(max(bad, 0)), bad >= 0
}

// targets returns where the steps of a state lead; none unless they are needed.
func (g *graph) targets(state int, needed bool) []uint32 {
	if !needed {
		return nil
	}
	end := len(g.to)
	if state+1 < len(g.begin) {
		end = int(g.begin[state+1])
	}
	return g.to[g.begin[state]:end]
}

// way returns the steps from where nothing happened to a state, and the symmetry that makes what
// they lead to of the state that is kept.
func (g *graph) way(state uint32, group *group) (steps []Step, undo int) {
	var states []uint32
	for ; state != 0; state = g.reached[state].parent {
		states = append(states, state)
	}
	slices.Reverse(states)
	for _, s := range states {
		r := &g.reached[s]
		steps = append(steps, group.of[undo].step(unpack(r.step)))
		undo = group.times[undo][group.inverse(int(r.by))]
	}
	return steps, undo
}

// A packed step is its kind and two numbers, of 14 bits each.
const packed = 14

func (s Step) pack() uint32 {
	v := uint32(s.Kind) << (2 * packed)
	first, second := s.numbers()
	if first != nil {
		v |= uint32(*first) << packed
	}
	if second != nil {
		v |= uint32(*second)
	}
	return v
}

func unpack(v uint32) Step {
	s := Step{Kind: StepKind(v >> (2 * packed))}
	first, second := s.numbers()
	if first != nil {
		*first = int(v >> packed & (1<<packed - 1))
	}
	if second != nil {
		*second = int(v & (1<<packed - 1))
	}
	return s
}
