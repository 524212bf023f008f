package hashpath

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
	"net/netip"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

// The catalogue of parametrised CRC algorithms gives for each its check value: the CRC of
// "123456789".
func TestCRCCatalogue(t *testing.T) {
	for _, c := range []struct {
		name  string
		p     CRCParameters
		check uint32
	}{
		{"CRC-8/SMBUS", CRCParameters{8, 0x07, 0, false, false, 0}, 0xF4},
		{"CRC-8/ROHC", CRCParameters{8, 0x07, 0xFF, true, true, 0}, 0xD0},
		{"CRC-12/UMTS", CRCParameters{12, 0x80F, 0, false, true, 0}, 0xDAF},
		{"CRC-16/ARC", CRCParameters{16, 0x8005, 0, true, true, 0}, 0xBB3D},
		{"CRC-16/CDMA2000", CRCParameters{16, 0xC867, 0xFFFF, false, false, 0}, 0x4C06},
		{"CRC-16/DDS-110", CRCParameters{16, 0x8005, 0x800D, false, false, 0}, 0x9ECF},
		{"CRC-16/DECT-X", CRCParameters{16, 0x0589, 0, false, false, 0}, 0x007F},
		{"CRC-16/DNP", CRCParameters{16, 0x3D65, 0, true, true, 0xFFFF}, 0xEA82},
		{"CRC-16/EN-13757", CRCParameters{16, 0x3D65, 0, false, false, 0xFFFF}, 0xC2B7},
		{"CRC-16/GENIBUS", CRCParameters{16, 0x1021, 0xFFFF, false, false, 0xFFFF}, 0xD64E},
		{"CRC-16/IBM-3740", CRCParameters{16, 0x1021, 0xFFFF, false, false, 0}, 0x29B1},
		{"CRC-16/IBM-SDLC", CRCParameters{16, 0x1021, 0xFFFF, true, true, 0xFFFF}, 0x906E},
		{"CRC-16/KERMIT", CRCParameters{16, 0x1021, 0, true, true, 0}, 0x2189},
		{"CRC-16/MAXIM-DOW", CRCParameters{16, 0x8005, 0, true, true, 0xFFFF}, 0x44C2},
		{"CRC-16/MCRF4XX", CRCParameters{16, 0x1021, 0xFFFF, true, true, 0}, 0x6F91},
		{"CRC-16/MODBUS", CRCParameters{16, 0x8005, 0xFFFF, true, true, 0}, 0x4B37},
		{"CRC-16/RIELLO", CRCParameters{16, 0x1021, 0xB2AA, true, true, 0}, 0x63D0},
		{"CRC-16/SPI-FUJITSU", CRCParameters{16, 0x1021, 0x1D0F, false, false, 0}, 0xE5CC},
		{"CRC-16/T10-DIF", CRCParameters{16, 0x8BB7, 0, false, false, 0}, 0xD0DB},
		{"CRC-16/TELEDISK", CRCParameters{16, 0xA097, 0, false, false, 0}, 0x0FB3},
		{"CRC-16/TMS37157", CRCParameters{16, 0x1021, 0x89EC, true, true, 0}, 0x26B1},
		{"CRC-16/UMTS", CRCParameters{16, 0x8005, 0, false, false, 0}, 0xFEE8},
		{"CRC-16/USB", CRCParameters{16, 0x8005, 0xFFFF, true, true, 0xFFFF}, 0xB4C8},
		{"CRC-16/XMODEM", CRCParameters{16, 0x1021, 0, false, false, 0}, 0x31C3},
		{"CRC-24/OPENPGP", CRCParameters{24, 0x864CFB, 0xB704CE, false, false, 0}, 0x21CF02},
		{"CRC-32/AIXM", CRCParameters{32, 0x814141AB, 0, false, false, 0}, 0x3010BF7F},
		{"CRC-32/AUTOSAR", CRCParameters{32, 0xF4ACFB13, 0xFFFFFFFF, true, true, 0xFFFFFFFF}, 0x1697D06A},
		{
			"CRC-32/BASE91-D", CRCParameters{32, 0xA833982B, 0xFFFFFFFF, true, true, 0xFFFFFFFF}, 0x87315576,
		},
		{"CRC-32/BZIP2", CRCParameters{32, 0x04C11DB7, 0xFFFFFFFF, false, false, 0xFFFFFFFF}, 0xFC891918},
		{"CRC-32/CKSUM", CRCParameters{32, 0x04C11DB7, 0, false, false, 0xFFFFFFFF}, 0x765E7680},
		{"CRC-32/ISCSI", CRCParameters{32, 0x1EDC6F41, 0xFFFFFFFF, true, true, 0xFFFFFFFF}, 0xE3069283},
		{
			"CRC-32/ISO-HDLC", CRCParameters{32, 0x04C11DB7, 0xFFFFFFFF, true, true, 0xFFFFFFFF}, 0xCBF43926,
		},
		{"CRC-32/JAMCRC", CRCParameters{32, 0x04C11DB7, 0xFFFFFFFF, true, true, 0}, 0x340BC6D9},
		{"CRC-32/MPEG-2", CRCParameters{32, 0x04C11DB7, 0xFFFFFFFF, false, false, 0}, 0x0376E6E7},
		{"CRC-32/XFER", CRCParameters{32, 0x000000AF, 0, false, false, 0}, 0xBD0BE338},
	} {
		_, err := resolved(Hash{Kind: KindCRC, CRC: c.p})
		require.NoError(t, err, c.name)
		require.Equal(t, c.check, c.p.sum(0, []byte("123456789")), c.name)
	}
	require.Equal(t, CRCParameters{16, 0x1021, 0xFFFF, false, false, 0}, crcOfKind[KindCRC16CCITT])
	require.Equal(t, CRCParameters{16, 0x8005, 0, true, true, 0}, crcOfKind[KindCRC16ARC])
	require.Equal(
		t, CRCParameters{32, 0x1EDC6F41, 0xFFFFFFFF, true, true, 0xFFFFFFFF}, crcOfKind[KindCRC32C],
	)
	require.Equal(
		t, CRCParameters{32, 0x04C11DB7, 0xFFFFFFFF, true, true, 0xFFFFFFFF}, crcOfKind[KindCRC32],
	)
}

