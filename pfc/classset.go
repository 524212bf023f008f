package pfc

import (
	"math/bits"

	"github.com/sluicefc/sluice"
)

// ClassSet is the root package's: bit i stands for class i, as in the class-enable vector of a PFC frame
// (IEEE 802.1Q clause 36 and IEEE 802.3 annex 31D).
type ClassSet = sluice.ClassSet

// Classes returns the set of the given classes. A class above 7 is not in it.
func Classes(classes ...sluice.Class) ClassSet { return sluice.MakeClassSet(classes...) }

// highest returns the largest class of a set that is not empty.
func highest(s ClassSet) sluice.Class { return sluice.Class(bits.Len8(uint8(s)) - 1) }

// lowest returns the smallest class of a set that is not empty.
func lowest(s ClassSet) sluice.Class { return sluice.Class(bits.TrailingZeros8(uint8(s))) }

// after returns the first class of a set that is not empty behind c, going round.
func after(s ClassSet, c sluice.Class) sluice.Class {
	distance := bits.TrailingZeros8(bits.RotateLeft8(uint8(s), -int(c+1)))
	return (c + 1 + sluice.Class(distance)) % sluice.Classes
}
