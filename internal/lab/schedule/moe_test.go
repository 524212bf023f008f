package schedule

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

func layer() MoEConfig {
	return MoEConfig{
		Seed: 1, Ranks: 16, Tokens: 2048, TokenBytes: 7 * sluice.KiB, TopK: 2, Skew: 1, Batches: 8,
		Every: sluice.Microsecond,
	}
}

// needs returns the receives and computations that an operation of a rank waits for, over others or
// not.
func needs(s *Schedule, rank int, i int32) (receives, computations []Operation) {
	seen := map[int32]bool{}
	var visit func(int32)
	visit = func(waits int32) {
		for on := s.first[rank]; on < s.first[rank+1]; on++ {
			if seen[on] || !slices.Contains(s.after[s.afterAt[on]:s.afterAt[on+1]], waits) {
				continue
			}
			seen[on] = true
			switch o := s.operations[on]; o.Kind {
			case Recv:
				receives = append(receives, o)
			case Calc:
				if o.Size > 0 {
					computations = append(computations, o)
				}
			}
			visit(on)
		}
	}
	visit(i)
	return receives, computations
}

// eachSend visits the sends of a schedule with what they wait for.
func eachSend(s *Schedule, visit func(rank int, send Operation, receives, pauses []Operation)) {
	for rank := range s.Ranks {
		for i := s.first[rank]; i < s.first[rank+1]; i++ {
			if s.operations[i].Kind == Send {
				receives, computations := needs(s, rank, i)
				visit(rank, s.operations[i], receives, computations)
			}
		}
	}
}

// TestWhatMoEWaitsFor beside a model that knows messages by their ends and batch alone. A dispatch
// waits for no message, and for a time if it is not of the first batch. What an expert sends back
// waits for all messages of its batch to the expert, and for no other.
func TestWhatMoEWaitsFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := layer()
		c.Seed = rapid.Uint64().Draw(t, "seed")
		c.Ranks = rapid.IntRange(2, 6).Draw(t, "ranks")
		c.Tokens = rapid.IntRange(1, 12).Draw(t, "tokens")
		c.TopK = rapid.IntRange(1, c.Ranks).Draw(t, "top")
		c.Skew = rapid.IntRange(0, 4).Draw(t, "skew")
		c.Batches = rapid.IntRange(1, c.Tokens).Draw(t, "batches")
		c.Every = sluice.Time(rapid.IntRange(0, 1).Draw(t, "every")) * sluice.Microsecond
		s, err := MoE(c)
		require.NoError(t, err)
		sent := map[[3]int]int64{} // bytes by sender, receiver and tag
		eachSend(s, func(rank int, send Operation, _, _ []Operation) {
			key := [3]int{rank, int(send.Peer), int(send.Tag)}
			require.NotContains(t, sent, key)
			sent[key] = send.Size
		})
		eachSend(s, func(rank int, send Operation, receives, computations []Operation) {
			back := send.Tag%2 == 1
			other := sent[[3]int{int(send.Peer), rank, int(send.Tag ^ 1)}]
			require.Equal(t, send.Size, other, "as many bytes go back")
			want := map[int32]int64{}
			for key, bytes := range sent {
				if back && key[1] == rank && key[2] == int(send.Tag-1) {
					want[int32(key[0])] = bytes
				}
			}
			got := map[int32]int64{}
			for _, r := range receives {
				require.Equal(t, send.Tag-1, r.Tag)
				got[r.Peer] = r.Size
			}
			require.Equal(t, want, got)
			require.Len(t, receives, len(want))
			pauses := 0
			if !back && send.Tag > 0 && c.Every > 0 {
				pauses = 1
			}
			require.Len(t, computations, pauses)
		})
	})
}

// TestDispatchesStartEveryPause: batch i begins i times Every after the rank, whatever arrives.
func TestDispatchesStartEveryPause(t *testing.T) {
	c := layer()
	c.Ranks, c.Every = 3, 5*sluice.Microsecond
	s, err := MoE(c)
	require.NoError(t, err)
	job := &Job{Name: "moe", Schedule: s, Start: sluice.Microsecond}
	for rank := range s.Ranks {
		job.Hosts = append(job.Hosts, sluice.SwitchID(rank))
	}
	r, dispatched := NewRanks(job), 0
	began := func(send *Message, now sluice.Time) {
		if send.Tag%2 == 0 {
			require.Equal(t, job.Start+sluice.Time(send.Tag/2)*c.Every, now)
			dispatched++
		}
	}
	e, now := Effects{}, job.Start
	for rank := range int32(s.Ranks) {
		r.Begin(&e, now, rank)
	}
	for {
		for _, m := range e.Messages {
			began(&m, now)
		}
		e.Messages = e.Messages[:0]
		if len(e.Computations) == 0 {
			break
		}
		next := e.Computations[0]
		e.Computations = slices.Delete(e.Computations, 0, 1)
		now = next.End
		r.Computed(&e, now, next.Operation)
	}
	require.Equal(t, c.Batches*3*2, dispatched)
}

