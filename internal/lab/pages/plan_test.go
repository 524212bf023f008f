package pages

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
	"github.com/sluicefc/sluice/internal/lab/schedule"
)

// TestWhatMessagesWaitForIsOfTheSetting: two jobs with the same messages are two settings if what
// the messages wait for differs.
func TestWhatMessagesWaitForIsOfTheSetting(t *testing.T) {
	s := runtest.Prepared(t, papers.All, "portfc/fig15", "sync.bytes=1KB")
	digests := map[string]bool{settingDigest(s): true}
	for _, waits := range []bool{false, true} {
		b := schedule.NewBuilder(16)
		for worker := 1; worker < 16; worker++ {
			b.Send(worker, 0, 1000, 0)
			pull, pushed := b.Send(0, worker, 1000, 1), b.Recv(0, worker, 1000, 0)
			if waits {
				b.Requires(0, pull, pushed)
			}
		}
		other, err := b.Build()
		require.NoError(t, err)
		flows := s.Jobs[0].Flows()
		s.Jobs[0].Schedule = other
		require.Equal(t, flows, s.Jobs[0].Flows())
		digests[settingDigest(s)] = true
	}
	require.Len(t, digests, 3)
}
