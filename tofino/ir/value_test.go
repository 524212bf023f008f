package ir

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawn is a value below 2^bits, often near the ends of the range.
func drawn(t *rapid.T, bits int, label string) Value {
	v := Value{rapid.Uint64().Draw(t, label+" high"), rapid.Uint64().Draw(t, label+" low")}
	if rapid.Bool().Draw(t, label+" small") {
		v = Uint(v.Lo & 7)
	}
	if rapid.Bool().Draw(t, label+" negated") {
		v = v.xor(Mask(128))
	}
	return v.low(bits)
}

func integer(v Value) *big.Int {
	sum := new(big.Int).SetUint64(v.Hi)
	return sum.Lsh(sum, 64).Or(sum, new(big.Int).SetUint64(v.Lo))
}

// Values of 1 to 128 bits compute as integers of any size do, modulo their width.
func TestValuesAreIntegers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.IntRange(1, MaxWidth).Draw(t, "bits")
		x, y := drawn(t, bits, "x"), drawn(t, bits, "y")
		a, b, size := integer(x), integer(y), new(big.Int).Lsh(big.NewInt(1), uint(bits))
		modulo := func(n *big.Int) *big.Int { return n.Mod(n, size) }
		same := func(want *big.Int, got Value, what string) {
			require.Equal(
				t, want.String(), integer(got).String(), "%s of %v and %v, %d bits", what, x, y, bits,
			)
		}
		run := func(op Operator) Value {
			constant := func(v Value) evaluated { return func(*pass) Value { return v } }
			return operation(op, constant(x), constant(y), bits)(nil)
		}
		sum, difference := new(big.Int).Add(a, b), new(big.Int).Sub(a, b)
		largest := new(big.Int).Sub(size, big.NewInt(1))
		most, least := sum, difference
		if most.Cmp(largest) > 0 {
			most = largest
		}
		if least.Sign() < 0 {
			least = new(big.Int)
		}
		same(most, run(AddSaturated), "saturated sum")
		same(least, run(SubSaturated), "saturated difference")
		same(modulo(new(big.Int).Set(sum)), run(Add), "sum")
		same(modulo(new(big.Int).Set(difference)), run(Sub), "difference")
		same(new(big.Int).And(a, b), run(And), "and")
		same(new(big.Int).Or(a, b), run(Or), "or")
		same(new(big.Int).Xor(a, b), run(Xor), "exclusive or")
		require.Equal(t, a.Cmp(b), x.Compare(y))

		shift := rapid.IntRange(0, 127).Draw(t, "shift")
		same(new(big.Int).Rsh(a, uint(shift)), x.shiftRight(shift), "shift right")
		same(modulo(new(big.Int).Lsh(a, uint(shift))), x.shiftLeft(shift).low(bits), "shift left")

		octets := x.Append(nil, bits)
		require.Len(t, octets, (bits+7)/8)
		require.Equal(t, x, BytesValue(octets))
	})
}

func TestValuesAsText(t *testing.T) {
	assert.Equal(t, "0x2a", Uint(42).String())
	assert.Equal(t, "0x10000000000000000", Value{Hi: 1}.String())
	assert.True(t, Uint(255).Fits(8))
	assert.False(t, Uint(256).Fits(8))
}

// Fields of any width, packed side by side, are read back where they were put.
func TestHeadersPackAndUnpack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		header, left := &Header{Name: "h"}, 8*rapid.IntRange(1, 40).Draw(t, "octets")
		for left > 0 {
			bits := min(left, rapid.IntRange(1, MaxWidth).Draw(t, "bits"))
			header.Fields = append(header.Fields, &Field{Name: "f", Bits: bits})
			left -= bits
		}
		m := &Machine{fields: map[*Field]int{}}
		for _, field := range header.Fields {
			m.fields[field] = m.position()
		}
		l := m.newLayout(header)
		p := &pass{values: make([]Value, m.positions)}
		p.values[l.valid] = Uint(1)
		for at, field := range header.Fields {
			p.values[at] = drawn(t, field.Bits, "value")
		}
		octets := l.emit(p, []byte{9})
		require.Len(t, octets, 1+header.Octets())
		read := &pass{values: make([]Value, m.positions)}
		l.extract(read, octets[1:])
		require.Equal(t, p.values, read.values)
	})
}

// Check values of the catalogue of parametrised CRC algorithms, for "123456789".
func TestHashFunctionsAsPublished(t *testing.T) {
	check := []byte("123456789")
	functions := map[*HashFunction]uint64{
		{Name: "CRC-32/ISO-HDLC", Bits: 32, Polynomial: 0x04C11DB7, Init: 0xFFFFFFFF, Reflected: true,
			XorOut: 0xFFFFFFFF}: 0xCBF43926,
		{Name: "CRC-32/ISCSI", Bits: 32, Polynomial: 0x1EDC6F41, Init: 0xFFFFFFFF, Reflected: true,
			XorOut: 0xFFFFFFFF}: 0xE3069283,
		{Name: "CRC-16/ARC", Bits: 16, Polynomial: 0x8005, Reflected: true}:      0xBB3D,
		{Name: "CRC-16/IBM-3740", Bits: 16, Polynomial: 0x1021, Init: 0xFFFF}:    0x29B1,
		{Name: "CRC-8/SMBUS", Bits: 8, Polynomial: 0x07}:                         0xF4,
		{Name: "CRC-10/ATM", Bits: 10, Polynomial: 0x233}:                        0x199,
		{Name: "XOR of pairs, 9 and a zero last", Kind: Fold, Bits: 16}:          0x3908,
		{Name: "the last octets themselves", Kind: Identity, Bits: 16}:           0x3839,
		{Name: "CRC-24/OPENPGP", Bits: 24, Polynomial: 0x864CFB, Init: 0xB704CE}: 0x21CF02,
	}
	for function, want := range functions {
		assert.Equal(t, Uint(want), function.sum(check), function.Name)
	}
}
