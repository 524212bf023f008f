package chip_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/sluicefc/sluice/tofino/chip"
)

var tests = []chip.Comparison{chip.Above, chip.AtLeast, chip.Below, chip.AtMost}

// A limit is exact if the test of qlength agrees with the test of the depth at every depth. It must
// be found for the thresholds that have one and for no other: each is tried against every limit.
func TestLimitsAreExact(t *testing.T) {
	const depths = 64
	for _, unit := range []chip.DepthUnit{0, 1, 2, 3, 8} {
		for _, test := range tests {
			for threshold := range int64(40) {
				agrees := func(limit int64) bool {
					for depth := range int64(depths) {
						if test.Holds(depth, threshold) != test.Holds(unit.Qlength(depth), limit) {
							return false
						}
					}
					return true
				}
				limit, exact := unit.Limit(test, threshold)
				found := false
				for candidate := range int64(depths) {
					found = found || agrees(candidate)
				}
				assert.Equal(t, found, exact, "cells %v %d in units of %d", test, threshold, unit.Cells())
				if exact {
					assert.True(t, agrees(limit), "cells %v %d is not qlength %v %d", test, threshold,
						test, limit)
				}
			}
		}
	}
}

// K_pause and K_resume are strict and X_off and X_on are not: the two pairs are rounded
// differently.
func TestRoundByComparison(t *testing.T) {
	var unit chip.DepthUnit // two cells
	rounded := func(test chip.Comparison, cells int64) [2]int64 {
		down, up := unit.Round(test, cells)
		return [2]int64{down, up}
	}
	assert.Equal(t, [2]int64{99, 101}, rounded(chip.Above, 100))
	assert.Equal(t, [2]int64{101, 101}, rounded(chip.Above, 101))
	assert.Equal(t, [2]int64{100, 100}, rounded(chip.AtLeast, 100))
	assert.Equal(t, [2]int64{100, 102}, rounded(chip.Below, 101))
	assert.Equal(t, [2]int64{99, 101}, rounded(chip.AtMost, 100))

	assert.Equal(t, [2]int64{1, 1}, rounded(chip.Above, 0), "no exact threshold is less than 1")
	most := int64(2*chip.MaxQlength + 1)
	assert.Equal(t, [2]int64{most, most}, rounded(chip.Above, most+9), "qlength reports no more")
}

// What Round returns is exact, and nothing between is.
func TestRoundFindsTheNearest(t *testing.T) {
	for _, unit := range []chip.DepthUnit{1, 2, 3, 8} {
		for _, test := range tests {
			for cells := int64(8); cells < 60; cells++ {
				down, up := unit.Round(test, cells)
				for threshold := down; threshold <= up; threshold++ {
					_, exact := unit.Limit(test, threshold)
					ends := threshold == down || threshold == up
					assert.Equal(t, ends, exact, "cells %v %d, rounded to %d and %d", test, cells, down, up)
				}
			}
		}
	}
}

func TestLimitsThatQlengthCannotReport(t *testing.T) {
	var unit chip.DepthUnit
	_, exact := unit.Limit(chip.AtLeast, 2*(chip.MaxQlength+1))
	assert.False(t, exact)
	_, exact = unit.Limit(chip.AtLeast, -2)
	assert.False(t, exact)
}

// A packet takes whole cells of 176 bytes.
func TestCells(t *testing.T) {
	assert.Equal(t, []int64{0, 1, 1, 2, 9},
		[]int64{chip.Cells(0), chip.Cells(1), chip.Cells(176), chip.Cells(177), chip.Cells(1518)})
	assert.Equal(t, int64(66)<<20, chip.BufferBytes)
	assert.Equal(t, 1600, chip.BlocksPerPipe)
	assert.Equal(t, "?", chip.Comparison(9).String())
	assert.Equal(t, ">=", chip.AtLeast.String())
}