// TestWhatAParameterServerWaitsFor (PortFC, section V-D): workers push at once; the server's
// messages wait for what all workers push.
func TestWhatAParameterServerWaitsFor(t *testing.T) {
	for _, n := range []int{2, 3, 16} {
		s, err := CollectiveNamed("parameter-server").Make(n, 8*sluice.MB)
		require.NoError(t, err)
		sends := 0
		eachSend(s, func(rank int, send Operation, receives, _ []Operation) {
			sends++
			require.Equal(t, int64(8*sluice.MB), send.Size)
			if rank > 0 {
				require.Zero(t, send.Peer)
				require.Zero(t, send.Tag%2)
				require.Empty(t, receives)
				return
			}
			require.Equal(t, uint32(1), send.Tag%2)
			var from []int32
			for _, r := range receives {
				from = append(from, r.Peer)
			}
			slices.Sort(from)
			require.Len(t, slices.Compact(from), n-1)
		})
		require.Equal(t, 2*(n-1), sends)
	}
}

// TestMoE: every token goes to TopK different experts, so that no expert has more than all tokens;
// the i-th expert is chosen in proportion to 1/i.
func TestMoE(t *testing.T) {
	c := layer()
	s, err := MoE(c)
	require.NoError(t, err)
	received := make([]sluice.Bytes, c.Ranks)
	var sum sluice.Bytes
	for rank := range c.Ranks {
		for _, o := range s.Of(rank) {
			if o.Kind != Send || o.Tag%2 == 1 {
				continue
			}
			bytes := sluice.Bytes(o.Size)
			require.NotEqual(t, int32(rank), o.Peer)
			require.Zero(t, bytes%c.TokenBytes)
			received[o.Peer] += bytes
			sum += bytes
		}
	}
	require.InEpsilon(
		t, float64(16*2048*2*c.TokenBytes)*15/16, float64(sum), 0.01, "a 16th stays at home",
	)
	require.LessOrEqual(t, slices.Max(received), 15*2048*c.TokenBytes)
	// Of two draws without replacement, the first expert of 16 is in 0.51, the last in 0.039.
	require.InDelta(t, 13, float64(slices.Max(received))/float64(slices.Min(received)), 2)

	again, err := MoE(c)
	require.NoError(t, err)
	require.Equal(t, s, again)
	c.Seed = 2
	again, err = MoE(c)
	require.NoError(t, err)
	require.NotEqual(t, s, again)

	c = layer()
	c.Skew, c.TopK, c.Batches = 0, 16, 1
	s, err = MoE(c)
	require.NoError(t, err)
	sends := 0
	eachSend(s, func(_ int, send Operation, _, _ []Operation) {
		sends++
		require.Equal(t, int64(2048*c.TokenBytes), send.Size)
	})
	require.Equal(t, 2*16*15, sends, "every token goes to every expert")
}

func TestMoEErrors(t *testing.T) {
	for _, test := range []struct {
		field  string
		change func(*MoEConfig)
	}{
		{"Ranks", func(c *MoEConfig) { c.Ranks = 1 }},
		{"Ranks", func(c *MoEConfig) { c.Ranks = MaxRanks + 1 }},
		{"Tokens", func(c *MoEConfig) { c.Tokens = 0 }},
		{"TokenBytes", func(c *MoEConfig) { c.TokenBytes = 0 }},
		{"TokenBytes", func(c *MoEConfig) { c.TokenBytes = 1 << 40 }},
		{"TopK", func(c *MoEConfig) { c.TopK = 17 }},
		{"Skew", func(c *MoEConfig) { c.Skew = -1 }},
		{"Batches", func(c *MoEConfig) { c.Batches = 0 }},
		{"Batches", func(c *MoEConfig) { c.Batches = 2049 }},
		{"Every", func(c *MoEConfig) { c.Every = -1 }},
		{"Every", func(c *MoEConfig) { c.Every = sluice.Nanosecond / 2 }},
		{"Every", func(c *MoEConfig) { c.Every = 13 * sluice.Second }},
	} {
		c := layer()
		test.change(&c)
		_, err := MoE(c)
		var config *sluice.ConfigError
		require.True(t, errors.As(err, &config), "%s: %v", test.field, err)
		require.Equal(t, test.field, config.Field)
	}
}