// slowCRC is the definition: a bit at a time.
func slowCRC(p CRCParameters, seed uint32, data []byte) uint32 {
	register := uint64(p.Init^seed) & (1<<p.Width - 1)
	for _, b := range data {
		if p.ReflectIn {
			b = bits.Reverse8(b)
		}
		for i := range 8 {
			top := register >> (p.Width - 1) & 1
			register = register << 1 & (1<<p.Width - 1)
			if top != uint64(b>>(7-i)&1) {
				register ^= uint64(p.Polynomial)
			}
		}
	}
	if p.ReflectOut {
		register = bits.Reverse64(register) >> (64 - p.Width)
	}
	return uint32(register) ^ p.XorOut
}

func TestCRCIsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawCRC(t)
		if rapid.IntRange(0, 3).Draw(t, "standard") == 0 {
			p.Width, p.ReflectIn = 32, true
			p.Polynomial = bits.Reverse32(rapid.SampledFrom([]uint32{
				crc32.IEEE, crc32.Castagnoli,
			}).Draw(t, "polynomial"))
		}
		seed := rapid.Uint32().Draw(t, "seed")
		data := rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(t, "data")
		require.Equal(t, slowCRC(p, seed, data), p.sum(seed, data), "%+v", p)
	})
}

func TestCRCRefusesWhatIsNone(t *testing.T) {
	for _, p := range []CRCParameters{
		{Width: 7}, {Width: 33}, {Width: 16, Polynomial: 0x18005}, {Width: 16, Init: 0x10000},
		{Width: 8, XorOut: 256},
	} {
		_, err := resolved(Hash{Kind: KindCRC, CRC: p})
		var refusal *sluice.ConfigError
		require.ErrorAs(t, err, &refusal, "%+v", p)
	}
}

