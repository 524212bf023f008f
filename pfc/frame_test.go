package pfc

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

// wire joins hexadecimal text into bytes.
func wire(t testing.TB, text ...string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(strings.Join(text, ""), " ", ""))
	require.NoError(t, err)
	return b
}

// TestPFCFrameToTheBit builds one frame by hand, field by field.
func TestPFCFrameToTheBit(t *testing.T) {
	f := Frame{
		Source:  [6]byte{0x02, 0x11, 0x22, 0x33, 0x44, 0x55},
		Opcode:  OpcodePFC,
		Enabled: sluice.MakeClassSet(0, 3, 7),
		Time:    [8]sluice.Quanta{0: 0, 3: 0xffff, 7: 0x0102},
	}
	want := wire(t,
		"0180c2000001",           // destination: "the globally assigned 48-bit multicast address 01-80-C2-00-00-01" (802.3 31B.1)
		"021122334455",           // source: the port's own address
		"8808",                   // EtherType of MAC control (802.3 31.4.1.3)
		"0101",                   // opcode of PFC (802.3 table 31A-1)
		"00 89",                  // class-enable vector: high octet zero, bit i of the low one for class i
		"0000 0000 0000 ffff",    // times of classes 0 to 3, in quanta, most significant octet first
		"0000 0000 0000 0102",    // and of classes 4 to 7
		strings.Repeat("00", 26), // padding to the minimum frame
	)
	require.Len(t, want, FrameLength)
	require.Equal(t, want, f.AppendTo(nil))
	require.Equal(t, append([]byte("before"), want...), f.AppendTo([]byte("before")))

	var parsed Frame
	require.NoError(t, parsed.Parse(want))
	require.Equal(t, f, parsed)
	require.Equal(t, "pause", parsed.Kind())
}

func TestPauseFrameToTheBit(t *testing.T) {
	f := Frame{Source: [6]byte{0x02, 0, 0, 0, 0, 9}, Opcode: OpcodePause, Time: [8]sluice.Quanta{0xabcd}}
	want := wire(t,
		"0180c2000001 020000000009 8808",
		"0001",                   // opcode of PAUSE (802.3 table 31A-1)
		"abcd",                   // pause_time (802.3 31B.2)
		strings.Repeat("00", 42), // padding
	)
	require.Len(t, want, FrameLength)
	require.Equal(t, want, f.AppendTo(nil))
	var parsed Frame
	require.NoError(t, parsed.Parse(want))
	require.Equal(t, f, parsed)
}

func TestParseRefuses(t *testing.T) {
	pfc := (&Frame{Opcode: OpcodePFC, Enabled: 0xff, Time: [8]sluice.Quanta{1, 2, 3, 4, 5, 6, 7, 8}}).AppendTo(nil)
	pause := (&Frame{Opcode: OpcodePause, Time: [8]sluice.Quanta{1}}).AppendTo(nil)
	with := func(frame []byte, offset int, value byte) []byte {
		b := bytes.Clone(frame)
		b[offset] = value
		return b
	}
	for _, test := range []struct {
		name   string
		bytes  []byte
		offset int
		rule   string
	}{
		{"nothing", nil, 0, "shorter than 60 bytes"},
		{"59 bytes", pfc[:59], 0, "shorter than 60 bytes"},
		{"destination", with(pfc, 5, 0x02), 0, "destination is not 01-80-C2-00-00-01"},
		{"group source", with(pfc, 6, 0x01), 6, "source is a group address"},
		{"EtherType", with(pfc, 13, 0x09), 12, "EtherType is not 0x8808"},
		{"VLAN tag", with(with(pfc, 12, 0x81), 13, 0), 12, "EtherType is not 0x8808"},
		{"opcode", with(pfc, 15, 0x02), 14, "opcode is neither 0x0001 nor 0x0101"},
		{"reserved bits", with(pfc, 16, 0x80), 16, "reserved bits of the class-enable vector are not zero"},
		{"first octet of padding", with(pfc, 34, 1), 34, "padding is not zero"},
		{"last octet of padding", with(pfc, 59, 1), 34, "padding is not zero"},
		{"rubbish behind", append(bytes.Clone(pfc), 0, 0, 0, 1), 34, "padding is not zero"},
		{"padding of PAUSE", with(pause, 18, 1), 18, "padding is not zero"},
		{"rubbish behind PAUSE", append(bytes.Clone(pause), 1), 18, "padding is not zero"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := Frame{Opcode: 77}
			err := f.Parse(test.bytes)
			var frameError *sluice.FrameError
			require.True(t, errors.As(err, &frameError))
			require.Equal(t, sluice.FrameError{Protocol: "pfc", Offset: test.offset, Rule: test.rule}, *frameError)
			require.Equal(t, Frame{Opcode: 77}, f, "a refused frame changes nothing")
		})
	}
	t.Run("zeros behind are accepted", func(t *testing.T) {
		var f Frame
		require.NoError(t, f.Parse(append(bytes.Clone(pfc), make([]byte, 1000)...)))
	})
}

