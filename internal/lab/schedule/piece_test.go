package schedule

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAPieceOfAnotherJob: a host's jobs share free pieces. A piece of a job in which something is
// required to start notes starts; used by a job without, it notes none.
func TestAPieceOfAnotherJob(t *testing.T) {
	p := &piece{operations: make([]Operation, 1), waits: make([]int32, 1)}
	p.begin(true)
	require.Len(t, p.releasedStart, 1)
	p.operations, p.waits = make([]Operation, 2), make([]int32, 2)
	p.begin(false)
	require.Len(t, p.released, 2)
	require.Nil(t, p.releasedStart)
}
