package pcn

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/tshark"
)

// captured is a CNP that a ConnectX-4 Lx sent.
var captured = unhex("e41d2dab2bc27cfe90643b32080045c2003c718c4000401191610a0011010a00120100001" +
	"2b7002800008100ffff40000118" + strings.Repeat("00", 20) + "82fd002a")

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// sample is a CNP over IPv4, congested at 9,500 Mb/s.
func sample() CNP {
	return CNP{
		Congested: true, RecRate: 9500, DestinationQP: 0x118, SourcePort: 0xc000, DSCP: 48, PKey: 0xffff,
		SourceMAC: sluice.MAC{2, 0, 0, 0, 0, 2}, DestinationMAC: sluice.MAC{2, 0, 0, 0, 0, 1},
		Source: netip.MustParseAddr("10.0.0.2"), Destination: netip.MustParseAddr("10.0.0.1"),
	}
}

func sampleIPv6() CNP {
	c := sample()
	c.Source, c.Destination = netip.MustParseAddr("fd00::2"), netip.MustParseAddr("fd00::1")
	return c
}

// TestWire is to the octet.
func TestWire(t *testing.T) {
	c := sample()
	const zeros = "000000000000000000000000"
	want := "" +
		"020000000001020000000002080045c3003c00004000401125ec0a0000020a000001c00012b7002800008100ffff" +
		"40000118000000000000251c" + zeros + "e7829555"
	require.Equal(t, want, hex.EncodeToString(c.AppendTo(nil)))
	require.Len(t, c.AppendTo(nil), IPv4Length)

	c.Congested, c.RecRate = false, 37_500
	want = "" +
		"020000000001020000000002080045c0003c00004000401125ef0a0000020a000001c00012b7002800008100ffff" +
		"40000118000000000000927c" + zeros + "2f590e16"
	require.Equal(t, want, hex.EncodeToString(c.AppendTo(nil)))

	c = sampleIPv6()
	want = "" +
		"02000000000102000000000286dd6c30000000281140fd000000000000000000000000000002" +
		"fd000000000000000000000000000001c00012b7002800008100ffff40000118000000000000251c" + zeros +
		"2fe2601a"
	require.Equal(t, want, hex.EncodeToString(c.AppendTo(nil)))
	require.Len(t, c.AppendTo([]byte{1, 2, 3}), 3+IPv6Length)
}

// TestCapturedCNP: hardware's invariant CRC is ours, and its CNP says congested without a rate.
func TestCapturedCNP(t *testing.T) {
	require.EqualValues(t, 0x2a00fd82, invariantCRC(captured[ethernetLength:len(captured)-icrcLength]))
	var c CNP
	require.NoError(t, c.Parse(captured))
	require.Equal(t, CNP{
		Congested: true, DestinationQP: 0x118, PKey: 0xffff, DSCP: 48,
		SourceMAC: sluice.MAC(captured[6:]), DestinationMAC: sluice.MAC(captured),
		Source: netip.MustParseAddr("10.0.17.1"), Destination: netip.MustParseAddr("10.0.18.1"),
	}, c)
}

// TestMarkingReturnPath: the ECN bits of a CNP's IP header carry whether the flow is congested
// (section 5.2). Switches that mark every packet on the way back change no CNP, because the CNP of
// a flow that is not congested is not ECN-capable.
func TestMarkingReturnPath(t *testing.T) {
	for _, c := range []CNP{sample(), sampleIPv6()} {
		for _, congested := range []bool{false, true} {
			c.Congested = congested
			frame := c.AppendTo(nil)
			class, shift := &frame[ethernetLength+1], 0 // IPv4
			if c.Source.Is6() {
				shift = 4
			}
			sent := sluice.ECN(*class >> shift & 3)
			var everything CongestionPoint // that leaves a queue behind is marked
			require.Equal(t, sent, everything.Dequeue(0, sluice.Bytes(len(frame)), 1<<30, sent))
			var got CNP
			require.NoError(t, got.Parse(frame))
			require.Equal(t, c, got)
		}
	}
}

