package schedule

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/sluicefc/sluice"
)

// Collective is an operation of all ranks that a schedule is made of.
type Collective struct {
	Name, Doc string
	make      func(p *part, bytes sluice.Bytes) // what one rank does
	powers    bool                              // the number of ranks must be a power of two
	each      bool                              // every rank needs a byte of its own
}

// Collectives returns those that Make makes.
func Collectives() []Collective {
	return []Collective{
		{"allreduce-ring", "all-reduce over a ring: 2(n-1) steps of 1/n of the bytes", ring, false, true},
		{"allreduce-halving", "all-reduce by halving and doubling, of 2^k ranks", halving, true, true},
		{"alltoall-direct", "all messages at once, bytes each",
			func(p *part, bytes sluice.Bytes) { direct(p, each(bytes)) }, false, false},
		{"alltoall-pairwise", "n-1 steps with a partner each, bytes each",
			func(p *part, bytes sluice.Bytes) { pairwise(p, each(bytes)) }, false, false},
		{"parameter-server", "bytes of each rank to rank 0, then bytes back to each",
			parameterServer, false, false},
		{"stencil", "bytes to each neighbour on a grid", stencil, false, false},
	}
}

// CollectiveNamed returns the one of a name; nil if there is none.
func CollectiveNamed(name string) *Collective {
	all := Collectives()
	if i := slices.IndexFunc(all, func(c Collective) bool { return c.Name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}

// Make returns the schedule of a collective operation on a number of ranks, at least 2. Nothing
// computes in it: what a reduction takes is part of no message.
func (c *Collective) Make(ranks int, bytes sluice.Bytes) (*Schedule, error) {
	switch {
	case ranks < 2 || ranks > MaxRanks:
		return nil, configError("ranks", ranks, fmt.Sprintf("must be 2 to %d", MaxRanks))
	case c.powers && bits.OnesCount(uint(ranks)) != 1:
		return nil, configError("ranks", ranks, "must be a power of two for "+c.Name)
	case bytes < 1 || bytes > MaxMessage:
		return nil, configError("bytes", bytes, fmt.Sprintf("must be 1 to %d", int64(MaxMessage)))
	case c.each && bytes < sluice.Bytes(ranks):
		return nil, configError("bytes", bytes, "must be a byte for each rank at least")
	}
	b := NewBuilder(ranks)
	for rank := range ranks {
		c.make(&part{b: b, n: ranks, me: rank}, bytes)
	}
	return b.Build()
}

// part is what one of the n members of a group does in a collective operation.
type part struct {
	b     *Builder
	n, me int
	ranks []int32 // of the members; nil if the members are all ranks
	tag   uint32  // the first that messages have
	cpu   uint8   // stream of the messages
}

func (p *part) rank(member int) int {
	if p.ranks == nil {
		return member
	}
	return int(p.ranks[member])
}

// next returns the member that is some places behind this one, on a ring.
func (p *part) next(places int) int { return ((p.me+places)%p.n + p.n) % p.n }

func (p *part) send(to int, bytes sluice.Bytes, tag uint32) Label {
	return p.b.Add(p.rank(p.me), Operation{
		Kind: Send, Peer: int32(p.rank(to)), Size: int64(bytes), Tag: p.tag + tag, CPU: p.cpu,
	})
}

func (p *part) recv(from int, bytes sluice.Bytes, tag uint32) Label {
	return p.b.Recv(p.rank(p.me), p.rank(from), bytes, p.tag+tag)
}

// all returns an operation that ends when several have ended: a computation that takes no time.
func (p *part) all(ends []Label) Label {
	if len(ends) == 1 {
		return ends[0]
	}
	last := p.b.Add(p.rank(p.me), Operation{Kind: Calc, CPU: p.cpu})
	for _, end := range ends {
		p.requires(last, end)
	}
	return last
}

func (p *part) requires(waits, on Label) { p.b.Requires(p.rank(p.me), waits, on) }

// sizes says how many bytes the pieces of some members have, from the first to the one before
// behind.
type sizes func(first, behind int) sluice.Bytes

// pieces are nearly equal pieces of bytes, one for each of n members.
func pieces(bytes sluice.Bytes, n int) sizes {
	at := func(piece int) sluice.Bytes {
		high, low := bits.Mul64(uint64(bytes), uint64(piece))
		where, _ := bits.Div64(high, low, uint64(n))
		return sluice.Bytes(where)
	}
	return func(first, behind int) sluice.Bytes { return at(behind) - at(first) }
}

// each has bytes for each member.
func each(bytes sluice.Bytes) sizes {
	return func(first, behind int) sluice.Bytes { return bytes * sluice.Bytes(behind-first) }
}

// ring is an all-reduce: in the first n-1 steps each rank sends what it has summed so far
// (reduce-scatter), in the others what is complete (all-gather). Patarasuk and Yuan have shown
// in 2009 that no all-reduce sends fewer bytes.
func ring(p *part, bytes sluice.Bytes) { around(p, 2*(p.n-1), pieces(bytes, p.n)) }

// around has a rank send a piece to the next in each step, its own in the first. A step's message
// needs the one that came in the step before.
func around(p *part, steps int, size sizes) {
	var before Label
	for step := range steps {
		out, in := p.next(-step), p.next(-1-step)
		send := p.send(p.next(1), size(out, out+1), uint32(step))
		if step > 0 {
			p.requires(send, before)
		}
		before = p.recv(p.next(-1), size(in, in+1), uint32(step))
	}
}

// halving is an all-reduce of halves, then of pieces that double. It is Rabenseifner's algorithm
// of 2004.
func halving(p *part, bytes sluice.Bytes) {
	x := exchange{part: p, size: pieces(bytes, p.n)}
	x.halve()
	x.double()
}

// exchange is a sequence of steps in which a rank sends to, and receives from, a partner. A step
// needs what came in the step before.
type exchange struct {
	*part
	size   sizes
	before Label
	steps  uint32
}

func (x *exchange) with(partner int, out, in sluice.Bytes) {
	send := x.send(partner, out, x.steps)
	if x.steps > 0 {
		x.requires(send, x.before)
	}
	x.before = x.recv(partner, in, x.steps)
	x.steps++
}

// halve has each rank exchange half of its pieces with a partner, at half the distance from step
// to step, until it has one, which is complete.
func (x *exchange) halve() {
	first, behind := 0, x.n // pieces that the rank sums
	for distance := x.n / 2; distance > 0; distance /= 2 {
		middle := first + distance
		keepFirst, keepBehind, giveFirst, giveBehind := first, middle, middle, behind
		if x.me&distance != 0 {
			keepFirst, keepBehind, giveFirst, giveBehind = middle, behind, first, middle
		}
		x.with(x.me^distance, x.size(giveFirst, giveBehind), x.size(keepFirst, keepBehind))
		first, behind = keepFirst, keepBehind
	}
}

// double has each rank exchange all its pieces with a partner, at twice the distance from step to
// step, beginning with its own.
func (x *exchange) double() {
	first := x.me
	for distance := 1; distance < x.n; distance *= 2 {
		other := first ^ distance
		x.with(x.me^distance, x.size(first, first+distance), x.size(other, other+distance))
		first = min(first, other)
	}
}

// direct has a rank send to each other the piece of that one, the next one first. It returns the
// receives.
func direct(p *part, size sizes) (received []Label) {
	for k := 1; k < p.n; k++ {
		to := p.next(k)
		p.send(to, size(to, to+1), 0)
		received = append(received, p.recv(p.next(-k), size(p.me, p.me+1), 0))
	}
	return received
}

// pairwise has a rank send to one other in each step, and wait for the end of its message and of
// the one that it receives.
func pairwise(p *part, size sizes) {
	var sent, received Label
	for k := 1; k < p.n; k++ {
		to := p.next(k)
		send := p.send(to, size(to, to+1), uint32(k))
		if k > 1 {
			p.requires(send, sent)
			p.requires(send, received)
		}
		sent, received = send, p.recv(p.next(-k), size(p.me, p.me+1), uint32(k))
	}
}

// parameterServer is a round of training with a parameter server, the first member (PortFC, section
// V-D): the workers push the parameters that they have computed, many to one, and the server sends
// the updated parameters back, one to many. The server's messages wait for all pushes, as it
// updates the parameters once; updating takes no time. Workers wait for nothing before they push.
// The tag of pushes is even, and the tag of what comes back odd.
func parameterServer(p *part, bytes sluice.Bytes) {
	if p.me > 0 {
		p.send(0, bytes, 0)
		p.recv(0, bytes, 1)
		return
	}
	var pushed []Label
	for worker := 1; worker < p.n; worker++ {
		pushed = append(pushed, p.recv(worker, bytes, 0))
	}
	updated := p.all(pushed)
	for worker := 1; worker < p.n; worker++ {
		p.requires(p.send(worker, bytes, 1), updated)
	}
}

// stencil is an exchange between the neighbours of a grid that has edges: of the grids with as many
// places as there are members, the one nearest to a square. Places are numbered row by row. A job
// that repeats it computes on what came in between, in no time.
func stencil(p *part, bytes sluice.Bytes) {
	rows := 1
	for r := 2; r*r <= p.n; r++ {
		if p.n%r == 0 {
			rows = r
		}
	}
	columns := p.n / rows
	exchange := func(there bool, with int, out, in uint32) {
		if there {
			p.send(with, bytes, out)
			p.recv(with, bytes, in)
		}
	}
	exchange(p.me%columns > 0, p.me-1, 0, 1)
	exchange(p.me%columns < columns-1, p.me+1, 1, 0)
	exchange(p.me >= columns, p.me-columns, 2, 3)
	exchange(p.me < p.n-columns, p.me+columns, 3, 2)
}

// gather has a rank send its piece to all others at once, when what it needs has ended.
func gather(p *part, size sizes, needs *Label) {
	for k := 1; k < p.n; k++ {
		send := p.send(p.next(k), size(p.me, p.me+1), 1)
		if needs != nil {
			p.requires(send, *needs)
		}
		from := p.next(-k)
		p.recv(from, size(from, from+1), 1)
	}
}

// tree broadcasts from the first member over a binomial tree, to the most distant one first.
func tree(p *part, bytes sluice.Bytes) {
	distance, received := 1, Label(0)
	for distance < p.n && p.me&distance == 0 {
		distance *= 2
	}
	if p.me > 0 {
		received = p.recv(p.me-distance, bytes, 0)
	}
	for distance /= 2; distance > 0; distance /= 2 {
		if p.me+distance < p.n {
			send := p.send(p.me+distance, bytes, 0)
			if p.me > 0 {
				p.requires(send, received)
			}
		}
	}
}
