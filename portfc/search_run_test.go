package portfc

import (
	"fmt"
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

// run visits all states, breadth first, up to a number. It ends at the first that is stuck, with
// all delivered and nobody paused being the only good end, or in which frames are at rest and rule
// finds something wrong.
func (s *search) run(most int, rule func(*search, *global) string) verdict {
	first := global{device: s.initial}
	type origin struct {
		from int32
		what move
	}
	numbers := map[global]int32{first: 0}
	all, origins := []global{first}, []origin{{from: -1}}
	for i := 0; i < len(all); i++ {
		g := all[i]
		moves := 0
		s.successors(&g, func(next *global, what move) {
			moves++
			if _, known := numbers[*next]; !known {
				numbers[*next] = int32(len(all))
				all = append(all, *next)
				origins = append(origins, origin{int32(i), what})
			}
		})
		wrong := ""
		if moves == 0 {
			wrong = s.end(&g)
		}
		if wrong == "" && rule != nil && s.atRest(&g) {
			wrong = rule(s, &g)
		}
		if wrong != "" || len(all) > most {
			v := verdict{states: len(all), wrong: wrong}
			if wrong == "" {
				v.wrong = "too many states"
			}
			for j := int32(i); j > 0; j = origins[j].from {
				v.trace = append(v.trace, origins[j].what.String())
			}
			slices.Reverse(v.trace)
			for _, number := range g.device {
				v.dump += s.locals[number].dump
			}
			return v
		}
	}
	return verdict{states: len(all)}
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