// TestRoutersMayChange what the invariant CRC leaves out, and nothing else.
func TestRoutersMayChange(t *testing.T) {
	four, six := sample(), sampleIPv6()
	for name, test := range map[string]struct {
		frame []byte
		free  map[int]bool // octets that may change, except the bits that Parse reads
	}{
		"IPv4": {four.AppendTo(nil), map[int]bool{22: true, 40: true, 41: true}},
		"IPv6": {
			six.AppendTo(nil), map[int]bool{15: true, 16: true, 17: true, 21: true, 60: true, 61: true},
		},
	} {
		for i := ethernetLength; i < len(test.frame); i++ {
			frame := bytes.Clone(test.frame)
			frame[i] ^= 0x10
			if name == "IPv4" && i == 22 { // a time to live goes with a header checksum
				frame[24], frame[25] = 0, 0
				sum := ^onesSum(frame[14:34])
				frame[24], frame[25] = byte(sum>>8), byte(sum)
			}
			var c CNP
			err := c.Parse(frame)
			if changeable := test.free[i] || i == len(frame)-transportLength+becnOffset; changeable {
				require.NoError(t, err, "%s octet %d", name, i)
			} else if name == "IPv4" || i != 14 {
				require.Error(t, err, "%s octet %d", name, i)
			}
		}
	}
}

func TestParseRefuses(t *testing.T) {
	four, six := sample(), sampleIPv6()
	v4, v6 := four.AppendTo(nil), six.AppendTo(nil)
	const udp = ethernetLength + ipv4Length
	for _, test := range []struct {
		name   string
		frame  []byte
		spoil  func(b []byte) []byte
		offset int
	}{
		{"short", v4, func(b []byte) []byte { return b[:IPv4Length-1] }, 0},
		{"empty", nil, func(b []byte) []byte { return b }, 0},
		{"EtherType", v4, func(b []byte) []byte { b[12]++; return b }, 12},
		{"IPv4 version", v4, func(b []byte) []byte { b[14] = 0x65; return b }, 14},
		{"IPv4 options", v4, func(b []byte) []byte { b[14] = 0x46; return b }, 14},
		{"IPv4 length", v4, func(b []byte) []byte { b[17]++; return b }, 16},
		{"IPv4 frame longer", v4, func(b []byte) []byte { return append(b, 0) }, 16},
		{"fragment offset", v4, func(b []byte) []byte { b[21]++; return b }, 20},
		{"more fragments", v4, func(b []byte) []byte { b[20] |= 0x20; return b }, 20},
		{"protocol", v4, func(b []byte) []byte { b[23] = 6; return b }, 23},
		{"header checksum", v4, func(b []byte) []byte { b[24]++; return b }, 24},
		{"IPv6 version", v6, func(b []byte) []byte { b[14] ^= 0x20; return b }, 14},
		{"IPv6 length", v6, func(b []byte) []byte { b[19]++; return b }, 16},
		{"IPv6 frame shorter", v6, func(b []byte) []byte { return b[:IPv6Length-1] }, 16},
		{"next header", v6, func(b []byte) []byte { b[20] = 6; return b }, 20},
		{"port", v4, func(b []byte) []byte { b[udp+3]++; return b }, udp + 2},
		{"UDP length", v4, func(b []byte) []byte { b[udp+5]++; return b }, udp + 4},
		{"opcode", v4, func(b []byte) []byte { b[udp+8]++; return b }, udp + 8},
		{"pad count", v4, func(b []byte) []byte { b[udp+9] |= 0x10; return b }, udp + 9},
		{"transport version", v4, func(b []byte) []byte { b[udp+9] |= 1; return b }, udp + 9},
		{"BECN", v4, func(b []byte) []byte { b[udp+12] &^= becn; return b }, udp + 12},
		{"queue pair", v4, func(b []byte) []byte { b[udp+15]++; return b }, udp + 36},
		{"rate", v4, func(b []byte) []byte { b[udp+23]++; return b }, udp + 36},
		{"invariant CRC", v4, func(b []byte) []byte { b[udp+36]++; return b }, udp + 36},
	} {
		var c CNP
		err := c.Parse(test.spoil(bytes.Clone(test.frame)))
		var bad *sluice.FrameError
		require.ErrorAs(t, err, &bad, test.name)
		require.Equal(t, "pcn", bad.Package)
		require.Equal(t, test.offset, bad.Offset, test.name)
		require.Equal(t, CNP{}, c, "a refused frame changes nothing: %s", test.name)
	}
}

