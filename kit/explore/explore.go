package explore

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options bound a search.
type Options struct {
	// States is how many to visit at most. Zero: a million.
	States int
	// Time is when to stop. Zero: never.
	Time time.Duration
}

// Result is what a search found.
type Result struct {
	States      int  // visited
	Transitions int  // steps tried
	Depth       int  // steps of the longest of the shortest ways to a state
	NodeStates  int  // states of single nodes, which make those of the network
	Whole       bool // nothing is left to visit
	Took        time.Duration
	// Violation is the first that was found; nil if there is none.
	Violation *Violation
}

// Violation is a property that does not hold, and the shortest way to where it does not.
type Violation struct {
	Property string // "no loss", "no deadlock"
	What     string
	Steps    []Step

	network *Network
}

// Error names the property and the number of steps.
func (v *Violation) Error() string {
	return fmt.Sprintf("explore: %s after %d steps: %s", v.Property, len(v.Steps), v.What)
}

// Explore visits the states of a network until all are, a bound is reached, or a property is
// violated. The error is a *sluice.ConfigError, or that of a node's New.
func (n *Network) Explore(o Options) (Result, error) {
	if err := n.check(); err != nil {
		return Result{}, err
	}
	if o.States == 0 {
		o.States = 1_000_000
	}
	s := &search{network: n, options: o, memory: newMemory(), known: map[string]uint32{}}
	return s.run()
}

// search is a breadth-first search.
type search struct {
	network *Network
	options Options
	memory  *memory
	known   map[string]uint32 // states by key
	states  []visited
	edges   [][2]uint32
	begun   time.Time
}

// visited is a state.
type visited struct {
	look
	parent uint32
	step   Step // that led here
	depth  int
}

func (s *search) run() (Result, error) {
	s.begun = time.Now()
	first, err := newWorld(s.network)
	if err != nil {
		return Result{}, err
	}
	for _, n := range first.nodes {
		if f := n.settle(); f != (fault{}) {
			return s.result(false, s.violation(f, 0, nil)), nil
		}
	}
	first.memory = s.memory
	for i, n := range first.nodes {
		first.nodes[i] = s.memory.keep(n)
	}
	s.visit(s.look(first), 0, Step{}, 0)
	next := 0
	for next < len(s.states) && len(s.states) <= s.options.States && !s.late() {
		batch := s.states[next:min(len(s.states), next+batchSize)]
		for i, moves := range s.expand(batch) {
			from := uint32(next + i)
			if len(moves) == 0 && !batch[i].empty {
				return s.result(false, s.violation(broken("no deadlock", "nothing can happen"), from, nil)), nil
			}
			for _, m := range moves {
				if m.fault != (fault{}) {
					return s.result(false, s.violation(m.fault, from, &m.step)), nil
				}
				to := s.visit(m.look, from, m.step, s.states[from].depth+1)
				s.edges = append(s.edges, [2]uint32{from, to})
			}
		}
		next += len(batch)
	}
	return s.result(next == len(s.states), s.stuck(next)), nil
}

// batchSize is how many states are expanded at a time.
const batchSize = 4096

// move is a step from a state, and what it led to.
type move struct {
	step  Step
	fault fault
	look  look
}

// look is what the search keeps of a state.
type look struct {
	key          string
	empty, quiet bool
}

// expand tries all that can happen next in some states, on all cores.
func (s *search) expand(batch []visited) [][]move {
	moves := make([][]move, len(batch))
	var group sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for worker := range workers {
		group.Go(func() {
			for i := worker; i < len(batch); i += workers {
				moves[i] = s.expandOne(batch[i].key)
			}
		})
	}
	group.Wait()
	return moves
}

func (s *search) expandOne(key string) (moves []move) {
	w := s.memory.world(s.network, key)
	for _, step := range w.steps(nil) {
		after := w.clone()
		f := after.do(step)
		m := move{step: step, fault: f}
		if f == (fault{}) {
			m.look = s.look(after)
		}
		moves = append(moves, m)
	}
	return moves
}

func (s *search) look(w *world) look {
	key := string(s.memory.key(nil, w))
	empty, quiet := s.memory.rests(w, key)
	return look{key, empty, quiet}
}

func (s *search) late() bool {
	return s.options.Time > 0 && time.Since(s.begun) > s.options.Time
}

// visit returns the number of a state, which it notes if it is new.
func (s *search) visit(l look, parent uint32, step Step, depth int) uint32 {
	id, known := s.known[l.key]
	if !known {
		id = uint32(len(s.states))
		s.known[l.key] = id
		s.states = append(s.states, visited{l, parent, step, depth})
	}
	return id
}

