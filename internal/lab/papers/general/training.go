package general

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/generate"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/schedule"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/internal/prng"
)

// Jobs that train a model, on some of the hosts of a network, and what goes on among the others: a
// storage incast, a second job, or nothing. Hosts are drawn by the seed. Public models give the
// sizes; how long a rank computes is chosen, and a parameter.
var trainingScenarios = []run.Scenario{
	training("data-parallel", "32 hosts sum the gradients of a ResNet-50 (25.6 million of 2 bytes), "+
		"in buckets of 25 MB as PyTorch's DistributedDataParallel does, over rings",
		"training.bytes=51MB,training.parts=2,training.compute=2ms", dataParallel),
	training("experts", "a layer of a mixture of experts on 32 hosts: 512 tokens of each, of 7 KiB, go "+
		"to the experts of 8 hosts, and back (sizes of DeepSeek-V3)",
		"moe.tokens=512,moe.top=8,moe.skew=0,moe.batches=1", mixtureOfExperts),
	training("pipeline", "a pipeline of 4 stages of 8 hosts each: 8 parts of the samples, activations of "+
		"GPT-3 (2,048 tokens of 24 KiB, an eighth of which each host passes on)",
		"training.bytes=6MiB,training.parts=8,training.compute=1ms", pipeline),
}

var trainingParameters = []params.Definition{
	{Name: "training.ranks", Kind: params.Int, Default: "32", Min: "2", Max: "100000",
		Doc: "scenarios training: hosts of a job; of a pipeline, whole stages of 8"},
	{Name: "training.iterations", Kind: params.Int, Default: "1", Min: "1", Max: "1000",
		Doc: "scenarios training: iterations of a job"},
	{Name: "training.bytes", Kind: params.Bytes, Default: "51MB", Min: "1KB", Max: "1000GB",
		Doc: "scenarios training/data-parallel, pipeline: all gradients; what a host passes on of a " +
			"part of the samples"},
	{Name: "training.parts", Kind: params.Int, Default: "2", Min: "1", Max: "4096",
		Doc: "scenarios training/data-parallel, pipeline: buckets of gradients; parts of the samples"},
	{Name: "training.compute", Kind: params.Time, Default: "2ms", Max: "10s",
		Doc: "scenarios training/data-parallel, pipeline: how long a host computes in an iteration, a " +
			"third of it forward; how long forward on a part, half as long as backward"},
	{Name: "training.beside", Kind: params.Choice, Default: "incast",
		Choices: []string{"incast", "job", "nothing"},
		Doc: "scenarios training: what the other hosts do: the traffic of the parameters incast, load " +
			"and so on, the same job, or nothing"},
}

// trainingSettings are a fat-tree of 128 hosts, or 1,024 with k=16, and incasts of 256 flows
// of 128 KiB that fill nine tenths of the link of each of 4 hosts for 30 ms.
const trainingSettings = "topology=fat-tree,k=8,fabric.rate=100Gbps,payload=4096,buffer=4MiB," +
	"load=0,incast.degree=256,incast.roots=4,incast.load=9/10,incast.min=32,incast.max=32,duration=30ms,"

func training(
	name, doc, set string, make func(seed uint64, v *params.Values) (*schedule.Schedule, error),
) run.Scenario {
	return run.Scenario{
		Name: "training/" + name, SampleEvery: 50 * sluice.Microsecond, Doc: doc,
		Set: trainingSettings + set, Build: generate.On(besideTraining),
		Jobs: func(g *topo.Graph, seed uint64, v *params.Values) ([]schedule.Job, error) {
			return trainingJobs(g, seed, v, name, make)
		},
		Protocols: []string{"pfc", "bfc", "ofc", "pyrrha"},
		Variants: []run.Variant{
			{Name: alone, Set: "training.beside=nothing"}, {Set: "training.beside=incast"},
			{Name: "dcqcn", Set: "training.beside=incast,cc=dcqcn"},
			{Name: "hpcc", Set: "training.beside=incast,cc=hpcc"},
			{Name: "job", Set: "training.beside=job"},
		},
		Claims: claimTraining,
	}
}

// alone is the variant in which a job has the network to itself.
const alone = "alone"

// claimTraining compares iterations with the iterations of a job alone, under the same protocol.
func claimTraining(*run.Subject) []run.Claim {
	return []run.Claim{run.Beside(
		run.Measurement{What: "mean iteration of the job", Unit: "us", Value: iteration},
		run.Measurement{What: "mean iteration of the job", Relation: run.Times, Of: others(),
			Against: []string{alone}, Alike: func(o *run.Outcome) string { return o.Run },
			Value: iteration},
	)}
}

