package schedule

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
)

// Builder makes a schedule operation by operation. Ranks may be built in any order.
type Builder struct {
	ranks []rankBuilder
	count int
	err   error
}

type rankBuilder struct {
	operations []Operation
	edges      []edge
}

// edge says that an operation waits for the end, or for the start, of another of its rank.
type edge struct {
	waits, on int32
	start     bool
}

// Label is an operation of a rank, counted from 0 in the order in which they were added.
type Label int32

// NewBuilder returns a builder for a number of ranks, 1 to MaxRanks.
func NewBuilder(ranks int) *Builder {
	b := &Builder{}
	if ranks < 1 || ranks > MaxRanks {
		b.err = configError("Ranks", ranks, fmt.Sprintf("must be 1 to %d", MaxRanks))
		return b
	}
	b.ranks = make([]rankBuilder, ranks)
	return b
}

// Send adds a message to a rank: 0 to MaxMessage bytes, of a tag.
func (b *Builder) Send(rank, to int, bytes sluice.Bytes, tag uint32) Label {
	return b.Add(rank, Operation{Kind: Send, Peer: int32(to), Size: int64(bytes), Tag: tag})
}

// Recv adds a receive of a message from a rank.
func (b *Builder) Recv(rank, from int, bytes sluice.Bytes, tag uint32) Label {
	return b.Add(rank, Operation{Kind: Recv, Peer: int32(from), Size: int64(bytes), Tag: tag})
}

// Calc adds a computation that holds a stream of the rank for a time, in whole nanoseconds.
func (b *Builder) Calc(rank int, span sluice.Time, cpu uint8) Label {
	if span%sluice.Nanosecond != 0 {
		b.fail("Size", span, "must be whole nanoseconds")
	}
	return b.Add(rank, Operation{Kind: Calc, Size: int64(span / sluice.Nanosecond), CPU: cpu})
}

// Add adds an operation to a rank. What is wrong with it is the error of Build.
func (b *Builder) Add(rank int, o Operation) Label {
	if b.err != nil {
		return 0
	}
	if rank < 0 || rank >= len(b.ranks) {
		b.fail("rank", rank, fmt.Sprintf("must be 0 to %d", len(b.ranks)-1))
		return 0
	}
	if field, value, rule := o.check(len(b.ranks)); rule != "" {
		b.fail(field, value, rule)
		return 0
	}
	if o.Kind == Calc {
		o.Peer, o.Tag = 0, 0 // a binary file has room for them, without a meaning
	}
	if b.count++; b.count > MaxOperations {
		b.fail("operations", b.count, fmt.Sprintf("must be at most %d", MaxOperations))
		return 0
	}
	r := &b.ranks[rank]
	r.operations = append(r.operations, o)
	return Label(len(r.operations) - 1)
}

// check says which field of an operation breaks which rule; rule is "" if none does.
func (o *Operation) check(ranks int) (field string, value any, rule string) {
	most, what := int64(MaxMessage), "bytes"
	switch o.Kind {
	case Send, Recv:
		switch {
		case uint32(o.Peer) == anyRank:
			return "rank", -1, "must be one: any source is not supported"
		case o.Peer < 0 || int(o.Peer) >= ranks:
			return "rank", o.Peer, fmt.Sprintf("must be 0 to %d", ranks-1)
		case o.Tag == anyRank:
			return "tag", -1, "must be one: any tag is not supported"
		}
	case Calc:
		most, what = MaxCalc, "nanoseconds"
	default:
		return "kind", uint8(o.Kind), "must be send, recv or calc"
	}
	if o.Size < 0 || o.Size > most {
		return "size", o.Size, fmt.Sprintf("must be 0 to %d %s", most, what)
	}
	return "", nil, ""
}

// Requires has an operation of a rank wait for the end of another of the same rank.
func (b *Builder) Requires(rank int, waits, on Label) { b.connect(rank, waits, on, false) }

