package explore

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Explore visits the states of a network until all are, a bound is reached, or a property is
// violated. The error is a *sluice.ConfigError, or what a node's New returned.
func (n *Network) Explore(o Options) (Result, error) {
	if err := n.check(); err != nil {
		return Result{}, err
	}
	if o.States == 0 {
		o.States = 1_000_000
	}
	first, err := newWorld(n)
	if err != nil {
		return Result{}, err
	}
	for _, node := range first.nodes {
		if f := node.inspect(); f != (fault{}) {
			return Result{Violation: f.violation(n)}, nil
		}
	}
	if f := first.checkAll(); f != (fault{}) {
		return Result{Violation: f.violation(n)}, nil
	}
	identity, candidates := n.symmetries(first.ports())
	if o.NoSymmetry || n.Instant { // the order in which frames go is of one symmetry only
		candidates = nil
	}
	begun := time.Now()
	var refused []*symmetry
	for {
		s := &search{
			network: n, options: o, begun: begun,
			memory: newMemory(n, newGroup(identity, candidates, refused)),
		}
		result, err := s.run(first.clone())
		if err != nil || s.memory.unlike == 0 {
			return result, err
		}
		refused = append(refused, s.memory.group.of[s.memory.unlike])
	}
}

type search struct {
	network *Network
	options Options
	memory  *memory
	graph   graph
	begun   time.Time
	most    int64 // heap
}

func (s *search) run(first *world) (Result, error) {
	if err := s.memory.begin(first); err != nil {
		return Result{}, err
	}
	g := &s.graph
	g.visit(s.memory.look(first), 0, Step{})
	for s.bound() == "" && len(g.frontier) > 0 {
		from, keys := g.take(batchSize)
		expanded := s.expand(keys)
		if s.memory.unlike != 0 {
			return Result{}, nil
		}
		for i, moves := range expanded {
			id := uint32(from + i)
			if len(moves) == 0 && g.reached[id].rests&emptyState == 0 {
				return s.result(s.violation(broken("no deadlock", "nothing can happen"), id, nil)), nil
			}
			g.begin = append(g.begin, uint32(len(g.to)))
			for _, m := range moves {
				if m.fault != (fault{}) {
					return s.result(s.violation(m.fault, id, &m.step)), nil
				}
				g.to = append(g.to, g.visit(m.look, id, m.step))
			}
		}
	}
	return s.result(s.stuck()), nil
}

// batchSize is how many states are expanded at a time.
const batchSize = 4096

// begin keeps the nodes of a first state, with what symmetries make of them.
func (t *memory) begin(w *world) error {
	w.memory = t
	for i, n := range w.nodes {
		w.nodes[i] = t.keep(n)
	}
	for i := range w.wires {
		items := slices.Clone(w.wires[i].items)
		for k := range items {
			items[k].number = t.item(&items[k])
		}
		w.wires[i].items = items
	}
	t.fresh = make([]*node, len(w.nodes))
	for _, id := range t.network.Faults.Restarts {
		n, err := newNode(t.network, id)
		if err != nil {
			return err
		}
		if f := n.inspect(); f != (fault{}) {
			return fmt.Errorf("explore: node %d as it starts anew: %s", id, f.what)
		}
		t.fresh[id] = t.keep(n)
	}
	for _, nodes := range [][]*node{w.nodes, t.fresh} {
		for id, n := range nodes {
			if n == nil {
				continue
			}
			var ids []uint32
			for g, s := range t.group.of {
				image := nodes[s.node[id]]
				ids = append(ids, image.number)
				if !n.like(image, s) {
					t.unlike = g
				}
			}
			t.note(t.nodes.relate(ids, t.group))
		}
	}
	return nil
}

// move is a step from a state, and what it led to.
type move struct {
	step  Step
	fault fault
	look  look
}

// expand tries all that can happen next in some states, on all cores.
func (s *search) expand(keys []string) [][]move {
	moves := make([][]move, len(keys))
	var group sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for worker := range workers {
		group.Go(func() {
			for i := worker; i < len(keys); i += workers {
				moves[i] = s.expandOne(keys[i])
			}
		})
	}
	group.Wait()
	return moves
}

func (s *search) expandOne(key string) (moves []move) {
	w := s.memory.world(key)
	for _, step := range w.steps(nil) {
		after := w.clone()
		m := move{step: step, fault: after.happen(step)}
		if m.fault == (fault{}) {
			m.look = s.memory.look(after)
		}
		moves = append(moves, m)
	}
	return moves
}

// bound returns which bound is reached, if any.
func (s *search) bound() string {
	heap := s.heap()
	if s.options.Memory > 0 && heap > s.options.Memory {
		runtime.GC() // what is garbage does not count
		heap = s.heap()
	}
	s.most = max(s.most, heap)
	switch {
	case len(s.graph.prints) > s.options.States:
		return "States"
	case s.options.Time > 0 && time.Since(s.begun) > s.options.Time:
		return "Time"
	case s.options.Memory > 0 && heap > s.options.Memory:
		return "Memory"
	}
	return ""
}

func (s *search) heap() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// stuck looks for a state from which the queues cannot empty, or the machines not become quiescent.
func (s *search) stuck() *Violation {
	if bad, found := s.graph.stuck(emptyState); found {
		return s.violation(broken("no deadlock", "from here the queues cannot empty"), bad, nil)
	}
	if bad, found := s.graph.stuck(quietState); found {
		return s.violation(broken("at rest", "from here the machines cannot become quiescent"), bad, nil)
	}
	return nil
}

// violation returns what was broken at a state, or by a step from there.
func (s *search) violation(f fault, at uint32, last *Step) *Violation {
	steps, undo := s.graph.way(at, s.memory.group)
	if last != nil {
		steps = append(steps, s.memory.group.of[undo].step(*last))
	}
	return f.violation(s.network, steps...)
}

func (s *search) result(v *Violation) Result {
	g := &s.graph
	r := Result{
		States: len(g.prints), Transitions: len(g.to), NodeStates: len(s.memory.nodes.kept) - 1,
		Depth: len(g.levels) - 1, Symmetries: len(s.memory.group.of),
		Waiting: len(g.prints) - len(g.begin), Took: time.Since(s.begun), Violation: v,
	}
	if r.Whole = r.Waiting == 0; !r.Whole {
		r.Bound = s.bound()
	}
	for r.Through < r.Depth && int(g.levels[r.Through+1]) <= len(g.begin) {
		r.Through++
	}
	r.Memory = s.most
	for i := range g.reached {
		if g.reached[i].rests&quietState != 0 {
			r.Rest++
		}
	}
	for i := range s.memory.items.kept {
		it := &s.memory.items.kept[i].it
		if it.frame != "" && !slices.Contains(r.Frames, it.kind) {
			r.Frames = append(r.Frames, it.kind)
		}
	}
	slices.Sort(r.Frames)
	return r
}
