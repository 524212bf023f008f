package ir

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// unit returns an ALU of a register with one element.
func unit(bits int, pair bool, action *RegisterAction) *alu {
	return &alu{newArray(&Register{Name: "r", Bits: bits, Pair: pair, Size: 1}), action}
}

// Guards are tables of truth: they agree with what they are made of, whatever holds.
func TestGuardsAreTruthTables(t *testing.T) {
	for held := range 16 {
		first, second, third, fourth := held&1 != 0, held&2 != 0, held&4 != 0, held&8 != 0
		holds := func(g Guard) bool { return g>>held&1 != 0 }
		assert.Equal(t, []bool{first, second, third, fourth},
			[]bool{holds(First), holds(Second), holds(Third), holds(Fourth)})
		assert.Equal(t, first && !third || fourth, holds(First&(Always^Third)|Fourth))
	}
	assert.False(t, possible(First&Second&Third, 0), "with no predicate none holds")
	assert.True(t, possible(Always^First, 0), "nor does the first")
	assert.False(t, possible(Second, 1))
	assert.True(t, possible(First, 1))
}

// A stack of free numbers needs one register that tests and takes: the count goes down unless it
// is 0, and the result says whether it did.
func TestTakeUnlessEmpty(t *testing.T) {
	take := unit(8, false, &RegisterAction{
		Predicates: []Predicate{{Sum: Sum{Memory: Low}, Op: More}},
		Updates:    []Update{{When: First, To: Low, Sum: Sum{Memory: Low, Constant: -1}}},
		Outputs: []Output{{When: First, Sum: Sum{Constant: 1}}, {When: Always, Sum: Sum{Memory: Low}},
			{When: Always, Sum: Sum{Memory: Low}, After: true}},
	})
	element := uint64(2)
	for _, want := range [][3]uint64{{1, 2, 1}, {1, 1, 0}, {0, 0, 0}} {
		results := take.run(&element, 0, 0)
		assert.Equal(t, want, [3]uint64(results[:3]), "taken, before, after")
	}
}

// A pair claims a key: an element of another key is left alone and reported.
func TestClaimAPair(t *testing.T) {
	claim := unit(32, true, &RegisterAction{
		Predicates: []Predicate{
			{Sum: Sum{Memory: Low}, Op: Equal}, {Sum: Sum{Memory: High}, Op: Equal}, // free
			{Sum: Sum{Memory: Low, Input: 1, Minus: true}, Op: Equal},
			{Sum: Sum{Memory: High, Input: 2, Minus: true}, Op: Equal}, // ours
		},
		Updates: []Update{{When: First & Second, To: Low, Sum: Sum{Input: 1}},
			{When: First & Second, To: High, Sum: Sum{Input: 2}}},
		Outputs: []Output{{When: Always, Held: true}},
	})
	element := uint64(0)
	fresh := func(r [MaxOutputs]uint64) bool { return Guard(r[0])&First&Second != 0 }
	ours := func(r [MaxOutputs]uint64) bool { return Guard(r[0])&Third&Fourth != 0 }
	assert.True(t, fresh(claim.run(&element, 7, 0xFFFFFFFF)))
	assert.Equal(t, uint64(0xFFFFFFFF_00000007), element)
	assert.True(t, ours(claim.run(&element, 7, 0xFFFFFFFF)))
	other := claim.run(&element, 7, 1)
	assert.False(t, fresh(other) || ours(other), "the high halves differ")
	assert.Equal(t, uint64(0xFFFFFFFF_00000007), element)
}

// Sums do not wrap where they are compared, wrap where they are stored, and stop at the ends where
// they are saturated.
func TestSumsAgainstIntegers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.SampledFrom([]int{8, 16, 32}).Draw(t, "bits")
		largest := int64(1)<<bits - 1
		memory := rapid.Int64Range(0, largest).Draw(t, "memory")
		input := rapid.Int64Range(0, largest).Draw(t, "input")
		constant := rapid.Int32Range(-300, 300).Draw(t, "constant")
		sum := Sum{Memory: Low, Input: 1, Negative: rapid.Bool().Draw(t, "negative"),
			Minus: rapid.Bool().Draw(t, "minus"), Constant: constant}
		sign := func(minus bool) int64 {
			if minus {
				return -1
			}
			return 1
		}
		want := sign(sum.Negative)*memory + sign(sum.Minus)*input + int64(constant)
		saturated := rapid.Bool().Draw(t, "saturated")
		stored := ((want % (largest + 1)) + largest + 1) % (largest + 1)
		if saturated {
			stored = max(0, min(want, largest))
		}
		ops := []Relation{Equal, NotEqual, Less, LessOrEqual, More, MoreOrEqual}
		op := rapid.SampledFrom(ops).Draw(t, "op")
		u := unit(bits, false, &RegisterAction{
			Predicates: []Predicate{{Sum: sum, Op: op}},
			Updates:    []Update{{When: Always, To: Low, Sum: sum, Saturated: saturated}},
			Outputs:    []Output{{When: First, Sum: Sum{Constant: 1}}},
		})
		element := uint64(memory)
		results := u.run(&element, input, 0)
		require.Equal(t, uint64(stored), element)
		holds := map[Relation]bool{Equal: want == 0, NotEqual: want != 0, Less: want < 0,
			LessOrEqual: want <= 0, More: want > 0, MoreOrEqual: want >= 0}[op]
		require.Equal(t, holds, results[0] == 1)
	})
}
