package portfc

import (
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/sluicefc/sluice/internal/prng"
)

// verdict is what a search finds.
type verdict struct {
	states int
	wrong  string   // what is wrong with a state; "" if nothing is with any
	trace  []string // the events that lead there
	dump   string   // that state
}

// run visits all states, breadth first, up to a number. It ends at the first state that is stuck,
// or in which frames are at rest and rule finds a fault. The only good end has all packets
// delivered and no pause.
func (s *search) run(most int, rule func(*search, *global) string) verdict {
	found := newStates(most)
	found.add(&global{device: s.initial}, -1)
	for i := 0; i < found.n; i++ {
		g := *found.at(i)
		moves := 0
		s.successors(&g, func(next *global, _ move) {
			moves++
			found.add(next, i)
		})
		wrong := ""
		if moves == 0 {
			wrong = s.end(&g)
		}
		if wrong == "" && rule != nil && s.atRest(&g) {
			wrong = rule(s, &g)
		}
		if wrong == "" && found.n == most {
			wrong = "too many states"
		}
		if wrong != "" {
			v := verdict{states: found.n, wrong: wrong, trace: s.wayTo(found, i)}
			for _, number := range g.device {
				v.dump += s.locals[number].dump
			}
			return v
		}
	}
	return verdict{states: found.n}
}

// wayTo returns the moves that lead to a state.
func (s *search) wayTo(found *stateSet, i int) (trace []string) {
	for ; found.from[i] >= 0; i = int(found.from[i]) {
		last := ""
		s.successors(found.at(int(found.from[i])), func(next *global, what move) {
			if last == "" && *next == *found.at(i) {
				last = what.String()
			}
		})
		trace = append(trace, last)
	}
	slices.Reverse(trace)
	return trace
}

// stateSet has states of the network by number, and where each was come to from first. There are
// many: a table of numbers finds one again, in a third of the memory of a map.
type stateSet struct {
	n       int
	most    int
	blocks  [][]global
	from    []int32
	numbers []int32 // one more, by hash; 0: free
	seed    maphash.Seed
}

const statesOfBlock = 1 << 12

func newStates(most int) *stateSet {
	return &stateSet{most: most, numbers: make([]int32, 1<<10), seed: maphash.MakeSeed()}
}

func (s *stateSet) at(i int) *global { return &s.blocks[i/statesOfBlock][i%statesOfBlock] }

// add notes a state that was come to from another, if it is new and there may be more.
func (s *stateSet) add(g *global, from int) {
	slot := s.find(g)
	if s.numbers[slot] != 0 || s.n == s.most {
		return
	}
	if s.n%statesOfBlock == 0 {
		s.blocks = append(s.blocks, make([]global, statesOfBlock))
	}
	*s.at(s.n) = *g
	s.from = append(s.from, int32(from))
	s.n++
	s.numbers[slot] = int32(s.n)
	if s.n > len(s.numbers)/2 {
		s.numbers = make([]int32, 2*len(s.numbers))
		for i := range s.n {
			s.numbers[s.find(s.at(i))] = int32(i + 1)
		}
	}
}

// find returns the slot of a state, or the free slot that it would take.
func (s *stateSet) find(g *global) int {
	mask := len(s.numbers) - 1
	slot := int(maphash.Comparable(s.seed, *g)) & mask
	for s.numbers[slot] != 0 && *s.at(int(s.numbers[slot] - 1)) != *g {
		slot = (slot + 1) & mask
	}
	return slot
}

// end says what is wrong with a state in which nothing can happen any more.
func (s *search) end(g *global) string {
	for i, size := range s.sizes {
		if int(g.delivered[i]) != size {
			return fmt.Sprintf("stuck: %d of %d packets of flow %d arrived", g.delivered[i], size, i)
		}
	}
	for device, number := range g.device {
		if err := s.locals[number].quiet; err != nil {
			return fmt.Sprintf("device %d at the end: %v", device, err)
		}
	}
	return ""
}

// atRest reports whether no frame is under way or due.
func (s *search) atRest(g *global) bool {
	for device, number := range g.device {
		for port := range ports {
			if s.locals[number].due[port] {
				return false
			}
			for _, on := range s.wires[g.wire[device*ports+port]] {
				if on.flow < 0 {
					return false
				}
			}
		}
	}
	return true
}

// walk takes one random way through the states to an end.
func (s *search) walk(random *prng.Source, rule func(*search, *global) string) verdict {
	g := global{device: s.initial}
	var v verdict
	for v.wrong == "" {
		var nexts []global
		var moves []move
		s.successors(&g, func(next *global, what move) {
			nexts = append(nexts, *next)
			moves = append(moves, what)
		})
		if len(nexts) == 0 {
			v.wrong = s.end(&g)
			break
		}
		i := random.Below(uint64(len(nexts)))
		g = nexts[i]
		v.states++
		v.trace = append(v.trace, moves[i].String())
		if rule != nil && s.atRest(&g) {
			v.wrong = rule(s, &g)
		}
	}
	return v
}
