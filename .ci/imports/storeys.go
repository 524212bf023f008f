package main

import (
	"slices"
	"strings"

	"github.com/sluicefc/sluice/.ci/module"
)

// storey is packages of one level. A package imports packages of storeys below, and of its own.
type storey struct {
	name     string
	packages []string // by path within the module, "" the root; "a/..." is all below a
}

// storeys of the house, from above. Every package is on the first storey that has its path.
var storeys = []storey{
	{"commands and examples", []string{
		"bench", "cmd/...", "examples", "examples/...", "pfc/sonic/cmd/...",
	}},
	{"what visits the laboratory for its networks", []string{
		"kit/conformance", "kit/network", "tofino/cmd/tofinogen", "tofino/internal/samples",
	}},
	{"the laboratory: pages of results", []string{"internal/lab/pages"}},
	{"the laboratory: what runs did", []string{
		"internal/lab/report", "internal/lab/sweep", "internal/lab/view",
	}},
	{"the laboratory: papers", []string{"internal/lab/papers", "internal/lab/papers/..."}},
	{"the laboratory: a run", []string{
		"internal/lab/run", "internal/lab/run/runtest", "internal/lab/draw",
		"internal/lab/draw/drawtest",
	}},
	{"the laboratory: traffic and text", []string{"internal/lab/generate", "internal/lab/show"}},
	{"the laboratory: a network of any protocol", []string{
		"internal/lab/fabric", "internal/lab/fabric/...", "internal/lab/capture",
		"internal/lab/dissector",
	}},
	{"the laboratory: the simulator", []string{"internal/lab/sim"}},
	{"the laboratory: what is simulated", []string{
		"internal/lab/cc", "internal/lab/hol", "internal/lab/probe", "internal/lab/schedule",
		"internal/lab/transport", "internal/lab/workload",
	}},
	{"the laboratory: networks and parameters", []string{
		"internal/lab/params", "internal/lab/topo", "internal/lab/topo/...",
	}},
	{"the Tofino 2", []string{"tofino", "tofino/check", "tofino/replay"}},
	{"the Tofino 2: what is made of a program", []string{"tofino/emit", "tofino/fit"}},
	{"the Tofino 2: programs", []string{"tofino/ir", "tofino/p4"}},
	{"the Tofino 2: its numbers", []string{"tofino/chip"}},
	{"made of machines", []string{
		"internal/testnet", "kit/explore", "kit/hybrid", "kit/strict", "pfc/sonic",
	}},
	{"kit, for embedders", []string{"kit"}},
	{"machines", []string{"bfc", "ofc", "pfc", "portfc", "pyrrha", "tcd/cbfc"}},
	{"ways, queues and detectors", []string{
		"hashpath", "hiq", "pcn", "pfc/qos", "pfc/trigger", "tcd",
	}},
	{"what machines stand on", []string{
		"internal/agenda", "internal/chassis", "internal/check", "internal/marking", "internal/states",
		"internal/timers", "internal/wire",
	}},
	{"the vocabulary", []string{""}},
	{"tools that know nothing of networks", []string{
		"internal/bitset", "internal/depth", "internal/drr", "internal/enum", "internal/fields",
		"internal/golden", "internal/lab/slurm", "internal/prefetch", "internal/prng", "internal/table",
		"internal/tshark", "internal/twin", "tofino/internal/cpp",
	}},
}

// A package has no more lines and files than these without a reason.
const (
	mostLines = 4000
	mostFiles = 30
)

// large are the packages that have more lines or files, each with the reason.
var large = map[string]string{
	"internal/lab/schedule": "readers of files, and what they make of collectives, fill one " +
		"builder, and Ranks read the pieces that it leaves",
	"internal/lab/sim": "hosts, switches, links and parts that threads share are the state " +
		"of one run",
	"pfc": "802.1Qbb, shared buffers, SONiC's watchdog and watermarks are rules of one buffer's " +
		"counters",
	"pfc/sonic": "Update writes what Import reads",
	"tofino":    "five protocols share fields, forwarding and frames",
	"tofino/ir": "the language: nodes, their checks and the machine that runs them know each " +
		"other's fields",
}

// storeyOf returns the number of a package's storey, from above; -1 if it is on none.
func storeyOf(pkg string) int {
	return slices.IndexFunc(storeys, func(s storey) bool {
		return slices.ContainsFunc(s.packages, func(pattern string) bool {
			folder, all := strings.CutSuffix(pattern, "...")
			return pkg == pattern || all && strings.HasPrefix(pkg, folder)
		})
	})
}

// upward says what is wrong with where a package is, and with the imports that lead up from there.
func upward(p module.Package) (refusals []string) {
	from := storeyOf(p.Rel())
	if from < 0 {
		return []string{p.ImportPath + " is on no storey: see storeys in .ci/imports"}
	}
	for _, imported := range p.Imports {
		to := storeyOf(rel(imported))
		if ours(imported) && to >= 0 && to < from {
			refusals = append(refusals, p.ImportPath+" imports "+imported+
				", which is on a storey above: "+storeys[to].name)
		}
	}
	return refusals
}

func ours(path string) bool {
	return path == module.Path || strings.HasPrefix(path, module.Path+"/")
}

func rel(path string) string { return module.Package{ImportPath: path}.Rel() }
