package chassis

import (
	"io"
	"strings"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
)

func TestDump(t *testing.T) {
	var text strings.Builder
	d := NewDump(&text, "pfc", 2, 3*sluice.KiB, 5*sluice.Microsecond, sluice.Never)
	d.Line("  port %d", 1)
	require.NoError(t, d.Err())
	require.NoError(t, NewDump(&text, "bfc", 1, 0, 0, 0).Err())
	require.Equal(t, `pfc: 2 ports, 3KiB held, now 5us, deadline never
  port 1
bfc: 1 port, 0B held, now 0ps, deadline 0ps
`, text.String())
}

// After a line that could not be written no other is tried, and its error stays.
func TestDumpStopsAtAnError(t *testing.T) {
	w := &brokenPipe{}
	d := NewDump(w, "pfc", 2, 0, 0, 0)
	d.Line("  port %d", 0)
	d.Line("  port %d", 1)
	require.ErrorIs(t, d.Err(), io.ErrClosedPipe)
	require.Equal(t, 2, w.writes)
}

// brokenPipe takes one write.
type brokenPipe struct{ writes int }

func (w *brokenPipe) Write(b []byte) (int, error) {
	if w.writes++; w.writes > 1 {
		return 0, io.ErrClosedPipe
	}
	return len(b), nil
}