func TestKind(t *testing.T) {
	for _, test := range []struct {
		frame Frame
		want  string
	}{
		{Frame{Opcode: OpcodePFC, Enabled: sluice.MakeClassSet(1), Time: [8]sluice.Quanta{1: 5}}, "pause"},
		{Frame{Opcode: OpcodePFC, Enabled: sluice.MakeClassSet(1, 2), Time: [8]sluice.Quanta{2: 1}}, "pause"},
		{Frame{Opcode: OpcodePFC, Enabled: sluice.MakeClassSet(1)}, "resume"},
		{Frame{Opcode: OpcodePFC, Enabled: sluice.MakeClassSet(1), Time: [8]sluice.Quanta{2: 5}}, "resume"}, // not enabled
		{Frame{Opcode: OpcodePFC}, "resume"},
		{Frame{Opcode: OpcodePause, Time: [8]sluice.Quanta{1}}, "pause"},
		{Frame{Opcode: OpcodePause, Time: [8]sluice.Quanta{1: 1}}, "resume"},
	} {
		require.Equal(t, test.want, test.frame.Kind(), "%+v", test.frame)
	}
}

// TestFrameRoundTrip: what can be built comes back, and nothing else parses to it.
func TestFrameRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFrame(t)
		var back Frame
		if err := back.Parse(f.AppendTo(nil)); err != nil {
			t.Fatal(err)
		}
		if back != f {
			t.Fatalf("%+v came back as %+v", f, back)
		}
	})
}

func drawFrame(t *rapid.T) Frame {
	f := Frame{Opcode: rapid.SampledFrom([]uint16{OpcodePFC, OpcodePause}).Draw(t, "opcode")}
	for i := range f.Source {
		f.Source[i] = rapid.Byte().Draw(t, "source")
	}
	f.Source[0] &^= 1
	f.Time[0] = sluice.Quanta(rapid.Uint16().Draw(t, "time"))
	if f.Opcode == OpcodePFC {
		f.Enabled = sluice.ClassSet(rapid.Byte().Draw(t, "enabled"))
		for i := range f.Time {
			f.Time[i] = sluice.Quanta(rapid.Uint16().Draw(t, "time"))
		}
	}
	return f
}

// TestGopacketReadsTheHeader: gopacket knows Ethernet, and nothing above it for MAC control.
func TestGopacketReadsTheHeader(t *testing.T) {
	f := Frame{Source: [6]byte{2, 3, 4, 5, 6, 7}, Opcode: OpcodePFC, Enabled: sluice.MakeClassSet(4), Time: [8]sluice.Quanta{4: 100}}
	b := f.AppendTo(nil)
	packet := gopacket.NewPacket(b, layers.LayerTypeEthernet, gopacket.Default)
	ethernet, ok := packet.Layer(layers.LayerTypeEthernet).(*layers.Ethernet)
	require.True(t, ok)
	require.Equal(t, "01:80:c2:00:00:01", ethernet.DstMAC.String())
	require.Equal(t, "02:03:04:05:06:07", ethernet.SrcMAC.String())
	require.Equal(t, layers.EthernetType(0x8808), ethernet.EthernetType)
	require.Equal(t, b[14:], ethernet.LayerPayload())
}

// What people read of a frame.
func TestFrameString(t *testing.T) {
	for want, f := range map[string]Frame{
		"pause {3} for 1000 quanta": pauseOf(1000, 3),
		"pause {0 3} for 9 quanta, pause {1} for 1 quanta, resume {5 7}": {
			Opcode: OpcodePFC, Enabled: sluice.MakeClassSet(0, 1, 3, 5, 7), Time: [8]sluice.Quanta{9, 1, 9, 9, 8},
		},
		"resume {3 4}":               pauseOf(0, 3, 4),
		"resume {}":                  {Opcode: OpcodePFC, Time: [8]sluice.Quanta{1}},
		"pause all for 65535 quanta": {Opcode: OpcodePause, Time: [8]sluice.Quanta{65535}},
		"resume all":                 {Opcode: OpcodePause},
		"opcode 0x0002":              {Opcode: 2},
	} {
		require.Equal(t, want, f.String())
		require.Equal(t, want, (&f).String())
	}
}