func others() (names []string) {
	for _, s := range []string{"pfc", "bfc", "ofc", "pyrrha"} {
		for _, v := range []string{"", " dcqcn", " hpcc", " job"} {
			names = append(names, s+v)
		}
	}
	return names
}

// iteration measures the mean iteration of the first job.
func iteration(o *run.Outcome) run.Measured {
	if len(o.Result.Jobs) == 0 {
		return run.None()
	}
	job := &o.Result.Jobs[0]
	end := job.Ends[len(job.Ends)-1]
	if end == sluice.Never {
		return run.None()
	}
	return run.Number((end - job.Start).Microseconds() / float64(len(job.Ends)))
}

// split deals out the hosts of a network: to the ranks of a job, and the others.
func split(
	g *topo.Graph, seed uint64, v *params.Values,
) (ranks, others []sluice.SwitchID, err error) {
	hosts, n := g.Hosts(), int(v.Int("training.ranks"))
	if len(hosts) < n {
		return nil, nil, fmt.Errorf("parameter training.ranks=%d: the network has %d hosts", n, len(hosts))
	}
	random := prng.New(prng.Mix(seed))
	prng.Shuffle(&random, hosts)
	return hosts[:n], hosts[n:], nil
}

func besideTraining(g *topo.Graph, seed uint64, v *params.Values) ([]workload.Flow, error) {
	_, others, err := split(g, seed, v)
	if err != nil || v.String("training.beside") != "incast" || len(others) < 2 {
		return nil, err
	}
	return generate.Between(generate.Ends{Graph: g, From: others, To: others}, seed, v)
}

func trainingJobs(
	g *topo.Graph, seed uint64, v *params.Values, name string,
	make func(seed uint64, v *params.Values) (*schedule.Schedule, error),
) (jobs []schedule.Job, err error) {
	ranks, others, err := split(g, seed, v)
	if err != nil {
		return nil, err
	}
	s, err := make(seed, v)
	if err != nil {
		return nil, fmt.Errorf("parameters training: %w", err)
	}
	add := func(name string, hosts []sluice.SwitchID, group workload.Group) {
		jobs = append(jobs, schedule.Job{
			Name: name, Schedule: s, Hosts: hosts, Repeat: int(v.Int("training.iterations")),
			Groups: []workload.Group{group},
		})
	}
	add(name, ranks, workload.Vulnerable)
	if v.String("training.beside") == "job" {
		if len(others) < len(ranks) {
			return nil, fmt.Errorf("parameter training.beside=job: %d hosts are left for %d ranks",
				len(others), len(ranks))
		}
		add("beside", others[:len(ranks)], workload.Background)
	}
	return jobs, nil
}

func dataParallel(_ uint64, v *params.Values) (*schedule.Schedule, error) {
	return schedule.DataParallel(schedule.DataParallelConfig{
		Ranks: int(v.Int("training.ranks")), Bytes: v.Bytes("training.bytes"),
		Buckets: int(v.Int("training.parts")), Compute: v.Time("training.compute"),
	})
}

// pipelineWidth is how many hosts a stage has.
const pipelineWidth = 8

func pipeline(_ uint64, v *params.Values) (*schedule.Schedule, error) {
	ranks := int(v.Int("training.ranks"))
	if ranks%pipelineWidth != 0 {
		return nil, fmt.Errorf("parameter training.ranks=%d: must be a multiple of %d", ranks,
			pipelineWidth)
	}
	return schedule.Pipeline(schedule.PipelineConfig{
		Stages: ranks / pipelineWidth, Width: pipelineWidth, Bytes: v.Bytes("training.bytes"),
		Batches: int(v.Int("training.parts")), Compute: v.Time("training.compute"),
	})
}

func mixtureOfExperts(seed uint64, v *params.Values) (*schedule.Schedule, error) {
	return schedule.MoE(schedule.MoEConfig{
		Seed: seed, Ranks: int(v.Int("training.ranks")), Tokens: int(v.Int("moe.tokens")),
		TokenBytes: v.Bytes("moe.token"), TopK: int(v.Int("moe.top")), Skew: int(v.Int("moe.skew")),
		Batches: int(v.Int("moe.batches")), Every: v.Time("moe.every"),
	})
}
