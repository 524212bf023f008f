package schedule

import (
	"fmt"
	"math"

	"github.com/sluicefc/sluice"
)

// Kind is what an operation does. GOAL's binary form has the same numbers.
type Kind uint8

const (
	Send Kind = 1 + iota
	Recv
	Calc
)

func (k Kind) String() string {
	switch k {
	case Send:
		return "send"
	case Recv:
		return "recv"
	case Calc:
		return "calc"
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Operation is what a rank does once.
type Operation struct {
	Size int64  // bytes of a message; nanoseconds of a computation, GOAL's unit here
	Peer int32  // rank that a message goes to, or comes from
	Tag  uint32 // of a message
	Kind Kind
	CPU  uint8 // stream that a send or a computation takes
	NIC  uint8 // kept for files; a host's ports are the network's matter
}

// Limits of schedules.
const (
	MaxRanks      = 1 << 20
	MaxOperations = 1 << 27 // of all ranks
	MaxMessage    = 1 << 50 // bytes
	MaxCalc       = 50 * 24 * 3600 * int64(sluice.Second/sluice.Nanosecond)
	anyRank       = math.MaxUint32 // GOAL's ANY_SOURCE and ANY_TAG
)

// Schedule is what the ranks of a job do. It does not change once it is built, so that several jobs
// and threads may share it.
type Schedule struct {
	Ranks int

	operations []Operation // rank by rank
	first      []int32     // of the operations of each rank; one more at the end
	waits      []int32     // by operation: how many ends and starts it waits for
	// What waits for the end, and for the start, of an operation i: those from afterAt[i] to
	// afterAt[i+1].
	after, besides     []int32
	afterAt, besidesAt []int32
	uses               []int32 // by operation: how many of its kind its rank has of its peer and tag
	cpus               int     // streams of a rank
	outlines           []outline

	shift uint   // 1<<shift operations of a rank are read at a time
	spool *spool // where they are read from; nil if they are in memory, above
}

// Operations returns how many operations there are, of all ranks.
func (s *Schedule) Operations() int { return int(s.first[s.Ranks]) }

// InWindow reports whether the operations are read as the job goes on, see ReadInWindow: then no
// method returns or writes them.
func (s *Schedule) InWindow() bool { return s.spool != nil }

// Digest tells schedules that are read in a window apart; it is 0 of others.
func (s *Schedule) Digest() uint64 {
	if s.spool == nil {
		return 0
	}
	return s.spool.digest.Sum64()
}

// irequires reports whether some operation waits for the start of another.
func (s *Schedule) irequires() bool {
	return len(s.besides) > 0 || s.spool != nil && s.spool.irequires
}

// outline returns what is known of the operations of a rank before they are read.
func (s *Schedule) outline(rank int32) outline {
	if s.spool != nil {
		return s.spool.outlines[rank]
	}
	return s.outlines[rank]
}

// take returns a piece of a rank, in a piece that is free; nil and an error of the effects if it
// cannot be read.
func (s *Schedule) take(e *Effects, rank int32, k int) *piece {
	p := &piece{}
	if last := len(e.spare) - 1; last >= 0 {
		p, e.spare = e.spare[last], e.spare[:last]
	}
	if s.spool != nil {
		if !p.owns {
			*p = piece{owns: true, left: p.left, link: p.link, message: p.message}
		}
		if e.Err = s.spool.read(rank, k, s.first[rank], s.shift, &e.buffer, p); e.Err != nil {
			return nil
		}
		return p
	}
	from := s.first[rank] + int32(k)<<s.shift
	behind := min(from+1<<s.shift, s.first[rank+1])
	*p = piece{
		base: from, operations: s.operations[from:behind], waits: s.waits[from:behind],
		uses: s.uses[from:behind], after: s.after, afterAt: s.afterAt[from : behind+1],
		besides: s.besides, besidesAt: s.besidesAt[from : behind+1],
		left: p.left, link: p.link, message: p.message,
	}
	return p
}

// Of returns the operations of a rank, in the order of the file. They are not to be changed.
func (s *Schedule) Of(rank int) []Operation {
	return s.operations[s.first[rank]:s.first[rank+1]]
}

// Place returns the rank of an operation, and its number in the rank: from 1, in the order of the
// file.
func (s *Schedule) Place(operation int32) (rank, number int) {
	of := s.rankOf(operation)
	return int(of), int(operation-s.first[of]) + 1
}

// rankOf returns the rank of an operation.
func (s *Schedule) rankOf(operation int32) int32 {
	low, high := 0, s.Ranks // the rank is from low to high-1
	for high-low > 1 {
		if middle := (low + high) / 2; s.first[middle] <= operation {
			low = middle
		} else {
			high = middle
		}
	}
	return int32(low)
}

// name says which operation it is, for messages.
func (s *Schedule) name(operation int32) string {
	rank := s.rankOf(operation)
	return nameOf(int(rank), operation-s.first[rank], &s.operations[operation])
}

// nameOf says which operation it is, counted in its rank from 0.
func nameOf(rank int, local int32, o *Operation) string {
	text := fmt.Sprintf("rank %d, operation %d", rank, local+1)
	switch o.Kind {
	case Send:
		return text + fmt.Sprintf(" (send %db to %d tag %d)", o.Size, o.Peer, o.Tag)
	case Recv:
		return text + fmt.Sprintf(" (recv %db from %d tag %d)", o.Size, o.Peer, o.Tag)
	}
	return text + fmt.Sprintf(" (calc %d)", o.Size)
}
