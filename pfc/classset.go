package pfc

import (
	"math/bits"

	"github.com/sluicefc/sluice"
)

// ClassSet is a set of classes: bit i stands for class i, as in the class-enable vector of a
// PFC frame (IEEE 802.1Q clause 36 and IEEE 802.3 annex 31D).
type ClassSet uint8

// Classes returns the set of the given classes. A class above 7 is not in it.
func Classes(classes ...sluice.Class) ClassSet {
	var set ClassSet
	for _, c := range classes {
		if c < sluice.Classes {
			set |= 1 << c
		}
	}
	return set
}

// Has reports whether c is in the set.
func (s ClassSet) Has(c sluice.Class) bool { return c < sluice.Classes && s>>c&1 != 0 }

// String lists the classes: "{0 3 4}".
func (s ClassSet) String() string {
	text := "{"
	for c := range sluice.Classes {
		if s>>c&1 == 0 {
			continue
		}
		if len(text) > 1 {
			text += " "
		}
		text += string(rune('0' + c))
	}
	return text + "}"
}

func (s ClassSet) count() int { return bits.OnesCount8(uint8(s)) }

// highest returns the largest class of a set that is not empty.
func (s ClassSet) highest() sluice.Class { return sluice.Class(bits.Len8(uint8(s)) - 1) }

// lowest returns the smallest class of a set that is not empty.
func (s ClassSet) lowest() sluice.Class { return sluice.Class(bits.TrailingZeros8(uint8(s))) }

// after returns the first class of a set that is not empty behind c, going round.
func (s ClassSet) after(c sluice.Class) sluice.Class {
	distance := bits.TrailingZeros8(bits.RotateLeft8(uint8(s), -int(c+1)))
	return (c + 1 + sluice.Class(distance)) % sluice.Classes
}
