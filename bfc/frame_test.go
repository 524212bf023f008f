package bfc

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

var sampleMAC = sluice.MAC{2, 0, 0, 0, 0, 7}

func unhex(s string) []byte {
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		panic(err)
	}
	return b
}

// Frames to the byte.
func TestFramesOnTheWire(t *testing.T) {
	for _, test := range []struct {
		frame Frame
		want  string
	}{
		{
			Frame{
				Type: Pause, Source: sampleMAC, Sequence: 0x01020304, Count: 2,
				Queues: [MaxListed]sluice.QueueID{5, 0x0abc},
			},
			"0180c200000e 020000000007 88b5 01 01 01 00 0006 01020304 0002 0005 0abc" +
				strings.Repeat("00", 30),
		},
		{
			Frame{
				Type: Resume, Source: sampleMAC, Sequence: 9, Count: 1, Queues: [MaxListed]sluice.QueueID{31},
			},
			"0180c200000e 020000000007 88b5 01 01 02 00 0004 00000009 0001 001f" + strings.Repeat("00", 32),
		},
		{
			Frame{
				Type: Bitmap, Source: sampleMAC, Sequence: 10, Count: 33, Bits: [64]uint64{1<<0 | 1<<9 | 1<<32},
			},
			"0180c200000e 020000000007 88b5 01 01 03 00 0007 0000000a 0021 01 02 00 00 01" +
				strings.Repeat("00", 29),
		},
	} {
		wire := test.frame.AppendTo(nil)
		require.Equal(t, unhex(test.want), wire)
		require.Len(t, wire, 60)
		var back Frame
		require.NoError(t, back.Parse(wire))
		require.Equal(t, test.frame, back)
	}
}

// A full bitmap of a network card fits one frame.
func TestLargestBitmap(t *testing.T) {
	f := Frame{Type: Bitmap, Count: MaxUpstreamQueues}
	f.Bits[63] = 1 << 63
	wire := f.AppendTo([]byte("before"))[6:]
	require.Len(t, wire, 538)
	var back Frame
	require.NoError(t, back.Parse(wire))
	require.True(t, back.Paused(4095))
	require.False(t, back.Paused(4094))
	require.False(t, back.Paused(4096))
}

// Parse names the error.
func TestParseRefuses(t *testing.T) {
	pause := (&Frame{Type: Pause, Count: 2, Queues: [MaxListed]sluice.QueueID{1, 2}}).AppendTo(nil)
	bitmap := (&Frame{Type: Bitmap, Count: 9}).AppendTo(nil)
	for _, test := range []struct {
		name   string
		base   []byte
		change func([]byte) []byte
		want   string
	}{
		{"type 0", pause, set(16, 0), "type is not 1, 2 or 3"},
		{"type 4", pause, set(16, 4), "type is not 1, 2 or 3"},
		{"no body", pause, set(19, 0), "padding"},
		{
			"half a count", (&Frame{}).AppendTo(nil),
			func(b []byte) []byte { b[16], b[19] = 1, 1; return b }, "not as long",
		},
		{"count 0", pause, set(25, 0), "count is 0"},
		{"count 18", pause, set(25, 18), "count is 0 or too large"},
		{"count 3", pause, set(25, 3), "not as long"},
		{"count 1", pause, set(25, 1), "not as long"},
		{"no queues", bitmap, set(25, 0), "count is 0"},
		{"4097 queues", bitmap, set(24, 0x10), "count is 0 or too large"},
		{"17 queues", bitmap, set(25, 17), "not as long"},
		{"queue 9 of 9", bitmap, set(27, 2), "bits past the last queue"},
		{"short", pause, func(b []byte) []byte { return b[:59] }, "shorter than 60"},
		{"version", pause, set(15, 2), "version is not 1"},
		{"another protocol", pause, set(14, 2), "another protocol"},
		{"rubbish", pause, func(b []byte) []byte { return append(b, 0) }, "padding"},
	} {
		var f Frame
		err := f.Parse(test.change(append([]byte(nil), test.base...)))
		require.ErrorContains(t, err, test.want, test.name)
		var fault *sluice.FrameError
		require.True(t, errors.As(err, &fault), test.name)
		require.Equal(t, "bfc", fault.Package)
	}
}

