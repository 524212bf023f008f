package schedule

import (
	"cmp"
	"fmt"
	"slices"
)

// Build returns the schedule. It names a circle of what waits for what, and a receive that no
// message matches. The builder is of no use afterwards.
func (b *Builder) Build() (*Schedule, error) {
	if b.err != nil {
		return nil, b.err
	}
	if s := b.windowed; s != nil {
		s.first = make([]int32, 1, len(b.ranks)+1)
		for i := range b.ranks {
			s.first = append(s.first, s.first[i]+int32(b.ranks[i].done))
		}
		return s, nil
	}
	s := &Schedule{
		Ranks: len(b.ranks), first: make([]int32, 1, len(b.ranks)+1), cpus: 1, shift: pieceShift,
	}
	s.operations = make([]Operation, 0, b.count)
	var all []edge
	for i := range b.ranks {
		r := &b.ranks[i]
		base := int32(len(s.operations))
		s.operations = append(s.operations, r.operations...)
		s.first = append(s.first, int32(len(s.operations)))
		for _, e := range r.edges {
			all = append(all, edge{e.waits + base, e.on + base, e.start})
		}
		*r = rankBuilder{}
	}
	for i := range s.operations {
		s.cpus = max(s.cpus, int(s.operations[i].CPU)+1)
	}
	s.link(all)
	if err := s.checkCircles(); err != nil {
		return nil, err
	}
	return s, s.number()
}

// link sorts what waits by what it waits for.
func (s *Schedule) link(all []edge) {
	slices.SortFunc(all, func(e, f edge) int {
		return cmp.Or(cmp.Compare(e.on, f.on), cmp.Compare(e.waits, f.waits))
	})
	n := len(s.operations)
	most, eager := slices.Repeat([]int32{none}, n), make([]bool, n)
	s.waits, s.afterAt, s.besidesAt = make([]int32, n), make([]int32, n+1), make([]int32, n+1)
	next := 0
	for i := range n {
		for ; next < len(all) && int(all[next].on) == i; next++ {
			e := all[next]
			s.waits[e.waits]++
			most[e.waits] = max(most[e.waits], e.on-s.first[s.rankOf(e.on)])
			eager[e.on] = eager[e.on] || e.start
			if e.start {
				s.besides = append(s.besides, e.waits)
			} else {
				s.after = append(s.after, e.waits)
			}
		}
		s.afterAt[i+1], s.besidesAt[i+1] = int32(len(s.after)), int32(len(s.besides))
	}
	for rank := range s.Ranks {
		from, to := s.first[rank], s.first[rank+1]
		s.outlines = append(s.outlines, outlineOf(
			s.operations[from:to], s.waits[from:to], most[from:to], eager[from:to], s.shift))
	}
}

// waiting visits what waits for the end or the start of an operation.
func (s *Schedule) waiting(i int32, visit func(int32)) {
	for _, w := range s.after[s.afterAt[i]:s.afterAt[i+1]] {
		visit(w)
	}
	for _, w := range s.besides[s.besidesAt[i]:s.besidesAt[i+1]] {
		visit(w)
	}
}

// checkCircles refuses operations that wait for themselves, over others or not.
func (s *Schedule) checkCircles() error {
	if walk := circle(s.waits, s.waiting); walk != nil {
		return fmt.Errorf("schedule: %s", describeCircle(walk, s.name))
	}
	return nil
}

// circle returns things of which each waits for the next, and the last for the first; nil if there
// are none. waits is for how many ends and starts each waits, waiting visits what waits for one.
func circle(waits []int32, waiting func(int32, func(int32))) []int32 {
	left := slices.Clone(waits)
	var ready []int32
	for i, n := range left {
		if n == 0 {
			ready = append(ready, int32(i))
		}
	}
	done := 0
	for ; done < len(ready); done++ {
		waiting(ready[done], func(w int32) {
			if left[w]--; left[w] == 0 {
				ready = append(ready, w)
			}
		})
	}
	if done == len(left) {
		return nil
	}
	// What is left never becomes due, and each waits for another that is left.
	on := make(map[int32]int32) // what one waits for that never ends
	for i := range left {
		if left[i] > 0 {
			waiting(int32(i), func(w int32) { on[w] = int32(i) })
		}
	}
	at := int32(slices.IndexFunc(left, func(n int32) bool { return n > 0 }))
	place := make(map[int32]int)
	var walk []int32
	for {
		if from, seen := place[at]; seen {
			return walk[from:]
		}
		place[at] = len(walk)
		walk = append(walk, at)
		at = on[at]
	}
}

// describeCircle names a circle.
func describeCircle(walk []int32, name func(int32) string) string {
	const most = 4
	text := name(walk[0]) + " waits for"
	for i := 1; i < min(len(walk), most); i++ {
		text += " " + name(walk[i]) + ", which waits for"
	}
	if len(walk) > most {
		text += fmt.Sprintf(" %d more, of which the last waits for", len(walk)-most)
	}
	return text + " the first: a circle"
}

// number counts uses of peers and tags, and refuses receives that no message matches.
func (s *Schedule) number() error {
	type key struct {
		from, to int32
		tag      uint32
		at       int32 // operation
	}
	keys := make([]key, 0, len(s.operations))
	for rank := range int32(s.Ranks) {
		for i := s.first[rank]; i < s.first[rank+1]; i++ {
			switch o := &s.operations[i]; o.Kind {
			case Send:
				keys = append(keys, key{rank, o.Peer, o.Tag, i})
			case Recv:
				keys = append(keys, key{o.Peer, rank, o.Tag, i})
			}
		}
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), cmp.Compare(a.tag, b.tag),
			cmp.Compare(a.at, b.at))
	})
	s.uses = make([]int32, len(s.operations))
	for i := 0; i < len(keys); {
		k, first, sent, received := keys[i], i, int32(0), int32(0)
		for ; i < len(keys) && keys[i].from == k.from && keys[i].to == k.to && keys[i].tag == k.tag; i++ {
			if s.operations[keys[i].at].Kind == Send {
				sent++
			} else {
				received++
			}
		}
		for _, use := range keys[first:i] {
			s.uses[use.at] = received
			if s.operations[use.at].Kind == Send {
				s.uses[use.at] = sent
			}
		}
		if received > sent {
			return fmt.Errorf("schedule: rank %d receives %d messages from rank %d with tag %d, "+
				"which sends %d: the others would never end", k.to, received, k.from, k.tag, sent)
		}
	}
	return nil
}
