package sluice

import "strconv"

// Ratio is the exact fraction Num/Den, for what papers give as a factor: alpha, F, multiples of a
// bandwidth-delay product. What the zero Ratio means, the field that has it says; otherwise Den
// must be positive.
type Ratio struct{ Num, Den int64 }

// MaxRatio is the largest Num and the largest Den of a [Ratio] that is Valid.
const MaxRatio = 1 << 20

// Valid reports whether Num and Den both are 1 to MaxRatio.
func (r Ratio) Valid() bool {
	return 1 <= r.Num && r.Num <= MaxRatio && 1 <= r.Den && r.Den <= MaxRatio
}

// String formats r as "1/4", whole numbers as "2".
func (r Ratio) String() string {
	if r.Den == 1 {
		return strconv.FormatInt(r.Num, 10)
	}
	return strconv.FormatInt(r.Num, 10) + "/" + strconv.FormatInt(r.Den, 10)
}
