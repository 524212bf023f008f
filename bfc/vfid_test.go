package bfc

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// VFIDs are even over a table of any size, for flows that are hashes and for flows that count from
// 0.
func TestVFIDsAreEven(t *testing.T) {
	for _, size := range []int{7, 3200, 7200} {
		port := &tell(t, 1, Config{VFIDs: size, Seed: 12345}).s.ports[0]
		count := make([]int, size)
		for flow := range uint64(100 * size) {
			count[port.vfid(flow)]++
		}
		square := 0.0
		for _, n := range count {
			square += float64(n-100) * float64(n-100) / 100
		}
		deviation := 5 * math.Sqrt(2/float64(size-1))
		require.InDelta(t, 1, square/float64(size-1), deviation,
			"chi-square over its degrees of freedom, %d entries", size)
	}
}

// Another seed, other collisions.
func TestSeedMovesVFIDs(t *testing.T) {
	one, two := &tell(t, 1, Config{Seed: 1}).s.ports[0], &tell(t, 1, Config{Seed: 2}).s.ports[0]
	same := 0
	for flow := range uint64(3200) {
		if one.vfid(flow) == two.vfid(flow) {
			same++
		}
	}
	require.Less(t, same, 10)
}
