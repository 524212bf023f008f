package ir

import (
	"cmp"
	"fmt"
	"math/bits"
)

// MaxWidth is the most bits that a value has.
const MaxWidth = 128

// Value is an unsigned number of at most 128 bits.
type Value struct{ Hi, Lo uint64 }

// Uint returns the value of a number.
func Uint(number uint64) Value { return Value{Lo: number} }

// BytesValue returns the value of at most 16 octets, the most significant first.
func BytesValue(octets []byte) Value {
	var v Value
	for _, octet := range octets {
		v = Value{v.Hi<<8 | v.Lo>>56, v.Lo<<8 | uint64(octet)}
	}
	return v
}

// Append appends the low bits of the value, width of them in whole octets, the most significant
// first: fixed length, as the run-time interface has keys and data.
func (v Value) Append(octets []byte, width int) []byte {
	for at := (width + 7) / 8 * 8; at > 0; at -= 8 {
		octets = append(octets, byte(v.shiftRight(at-8).Lo))
	}
	return octets
}

// Fits reports whether the value has at most width bits.
func (v Value) Fits(width int) bool { return v == v.low(width) }

// Zero reports whether the value is 0.
func (v Value) Zero() bool { return v.Hi|v.Lo == 0 }

// Compare returns -1, 0 or 1 as v is less than, equal to or more than other.
func (v Value) Compare(other Value) int {
	if v.Hi != other.Hi {
		return cmp.Compare(v.Hi, other.Hi)
	}
	return cmp.Compare(v.Lo, other.Lo)
}

// String formats as "0x2a".
func (v Value) String() string {
	if v.Hi == 0 {
		return fmt.Sprintf("0x%x", v.Lo)
	}
	return fmt.Sprintf("0x%x%016x", v.Hi, v.Lo)
}

// Mask returns the value of width ones.
func Mask(width int) Value { return Value{^uint64(0), ^uint64(0)}.low(width) }

func (v Value) and(other Value) Value { return Value{v.Hi & other.Hi, v.Lo & other.Lo} }
func (v Value) or(other Value) Value  { return Value{v.Hi | other.Hi, v.Lo | other.Lo} }
func (v Value) xor(other Value) Value { return Value{v.Hi ^ other.Hi, v.Lo ^ other.Lo} }

func (v Value) plus(other Value) Value {
	low, carry := bits.Add64(v.Lo, other.Lo, 0)
	high, _ := bits.Add64(v.Hi, other.Hi, carry)
	return Value{high, low}
}

func (v Value) minus(other Value) Value {
	low, borrow := bits.Sub64(v.Lo, other.Lo, 0)
	high, _ := bits.Sub64(v.Hi, other.Hi, borrow)
	return Value{high, low}
}

func (v Value) shiftLeft(n int) Value {
	if n >= 64 {
		return Value{v.Lo << (n - 64), 0}
	}
	return Value{v.Hi<<n | v.Lo>>(64-n), v.Lo << n}
}

func (v Value) shiftRight(n int) Value {
	if n >= 64 {
		return Value{0, v.Hi >> (n - 64)}
	}
	return Value{v.Hi >> n, v.Lo>>n | v.Hi<<(64-n)}
}

// low returns the low bits of the value, width of them.
func (v Value) low(width int) Value {
	switch {
	case width >= 128:
		return v
	case width >= 64:
		return Value{v.Hi & (1<<(width-64) - 1), v.Lo}
	default:
		return Value{0, v.Lo & (1<<width - 1)}
	}
}
