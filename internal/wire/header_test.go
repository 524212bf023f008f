package wire

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// TestFaultsNameTheOffset: a frame is refused for the field that is wrong, and the error says where
// in the frame that is.
func TestFaultsNameTheOffset(t *testing.T) {
	c := NewCodec(VOQ)
	good := func() []byte { return c.Finish(append(c.Begin(nil, &Header{Type: 1}), 1, 2, 3, 4), 0) }
	var h Header
	body, err := c.Parse(good(), &h)
	require.NoError(t, err)
	require.Equal(t, []byte{1, 2, 3, 4}, body)
	for _, test := range []struct {
		at, offset int
		rule       string
	}{
		{0, 0, "destination"}, {5, 0, "destination"}, {12, 12, "EtherType"}, {13, 12, "EtherType"},
		{14, 14, "protocol"}, {15, 15, "version"}, {17, 17, "flags"}, {18, 18, "length"},
		{59, HeaderLength, "padding"},
	} {
		frame := good()
		frame[test.at] ^= 0x40
		_, err := c.Parse(frame, &h)
		var fault *sluice.FrameError
		require.ErrorAs(t, err, &fault)
		require.Equal(t, "voq", fault.Package)
		require.Equal(t, test.offset, fault.Offset, "byte %d", test.at)
		require.Contains(t, fault.Rule, test.rule)
	}
	_, err = c.Parse(good()[:59], &h)
	require.EqualError(t, err, "voq: frame offset 0: shorter than 60 bytes")
}
