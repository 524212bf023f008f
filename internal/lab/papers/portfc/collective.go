package portfc

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/generate"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Names of the parameters of collective operations.
const (
	paramSync    = "sync.bytes"
	paramTokens  = "moe.tokens"
	paramToken   = "moe.token"
	paramTopK    = "moe.top"
	paramSkew    = "moe.skew"
	paramBatches = "moe.batches"
	paramEvery   = "moe.every"
)

var collectiveParameters = []params.Definition{
	{Name: paramSync, Kind: params.Bytes, Default: "8MB", Min: "1B", Max: "1GB",
		Doc: "scenario portfc/fig15: what each node pushes, and gets back"},
	{Name: paramTokens, Kind: params.Int, Default: "2048", Min: "1", Max: "1000000",
		Doc: "scenarios portfc/fig17, fig18: tokens of each node"},
	{Name: paramToken, Kind: params.Bytes, Default: "7KiB", Min: "1B", Max: "1MiB",
		Doc: "the same: size of a token"},
	{Name: paramTopK, Kind: params.Int, Default: "2", Min: "1", Max: "1024",
		Doc: "the same: experts that a token goes to; every node is one"},
	{Name: paramSkew, Kind: params.Int, Default: "1", Min: "0", Max: "4",
		Doc: "the same: exponent of the Zipf distribution by which experts are chosen"},
	{Name: paramBatches, Kind: params.Int, Default: "32", Min: "1", Max: "1000000",
		Doc: "the same: parts in which the tokens of a node go"},
	{Name: paramEvery, Kind: params.Time, Default: "50us", Max: "1s",
		Doc: "the same: time between two parts"},
}

func parameterServer(graph *topo.Graph, _ uint64, v *params.Values) ([]workload.Flow, error) {
	return workload.ParameterServer(graph, graph.Hosts()[0], v.Bytes(paramSync), 3)
}

// portfcExperts is a mixture of experts on a rail-only network: the high-bandwidth domain of 160
// Gb/s, rails of 100. The paper gives neither sizes nor times of its traffic.
func portfcExperts(figure string, n, tokens int) run.Scenario {
	return run.Scenario{
		Name: "portfc/" + figure, Figure: "PortFC paper, Figure " + figure[3:],
		SampleEvery: 20 * sluice.Microsecond,
		Doc: fmt.Sprintf("NDC(%d,1), layers of 160 and 100 Gb/s: dispatch and combine of %d tokens of "+
			"each node among as many experts, top 2 by Zipf", n, tokens),
		Set: fmt.Sprintf("%s,n=%d,host.rate=160Gbps,layer.rate=100Gbps,%s=%d,%s=%d", portfcSettings+dcqcn, n,
			paramTokens, tokens, paramBatches, tokens/64),
		Protocols: []string{"portfc", "pfcstar", "none", "ideal"}, Build: generate.On(experts),
		Variants: []run.Variant{
			{Name: "ate", Set: "ate=true", FC: "portfc"}, {Name: "hash", Set: "ate=false", FC: "portfc"},
			{FC: "pfcstar"}, bound, {Name: "irn", Set: "transport=irn", FC: "none"},
			{Name: "irn ate", Set: "transport=irn,ate=true", FC: "none"},
		},
		Claims: claimExperts,
	}
}

func experts(graph *topo.Graph, seed uint64, v *params.Values) ([]workload.Flow, error) {
	return workload.MoE(graph, workload.MoEConfig{
		Seed: seed, Tokens: int(v.Int(paramTokens)), TokenBytes: v.Bytes(paramToken),
		TopK: int(v.Int(paramTopK)), Skew: int(v.Int(paramSkew)),
		Batches: int(v.Int(paramBatches)), Every: v.Time(paramEvery), Class: 3,
	})
}
