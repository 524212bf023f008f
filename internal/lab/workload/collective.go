package workload

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/prng"
)

// ParameterServer returns the flows of one round of parameter synchronisation (PortFC, section
// V-D): in stage 0 "all computing servers push their locally computed parameters to the parameter
// server, generating many-to-one incast traffic"; in stage 1 "it sends the updated parameters to
// all". All flows have one size. The first are the incast, the others background. An error is a
// *sluice.ConfigError.
func ParameterServer(
	g *topo.Graph, server sluice.SwitchID, bytes sluice.Bytes, class sluice.Class,
) ([]Flow, error) {
	r := check.Of("workload")
	r.That(isHost(g, server), server, "must be a host", "Server")
	check.Within(r, bytes, 1, MaxSize, "Bytes")
	check.Within(r, class, 0, sluice.Classes-1, "Class")
	if err := r.Err(); err != nil {
		return nil, err
	}
	var push, pull []Flow
	for _, host := range g.Hosts() {
		if host == server {
			continue
		}
		f := Flow{Src: host, Dst: server, Class: class, DstPort: 100, Bytes: bytes, Group: Incast}
		push = append(push, f)
		f.Src, f.Dst, f.Stage, f.Group = server, host, 1, Background
		pull = append(pull, f)
	}
	flows := append(push, pull...)
	AssignPorts(flows)
	return flows, nil
}

// MoEConfig describes a layer of a mixture of experts whose experts are spread over all hosts, one
// each (PortFC, section V-E).
type MoEConfig struct {
	Seed uint64
	// Tokens is how many tokens each host has, TokenBytes the size of a token. At least 1.
	Tokens     int
	TokenBytes sluice.Bytes
	// TopK is to how many different experts a token goes: 1 to the number of hosts.
	TopK int
	// Skew is the exponent of the Zipf distribution by which experts are popular, 0 to 4: the i-th
	// expert of a random order is chosen in proportion to i^-Skew.
	Skew int
	// Batches is how many parts the tokens of a host go in, 1 to Tokens; Every is the time from part
	// to part.
	Batches int
	Every   sluice.Time

	Class   sluice.Class
	DstPort uint16 // 0: 100
}

// MoE makes the flows of a dispatch and a combine. Stage 0 is the dispatch: "each token is routed
// to a small subset of experts based on a gating function ... many-to-few traffic patterns,
// resulting in highly skewed communication"; a flow carries what a batch of a host has for the
// expert of another host. Stage 1 is the combine, "the outputs from experts are collected
// and merged back", few-to-many: the same bytes the other way. Dispatches are the incast, combines
// background. An error is a *sluice.ConfigError.
func MoE(g *topo.Graph, c MoEConfig) ([]Flow, error) {
	hosts := g.Hosts()
	if err := c.validate(len(hosts)); err != nil {
		return nil, err
	}
	random := prng.New(prng.Mix(c.Seed))
	gate := newGate(len(hosts), c.Skew, &random)
	var dispatch, combine []Flow
	chosen := make([]int, 0, c.TopK)
	for batch := range c.Batches {
		tokens := c.Tokens*(batch+1)/c.Batches - c.Tokens*batch/c.Batches
		start := sluice.Time(batch) * c.Every
		for _, src := range hosts {
			counts := make([]int, len(hosts))
			for range tokens {
				chosen = gate.choose(chosen[:0], c.TopK, &random)
				for _, expert := range chosen {
					counts[expert]++
				}
			}
			for expert, n := range counts {
				if n == 0 || hosts[expert] == src {
					continue
				}
				f := Flow{
					Src: src, Dst: hosts[expert], Class: c.Class, DstPort: cmp.Or(c.DstPort, defaultPort),
					Bytes: sluice.Bytes(n) * c.TokenBytes, Start: start, Group: Incast,
				}
				dispatch = append(dispatch, f)
				f.Src, f.Dst, f.Stage, f.Group = f.Dst, f.Src, 1, Background
				combine = append(combine, f)
			}
		}
	}
	flows := append(dispatch, combine...)
	AssignPorts(flows)
	return flows, nil
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
	shuffle(weights, random)
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

func (c *MoEConfig) validate(hosts int) error {
	r := check.Of("workload")
	check.Within(r, c.Tokens, 1, MaxFlows, "Tokens")
	r.That(c.TokenBytes >= 1 && c.TokenBytes <= MaxSize/sluice.Bytes(max(c.Tokens, 1)), c.TokenBytes,
		fmt.Sprintf("must be 1 to %d of all tokens of a host", MaxSize), "TokenBytes")
	r.That(c.TopK >= 1 && c.TopK <= hosts, c.TopK,
		fmt.Sprintf("must be 1 to the number of hosts, %d", hosts), "TopK")
	check.Within(r, c.Skew, 0, 4, "Skew")
	r.That(c.Batches >= 1 && c.Batches <= min(c.Tokens, MaxFlows/max(hosts, 1)/max(c.TopK, 1)),
		c.Batches, "must be 1 to Tokens", "Batches")
	r.That(c.Every >= 0 && c.Every <= maxDuration/sluice.Time(max(c.Batches, 1)), c.Every,
		"must be 0 to "+maxDuration.String()+" in all", "Every")
	check.Within(r, c.Class, 0, sluice.Classes-1, "Class")
	return r.Err()
}
