package schedule

import (
	"fmt"

	"github.com/sluicefc/sluice"
)

// Builder makes a schedule operation by operation. Ranks may be built in any order.
type Builder struct {
	ranks []rankBuilder
	count int
	err   error

	windowed *Schedule // goes on with ranks that are done; nil if all stay in memory
	place    int64     // of the operation that is added, in the file
}

type rankBuilder struct {
	operations []Operation
	edges      []edge
	places     []int64 // of operations in the file, if the schedule is read in a window
	done       int     // operations of a rank that the builder has no more
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

// newBuilder returns a builder of a schedule in a window, or in memory if that is nil.
func newBuilder(ranks int, windowed *Schedule) *Builder {
	b := NewBuilder(ranks)
	if b.windowed = windowed; windowed != nil && b.err == nil {
		windowed.Ranks = ranks
		windowed.spool.grow(ranks)
	}
	return b
}

// finish says that a rank has all its operations.
func (b *Builder) finish(rank int) error {
	if b.windowed == nil || b.err != nil {
		return b.err
	}
	r := &b.ranks[rank]
	for i := range r.operations {
		b.windowed.cpus = max(b.windowed.cpus, int(r.operations[i].CPU)+1)
	}
	b.err = b.windowed.spool.add(rank, r, b.windowed.shift)
	*r = rankBuilder{done: len(r.operations)}
	return b.err
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
	if b.windowed != nil {
		r.places = append(r.places, b.place)
	}
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

func configError(field string, value any, rule string) error {
	return &sluice.ConfigError{Package: "schedule", Field: field, Value: value, Rule: rule}
}