// Microsoft's suite, "Verifying the RSS Hash Calculation": destination, source, hash without and
// with ports.
func TestToeplitzVerificationSuite(t *testing.T) {
	for _, c := range []struct {
		destination, source string
		addresses, ports    uint32
	}{
		{"161.142.100.80:1766", "66.9.149.187:2794", 0x323e8fc2, 0x51ccc178},
		{"65.69.140.83:4739", "199.92.111.2:14230", 0xd718262a, 0xc626b0ea},
		{"12.22.207.184:38024", "24.19.198.95:12898", 0xd2d0a5de, 0x5c2b394a},
		{"209.142.163.6:2217", "38.27.205.30:48228", 0x82989176, 0xafc7327f},
		{"202.188.127.2:1303", "153.39.163.191:44251", 0x5d1809c5, 0x10e828a2},
		{"[3ffe:2501:200:3::1]:1766", "[3ffe:2501:200:1fff::7]:2794", 0x2cc18cd5, 0x40207d3d},
		{"[ff02::1]:4739", "[3ffe:501:8::260:97ff:fe40:efab]:14230", 0x0f0c461c, 0xdde51bbf},
		{
			"[fe80::200:f8ff:fe21:67cf]:38024", "[3ffe:1900:4545:3:200:f8ff:fe21:67cf]:44251", 0x4b61e985,
			0x02d1feef,
		},
	} {
		f := MakeFlow(netip.MustParseAddrPort(c.source), netip.MustParseAddrPort(c.destination), 6)
		with, err := NewHasher(Hash{Kind: KindToeplitz})
		require.NoError(t, err)
		require.Equal(t, c.ports, with.Sum(0, &f), c.destination)
		without, err := NewHasher(Hash{
			Kind: KindToeplitz, Fields: []Field{FieldSrcAddress, FieldDstAddress}, Key: microsoftKey,
		})
		require.NoError(t, err)
		require.Equal(t, c.addresses, without.Sum(0, &f), c.destination)
		require.Equal(t, c.ports, toeplitz(microsoftKey, with.AppendInput(nil, 0, &f)))
	}
}

func TestToeplitzIsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SliceOfN(rapid.Byte(), 5, 60).Draw(t, "key")
		data := rapid.SliceOfN(rapid.Byte(), 0, len(key)-4).Draw(t, "data")
		// For each bit of the input that is set, the 32 bits of the key from there on.
		var want uint32
		for i := range len(data) * 8 {
			if data[i/8]>>(7-i%8)&1 != 0 {
				for j := range 32 {
					want ^= uint32(key[(i+j)/8]>>(7-(i+j)%8)&1) << (31 - j)
				}
			}
		}
		require.Equal(t, want, toeplitz(key, data))
	})
}

func TestXORFolds(t *testing.T) {
	xor16, xor32 := &Hash{Kind: KindXOR16}, &Hash{Kind: KindXOR32}
	input := []byte{0x12, 0x34, 0x56, 0x78, 0x9a}
	require.Equal(t, uint32(0x1234^0x5678^0x9a00), xor16.affine(0, input))
	require.Equal(t, uint32(0x12345678^0x9a000000), xor32.affine(0, input))
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "data")
		seed := rapid.Uint32().Draw(t, "seed")
		var narrow [2]byte
		var wide [4]byte
		for i, b := range data {
			narrow[i%2] ^= b
			wide[i%4] ^= b
		}
		want := binary.BigEndian.Uint16(narrow[:]) ^ uint16(seed)
		require.Equal(t, uint32(want), xor16.affine(seed, data))
		require.Equal(t, binary.BigEndian.Uint32(wide[:])^seed, xor32.affine(seed, data))
	})
}

// sumOf returns the whole result of a resolved hash for the bytes of its input.
func sumOf(h *Hash, seed uint64, input []byte) uint64 {
	if h.Kind == KindXXHash {
		return xxhash.Sum64(append(binary.LittleEndian.AppendUint64(nil, seed), input...))
	}
	return uint64(h.affine(uint32(seed), input))
}