func set(offset int, value byte) func([]byte) []byte {
	return func(b []byte) []byte {
		b[offset] = value
		return b
	}
}

// A frame that no Switch would make is emitted as far as it makes sense, and Kind has names for
// all.
func TestFramesOutOfRange(t *testing.T) {
	f := Frame{Type: Pause, Count: 1000}
	require.Len(t, f.Listed(), MaxListed)
	require.Len(t, f.AppendTo(nil), 60)
	require.Zero(t, f.Covered())
	f = Frame{Type: Bitmap, Count: 5000}
	require.Equal(t, MaxUpstreamQueues, f.Covered())
	require.Empty(t, f.Listed())
	require.Len(t, f.AppendTo(nil), 538)
	require.Equal(t, []string{"pause", "resume", "bitmap", "unknown"},
		[]string{
			(&Frame{Type: Pause}).Kind(), (&Frame{Type: Resume}).Kind(), (&Frame{Type: Bitmap}).Kind(),
			(&Frame{}).Kind(),
		})
}

// The text of a frame.
func TestFrameString(t *testing.T) {
	listed := [MaxListed]sluice.QueueID{5, 3, 9}
	bits := [MaxUpstreamQueues / 64]uint64{1<<5 | 1<<63, 1<<0 | 1<<6}
	for want, f := range map[string]Frame{
		"pause [5 3]":             {Type: Pause, Count: 2, Queues: listed},
		"resume [5]":              {Type: Resume, Count: 1, Queues: listed},
		"bitmap of 70: [5 63 64]": {Type: Bitmap, Count: 70, Bits: bits},
		"bitmap of 5: []":         {Type: Bitmap, Count: 5, Bits: bits},
		"unknown":                 {Type: 4},
	} {
		require.Equal(t, want, f.String())
		require.Equal(t, want, (&f).String())
	}
	some := listed[:1]
	f := Frame{Type: Bitmap, Count: 70, Bits: bits}
	require.Equal(
		t, []sluice.QueueID{5, 5, 63, 64}, f.AppendPaused(some[:1:1]), "behind what is there",
	)
}

// The shim stands before the packet's own EtherType.
func TestShim(t *testing.T) {
	wire := AppendShim([]byte{0xaa}, 0x0123)
	require.Equal(t, unhex("aa 88b6 01 00 0123"), wire)
	q, rest, err := ParseShim(append(wire[1:], 0x08, 0x00))
	require.NoError(t, err)
	require.Equal(t, sluice.QueueID(0x0123), q)
	require.Equal(t, []byte{0x08, 0x00}, rest)
	for _, test := range []struct{ wire, want string }{
		{"88b6010001", "shorter than 6"},
		{"880001000123", "EtherType"},
		{"88b602000123", "version"},
		{"88b601010123", "reserved"},
	} {
		_, _, err := ParseShim(unhex(test.wire))
		require.ErrorContains(t, err, test.want)
	}
}

// FuzzParse: Parse never panics and never reads past the end, and an accepted frame is appended
// with the same bytes.
func FuzzParse(f *testing.F) {
	f.Add((&Frame{Type: Pause, Count: 2, Queues: [MaxListed]sluice.QueueID{1, 2}}).AppendTo(nil))
	f.Add((&Frame{Type: Resume, Count: 17, Sequence: 1 << 31}).AppendTo(nil))
	f.Add((&Frame{Type: Bitmap, Count: 33, Bits: [64]uint64{1 << 32}}).AppendTo(nil))
	f.Add((&Frame{Type: Bitmap, Count: 4096, Bits: [64]uint64{63: 1 << 63}}).AppendTo(nil))
	f.Fuzz(func(t *testing.T, wire []byte) {
		var frame Frame
		if frame.Parse(wire) == nil {
			require.Equal(t, wire, frame.AppendTo(nil))
		}
		if q, rest, err := ParseShim(wire); err == nil {
			require.Equal(t, wire, append(AppendShim(nil, q), rest...))
		}
	})
}
