package drr

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestOctetDecidesAsARing: with any queues eligible, any packets, and when a queue empties.
func TestOctetDecidesAsARing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		quanta := rapid.SliceOfN(rapid.Int64Range(1, 3000), 8, 8).Draw(t, "quanta")
		ring, octet, current := New(quanta), Octet{}, uint8(0)
		for q, quantum := range quanta {
			octet.SetQuantum(q, quantum)
		}
		eligible := uint8(0)
		set := func(q int, on bool) {
			ring.SetEligible(q, on)
			eligible &^= 1 << q
			if on {
				eligible |= 1 << q
			}
		}
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			if eligible == 0 || rapid.IntRange(0, 2).Draw(t, "what") == 0 {
				set(rapid.IntRange(0, 7).Draw(t, "queue"), rapid.Bool().Draw(t, "eligible"))
				continue
			}
			want := ring.Next()
			require.Equal(t, want, octet.Next(&current, eligible), "%08b", eligible)
			require.Equal(t, want, octet.Next(&current, eligible), "asked twice, it answers the same")
			n := rapid.Int64Range(1, 20_000).Draw(t, "bytes")
			octet.Charge(want, n)
			if rapid.IntRange(0, 3).Draw(t, "empties") == 0 {
				ring.ChargeLast(want, n)
				octet.Forfeit(want)
				eligible &^= 1 << want
			} else {
				ring.Charge(want, n)
			}
		}
	})
}

// TestOctetForfeits: a queue that emptied has no more to send than its quantum, however little it
// sent before.
func TestOctetForfeits(t *testing.T) {
	var octet Octet
	var current uint8
	octet.SetQuantum(0, 1000)
	octet.SetQuantum(1, 1000)
	first := octet.Next(&current, 0b11)
	octet.Charge(first, 100)
	require.Equal(t, int64(900), octet.Deficit(first))
	octet.Forfeit(first)
	require.Zero(t, octet.Deficit(first))
	require.Equal(t, 1-first, octet.Next(&current, 0b11), "the other queue has its turn")
}

// TestOctetOfHugePackets: rounds in which no queue may send are not walked one by one.
func TestOctetOfHugePackets(t *testing.T) {
	var octet Octet
	var current uint8
	for q := range 8 {
		octet.SetQuantum(q, 1)
	}
	var served uint8
	for range 8 {
		q := octet.Next(&current, 0xff)
		octet.Charge(q, 1<<40)
		served |= 1 << q
	}
	require.Equal(t, 8, bits.OnesCount8(served))
	octet.Next(&current, 0xff) // a walk would take hours
}