// IRequires has an operation of a rank wait for the start of another of the same rank.
func (b *Builder) IRequires(rank int, waits, on Label) { b.connect(rank, waits, on, true) }

// enclose has what a function adds to a rank begin after one operation, and end before another.
// Both take no time.
func (b *Builder) enclose(rank int, add func() error) (first, last Label, err error) {
	first = b.Calc(rank, 0, messageStream)
	r := &b.ranks[rank]
	operations, edges := len(r.operations), len(r.edges)
	if err := add(); err != nil {
		return 0, 0, err
	}
	behind := len(r.operations)
	waits, awaited := make([]bool, behind-operations), make([]bool, behind-operations)
	for _, e := range r.edges[edges:] {
		waits[int(e.waits)-operations], awaited[int(e.on)-operations] = true, true
	}
	last = b.Calc(rank, 0, messageStream)
	b.Requires(rank, last, first)
	for k := range waits {
		if !waits[k] {
			b.Requires(rank, Label(operations+k), first)
		}
		if !awaited[k] {
			b.Requires(rank, last, Label(operations+k))
		}
	}
	return first, last, nil
}

func (b *Builder) connect(rank int, waits, on Label, start bool) {
	if b.err != nil {
		return
	}
	if rank < 0 || rank >= len(b.ranks) {
		b.fail("rank", rank, fmt.Sprintf("must be 0 to %d", len(b.ranks)-1))
		return
	}
	r := &b.ranks[rank]
	for _, l := range [...]Label{waits, on} {
		if l < 0 || int(l) >= len(r.operations) {
			b.fail("requires", l, fmt.Sprintf("must be one of the %d operations of rank %d",
				len(r.operations), rank))
			return
		}
	}
	r.edges = append(r.edges, edge{int32(waits), int32(on), start})
}

func (b *Builder) fail(field string, value any, rule string) {
	if b.err == nil {
		b.err = configError(field, value, rule)
	}
}

// Build returns the schedule. It names a circle of what waits for what, and a receive that no
// message matches. The builder is of no use afterwards.
func (b *Builder) Build() (*Schedule, error) {
	if b.err != nil {
		return nil, b.err
	}
	s := &Schedule{Ranks: len(b.ranks), first: make([]int32, 1, len(b.ranks)+1), cpus: 1}
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
	s.waits, s.afterAt, s.besidesAt = make([]int32, n), make([]int32, n+1), make([]int32, n+1)
	next := 0
	for i := range n {
		for ; next < len(all) && int(all[next].on) == i; next++ {
			e := all[next]
			s.waits[e.waits]++
			if e.start {
				s.besides = append(s.besides, e.waits)
			} else {
				s.after = append(s.after, e.waits)
			}
		}
		s.afterAt[i+1], s.besidesAt[i+1] = int32(len(s.after)), int32(len(s.besides))
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

// number numbers the channels, and refuses receives that no message matches.
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
	s.channels.of = slices.Repeat([]int32{-1}, len(s.operations))
	receives := int32(0)
	for i := 0; i < len(keys); {
		k, sent, received := keys[i], int32(0), int32(0)
		s.channels.receives = append(s.channels.receives, receives)
		for ; i < len(keys) && keys[i].from == k.from && keys[i].to == k.to && keys[i].tag == k.tag; i++ {
			s.channels.of[keys[i].at] = int32(len(s.channels.receives) - 1)
			if s.operations[keys[i].at].Kind == Send {
				sent++
			} else {
				received++
			}
		}
		if received > sent {
			return fmt.Errorf("schedule: rank %d receives %d messages from rank %d with tag %d, "+
				"which sends %d: the others would never end", k.to, received, k.from, k.tag, sent)
		}
		receives += received
	}
	s.channels.receives = append(s.channels.receives, receives)
	return nil
}

func configError(field string, value any, rule string) error {
	return &sluice.ConfigError{Package: "schedule", Field: field, Value: value, Rule: rule}
}
