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
	channels           channels
	cpus               int // streams of a rank
}

// Operations returns how many operations there are, of all ranks.
func (s *Schedule) Operations() int { return len(s.operations) }

// Of returns the operations of a rank, in the order of the file. They are not to be changed.
func (s *Schedule) Of(rank int) []Operation {
	return s.operations[s.first[rank]:s.first[rank+1]]
}

// channels are the ordered pairs of ranks and tags between which messages go, numbered.
type channels struct {
	of       []int32 // by operation; -1 for a computation
	receives []int32 // by channel: places of its receives, the first; one more at the end
}

func (c *channels) count() int { return len(c.receives) - 1 }

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
	rank, o := s.rankOf(operation), &s.operations[operation]
	text := fmt.Sprintf("rank %d, operation %d", rank, operation-s.first[rank]+1)
	switch o.Kind {
	case Send:
		return text + fmt.Sprintf(" (send %db to %d tag %d)", o.Size, o.Peer, o.Tag)
	case Recv:
		return text + fmt.Sprintf(" (recv %db from %d tag %d)", o.Size, o.Peer, o.Tag)
	}
	return text + fmt.Sprintf(" (calc %d)", o.Size)
}
