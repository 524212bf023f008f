package sim_test

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/kit"
	"github.com/stretchr/testify/require"
)

// talk lets switch 2 send frames to host 0, one per packet, numbered down to 0, and returns their
// numbers as they arrive.
func talk(t *testing.T, frames int, spoil func(*sim.Config)) []byte {
	c := config(star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 1460 * 500})
	var got []byte
	at(&c, 0, func(m kit.Machine) kit.Machine { return &chatty{Machine: m, received: &got} })
	at(&c, 2, func(m kit.Machine) kit.Machine {
		return &chatty{Machine: m, frames: frames, received: &got}
	})
	c.Inspect = notAfter(sluice.Second)
	spoil(&c)
	result := run(t, c)
	require.Equal(t, 1, result.Completed)
	require.EqualValues(t, frames, result.ControlFrames["hello"])
	return got
}

const always = 1_000_000

func TestFatesOfControlFrames(t *testing.T) {
	for _, c := range []struct {
		name   string
		frames int
		spoil  func(*sim.Config)
		want   []byte
	}{
		{"delivered", 4, func(*sim.Config) {}, []byte{3, 2, 1, 0}},
		{"lost", 4, func(c *sim.Config) { c.ControlLoss = always }, nil},
		{"doubled", 2, func(c *sim.Config) { c.ControlDuplicate = always }, []byte{1, 1, 0, 0}},
		{
			"held back behind the next", 4, func(c *sim.Config) { c.ControlReorder = always },
			[]byte{2, 3, 0, 1},
		},
		{
			"held back, and there is no next", 1, func(c *sim.Config) { c.ControlReorder = always },
			[]byte{0},
		},
		{
			"the last of three has no next", 3, func(c *sim.Config) { c.ControlReorder = always },
			[]byte{1, 2, 0},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, talk(t, c.frames, c.spoil))
		})
	}
}

// Fates are drawn for each frame by the seed.
func TestFatesAreAsLikelyAsSaidAndDrawnBySeed(t *testing.T) {
	const frames = 400
	bad := func(seed uint64) []byte {
		return talk(t, frames, func(c *sim.Config) {
			c.Seed, c.ControlLoss, c.ControlDuplicate, c.ControlReorder = seed, 300_000, 200_000, 100_000
		})
	}
	got := bad(1)
	require.InDelta(t, frames*(1-0.3+0.2), len(got), 60)
	require.Equal(t, got, bad(1))
	require.NotEqual(t, got, bad(2))
}

// What comes back to a sender may be lost, doubled or late at its host: the flow completes all the
// same, each acknowledgement counting once.
func TestFatesOfAnswers(t *testing.T) {
	for name, f := range map[string]sim.Faults{
		"lost": {Loss: 300_000}, "doubled": {Duplicate: always}, "late": {Reorder: 500_000},
		"all": {Loss: 100_000, Duplicate: 100_000, Reorder: 100_000},
	} {
		t.Run(name, func(t *testing.T) {
			c := config(star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 1460 * 500})
			c.Answers, c.RetransmitAfter = f, 100*sluice.Microsecond
			r := run(t, c)
			require.Equal(t, 1, r.Completed)
			require.InDelta(t, float64(f.Loss)*500/always, float64(r.LostAnswers), 60)
			require.Zero(t, r.Dropped)
			if f.Loss == 0 {
				require.Zero(t, r.Transport.Resent, "nothing was lost for good")
			}
		})
	}
}

// TestPacketsAreLostOnLinks: each link loses its share of packets of any kind but frames, and
// senders send again what is missing.
func TestPacketsAreLostOnLinks(t *testing.T) {
	c := config(
		star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 2000 * 1460},
		workload.Flow{Src: 1, Dst: 0, Bytes: 2000 * 1460},
	)
	c.Loss, c.RetransmitAfter = 2000, 100*sluice.Microsecond
	result := run(t, c)
	require.Equal(t, 2, result.Completed)
	// Packets and acknowledgements of two flows on two links each, and what is sent again.
	share := float64(result.LostOnWire) / float64(result.PacketHops)
	require.InDelta(t, 0.002, share, 0.001, "%d of %d", result.LostOnWire, result.PacketHops)
	require.Positive(t, result.Transport.Resent)
	again := run(t, c)
	require.Equal(t, result.LostOnWire, again.LostOnWire, "the same seed gives the same losses")
}
