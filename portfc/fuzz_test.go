package portfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/kit/conformance"
)

// FuzzHooks decodes bytes to a configuration and a list of hooks, as a bad embedder with bad
// neighbours calls them.
func FuzzHooks(f *testing.F) { conformance.Fuzz(f, spec()) }

// FuzzParse: Parse never panics and never reads past the end, and what it accepts is appended as
// it was.
func FuzzParse(f *testing.F) {
	for _, frame := range []Frame{
		{Type: Pause, Queue: 3, Port: 2, Layer: 1, Sequence: 4},
		{Type: Resume, Queue: 65535, Port: 65535, Layer: 255, Sequence: 1<<32 - 1},
	} {
		f.Add(frame.AppendTo(nil))
	}
	f.Fuzz(func(t *testing.T, wire []byte) {
		var frame Frame
		if frame.Parse(wire) == nil {
			require.Equal(t, wire, frame.AppendTo(nil))
			_ = frame.String()
		}
	})
}
