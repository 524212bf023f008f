package schedule

import (
	"fmt"
	"math/bits"

	"github.com/sluicefc/sluice"
)

// Collective is an operation of all ranks that a schedule is made of.
type Collective struct {
	Name, Doc string
	make      func(*Builder, int, sluice.Bytes)
	powers    bool // the number of ranks must be a power of two
	each      bool // every rank needs a byte of its own
}

// Collectives returns those that Make makes.
func Collectives() []Collective {
	return []Collective{
		{"allreduce-ring", "all-reduce over a ring: 2(n-1) steps of 1/n of the bytes", ring, false, true},
		{"allreduce-halving", "all-reduce by halving and doubling, of 2^k ranks", halving, true, true},
		{"alltoall-direct", "all messages at once, bytes each", direct, false, false},
		{"alltoall-pairwise", "n-1 steps with a partner each, bytes each", pairwise, false, false},
	}
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
	c.make(b, ranks, bytes)
	return b.Build()
}

// from returns where the piece of a number begins of bytes that are cut into n nearly equal pieces.
func from(bytes sluice.Bytes, n, piece int) sluice.Bytes {
	high, low := bits.Mul64(uint64(bytes), uint64(piece))
	at, _ := bits.Div64(high, low, uint64(n))
	return sluice.Bytes(at)
}

// ring has each rank send a piece to the next in each step: in the first n-1 steps what it has
// summed so far (reduce-scatter), in the others what is complete (all-gather). A step's message
// needs the one that came in the step before. Patarasuk and Yuan have shown
// in 2009 that no all-reduce sends fewer bytes.
func ring(b *Builder, n int, bytes sluice.Bytes) {
	for rank := range n {
		var before Label
		for step := range 2 * (n - 1) {
			size := func(piece int) sluice.Bytes {
				piece = ((piece % n) + n) % n
				return from(bytes, n, piece+1) - from(bytes, n, piece)
			}
			// The all-gather goes on with the piece that the reduce-scatter made complete.
			send := b.Send(rank, (rank+1)%n, size(rank-step), uint32(step))
			if step > 0 {
				b.Requires(rank, send, before)
			}
			before = b.Recv(rank, (rank+n-1)%n, size(rank-1-step), uint32(step))
		}
	}
}

// halving has each rank exchange half of its piece with a partner, at half the distance from step
// to step, until it has 1/n complete; then the same steps backwards with pieces that double. It is
// Rabenseifner's algorithm of 2004.
func halving(b *Builder, n int, bytes sluice.Bytes) {
	for rank := range n {
		first, behind := 0, n // pieces that the rank sums
		var before Label
		tag := uint32(0)
		exchange := func(partner int, out, in sluice.Bytes) {
			send := b.Send(rank, partner, out, tag)
			if tag > 0 {
				b.Requires(rank, send, before)
			}
			before = b.Recv(rank, partner, in, tag)
			tag++
		}
		size := func(first, behind int) sluice.Bytes {
			return from(bytes, n, behind) - from(bytes, n, first)
		}
		for distance := n / 2; distance > 0; distance /= 2 {
			middle := first + distance
			keepFirst, keepBehind, giveFirst, giveBehind := first, middle, middle, behind
			if rank&distance != 0 {
				keepFirst, keepBehind, giveFirst, giveBehind = middle, behind, first, middle
			}
			exchange(rank^distance, size(giveFirst, giveBehind), size(keepFirst, keepBehind))
			first, behind = keepFirst, keepBehind
		}
		for distance := 1; distance < n; distance *= 2 {
			otherFirst := first ^ distance
			exchange(rank^distance, size(first, behind), size(otherFirst, otherFirst+distance))
			first = min(first, otherFirst)
			behind = first + 2*distance
		}
	}
}

// direct has every rank send to all others, the next one first.
func direct(b *Builder, n int, bytes sluice.Bytes) {
	for rank := range n {
		for k := 1; k < n; k++ {
			b.Send(rank, (rank+k)%n, bytes, 0)
			b.Recv(rank, (rank+n-k)%n, bytes, 0)
		}
	}
}

// pairwise has every rank send to one other in each step, and wait for the end of its message and
// of the one that it receives.
func pairwise(b *Builder, n int, bytes sluice.Bytes) {
	for rank := range n {
		var sent, received Label
		for k := 1; k < n; k++ {
			send := b.Send(rank, (rank+k)%n, bytes, uint32(k))
			if k > 1 {
				b.Requires(rank, send, sent)
				b.Requires(rank, send, received)
			}
			sent, received = send, b.Recv(rank, (rank+n-k)%n, bytes, uint32(k))
		}
	}
}
