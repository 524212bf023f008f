package pfc

import (
	"math/bits"

	"github.com/sluicefc/sluice"
)

// highest returns the largest class of a set that is not empty.
func highest(s sluice.ClassSet) sluice.Class { return sluice.Class(bits.Len8(uint8(s)) - 1) }

// lowest returns the smallest class of a set that is not empty.
func lowest(s sluice.ClassSet) sluice.Class { return sluice.Class(bits.TrailingZeros8(uint8(s))) }

// after returns the first class of a set that is not empty behind c, going round.
func after(s sluice.ClassSet, c sluice.Class) sluice.Class {
	distance := bits.TrailingZeros8(bits.RotateLeft8(uint8(s), -int(c+1)))
	return (c + 1 + sluice.Class(distance)) % sluice.Classes
}
