package schedule

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

// TestWhatDataParallelWaitsFor: the first message of a bucket waits for the backward computation of
// this bucket and of the buckets before, and for the whole sum of the bucket before at this rank:
// 2(n-1) messages that came in (VLDB 2020, section 3.2). Its later messages wait for the one that
// came in the step before, too. Each piece goes round the ring twice, once to be summed and once as
// the sum, so that a rank sends 2(n-1)/n of all bytes.
func TestWhatDataParallelWaitsFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := DataParallelConfig{
			Ranks: rapid.IntRange(2, 6).Draw(t, "ranks"), Buckets: rapid.IntRange(1, 4).Draw(t, "buckets"),
			Compute: sluice.Time(rapid.IntRange(300, 3000).Draw(t, "compute")) * sluice.Nanosecond,
		}
		pieces := c.Ranks * c.Buckets
		c.Bytes = sluice.Bytes(pieces * rapid.IntRange(1, 1000).Draw(t, "piece"))
		s, err := DataParallel(c)
		require.NoError(t, err)
		steps := 2 * (c.Ranks - 1)
		sent, firsts := make([]sluice.Bytes, c.Ranks), 0
		eachSend(s, func(rank int, send Operation, receives, computed []Operation) {
			bucket, step := int(send.Tag)/(2*c.Ranks), int(send.Tag)%(2*c.Ranks)
			sent[rank] += sluice.Bytes(send.Size)
			require.Equal(t, int32((rank+1)%c.Ranks), send.Peer)
			require.Len(t, receives, bucket*steps+min(step, 1))
			require.Len(t, computed, 1+bucket+1, "forward, and backward of the buckets up to this one")
			if step == 0 {
				firsts++
			}
		})
		require.Equal(t, pieces, firsts)
		for rank := range sent {
			require.Equal(t, c.Bytes*sluice.Bytes(steps)/sluice.Bytes(c.Ranks), sent[rank])
		}
		for rank := range c.Ranks {
			require.Equal(t, c.Compute, computation(s, rank))
		}
	})
}

// computation returns how long a rank computes.
func computation(s *Schedule, rank int) (sum sluice.Time) {
	for _, o := range s.operations[s.first[rank]:s.first[rank+1]] {
		if o.Kind == Calc {
			sum += sluice.Time(o.Size) * sluice.Nanosecond
		}
	}
	return sum
}

// TestPipelineOrder is the order of Narayanan et al., Figure 4 at the top: 4 stages and 8 parts. A
// stage has no more parts under way than there are stages from it on, itself counted.
func TestPipelineOrder(t *testing.T) {
	c := PipelineConfig{Stages: 4, Width: 2, Batches: 8, Bytes: 10, Compute: sluice.Microsecond}
	for stage, want := range []string{
		"F0 F1 F2 F3 B0 F4 B1 F5 B2 F6 B3 F7 B4 B5 B6 B7",
		"F0 F1 F2 B0 F3 B1 F4 B2 F5 B3 F6 B4 F7 B5 B6 B7",
		"F0 F1 B0 F2 B1 F3 B2 F4 B3 F5 B4 F6 B5 F7 B6 B7",
		"F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 F5 B5 F6 B6 F7 B7",
	} {
		text := ""
		for _, step := range c.order(stage) {
			text += " " + string("FB"[map[bool]int{true: 1}[step.backward]]) + string(rune('0'+step.batch))
		}
		require.Equal(t, " "+want, text)
	}
}

// TestWhatAPipelineWaitsFor beside a model that knows stages alone: what a stage sends on of a part
// needs the activations of this part and of all parts before it.
func TestWhatAPipelineWaitsFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := PipelineConfig{
			Stages: rapid.IntRange(2, 5).Draw(t, "stages"), Width: rapid.IntRange(1, 3).Draw(t, "width"),
			Batches: rapid.IntRange(1, 6).Draw(t, "batches"), Bytes: 10,
			Compute: sluice.Time(rapid.IntRange(1, 1000).Draw(t, "compute")) * sluice.Nanosecond,
		}
		s, err := Pipeline(c)
		require.NoError(t, err)
		messages := 0
		eachSend(s, func(rank int, send Operation, receives, computed []Operation) {
			messages++
			stage, batch := rank/c.Width, int(send.Tag)/2
			want := batch + 1 // forward on this part and those before; on more for what goes on backward
			if stage == 0 {
				want = 0
			}
			backward := send.Tag%2 == 1
			if backward {
				require.Equal(t, int32(rank-c.Width), send.Peer)
			} else {
				require.Equal(t, int32(rank+c.Width), send.Peer)
			}
			forward := 0
			for _, r := range receives {
				if r.Tag%2 == 0 {
					forward++
				}
			}
			require.GreaterOrEqual(t, forward, want)
			require.NotEmpty(t, computed)
		})
		require.Equal(t, 2*(c.Stages-1)*c.Width*c.Batches, messages)
		for rank := range c.Stages * c.Width {
			require.Equal(t, 3*c.Compute*sluice.Time(c.Batches), computation(s, rank))
		}
	})
}

func TestTrainingErrors(t *testing.T) {
	const span = 100 * sluice.Nanosecond
	for want, make := range map[string]func() (*Schedule, error){
		"Ranks = 1: must be 2 to": func() (*Schedule, error) {
			return DataParallel(DataParallelConfig{Ranks: 1, Buckets: 1, Bytes: 10, Compute: span})
		},
		"Bytes = 7B: must be 8B to": func() (*Schedule, error) {
			return DataParallel(DataParallelConfig{Ranks: 4, Buckets: 2, Bytes: 7, Compute: span})
		},
		"must be whole nanoseconds": func() (*Schedule, error) {
			return DataParallel(DataParallelConfig{Ranks: 4, Buckets: 2, Bytes: 80, Compute: 1})
		},
		"Stages = 1: must be 2 to": func() (*Schedule, error) {
			return Pipeline(PipelineConfig{Stages: 1, Width: 1, Batches: 1, Bytes: 10, Compute: span})
		},
		"Width = 0: must be 1 to": func() (*Schedule, error) {
			return Pipeline(PipelineConfig{Stages: 2, Batches: 1, Bytes: 10, Compute: span})
		},
		"Compute = -100ns: must be 0 to": func() (*Schedule, error) {
			return Pipeline(PipelineConfig{Stages: 2, Width: 1, Batches: 1, Bytes: 10, Compute: -span})
		},
	} {
		_, err := make()
		require.ErrorContains(t, err, want)
		var config *sluice.ConfigError
		require.ErrorAs(t, err, &config)
	}
}
