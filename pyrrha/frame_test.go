package pyrrha

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The bytes of each type, so that a change of the format is seen.
func TestWireFormat(t *testing.T) {
	header := "0180c200000e" + "020000000001" + "88b5" + "03" + "01"
	for _, c := range []struct {
		frame Frame
		body  string
	}{
		{
			Frame{Type: Pause, Root: at(0x01020304, 0x0506), Hop: 2, Sequence: 7},
			"01" + "00" + "0007" + "00000007" + "01020304" + "0506" + "02",
		},
		{
			Frame{Type: Resume, Root: at(0x01020304, 0x0506), Sequence: 0xffffffff},
			"02" + "00" + "0006" + "ffffffff" + "01020304" + "0506",
		},
		{
			Frame{Type: Merge, Root: at(1, 2), Old: at(3, 4), Hop: 7},
			"03" + "00" + "000d" + "00000000" + "00000001" + "0002" + "00000003" + "0004" + "07",
		},
		{Frame{Type: Dealloc, Root: at(1, 2)}, "04" + "00" + "0006" + "00000000" + "00000001" + "0002"},
	} {
		c.frame.Source = sluice.MAC{2, 0, 0, 0, 0, 1}
		wire := c.frame.AppendTo([]byte("x"))[1:]
		want := header + c.body
		want += strings.Repeat("00", 60-len(want)/2)
		require.Equal(t, want, hex.EncodeToString(wire))

		var parsed Frame
		require.NoError(t, parsed.Parse(wire))
		require.Equal(t, c.frame, parsed)
	}
}

func TestFrameRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hop := func(name string) sluice.Hop {
			return sluice.Hop{
				Switch: sluice.SwitchID(rapid.Uint32().Draw(t, name)),
				Port:   sluice.PortID(rapid.Uint16().Draw(t, name)),
			}
		}
		f := Frame{
			Type: FrameType(rapid.IntRange(1, 4).Draw(t, "type")), Root: hop("root"),
			Sequence: rapid.Uint32().Draw(t, "sequence"),
		}
		if f.Type == Pause || f.Type == Merge {
			f.Hop = uint8(rapid.IntRange(1, 7).Draw(t, "hop"))
		}
		if f.Type == Merge {
			f.Old = hop("old")
			if f.Old == f.Root {
				t.Skip("not a frame")
			}
		}
		var parsed Frame
		if err := parsed.Parse(f.AppendTo(nil)); err != nil || parsed != f {
			t.Fatalf("%v became %v, %v", &f, &parsed, err)
		}
	})
}

func TestParseRefuses(t *testing.T) {
	pause := (&Frame{Type: Pause, Root: at(1, 2), Hop: 1}).AppendTo(nil)
	merge := (&Frame{Type: Merge, Root: at(1, 2), Old: at(3, 4), Hop: 1}).AppendTo(nil)
	with := func(frame []byte, offset int, value byte) []byte {
		frame = append([]byte(nil), frame...)
		frame[offset] = value
		return frame
	}
	for name, c := range map[string]struct {
		frame  []byte
		offset int
	}{
		"short":           {pause[:59], 0},
		"long":            {append(append([]byte(nil), pause...), 0), 24},
		"version":         {with(pause, 15, 2), 15},
		"protocol":        {with(pause, 14, 1), 14},
		"type 0":          {with(pause, 16, 0), 16},
		"type 5":          {with(pause, 16, 5), 16},
		"flags":           {with(pause, 17, 1), 17},
		"length":          {with(pause, 19, 6), 24},
		"short body":      {with(with(pause, 19, 6), 30, 0), 18},
		"trailing bytes":  {with(pause, 59, 1), 24},
		"hop 0":           {with(pause, 30, 0), 24},
		"hop 8":           {with(pause, 30, 8), 24},
		"merge in itself": {with(with(merge, 33, 1), 35, 2), 24},
		"merge hop 0":     {with(merge, 36, 0), 24},
	} {
		kept := Frame{Type: Resume, Sequence: 5}
		err := kept.Parse(c.frame)
		var e *sluice.FrameError
		require.True(t, errors.As(err, &e), name)
		require.Equal(t, "pyrrha", e.Package, name)
		require.Equal(t, c.offset, e.Offset, "%s: %v", name, err)
		require.Equal(
			t, Frame{Type: Resume, Sequence: 5}, kept, "%s: what is refused changes nothing", name,
		)
		require.Zero(t, testing.AllocsPerRun(10, func() { err = kept.Parse(c.frame) }), name)
	}
}

func TestFrameStrings(t *testing.T) {
	require.Equal(t, "pause 160:3 hop 2", (&Frame{Type: Pause, Root: at(160, 3), Hop: 2}).String())
	require.Equal(t, "resume 160:3", (&Frame{Type: Resume, Root: at(160, 3)}).String())
	require.Equal(
		t, "merge 170:0 into 160:3 hop 1",
		(&Frame{Type: Merge, Root: at(160, 3), Old: at(170, 0), Hop: 1}).String(),
	)
	require.Equal(t, "dealloc 160:3", (&Frame{Type: Dealloc, Root: at(160, 3)}).String())
	require.Equal(t, "unknown", (&Frame{}).Kind())
}
