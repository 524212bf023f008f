package hashpath

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestMakeFlow(t *testing.T) {
	f := MakeFlow(addrPort("10.0.0.7:1"), addrPort("[::ffff:10.0.0.9]:2"), 17)
	require.Equal(t, FlowBetween(7, 9, 1, 2, 17), f)
	require.Equal(t, FlowBetween(9, 7, 2, 1, 17), f.Reverse())
	// The family is the destination's; an address of the other becomes zeros.
	f = MakeFlow(addrPort("10.0.0.7:1"), addrPort("[fd00::9]:2"), 6)
	require.Equal(
		t, Flow{Dst: [16]byte{0: 0xfd, 15: 9}, SrcPort: 1, DstPort: 2, Protocol: 6, Is6: true}, f,
	)
	f = MakeFlow(addrPort("[fd00::9]:2"), addrPort("10.0.0.7:1"), 6)
	require.Equal(t, Flow{Dst: [16]byte{10, 0, 0, 7}, SrcPort: 2, DstPort: 1, Protocol: 6}, f)
	require.Equal(t, "10.0.1.2", HostAddress(258).String())
	require.Equal(t, "9.255.255.255", HostAddress(1<<32-1).String())
}

// Every bit of the five-tuple changes about half of the bits of the hash, and the flow label none.
func TestFlowHashAvalanche(t *testing.T) {
	for _, is6 := range []bool{false, true} {
		n := 8 * tuple4
		if is6 {
			n = 8 * tuple6
		}
		for bit := range n {
			changed := 0
			for i := range 200 {
				f := FlowBetween(0, 0, uint16(i*7919), 4791, 17)
				f.Is6 = is6
				g := f
				flip(&g, bit)
				changed += bits.OnesCount64(f.Hash() ^ g.Hash())
			}
			require.InDelta(t, 32, float64(changed)/200, 2, "bit %d, IPv6 %v", bit, is6)
		}
	}
}

// flip inverts a bit of the five-tuple, in the order of octets.
func flip(f *Flow, bit int) {
	at, address := bit/8, 4
	if f.Is6 {
		address = 16
	}
	switch {
	case at < address:
		f.Src[at] ^= 1 << (bit % 8)
	case at < 2*address:
		f.Dst[at-address] ^= 1 << (bit % 8)
	case at < 2*address+2:
		f.SrcPort ^= 1 << ((bit + 8) % 16)
	case at < 2*address+4:
		f.DstPort ^= 1 << ((bit + 8) % 16)
	case at < 2*address+5:
		f.Protocol ^= 1 << (bit % 8)
	}
}

func TestFlowHashTellsFlowsApart(t *testing.T) {
	seen := map[uint64]Flow{}
	for src := range uint32(64) {
		for dst := range uint32(64) {
			for port := range uint16(16) {
				f := FlowBetween(0, 0, port, 4791, 17)
				f.Src[3], f.Dst[3] = byte(src), byte(dst)
				other, found := seen[f.Hash()]
				require.False(t, found, "%+v and %+v", f, other)
				seen[f.Hash()] = f
				f.Is6 = true
				other, found = seen[f.Hash()]
				require.False(t, found, "%+v and %+v", f, other)
				seen[f.Hash()] = f
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		f := FlowBetween(1, 2, rapid.Uint16().Draw(t, "port"), 4791, 17)
		f.FlowLabel = rapid.Uint32().Draw(t, "label")
		g := f
		g.FlowLabel = rapid.Uint32().Draw(t, "label")
		require.Equal(t, f.Hash(), g.Hash())
	})
}
