package pfc

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

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
		Source:  sluice.MAC{0x02, 0x11, 0x22, 0x33, 0x44, 0x55},
		Opcode:  OpcodePFC,
		Enabled: sluice.MakeClassSet(0, 3, 7),
		Time:    [8]sluice.Quanta{0: 0, 3: 0xffff, 7: 0x0102},
	}
	want := wire(
		t,
		// destination: the multicast address of PAUSE frames (802.3 31B.1)
		"0180c2000001",
		"021122334455", // source: the port's own address
		"8808",         // EtherType of MAC control (802.3 31.4.1.3)
		"0101",         // opcode of PFC (802.3 table 31A-1)
		// class-enable vector: high octet zero, bit i of the low one for class i
		"00 89",
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
	f := Frame{
		Source: sluice.MAC{0x02, 0, 0, 0, 0, 9},
		Opcode: OpcodePause,
		Time:   [8]sluice.Quanta{0xabcd},
	}
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

// framesOfAllKinds are frames that a receiver may meet, and what becomes of them.
func framesOfAllKinds() []struct {
	name   string
	bytes  []byte
	rule   string // of Parse; empty: it obeys
	strict string // of ParseStrict
} {
	pfc := (&Frame{
		Opcode: OpcodePFC, Enabled: 0xff, Time: [8]sluice.Quanta{1, 2, 3, 4, 5, 6, 7, 8},
	}).AppendTo(
		nil,
	)
	pause := (&Frame{Opcode: OpcodePause, Time: [8]sluice.Quanta{1}}).AppendTo(nil)
	with := func(frame []byte, offset int, value byte) []byte {
		b := bytes.Clone(frame)
		b[offset] = value
		return b
	}
	const (
		short, unpadded = "shorter than 34 bytes", "shorter than 60 bytes"
		destination     = "destination is not 01-80-C2-00-00-01"
		source          = "source is a group address"
		etherType       = "EtherType is not 0x8808"
		opcode          = "opcode is neither 0x0001 nor 0x0101"
		vector          = "reserved bits of the class-enable vector are not zero"
		padding         = "padding is not zero"
	)
	return []struct {
		name   string
		bytes  []byte
		rule   string
		strict string
	}{
		{"as we send it", pfc, "", ""},
		{"PAUSE as we send it", pause, "", ""},
		{"zeros behind", append(bytes.Clone(pfc), make([]byte, 1000)...), "", ""},

		{"frame check sequence left on", append(bytes.Clone(pfc), 0xde, 0xad, 0xbe, 0xef), "", padding},
		{"first octet of padding", with(pfc, 34, 1), "", padding},
		{"last octet of padding", with(pfc, 59, 1), "", padding},
		{"padding of PAUSE", with(pause, 18, 1), "", padding},
		{"rubbish behind PAUSE", append(bytes.Clone(pause), 1), "", padding},
		{"reserved octet of the vector", with(pfc, 16, 0x80), "", vector},
		{"no padding at all", pfc[:34], "", unpadded},
		{"a byte of padding missing", pfc[:59], "", unpadded},
		{"PAUSE without padding", pause[:18], "", unpadded},

		{"nothing", nil, short, unpadded},
		{"times cut off", pfc[:33], short, unpadded},
		{"PAUSE cut off", pause[:17], short, unpadded},
		{"destination", with(pfc, 5, 0x02), destination, destination},
		{"group source", with(pfc, 6, 0x01), source, source},
		{"EtherType", with(pfc, 13, 0x09), etherType, etherType},
		{"VLAN tag", with(with(pfc, 12, 0x81), 13, 0), etherType, etherType},
		{"opcode", with(pfc, 15, 0x02), opcode, opcode},
	}
}

// TestTolerantReceiver: a receiver ignores reserved octets, and the padding is no part of the
// operands (IEEE 802.3 clause 31.4 and annex 31D). A strict reader must be asked for.
func TestTolerantReceiver(t *testing.T) {
	for _, test := range framesOfAllKinds() {
		t.Run(test.name, func(t *testing.T) {
			var f, strict Frame
			before := Frame{Opcode: 77}
			f, strict = before, before
			checkRule(t, test.rule, f.Parse(test.bytes), f == before)
			checkRule(t, test.strict, strict.ParseStrict(test.bytes), strict == before)
			if test.rule == "" && test.strict == "" {
				require.Equal(t, f, strict)
			}
		})
	}
}

// checkRule checks that a frame was obeyed, or refused by a rule and nothing changed.
func checkRule(t *testing.T, rule string, err error, unchanged bool) {
	t.Helper()
	if rule == "" {
		require.NoError(t, err)
		require.False(t, unchanged)
		return
	}
	var frameError *sluice.FrameError
	require.True(t, errors.As(err, &frameError))
	require.Equal(t, rule, frameError.Rule)
	require.True(t, unchanged, "a refused frame changes nothing")
}

// TestMalformedFramesAreCountedByPort: and obeyed ones are not, by a tolerant and by a strict port.
func TestMalformedFramesAreCountedByPort(t *testing.T) {
	for _, strict := range []bool{false, true} {
		config := twoClasses(PriorityPause, 0, g100, g100)
		config.Ports[1].Strict = strict
		k := newBench(t, config)
		malformed, received := uint64(0), uint64(0)
		for _, test := range framesOfAllKinds() {
			_, err := k.s.Port(1).ReceiveWire(0, test.bytes)
			refused := test.rule != ""
			if strict {
				refused = test.strict != ""
			}
			require.Equal(t, refused, err != nil, test.name)
			if refused {
				malformed++
			} else {
				received++
			}
			require.Equal(t, malformed, k.s.Port(1).Counters().Malformed)
			require.Equal(t, received, k.s.Port(1).Counters().FramesReceived)
		}
		require.Zero(t, k.s.Port(0).Counters().Malformed)
	}
}

// TestPauseToTheStationItself: the destination of a PAUSE is the multicast address or the station's
// own (IEEE 802.3 annex 31B.1). The destination of PFC is the multicast address.
func TestPauseToTheStationItself(t *testing.T) {
	k := newBench(t, twoClasses(ClassicPause, 0, g100))
	mac := k.s.Config().Ports[0].MAC
	pause := (&Frame{Opcode: OpcodePause, Time: [8]sluice.Quanta{9}}).AppendTo(nil)
	copy(pause, mac[:])
	_, err := k.s.Port(0).ReceiveWire(0, pause)
	require.NoError(t, err)
	require.Equal(t, sluice.AllClasses, k.s.Port(0).Held())
	pause[5]++
	_, err = k.s.Port(0).ReceiveWire(0, pause)
	require.ErrorContains(t, err, "destination")
	f := pauseOf(9, 3)
	pfc := f.AppendTo(nil)
	copy(pfc, mac[:])
	_, err = k.s.Port(0).ReceiveWire(0, pfc)
	require.ErrorContains(t, err, "destination")
}

func TestKind(t *testing.T) {
	for _, test := range []struct {
		frame Frame
		want  string
	}{
		{
			Frame{Opcode: OpcodePFC, Enabled: sluice.MakeClassSet(1), Time: [8]sluice.Quanta{1: 5}}, "pause",
		},
		{
			Frame{Opcode: OpcodePFC, Enabled: sluice.MakeClassSet(1, 2), Time: [8]sluice.Quanta{2: 1}},
			"pause",
		},
		{Frame{Opcode: OpcodePFC, Enabled: sluice.MakeClassSet(1)}, "resume"},
		// not enabled
		{
			Frame{Opcode: OpcodePFC, Enabled: sluice.MakeClassSet(1), Time: [8]sluice.Quanta{2: 5}},
			"resume",
		},
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

// The text of a frame.
func TestFrameString(t *testing.T) {
	for want, f := range map[string]Frame{
		"pause {3} for 1000 quanta": pauseOf(1000, 3),
		"pause {0 3} for 9 quanta, pause {1} for 1 quanta, resume {5 7}": {
			Opcode: OpcodePFC, Enabled: sluice.MakeClassSet(0, 1, 3, 5, 7),
			Time: [8]sluice.Quanta{9, 1, 9, 9, 8},
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