// TestHasherIsTheFunctionOfItsInput compares the tables with the function applied to the bytes, for
// every kind, field order, seed and family: equal in every bit.
func TestHasherIsTheFunctionOfItsInput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHash(t, Modulo)
		hasher, err := NewHasher(h)
		require.NoError(t, err)
		f := Flow{Is6: rapid.Bool().Draw(t, "IPv6")}
		fill := func(b []byte) {
			copy(b, rapid.SliceOfN(rapid.Byte(), len(b), len(b)).Draw(t, "address"))
		}
		if f.Is6 {
			fill(f.Src[:])
			fill(f.Dst[:])
		} else {
			fill(f.Src[:4])
			fill(f.Dst[:4])
		}
		f.SrcPort, f.DstPort = rapid.Uint16().Draw(
			t, "source port",
		), rapid.Uint16().Draw(t, "destination port")
		f.Protocol, f.FlowLabel = rapid.Byte().Draw(
			t, "protocol",
		), rapid.Uint32().Draw(t, "flow label")&0xfffff
		ingress := sluice.PortID(rapid.Uint16().Draw(t, "ingress"))

		input := hasher.AppendInput(nil, ingress, &f)
		whole, err := resolved(h)
		require.NoError(t, err)
		sum := sumOf(&whole, h.Seed, input)
		if p, is := h.Function(); is {
			sum = uint64(slowCRC(p, uint32(h.Seed), input))
		}
		want := sum >> h.Offset & (1<<whole.Width - 1)
		require.Equal(t, uint32(want), hasher.Sum(ingress, &f), "%+v", h)
	})
}

// Every byte of every field counts, in both families: a flow that differs in one has another value,
// and it is the value that the function gives for its input.
func TestEveryFieldCounts(t *testing.T) {
	all := []Field{
		FieldFlowLabel, FieldSrcAddress, FieldIngressPort, FieldDstAddress, FieldZero, FieldSrcPort,
		FieldDstPort, FieldProtocol,
	}
	for _, kind := range []Kind{KindCRC32C, KindCRC16ARC, KindXOR32, KindToeplitz, KindXXHash} {
		h := Hash{Kind: kind, Fields: all, Key: slices.Repeat(microsoftKey, 2)}
		hasher, err := NewHasher(h)
		require.NoError(t, err)
		h, err = resolved(h)
		require.NoError(t, err)
		for _, f := range []Flow{
			FlowBetween(5, 6, 700, 4791, 17),
			MakeFlow(addrPort("[fd00::1:2]:700"), addrPort("[fd00:7::3]:4791"), 17),
		} {
			f.FlowLabel = 0xabcde
			want := func(ingress sluice.PortID) uint32 {
				return uint32(sumOf(&h, 0, hasher.AppendInput(nil, ingress, &f)))
			}
			seen := map[uint32]bool{hasher.Sum(0x1234, &f): true}
			require.Equal(t, want(0x1234), hasher.Sum(0x1234, &f))
			n := tuple4
			if f.Is6 {
				n = tuple6 + labelOctets
			}
			for i := range n {
				before := f
				flip(&f, 8*i)
				if i >= n-3 && f.Is6 {
					f.FlowLabel ^= 1 << (8 * (n - 1 - i))
				}
				require.NotEqual(t, before, f)
				require.Equal(t, want(9), hasher.Sum(9, &f), "%v, byte %d", kind, i)
				require.Equal(t, want(0x900), hasher.Sum(0x900, &f), "%v, byte %d", kind, i)
				seen[hasher.Sum(0x1234, &f)] = true
				f = before
			}
			if kind == KindCRC32C || kind == KindXXHash { // others may collide
				require.Len(t, seen, 1+n, "%v", kind)
			}
		}
	}
}

