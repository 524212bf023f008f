package zold

import "encoding/binary"

// microsoftKey is the key of the verification suite for receive-side scaling
// (Microsoft, Verifying the RSS Hash Calculation).
var microsoftKey = [40]byte{
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0,
	0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30, 0xf2, 0x0c,
	0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
}

// MicrosoftKey returns a copy of the 40-byte key of Microsoft's verification suite for
// receive-side scaling, which many NICs and switches use unchanged.
func MicrosoftKey() []byte { return append([]byte(nil), microsoftKey[:]...) }

// toeplitzWindow is how many key bytes remain after the last input byte: the window of the
// 32-bit result.
const toeplitzWindow = 4

// Toeplitz is the Toeplitz hash of receive-side scaling with a table for each input byte. It is
// immutable and safe for concurrent use. Its tables take 1 KiB a byte of input.
type Toeplitz struct{ table [][256]uint32 }

// NewToeplitz makes the tables for inputs of up to len(key)-4 bytes. It returns a
// *sluice.ConfigError if the key is shorter than 5 bytes.
func NewToeplitz(key []byte) (*Toeplitz, error) {
	if len(key) <= toeplitzWindow {
		return nil, configError("Key", len(key), "must have more than 4 bytes")
	}
	t := &Toeplitz{table: make([][256]uint32, len(key)-toeplitzWindow)}
	for i := range t.table {
		// The 40 key bits that begin at this byte, left-aligned.
		window := uint64(binary.BigEndian.Uint32(key[i:]))<<32 | uint64(key[i+toeplitzWindow])<<24
		for b := range 256 {
			var sum uint32
			for bit := range 8 {
				if b&(0x80>>bit) != 0 {
					sum ^= uint32(window << bit >> 32)
				}
			}
			t.table[i][b] = sum
		}
	}
	return t, nil
}

// MaxInput returns the longest input in bytes.
func (t *Toeplitz) MaxInput() int { return len(t.table) }

// Sum returns the hash of p exclusive-or seed. Bytes beyond MaxInput do not count.
func (t *Toeplitz) Sum(seed uint32, p []byte) uint32 {
	table := t.table
	p = p[:min(len(p), len(table))]
	for i, b := range p {
		seed ^= table[i][b]
	}
	return seed
}

// XOR16 folds p into 16 bits: the exclusive-or of seed and p's 16-bit words in network byte
// order, the last padded with a zero byte.
func XOR16(seed uint16, p []byte) uint16 {
	wide := XOR32(0, p)
	return seed ^ uint16(wide>>16) ^ uint16(wide)
}

// XOR32 folds p into 32 bits: the exclusive-or of seed and p's 32-bit words in network byte
// order, the last padded with zero bytes.
func XOR32(seed uint32, p []byte) uint32 {
	for len(p) >= 4 {
		seed ^= binary.BigEndian.Uint32(p)
		p = p[4:]
	}
	for i, b := range p {
		seed ^= uint32(b) << (24 - 8*i)
	}
	return seed
}
