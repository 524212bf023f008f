package ofc

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit/conformance"
)

// The format to the bit: an Ethernet frame of EtherType 0x88B5, protocol 2, version 1.
func TestFrameOnTheWire(t *testing.T) {
	f := Frame{
		Type: Resume, Source: sluice.MAC{2, 0, 0, 0, 0, 9}, Sequence: 0x01020304, Class: 3, Last: true,
	}
	f.add(0x1122334455667788)
	want := append([]byte{
		0x01, 0x80, 0xC2, 0x00, 0x00, 0x0E, // nearest bridge
		2, 0, 0, 0, 0, 9,
		0x88, 0xB5, 2, 1, 2, 0, // EtherType, protocol, version, type, flags
		0, 20, 1, 2, 3, 4, // length of the body, sequence number
		3, 2, 0, 1, // class, flags, count
		0, 0, 0, 0, 0, 0, 0, 0, // generation, part, parts
		0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
	}, make([]byte, 16)...)
	require.Equal(t, want, f.AppendTo(nil))
	require.Equal(t, "resume class 3 [1122334455667788] last", f.String())
	require.Equal(t, "pause class 0 all", Frame{Type: Pause, All: true}.String())
	require.Equal(t, "refresh 7 class 2 part 1 of 2 all []",
		Frame{Type: Refresh, Generation: 7, Class: 2, Parts: 2, All: true}.String())
	require.Equal(t, "unknown", (&Frame{}).Kind())
}

// "at most 184 keys": what fits the largest Ethernet frame.
func TestLargestFrame(t *testing.T) {
	f := Frame{Type: Pause}
	for i := range uint64(MaxListed) {
		f.add(i)
	}
	wire := f.AppendTo(nil)
	require.Equal(t, 184, MaxListed)
	require.Len(t, wire, int(MaxFrameLength))
	require.LessOrEqual(t, len(wire), 1514)
	var back Frame
	require.NoError(t, back.Parse(wire))
	require.Equal(t, f, back)
}

func TestFrameSurvivesTheWire(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFrame(t)
		var back Frame
		require.NoError(t, back.Parse(f.AppendTo(nil)))
		require.Equal(t, f, back)
	})
}

func TestParseRefuses(t *testing.T) {
	good := Frame{Type: Pause, Class: 1, Count: 1}
	for name, spoil := range map[string]struct {
		change func(*Frame)
		bytes  func([]byte)
		offset int
	}{
		"type":             {change: func(f *Frame) { f.Type = 4 }, offset: 16},
		"class":            {change: func(f *Frame) { f.Class = 8 }, offset: 24},
		"flags":            {bytes: func(b []byte) { b[25] = 4 }, offset: 25},
		"last in a pause":  {change: func(f *Frame) { f.Last = true }, offset: 25},
		"all beside flows": {change: func(f *Frame) { f.All = true }, offset: 26},
		"neither":          {change: func(f *Frame) { f.Count = 0 }, offset: 26},
		"count":            {bytes: func(b []byte) { b[27] = 2 }, offset: 18},
		"count too large":  {bytes: func(b []byte) { b[27] = 185 }, offset: 26},
		"generation":       {change: func(f *Frame) { f.Generation = 1 }, offset: 28},
		"part of a pause":  {change: func(f *Frame) { f.Parts = 1 }, offset: 28},
		"part beyond": {
			change: func(f *Frame) { f.Type, f.Parts, f.Part = Refresh, 1, 1 }, offset: 28,
		},
		"type before class": {
			change: func(f *Frame) { f.Type, f.Class = 4, 8 }, offset: 16,
		},
		"type before body": {
			change: func(f *Frame) { f.Type = 0 }, bytes: func(b []byte) { b[19] = 11 }, offset: 16,
		},
		"EtherType":           {bytes: func(b []byte) { b[12] = 0 }, offset: 12},
		"body without a list": {bytes: func(b []byte) { b[19] = 11 }, offset: 24},
	} {
		f := good
		if spoil.change != nil {
			spoil.change(&f)
		}
		wire := f.AppendTo(nil)
		if spoil.bytes != nil {
			spoil.bytes(wire)
		}
		var fault *sluice.FrameError
		require.True(t, errors.As(new(Frame).Parse(wire), &fault), name)
		if name != "body without a list" { // the bytes that are cut off count as padding first
			require.Equal(t, spoil.offset, fault.Offset, "%s: %v", name, fault)
		}
		if spoil.change != nil && spoil.offset != 16 {
			s := mustNew(t, HostConfig(link40))
			s.Port(0).Receive(0, &f)
			require.EqualValues(t, 1, s.Counters().Malformed, "%s: Receive of the frame itself", name)
		}
	}
}

func FuzzParse(f *testing.F) {
	conformance.FuzzFrame(
		f,
		Frame{Type: Pause, Count: 2, Keys: [MaxListed]uint64{1, 2}},
		Frame{Type: Resume, All: true},
		Frame{Type: Resume, Count: 184, Last: true, Sequence: 1 << 31},
		Frame{Type: Refresh, Count: 3, Generation: 5, Part: 1, Parts: 2},
	)
}
