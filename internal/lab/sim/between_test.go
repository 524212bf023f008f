package sim

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
)

// A run that ends notes what is held so long before that what is under way then still comes: for
// the time that frames are sent afterwards, and that they take on the longest link. A shorter run
// notes it at its beginning, one without an end never.
func TestLastLook(t *testing.T) {
	s := &Simulator{}
	s.farthest = 3 * sluice.Microsecond
	for until, want := range map[sluice.Time]sluice.Time{
		10*sluice.Millisecond + lastFrames: 10*sluice.Millisecond - s.farthest,
		lastFrames:                         0,
		sluice.Never:                       sluice.Never,
	} {
		s.until = until
		require.Equal(t, want, s.lastLook(), until)
	}
}
