package hashpath

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

// TestAddressesAreTheLongestPrefix compares look-ups with a search of all prefixes.
func TestAddressesAreTheLongestPrefix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		address := func() netip.Addr {
			// Few values in few bytes, so that prefixes nest and hosts are dense or not.
			b := byte(rapid.IntRange(0, 12).Draw(t, "low byte"))
			c := rapid.SampledFrom([]byte{0, 1, 0x80, 0xff}).Draw(t, "high byte")
			if rapid.Bool().Draw(t, "IPv6") {
				return netip.AddrFrom16([16]byte{0: 0xfd, 1: c, 7: b, 8: c, 15: b})
			}
			return netip.AddrFrom4([4]byte{10, c, rapid.SampledFrom([]byte{0, 7}).Draw(t, "middle byte"), b})
		}
		var prefixes []netip.Prefix
		var spots []spot
		given := map[netip.Prefix]spot{}
		for range rapid.IntRange(0, 60).Draw(t, "prefixes") {
			a := address()
			length := a.BitLen()
			if rapid.IntRange(0, 2).Draw(t, "prefix") == 0 {
				length = rapid.IntRange(0, length).Draw(t, "length")
			}
			p, err := a.Prefix(length)
			require.NoError(t, err)
			if !slices.Contains(prefixes, p) {
				spots = append(spots, makeSpot(uint32(len(prefixes)), sluice.PortID(len(prefixes)*7), true))
				prefixes = append(prefixes, p)
				given[p] = spots[len(spots)-1]
			}
		}
		table := makeAddresses(listed(given))
		for range 40 {
			a := address()
			want, longest := spot(none), -1
			for i, p := range prefixes {
				if p.Contains(a) && p.Bits() > longest {
					want, longest = spots[i], p.Bits()
				}
			}
			f := MakeFlow(netip.AddrPort{}, netip.AddrPortFrom(a, 0), 0)
			require.Equal(t, want, table.find(&f), "%v in %v", a, prefixes)
		}
	})
}

// Hosts of one page take four bytes each; a host that is alone in its page takes a page.
func TestMemoryOfAddresses(t *testing.T) {
	for _, c := range []struct {
		name             string
		address          func(i int) netip.Addr
		dense            bool
		bytesOfEachBelow int
	}{
		{"dense", func(i int) netip.Addr { return HostAddress(sluice.SwitchID(i)) }, true, 5},
		{
			"16 in each 256",
			func(i int) netip.Addr { return HostAddress(sluice.SwitchID(i/16*256 + i%16)) }, false, 6,
		},
		{"far apart", func(i int) netip.Addr { return HostAddress(sluice.SwitchID(i * 300)) }, false, 30},
	} {
		const n = 960
		given := map[netip.Prefix]spot{}
		for i := range n {
			given[netip.PrefixFrom(c.address(i), 32)] = makeSpot(uint32(i), 0, true)
		}
		table := makeAddresses(listed(given))
		require.Equal(t, c.dense, table.hosts.span > 0, "%s: one array, found without a hash", c.name)
		require.Less(t, int(table.hosts.bytes()), n*c.bytesOfEachBelow, c.name)
		for i := range n {
			f := MakeFlow(netip.AddrPort{}, netip.AddrPortFrom(c.address(i), 0), 0)
			require.Equal(t, makeSpot(uint32(i), 0, true), table.find(&f), c.name)
			for _, other := range []netip.Addr{c.address(n + i), c.address(i).Prev(), c.address(i).Next()} {
				want, known := given[netip.PrefixFrom(other, 32)]
				if !known {
					want = none
				}
				f := MakeFlow(netip.AddrPort{}, netip.AddrPortFrom(other, 0), 0)
				require.Equal(t, want, table.find(&f), "%s: %v", c.name, other)
			}
		}
	}
}

// listed returns prefixes in any order.
func listed(given map[netip.Prefix]spot) (all []announced) {
	for p, to := range given {
		all = append(all, announced{p, to})
	}
	return all
}
