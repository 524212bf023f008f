package drr

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestSparseDecidesAsARing: with one queue eligible or several, any packets, and when a queue
// empties.
func TestSparseDecidesAsARing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 2, 3, 70}).Draw(t, "queues")
		quanta := rapid.SliceOfN(rapid.Int64Range(1, 3000), n, n).Draw(t, "quanta")
		ring, sparse := New(quanta), NewSparse[int](quanta)
		for q := range n {
			sparse.Slots()[q].Of = q
		}
		leave := func(q int) {
			ring.SetEligible(q, false)
			sparse.Leave(q)
		}
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			q := rapid.IntRange(0, n-1).Draw(t, "queue")
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				if !ring.Eligible(q) {
					sparse.Join(q)
				}
				ring.SetEligible(q, true)
			case 1:
				leave(q)
			default:
				q = ring.Next()
				require.Equal(t, q, next(&sparse))
				require.Equal(t, q, next(&sparse), "asked twice, it answers the same")
				if q < 0 {
					continue
				}
				sent := rapid.Int64Range(1, 20_000).Draw(t, "bytes")
				if rapid.Bool().Draw(t, "empties") {
					ring.ChargeLast(q, sent)
					sparse.Slots()[q].ChargeLast(sent)
					leave(q)
				} else {
					ring.Charge(q, sent)
					sparse.Slots()[q].Charge(sent)
				}
			}
			for q := range n {
				require.Equal(t, ring.Eligible(q), sparse.Eligible(q), "queue %d", q)
				require.Equal(t, q, sparse.Slots()[q].Of)
			}
			require.Equal(t, ring.Empty(), sparse.Empty())
		}
	})
}

// next is both steps of a decision; -1 if no queue is eligible.
func next(ring *Sparse[int]) int {
	if ring.Crowded() {
		return ring.NextOfCrowd()
	}
	if q, ok := ring.Alone(); ok {
		return q
	}
	return -1
}

// Gathered rings that decide alike are equal, whichever queue was eligible alone.
func TestGather(t *testing.T) {
	quanta := Uniform(3, 1)
	one, other := NewSparse[int](quanta), NewSparse[int](quanta)
	one.Join(0)
	one.Join(2)
	other.Join(2)
	other.Join(0)
	require.NotEqual(t, one, other)
	one.Gather()
	other.Gather()
	require.Equal(t, one, other)
	require.False(t, one.Empty())
	require.True(t, one.Crowded())
	one.Leave(0)
	one.Leave(2)
	require.True(t, one.Empty())
	one.Gather()
	require.True(t, one.Empty())
}
