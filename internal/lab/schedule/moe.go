package schedule

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/internal/prng"
)

// MoEConfig describes a layer of a mixture of experts whose experts are spread over all ranks, one
// each (PortFC, section V-E).
type MoEConfig struct {
	Seed  uint64
	Ranks int // 2 to MaxRanks
	// Tokens is how many tokens each rank has, TokenBytes the size of a token. At least 1; all
	// tokens of a rank have at most workload.MaxSize bytes together.
	Tokens     int
	TokenBytes sluice.Bytes
	// TopK is to how many different experts a token goes: 1 to Ranks.
	TopK int
	// Skew is the exponent of the Zipf distribution by which experts are popular, 0 to 4: the i-th
	// expert of a random order is chosen in proportion to i^-Skew.
	Skew int
	// Batches is how many parts the tokens of a rank go in, 1 to Tokens. Every is the time between
	// two of these dispatches, in whole nanoseconds: 100 s at most for all parts.
	Batches int
	Every   sluice.Time
}

// MoE makes the schedule of a dispatch and a combine. In the dispatch a gate routes each token to a
// few experts, some of which are far more popular: many send to few. A message carries what a batch
// of a rank has for the expert of another rank. In the combine the experts send what became of the
// tokens back to where they came from, which is as many bytes: few send to many. Tags of dispatches
// are even, and tags of combines odd.
//
// What waits for what is a choice, as the paper names these two stages and says no more. A rank
// dispatches batch i, counted from 0, i times Every after its begin, whatever it has received. An
// expert computes on a batch as a whole: once it has the tokens of this batch of all ranks that
// have some for it, it sends them all back. It waits for no other expert and no other batch.
// Computing takes no time. An error is a *sluice.ConfigError.
func MoE(c MoEConfig) (*Schedule, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	b, batches := NewBuilder(c.Ranks), c.route()
	parts := make([]part, c.Ranks)
	for rank := range parts {
		parts[rank] = part{b: b, n: c.Ranks, me: rank}
	}
	complete := make([][]Label, len(batches)) // by batch and expert: it has all tokens
	for i := range batches {
		complete[i] = c.dispatch(parts, i, batches[i])
	}
	for i, batch := range batches {
		for _, r := range batch {
			send := parts[r.expert].send(r.from, r.bytes, uint32(2*i+1))
			parts[r.expert].requires(send, complete[i][r.expert])
			parts[r.from].recv(r.expert, r.bytes, uint32(2*i+1))
		}
	}
	return b.Build()
}

// dispatch adds the dispatch of a batch, and returns what says of each expert that it has all.
func (c *MoEConfig) dispatch(parts []part, i int, batch []routed) (complete []Label) {
	var due []Label // by rank
	if i > 0 && c.Every > 0 {
		// A stream takes these one after the other, and messages have a stream of their own.
		for rank := range parts {
			due = append(due, parts[rank].b.Calc(rank, c.Every, 1))
		}
	}
	received := make([][]Label, len(parts))
	for _, r := range batch {
		send := parts[r.from].send(r.expert, r.bytes, uint32(2*i))
		if due != nil {
			parts[r.from].requires(send, due[r.from])
		}
		got := parts[r.expert].recv(r.from, r.bytes, uint32(2*i))
		received[r.expert] = append(received[r.expert], got)
	}
	complete = make([]Label, len(parts))
	for expert, tokens := range received {
		if len(tokens) > 0 {
			complete[expert] = parts[expert].all(tokens)
		}
	}
	return complete
}

// routed is what a rank has for the expert of another.
type routed struct {
	from, expert int
	bytes        sluice.Bytes
}

// route returns what goes where in each batch, rank by rank, then by expert. Tokens for the expert
// of their own rank go nowhere.
func (c *MoEConfig) route() [][]routed {
	random := prng.New(prng.Mix(c.Seed))
	gate, batches := newGate(c.Ranks, c.Skew, &random), make([][]routed, c.Batches)
	chosen := make([]int, 0, c.TopK)
	for i := range batches {
		tokens := c.Tokens*(i+1)/c.Batches - c.Tokens*i/c.Batches
		for from := range c.Ranks {
			counts := make([]int, c.Ranks)
			for range tokens {
				chosen = gate.choose(chosen[:0], c.TopK, &random)
				for _, expert := range chosen {
					counts[expert]++
				}
			}
			for expert, n := range counts {
				if n > 0 && expert != from {
					bytes := sluice.Bytes(n) * c.TokenBytes
					batches[i] = append(batches[i], routed{from, expert, bytes})
				}
			}
		}
	}
	return batches
}

type gate struct {
	upTo  []uint64 // sum of the weights of experts up to each
	total uint64
}

// newGate gives the experts the weights 2^48 i^-skew in a random order.
func newGate(experts, skew int, random *prng.Source) *gate {
	const one = 1 << 48
	weights := make([]uint64, experts)
	for i := range weights {
		weights[i] = one
		for range skew {
			weights[i] = max(weights[i]/uint64(i+1), 1)
		}
	}
	prng.Shuffle(random, weights)
	g := &gate{upTo: weights}
	for i, w := range weights {
		g.total += w
		g.upTo[i] = g.total
	}
	return g
}

// choose appends k different experts: each draw is by the weights of the experts that are left.
func (g *gate) choose(chosen []int, k int, random *prng.Source) []int {
	for len(chosen) < k {
		at, _ := bits.Mul64(random.Uint64(), g.total)
		expert := 0
		for g.upTo[expert] <= at {
			expert++
		}
		if !slices.Contains(chosen, expert) {
			chosen = append(chosen, expert)
		}
	}
	return chosen
}

func (c *MoEConfig) validate() error {
	r := check.Of("schedule", "MoEConfig")
	const longest = 100 * sluice.Second
	check.Within(r, c.Ranks, 2, MaxRanks, "Ranks")
	check.Within(r, c.Tokens, 1, workload.MaxFlows, "Tokens")
	r.That(c.TokenBytes >= 1 && c.TokenBytes <= workload.MaxSize/sluice.Bytes(max(c.Tokens, 1)),
		c.TokenBytes, fmt.Sprintf("must be 1 to %d of all tokens of a rank", workload.MaxSize),
		"TokenBytes")
	r.That(c.TopK >= 1 && c.TopK <= c.Ranks, c.TopK,
		fmt.Sprintf("must be 1 to the number of ranks, %d", c.Ranks), "TopK")
	check.Within(r, c.Skew, 0, 4, "Skew")
	r.That(c.Batches >= 1 && c.Batches <= min(c.Tokens,
		workload.MaxFlows/max(c.Ranks, 1)/max(c.TopK, 1)), c.Batches, "must be 1 to Tokens", "Batches")
	r.That(c.Every >= 0 && c.Every <= longest/sluice.Time(max(c.Batches, 1)), c.Every,
		"must be 0 to "+longest.String()+" in all", "Every")
	r.That(c.Every%sluice.Nanosecond == 0, c.Every, "must be whole nanoseconds", "Every")
	return r.Err()
}
