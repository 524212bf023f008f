package portfc

import (
	"testing"

	"github.com/sluicefc/sluice/kit/conformance"
)

// FuzzHooks decodes bytes to a configuration and a list of hooks, as a bad embedder with bad
// neighbours calls them.
func FuzzHooks(f *testing.F) { conformance.Fuzz(f, spec()) }

func FuzzParse(f *testing.F) {
	conformance.FuzzFrame(
		f,
		Frame{Type: Pause, Queue: 3, Port: 2, Layer: 1, Sequence: 4},
		Frame{Type: Resume, Queue: 65535, Port: 65535, Layer: 255, Sequence: 1<<32 - 1},
	)
}
