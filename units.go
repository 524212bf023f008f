package sluice

import (
	"math"
	"math/bits"
	"strconv"
)

// Bytes is an amount of data. It is signed, so that a counter which went negative is a
// bug one can detect.
type Bytes int64

// Amounts of data.
const (
	Byte Bytes = 1
	KB         = 1000 * Byte
	MB         = 1000 * KB
	GB         = 1000 * MB
	KiB        = 1024 * Byte
	MiB        = 1024 * KiB
	GiB        = 1024 * MiB
)

// String formats n exactly, in the largest binary unit that divides it: "20MiB", "1500B".
func (n Bytes) String() string {
	units := [...]struct {
		size Bytes
		name string
	}{{GiB, "GiB"}, {MiB, "MiB"}, {KiB, "KiB"}}
	for _, u := range units {
		if n != 0 && n%u.size == 0 {
			return strconv.FormatInt(int64(n/u.size), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(n), 10) + "B"
}

// Rate is a link rate in bits per second.
type Rate int64

// Rates.
const (
	BitPerSecond Rate = 1
	Kbps              = 1000 * BitPerSecond
	Mbps              = 1000 * Kbps
	Gbps              = 1000 * Mbps
	Tbps              = 1000 * Gbps
)

const bitPicoseconds = 8 * uint64(Second) // picoseconds of a byte at 1 bit/s

// TimeOf returns the time that n bytes take on a link of rate r, rounded up to a
// whole picosecond: the transmitter is not free before. It returns 0 for n <= 0, and Never
// if r <= 0 or the time is out of range. Two 64-bit operations.
func (r Rate) TimeOf(n Bytes) Time {
	if n <= 0 {
		return 0
	}
	if r <= 0 {
		return Never
	}
	return mulDiv(uint64(n), bitPicoseconds, uint64(r), roundUp)
}

// BytesIn returns the whole bytes that a link of rate r carries in d, rounded
// down: no more than that can have arrived. It returns 0 if r or d is not positive, and
// saturates at the largest Bytes.
func (r Rate) BytesIn(d Time) Bytes {
	if r <= 0 || d <= 0 {
		return 0
	}
	return Bytes(mulDiv(uint64(d), uint64(r), bitPicoseconds, 0))
}

// BytesInUp is BytesIn rounded up: the bound on what can arrive in d.
func (r Rate) BytesInUp(d Time) Bytes {
	if r <= 0 || d <= 0 {
		return 0
	}
	return Bytes(mulDiv(uint64(d), uint64(r), bitPicoseconds, roundUp))
}

// Quanta is a pause time of IEEE 802.3 clause 31B.2: a count of 512 bit times at the rate of
// the port that receives it.
type Quanta uint16

// QuantumBits is the length of a pause quantum in bit times (IEEE 802.3 clause 31B.2).
const QuantumBits = 512

// TimeOfQuanta returns how long q quanta last on a port of rate r, rounded up; 0 for none, and
// Never for some if r <= 0.
func (r Rate) TimeOfQuanta(q Quanta) Time {
	return r.TimeOf(Bytes(q) * (QuantumBits / 8))
}

// QuantaIn returns the smallest number of quanta that lasts at least d on a port of rate r,
// saturating at 65,535; 0 if r or d is not positive.
func (r Rate) QuantaIn(d Time) Quanta {
	if r <= 0 || d <= 0 {
		return 0
	}
	q := mulDiv(uint64(d), uint64(r), QuantumBits*uint64(Second), roundUp)
	return Quanta(min(q, math.MaxUint16))
}

// BDP returns the bandwidth-delay product of a link of rate r and a round trip of rtt,
// rounded down to whole bytes.
func (r Rate) BDP(rtt Time) Bytes { return r.BytesIn(rtt) }

// String formats r with a decimal prefix, exactly: "400Gb/s".
func (r Rate) String() string {
	units := [...]struct {
		size Rate
		name string
	}{{Tbps, "Tb/s"}, {Gbps, "Gb/s"}, {Mbps, "Mb/s"}, {Kbps, "kb/s"}}
	for _, u := range units {
		if r >= u.size || r <= -u.size {
			return formatScaled(int64(r), int64(u.size)) + u.name
		}
	}
	return strconv.FormatInt(int64(r), 10) + "b/s"
}

const roundUp = 1

// mulDiv returns a*b/c of 128-bit precision, rounded down or up, saturating at the
// largest int64. c is not 0.
func mulDiv(a, b, c uint64, up uint64) Time {
	hi, lo := bits.Mul64(a, b)
	if hi >= c {
		return math.MaxInt64
	}
	quotient, remainder := bits.Div64(hi, lo, c)
	if quotient >= math.MaxInt64 {
		return math.MaxInt64
	}
	if remainder != 0 {
		quotient += up
	}
	return Time(quotient)
}

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
