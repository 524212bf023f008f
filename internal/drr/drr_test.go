package drr

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestRoundRobinByPacket(t *testing.T) {
	ring := New(Uniform(5, 1))
	for _, q := range []int{0, 2, 3} {
		ring.SetEligible(q, true)
	}
	var got []int
	for range 7 {
		q := ring.Next()
		require.Equal(t, q, ring.Next(), "asked twice, it answers the same")
		got = append(got, q)
		ring.Charge(q, 1)
	}
	for i := range got[:4] {
		require.Equal(t, got[i], got[i+3], "period of three: %v", got)
	}
	require.ElementsMatch(t, []int{0, 2, 3}, got[:3])
}

func TestEmptyRing(t *testing.T) {
	none := New(nil)
	require.Equal(t, -1, none.Next())
	ring := New(Uniform(3, 1500))
	require.Equal(t, -1, ring.Next())
	require.True(t, ring.Empty())
}

// A queue's share of the throughput is its quantum's share of the quanta (Shreedhar and Varghese,
// Efficient fair queuing using deficit round robin, section 4): over any interval in which the same
// queues are backlogged, bytes sent are in proportion to quanta, to within a quantum and a packet.
func TestShareIsQuantumShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const largest = 1500
		n := rapid.IntRange(1, 70).Draw(t, "queues")
		quanta := make([]int64, n)
		var sum int64
		for i := range quanta {
			quanta[i] = rapid.Int64Range(largest, 4*largest).Draw(t, "quantum")
			sum += quanta[i]
		}
		ring := New(quanta)
		for q := range n {
			ring.SetEligible(q, true)
		}
		sent := make([]int64, n)
		var total int64
		const rounds = 50
		for total < rounds*sum {
			q := ring.Next()
			size := rapid.Int64Range(64, largest).Draw(t, "size")
			ring.Charge(q, size)
			sent[q] += size
			total += size
		}
		for q := range sent {
			served := float64(sent[q]) / float64(quanta[q])
			require.InDelta(
				t, rounds, served, 2+float64(largest)/float64(quanta[q]), "queue %d: rounds served", q,
			)
		}
	})
}

func TestIneligibleIsSkipped(t *testing.T) {
	ring := New(Uniform(4, 100))
	for q := range 4 {
		ring.SetEligible(q, true)
	}
	first := ring.Next()
	ring.SetEligible(first, false)
	require.NotEqual(t, first, ring.Next())
	for q := range 4 {
		ring.ChargeLast(q, 0)
	}
	require.Equal(t, -1, ring.Next())
}

func TestOversizedPacketDelaysItsQueueOnly(t *testing.T) {
	ring := New(Uniform(2, 100))
	ring.SetEligible(0, true)
	ring.SetEligible(1, true)
	sent := [2]int64{}
	for range 1000 {
		q := ring.Next()
		size := int64(100)
		if q == 0 {
			size = 950
		}
		ring.Charge(q, size)
		sent[q] += size
	}
	require.InDelta(
		t, sent[0], sent[1], 2000, "bytes are shared evenly however large the packets of one queue are",
	)
}

// A queue that was emptied forfeits what it did not use of its turn (Shreedhar and Varghese,
// Efficient Fair Queuing Using Deficit Round Robin, Figure 2), but stays in debt for what it
// overdrew.
func TestEmptiedQueueForfeitsItsCredit(t *testing.T) {
	ring := New(Uniform(2, 1500))
	ring.SetEligible(1, true)
	require.Equal(t, 1, ring.Next())
	ring.ChargeLast(1, 100)
	require.False(t, ring.Eligible(1))

	ring.SetEligible(1, true)
	ring.SetEligible(0, true)
	require.Equal(t, 0, ring.Next(), "queue 1 has no credit left from before it was emptied")
	ring.Charge(0, 1500)
	require.Equal(t, 1, ring.Next())
	ring.Charge(1, 1400)
	require.Equal(t, 1, ring.Next(), "100 bytes of this turn are left")
	ring.ChargeLast(1, 3000)
	ring.SetEligible(1, true)
	for range 2 {
		require.Equal(t, 0, ring.Next(), "queue 1 pays back 2,900 bytes first")
		ring.Charge(0, 1500)
	}
	require.Equal(t, 1, ring.Next())
}

func TestQuantaArePositive(t *testing.T) {
	require.Panics(t, func() { New([]int64{1, 0}) })
	require.NotPanics(t, func() { New([]int64{1, 1}) })
}
