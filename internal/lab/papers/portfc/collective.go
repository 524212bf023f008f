package portfc

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/generate"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/schedule"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

var collectiveParameters = []params.Definition{
	{Name: "sync.bytes", Kind: params.Bytes, Default: "8MB", Min: "1B", Max: "1GB",
		Doc: "scenario portfc/fig15: what each node pushes, and gets back"},
}

// parameterServer has the first node as the server.
func parameterServer(graph *topo.Graph, _ uint64, v *params.Values) ([]schedule.Job, error) {
	const name = "parameter-server"
	s, err := schedule.CollectiveNamed(name).Make(len(graph.Hosts()), v.Bytes("sync.bytes"))
	return onAllNodes(graph, name, s), err
}

// onAllNodes runs a schedule on the nodes of a network. Its first half, whose messages have even
// tags, is the incast, the other is background.
func onAllNodes(graph *topo.Graph, name string, s *schedule.Schedule) []schedule.Job {
	return []schedule.Job{{
		Name: name, Schedule: s, Hosts: graph.Hosts(), Class: 3,
		Groups: []workload.Group{firstHalf, secondHalf},
	}}
}

const firstHalf, secondHalf = workload.Incast, workload.Background

// portfcExperts is a mixture of experts on a rail-only network: the high-bandwidth domain of 160
// Gb/s, rails of 100. The paper gives neither sizes nor times of its traffic.
func portfcExperts(figure string, n, tokens int) run.Scenario {
	return run.Scenario{
		Name: "portfc/" + figure, Figure: "PortFC paper, Figure " + figure[3:],
		SampleEvery: 20 * sluice.Microsecond,
		Doc: fmt.Sprintf("NDC(%d,1), layers of 160 and 100 Gb/s: dispatch and combine of %d tokens of "+
			"each node among as many experts, top 2 by Zipf", n, tokens),
		Set: portfcSettings + dcqcn + fmt.Sprintf(",n=%d,host.rate=160Gbps,layer.rate=100Gbps,"+
			"moe.tokens=%d,moe.batches=%d", n, tokens, tokens/64),
		Protocols: []string{"portfc", "pfcstar", "none", "ideal"}, Build: generate.Network, Jobs: experts,
		Variants: []run.Variant{
			{Name: "ate", Set: "ate=true", FC: "portfc"}, {Name: "hash", Set: "ate=false", FC: "portfc"},
			{FC: "pfcstar"}, bound, {Name: "irn", Set: "transport=irn", FC: "none"},
			{Name: "irn ate", Set: "transport=irn,ate=true", FC: "none"},
		},
		Claims: claimExperts,
	}
}

func experts(graph *topo.Graph, seed uint64, v *params.Values) ([]schedule.Job, error) {
	s, err := schedule.MoE(schedule.MoEConfig{
		Seed: seed, Ranks: len(graph.Hosts()),
		Tokens: int(v.Int("moe.tokens")), TokenBytes: v.Bytes("moe.token"),
		TopK: int(v.Int("moe.top")), Skew: int(v.Int("moe.skew")),
		Batches: int(v.Int("moe.batches")), Every: v.Time("moe.every"),
	})
	return onAllNodes(graph, "moe", s), err
}