func TestInputLayout(t *testing.T) {
	f := MakeFlow(addrPort("1.2.3.4:258"), addrPort("5.6.7.8:772"), 17)
	f.FlowLabel = 0xabcde
	all := []Field{
		FieldDstPort, FieldZero, FieldSrcAddress, FieldIngressPort, FieldFlowLabel, FieldProtocol,
		FieldSrcPort, FieldDstAddress,
	}
	h, err := NewHasher(Hash{Kind: KindCRC32, Fields: all})
	require.NoError(t, err)
	require.Equal(
		t, []byte{3, 4, 0, 1, 2, 3, 4, 0xff, 0xff, 17, 1, 2, 5, 6, 7, 8},
		h.AppendInput(nil, sluice.Local, &f),
	)
	g := MakeFlow(addrPort("[102::304]:258"), addrPort("[506::708]:772"), 17)
	g.FlowLabel = 0xabcde
	require.Equal(t, append(
		append([]byte{3, 4, 0, 1, 2}, make([]byte, 12)...), 3, 4, 0, 9, 0xa, 0xbc, 0xde, 17, 1, 2, 5, 6,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 8,
	),
		h.AppendInput(nil, 9, &g))
	// Without fields: the five-tuple; for Toeplitz, the four of receive-side scaling.
	h, err = NewHasher(Hash{})
	require.NoError(t, err)
	require.Equal(t, []byte{1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 17}, h.AppendInput(nil, 0, &f))
	h, err = NewHasher(Hash{Kind: KindToeplitz})
	require.NoError(t, err)
	require.Equal(t, []byte{1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4}, h.AppendInput(nil, 0, &f))
}

func TestHashRefusesWhatIsNone(t *testing.T) {
	for _, h := range []Hash{
		{Kind: numKinds},
		{Kind: KindCRC},
		{Kind: KindCRC, CRC: CRCParameters{Width: 40}},
		{Select: numSelections},
		{Buckets: -1},
		{Buckets: maxBuckets + 1},
		{Fields: []Field{}},
		{Fields: []Field{numFields}},
		{Fields: []Field{FieldSrcAddress, FieldSrcAddress, FieldDstAddress, FieldDstAddress}},
		{Kind: KindCRC16ARC, Offset: 16},
		{Kind: KindCRC16ARC, Offset: 8, Width: 9},
		{Width: 33},
		{Kind: KindToeplitz, Key: microsoftKey[:39]},
		{Kind: KindToeplitz, Key: []byte{1}},
		{
			Kind:   KindToeplitz,
			Fields: []Field{FieldSrcAddress, FieldDstAddress, FieldSrcPort, FieldDstPort, FieldProtocol},
		},
	} {
		_, err := NewHasher(h)
		var refusal *sluice.ConfigError
		require.ErrorAs(t, err, &refusal, "%+v", h)
		_, err = fatTree{4}.declare(nil).Build(Config{Hash: h})
		require.ErrorAs(t, err, &refusal, "%+v", h)
	}
}

func TestNames(t *testing.T) {
	require.Equal(t, "crc16-ccitt", KindCRC16CCITT.String())
	require.Equal(t, "Kind(9)", numKinds.String())
	require.Equal(t, "flow-label", FieldFlowLabel.String())
	require.Equal(t, "Field(8)", numFields.String())
	require.Equal(t, "resilient", Resilient.String())
	require.Equal(t, "Selection(7)", Selection(7).String())
	require.Equal(t, "no route", NoRoute.String())
	require.Equal(t, "Status(9)", Status(9).String())
}

// TestFunctionOfKinds: the named kinds are CRCs of the catalogue, KindCRC any, others none.
func TestFunctionOfKinds(t *testing.T) {
	for kind := range numKinds + 1 {
		own := CRCParameters{Width: 24, Polynomial: 0x864CFB, Init: 0xB704CE}
		p, is := (&Hash{Kind: kind, CRC: own}).Function()
		switch kind {
		case KindCRC:
			require.Equal(t, own, p)
		case KindCRC32C, KindCRC32, KindCRC16CCITT, KindCRC16ARC:
			require.Equal(t, crcOfKind[kind], p)
		default:
			require.False(t, is, kind)
			continue
		}
		require.True(t, is, kind)
	}
}
