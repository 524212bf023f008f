package schedule

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
)

// DataParallelConfig describes training in which each rank has the whole model and a part of the
// samples.
type DataParallelConfig struct {
	Ranks int // 2 to MaxRanks
	// Bytes is the size of all gradients: a byte for each rank and bucket at least. Buckets is how
	// many nearly equal parts they are summed in, 1 to 4096.
	Bytes   sluice.Bytes
	Buckets int
	// Compute is how long an iteration computes, in whole nanoseconds, 0 to 100 s.
	Compute sluice.Time
}

// DataParallel makes the schedule of an iteration as PyTorch's DistributedDataParallel does it (Li
// et al., VLDB 2020, section 3.2). A rank computes forward for a third of the time, then backward.
// Gradients are there from the last layer to the first: each bucket is summed over a ring as soon
// as its part of the backward computation is done, and the bucket before it is summed at this rank.
// The iteration ends with the last bucket.
func DataParallel(c DataParallelConfig) (*Schedule, error) {
	r := check.Of("schedule", "DataParallelConfig")
	check.Within(r, c.Ranks, 2, MaxRanks, "Ranks")
	check.Within(r, c.Buckets, 1, 4096, "Buckets")
	least := sluice.Bytes(max(c.Ranks, 1)) * sluice.Bytes(max(c.Buckets, 1))
	check.Within(r, c.Bytes, least, MaxMessage, "Bytes")
	computes(r, c.Compute)
	if err := r.Err(); err != nil {
		return nil, err
	}
	b, size := NewBuilder(c.Ranks), pieces(c.Bytes, c.Buckets)
	forward := c.Compute / sluice.Nanosecond / 3 * sluice.Nanosecond
	backward := pieces(sluice.Bytes((c.Compute-forward)/sluice.Nanosecond), c.Buckets)
	for rank := range c.Ranks {
		computed := b.Calc(rank, forward, gpuStream)
		summed := computed
		for bucket := range c.Buckets {
			part := sluice.Time(backward(bucket, bucket+1)) * sluice.Nanosecond
			before := computed
			computed = b.Calc(rank, part, gpuStream)
			b.Requires(rank, computed, before)
			first, last, _ := b.enclose(rank, func() error {
				ring(newPart(b, c.Ranks, rank, bucket*2*c.Ranks), size(bucket, bucket+1))
				return nil
			})
			b.Requires(rank, first, computed)
			b.Requires(rank, first, summed)
			summed = last
		}
	}
	return b.Build()
}

func newPart(b *Builder, ranks, rank, tag int) *part {
	return &part{b: b, n: ranks, me: rank, tag: uint32(tag), cpu: messageStream}
}

// PipelineConfig describes training of a model whose layers are spread over stages, each of several
// ranks that share its layers.
type PipelineConfig struct {
	// Stages is how many stages the layers are in, at least 2; Width is of how many ranks each is, at
	// least 1: Stages*Width is at most MaxRanks. Rank s*Width+i is the i-th of stage s.
	Stages, Width int
	// Batches is how many parts the samples of an iteration go in, 1 to 4096. Bytes is what a rank
	// passes on of a part, 1 to MaxMessage.
	Batches int
	Bytes   sluice.Bytes
	// Compute is how long a rank computes on a part forward, in whole nanoseconds, 0 to 100 s;
	// backward takes twice as long.
	Compute sluice.Time
}

// Pipeline makes the schedule of an iteration in the order that Narayanan et al. (SC 2021, section
// 2.2.1) call 1F1B without interleaving: a stage computes forward on as many parts as there are
// stages behind it, then in turn forward on one and backward on one, and backward on what is left.
// Forward needs the activations of the stage before, backward the gradients of the stage behind: as
// many bytes. The i-th rank of a stage sends to the i-th of the next. What the ranks of a stage
// exchange among themselves stays within a server there, and is part of the computation here.
func Pipeline(c PipelineConfig) (*Schedule, error) {
	r := check.Of("schedule", "PipelineConfig")
	check.Within(r, c.Stages, 2, MaxRanks, "Stages")
	check.Within(r, c.Width, 1, MaxRanks/max(c.Stages, 1), "Width")
	check.Within(r, c.Batches, 1, 4096, "Batches")
	check.Within(r, c.Bytes, 1, MaxMessage, "Bytes")
	computes(r, c.Compute)
	if err := r.Err(); err != nil {
		return nil, err
	}
	b := NewBuilder(c.Stages * c.Width)
	for rank := range c.Stages * c.Width {
		c.stage(b, rank)
	}
	return b.Build()
}

// stage adds what a rank does.
func (c *PipelineConfig) stage(b *Builder, rank int) {
	stage, before := rank/c.Width, Label(-1)
	for _, step := range c.order(stage) {
		span, from, to, tag := c.Compute, rank-c.Width, rank+c.Width, uint32(2*step.batch)
		if step.backward {
			span, from, to, tag = 2*c.Compute, to, from, tag+1
		}
		computed := b.Calc(rank, span, gpuStream)
		if before >= 0 {
			b.Requires(rank, computed, before)
		}
		before = computed
		if c.is(from) {
			b.Requires(rank, computed, b.Recv(rank, from, c.Bytes, tag))
		}
		if c.is(to) {
			send := b.Add(rank, Operation{
				Kind: Send, Peer: int32(to), Size: int64(c.Bytes), Tag: tag, CPU: messageStream,
			})
			b.Requires(rank, send, computed)
		}
	}
}

func (c *PipelineConfig) is(rank int) bool { return rank >= 0 && rank < c.Stages*c.Width }

type pipelineStep struct {
	batch    int
	backward bool
}

// order is what a stage computes, one after the other.
func (c *PipelineConfig) order(stage int) (steps []pipelineStep) {
	ahead := min(c.Stages-1-stage, c.Batches)
	for batch := range c.Batches + ahead {
		if batch < c.Batches {
			steps = append(steps, pipelineStep{batch, false})
		}
		if batch >= ahead {
			steps = append(steps, pipelineStep{batch - ahead, true})
		}
	}
	return slices.Clip(steps)
}

func computes(r *check.Config, span sluice.Time) {
	const longest = 100 * sluice.Second
	r.That(span >= 0 && span <= longest, span, fmt.Sprintf("must be 0 to %v", longest), "Compute")
	r.That(span%sluice.Nanosecond == 0, span, "must be whole nanoseconds", "Compute")
}