// stuck looks for a state from which the queues cannot empty, or the machines not become quiescent.
// States from which nothing was tried count as fine.
func (s *search) stuck(expanded int) *Violation {
	back := s.backwards()
	for _, property := range []struct {
		name, what string
		good       func(v *visited) bool
	}{
		{"no deadlock", "from here the queues cannot empty", func(v *visited) bool { return v.empty }},
		{
			"at rest", "from here the machines cannot become quiescent",
			func(v *visited) bool { return v.quiet },
		},
	} {
		reaches := make([]bool, len(s.states))
		var work []uint32
		for i := range s.states {
			if i >= expanded || property.good(&s.states[i]) {
				reaches[i] = true
				work = append(work, uint32(i))
			}
		}
		for len(work) > 0 {
			to := work[len(work)-1]
			work = work[:len(work)-1]
			for _, from := range back.of(to) {
				if !reaches[from] {
					reaches[from] = true
					work = append(work, from)
				}
			}
		}
		if bad := slices.Index(reaches, false); bad >= 0 {
			return s.violation(broken(property.name, "%s", property.what), uint32(bad), nil)
		}
	}
	return nil
}

// backwards is from which states each is reached in a step.
type backwards struct{ begin, from []uint32 }

func (b *backwards) of(to uint32) []uint32 { return b.from[b.begin[to]:b.begin[to+1]] }

func (s *search) backwards() backwards {
	b := backwards{make([]uint32, len(s.states)+2), make([]uint32, len(s.edges))}
	for _, e := range s.edges {
		b.begin[e[1]+2]++
	}
	for i := range s.states {
		b.begin[i+2] += b.begin[i+1]
	}
	for _, e := range s.edges {
		b.from[b.begin[e[1]+1]] = e[0]
		b.begin[e[1]+1]++
	}
	return b
}

// violation returns what was broken at a state, or by a step from there.
func (s *search) violation(f fault, at uint32, last *Step) *Violation {
	v := &Violation{Property: f.property, What: f.what, network: s.network}
	if last != nil {
		v.Steps = append(v.Steps, *last)
	}
	for at != 0 {
		v.Steps = append(v.Steps, s.states[at].step)
		at = s.states[at].parent
	}
	slices.Reverse(v.Steps)
	return v
}

func (s *search) result(whole bool, v *Violation) Result {
	r := Result{
		States: len(s.states), Transitions: len(s.edges), NodeStates: len(s.memory.nodes) - 1,
		Whole: whole, Took: time.Since(s.begun), Violation: v,
	}
	for i := range s.states {
		r.Depth = max(r.Depth, s.states[i].depth)
	}
	return r
}

// Replay takes steps, one after another, from where nothing happened, and returns the violation
// that they end with, nil if there is none. With w not nil it tells what happens. A step that
// cannot be taken is an error.
func (n *Network) Replay(w io.Writer, steps ...string) error {
	if err := n.check(); err != nil {
		return err
	}
	at, err := newWorld(n)
	if err != nil {
		return err
	}
	for i, text := range steps {
		step, err := ParseStep(text)
		if err != nil {
			return err
		}
		if !slices.Contains(at.steps(nil), step) {
			return fmt.Errorf("explore: step %d, %q, cannot be taken", i, text)
		}
		before := at.text()
		f := at.do(step)
		if w != nil {
			fmt.Fprintf(w, "%3d %-12s %s\n", i+1, text, difference(before, at.text()))
		}
		if f != (fault{}) {
			return &Violation{Property: f.property, What: f.what, network: n}
		}
	}
	return nil
}

// Test returns a test that takes the steps of the violation: network is how the test makes the
// network.
func (v *Violation) Test(name, network string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s: %s.\nfunc Test%s(t *testing.T) {\n\terr := %s.Replay(nil,\n", v.Property, v.What,
		name, network)
	for i := 0; i < len(v.Steps); i += 6 {
		b.WriteString("\t\t")
		for k, step := range v.Steps[i:min(i+6, len(v.Steps))] {
			if k > 0 {
				b.WriteString(" ")
			}
			fmt.Fprintf(&b, "%q,", step.String())
		}
		b.WriteString("\n")
	}
	b.WriteString("\t)\n\trequire.NoError(t, err)\n}\n")
	return b.String()
}

// Timeline tells what happens on the way to the violation, a step in a line.
func (v *Violation) Timeline() string {
	var b strings.Builder
	var steps []string
	for _, s := range v.Steps {
		steps = append(steps, s.String())
	}
	var again *Violation
	if err := v.network.Replay(&b, steps...); err != nil && !errors.As(err, &again) {
		fmt.Fprintf(&b, "%v\n", err)
	}
	fmt.Fprintf(&b, "%s: %s\n", v.Property, v.What)
	return b.String()
}