// TestRoundTrip: what AppendTo writes, Parse reads, over all fields.
func TestRoundTrip(t *testing.T) {
	address := func(t *rapid.T, name string, bytes int) netip.Addr {
		a, ok := netip.AddrFromSlice(rapid.SliceOfN(rapid.Byte(), bytes, bytes).Draw(t, name))
		require.True(t, ok)
		return a
	}
	rapid.Check(t, func(t *rapid.T) {
		length := rapid.SampledFrom([]int{4, 16}).Draw(t, "address length")
		c := CNP{
			Congested: rapid.Bool().Draw(t, "congested"), RecRate: rapid.Uint32Min(1).Draw(t, "rate"),
			DestinationQP: rapid.Uint32Max(1<<24-1).Draw(t, "QP"), PKey: rapid.Uint16Min(1).Draw(t, "P_Key"),
			SourcePort: rapid.Uint16().Draw(t, "port"), DSCP: rapid.Uint8Max(63).Draw(t, "DSCP"),
			Source: address(t, "source", length), Destination: address(t, "destination", length),
		}
		copy(c.SourceMAC[:], rapid.SliceOfN(rapid.Byte(), 6, 6).Draw(t, "MAC"))
		frame := c.AppendTo(nil)
		var got CNP
		require.NoError(t, got.Parse(frame))
		require.Equal(t, c, got)
		require.Equal(t, frame, got.AppendTo(nil))
	})
}

// TestIncomplete: fields left out or out of range are written as documented, and never panic.
func TestIncomplete(t *testing.T) {
	var c, got CNP
	require.NoError(t, got.Parse(c.AppendTo(nil)))
	require.Equal(t, CNP{
		Congested: true, PKey: 0xffff, Source: netip.IPv6Unspecified(),
		Destination: netip.IPv6Unspecified(),
	}, got, "no rate reads as congested")

	c = sample()
	c.Destination, c.DestinationQP, c.DSCP = netip.MustParseAddr("fd00::1"), 0xff000001, 0xff
	require.NoError(t, got.Parse(c.AppendTo(nil)))
	require.Equal(
		t, netip.MustParseAddr("::ffff:10.0.0.2"), got.Source, "addresses that do not go together",
	)
	c.Source, c.Destination = c.Destination, c.Source
	require.NoError(t, got.Parse(c.AppendTo(nil)))
	require.Equal(
		t, netip.MustParseAddr("::ffff:10.0.0.2"), got.Destination, "the other way round too",
	)
	require.EqualValues(t, 1, got.DestinationQP)
	require.EqualValues(t, 63, got.DSCP)
}

// TestDissector compares CNPs with what tshark reads in them. It does not know the opcode, and
// takes the rate for the first octets of a vendor's own data.
func TestDissector(t *testing.T) {
	four, six := sample(), sampleIPv6()
	four.RecRate, six.Congested, six.PKey = 0x12345678, false, 0x8001
	frames := [][]byte{captured, four.AppendTo(nil), six.AppendTo(nil)}
	rows := tshark.Fields(t, tshark.Ethernet, frames,
		"eth.src", "eth.dst", "ip.src", "ip.dst", "ipv6.src", "ipv6.dst",
		"ip.dsfield.dscp", "ip.dsfield.ecn", "ipv6.tclass.dscp", "ipv6.tclass.ecn", "udp.srcport",
		"udp.dstport", "infiniband.bth.opcode", "infiniband.bth.p_key",
		"infiniband.bth.destqp", "infiniband.bth.psn", "infiniband.vendor", "_ws.malformed")
	require.Equal(t, []string{
		"7c:fe:90:64:3b:32", "e4:1d:2d:ab:2b:c2", "10.0.17.1", "10.0.18.1", "", "", "48", "2", "", "",
		"0", "4791", "129", "65535", "0x000118", "0", "00000000", "",
	}, rows[0])
	require.Equal(t, []string{
		"02:00:00:00:00:02", "02:00:00:00:00:01", "10.0.0.2", "10.0.0.1", "", "", "48", "3", "", "",
		"49152", "4791", "129", "65535", "0x000118", "0", "12345678", "",
	}, rows[1])
	require.Equal(t, []string{
		"02:00:00:00:00:02", "02:00:00:00:00:01", "", "", "fd00::2", "fd00::1", "", "", "48", "0",
		"49152", "4791", "129", fmt.Sprint(0x8001), "0x000118", "0", "0000251c", "",
	}, rows[2])
}
