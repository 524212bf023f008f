package wire

import (
	"testing"

	"github.com/stretchr/testify/require"
)

var codec = NewCodec(VOQ)

func frame(body ...byte) []byte {
	b := codec.Begin(nil, &Header{Source: [6]byte{1, 2, 3, 4, 5, 6}, Type: 9, Sequence: 0xfffffffe})
	return codec.Finish(append(b, body...), 0)
}

func TestRoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, 36, 37, 1000} {
		body := make([]byte, n)
		for i := range body {
			body[i] = byte(i + 1)
		}
		var h Header
		got, err := codec.Parse(frame(body...), &h)
		require.NoError(t, err)
		require.Equal(t, body, append([]byte{}, got...))
		require.Equal(t, Header{Source: [6]byte{1, 2, 3, 4, 5, 6}, Type: 9, Sequence: 0xfffffffe}, h)
	}
}

func TestLayout(t *testing.T) {
	f := frame(0xaa)
	require.Equal(t, []byte{
		0x01, 0x80, 0xC2, 0x00, 0x00, 0x0E, 1, 2, 3, 4, 5, 6, 0x88, 0xB5, VOQ, 1, 9, 0, 0, 1, 0xff, 0xff,
		0xff, 0xfe, 0xaa,
	}, f[:25])
	require.Len(t, f, MinimumLength)
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		spoil  func([]byte) []byte
		offset int
	}{
		{"short", func(b []byte) []byte { return b[:59] }, 0},
		{"destination", func(b []byte) []byte { b[5]++; return b }, 0},
		{"EtherType", func(b []byte) []byte { b[13]++; return b }, 12},
		{"protocol", func(b []byte) []byte { b[14]++; return b }, 14},
		{"version", func(b []byte) []byte { b[15]++; return b }, 15},
		{"flags", func(b []byte) []byte { b[17]++; return b }, 17},
		{"length", func(b []byte) []byte { b[18] = 9; return b }, 18},
		{"padding", func(b []byte) []byte { b[40] = 1; return b }, 24},
		{"rubbish at the end", func(b []byte) []byte { return append(b, 0) }, 24},
	} {
		var h Header
		_, err := codec.Parse(c.spoil(frame(0xaa)), &h)
		require.ErrorContains(t, err, "voq: frame offset", c.name)
		require.Equal(t, Header{}, h, "a refused frame changes nothing: %s", c.name)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(frame(1, 2, 3))
	f.Fuzz(func(t *testing.T, src []byte) {
		var h Header
		body, err := codec.Parse(src, &h)
		if err != nil {
			return
		}
		again := codec.Finish(append(codec.Begin(nil, &h), body...), 0)
		require.Equal(t, src, again, "what Parse accepts, AppendTo makes, to the byte")
	})
}
