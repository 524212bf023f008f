// Command imports fails if a public package, or a package of this module that a public one depends
// on, imports anything that is not on the allow-list: an embedder gets no clock, no input or output
// and no dependency that it does not expect. A package that is not named here has no exceptions.
//
// It also fails if a package imports one of a storey above its own, or is on none, and if an
// exported declaration of a public package names a type of an internal package. Its test draws the
// storeys in ARCHITECTURE.md.
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/sluicefc/sluice/.ci/module"
)

var allowed = []string{
	"cmp", "encoding/binary", "errors", "fmt", "io", "iter", "maps", "math", "math/bits", "slices",
	"sort",
	"strconv", "strings",
	"github.com/cespare/xxhash/v2", "golang.org/x/exp/constraints",
	module.Path,
	module.Path + "/internal/bitset", module.Path + "/internal/chassis",
	module.Path + "/internal/check",
	module.Path + "/internal/drr", module.Path + "/internal/enum", module.Path + "/internal/fields",
	module.Path + "/internal/marking", module.Path + "/internal/prng",
	module.Path + "/internal/states", module.Path + "/internal/table",
	module.Path + "/internal/timers", module.Path + "/internal/twin",
	module.Path + "/internal/wire",
}

// exceptions lists by package what it may import beyond allowed.
var exceptions = map[string][]string{
	"":                {"time"},           // for conversions of time.Duration
	"internal/agenda": {"container/heap"}, // of tests
	"internal/fields": {"reflect"},
	// Copies of machines, away from hooks.
	"internal/twin": {"reflect", "runtime", "sync", "unsafe"},
	"hashpath":      {"net/netip", "reflect", "sync", "sync/atomic", "hash/crc32"},
	"kit":           {module.Path + "/internal/prefetch"},
	// It asks the processor for addresses ahead of time, and never reads there.
	"internal/prefetch": {"unsafe"},
	"kit/hybrid":        {module.Path + "/kit", module.Path + "/pfc", module.Path + "/pyrrha"},
	"kit/strict":        {module.Path + "/kit"},
	// It searches on all cores, until it is late.
	"kit/explore": {module.Path + "/kit", "runtime", "sync", "time"},
	// The suite is for tests: it draws, prints and measures.
	"kit/conformance": {
		module.Path + "/kit", module.Path + "/internal/depth", module.Path + "/internal/lab/topo",
		module.Path + "/internal/testnet", "pgregory.net/rapid",
		"bytes", "reflect", "runtime", "runtime/debug", "testing",
	},
	"internal/testnet": { // of tests
		module.Path + "/kit", module.Path + "/internal/agenda", "pgregory.net/rapid",
	},
	// The laboratory's simulator, for programs with events of their own.
	"kit/network": {
		module.Path + "/internal/lab/fabric", module.Path + "/internal/lab/params",
		module.Path + "/internal/lab/sim", module.Path + "/internal/lab/topo",
		module.Path + "/internal/lab/workload",
	},
	"internal/depth": {"flag", "os", "os/exec", "runtime/debug", "testing"}, // of tests
	"internal/lab/topo": {
		module.Path + "/internal/lab/topo/textfile", "bufio", "container/heap",
	},
	"internal/lab/topo/textfile": {"bufio"},
	"pcn":                        {"hash/crc32", "net/netip"},
	"pfc":                        {module.Path + "/pfc/qos", module.Path + "/pfc/trigger"},
	"pfc/sonic": {
		module.Path + "/pfc", module.Path + "/pfc/qos", module.Path + "/pfc/trigger", "bufio", "bytes",
		"encoding/hex", "encoding/json",
		"embed", "sync", // the table of chips, read once
		"reflect", // what Update wrote, read again
	},
	"portfc": {"net/netip"},
	"tofino": {
		module.Path + "/bfc", module.Path + "/hashpath", module.Path + "/hiq", module.Path + "/ofc",
		module.Path + "/pfc", module.Path + "/pfc/trigger", module.Path + "/portfc",
		module.Path + "/pyrrha", module.Path + "/tofino/chip", module.Path + "/tofino/fit",
		module.Path + "/tofino/ir", module.Path + "/tofino/p4", "embed", "io/fs", "net/netip",
	},
	"tofino/check": {
		module.Path + "/bfc", module.Path + "/ofc", module.Path + "/portfc", module.Path + "/pyrrha",
		module.Path + "/tofino/ir", module.Path + "/tofino/p4", "bytes", "embed",
		"encoding/json", "io/fs", "math/big", "os", "path", "sync",
		"google.golang.org/protobuf/encoding/protowire",
	},
	"tofino/emit": {
		module.Path + "/tofino/chip", module.Path + "/tofino/ir", "bytes", "embed", "encoding/json",
		"google.golang.org/protobuf/encoding/protowire",
	},
	"tofino/replay": {
		module.Path + "/bfc", module.Path + "/hashpath", module.Path + "/hiq", module.Path + "/kit",
		module.Path + "/ofc", module.Path + "/portfc", module.Path + "/pyrrha", module.Path + "/tofino",
		module.Path + "/tofino/chip", module.Path + "/tofino/ir", "bytes", "hash/crc32", "net/netip",
	},
	"tofino/fit": {module.Path + "/tofino/chip", module.Path + "/tofino/ir", "text/tabwriter"},
	"tofino/ir":  {module.Path + "/tofino/chip"},
	"tofino/p4": {
		module.Path + "/tofino/internal/cpp", module.Path + "/tofino/ir", "io/fs", "math/big",
	},
	"tofino/internal/cpp": {"io/fs", "regexp"},
	"pyrrha":              {module.Path + "/hashpath", module.Path + "/hiq"},
}

// visitors use the laboratory, whose packages import what they like.
var visitors = []string{"kit/network"}

func main() {
	failed := false
	for _, gate := range []func(dir string) ([]string, error){check, hidden} {
		refusals, err := gate(".")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		for _, refusal := range refusals {
			fmt.Fprintln(os.Stderr, refusal)
		}
		failed = failed || len(refusals) > 0
	}
	if failed {
		os.Exit(1)
	}
}

// check returns one line per import that the public packages of the module in dir, and the packages
// of it that they depend on, may not have.
func check(dir string) (refusals []string, err error) {
	packages, err := module.List(dir)
	if err != nil {
		return nil, err
	}
	byPath := map[string]module.Package{}
	var queue []string
	for _, p := range packages {
		byPath[p.ImportPath] = p
		refusals = append(refusals, upward(p)...)
		if p.Public() {
			queue = append(queue, p.ImportPath)
		}
	}
	seen := map[string]bool{}
	for len(queue) > 0 {
		p, known := byPath[queue[0]]
		queue = queue[1:]
		if !known || seen[p.ImportPath] {
			continue
		}
		seen[p.ImportPath] = true
		for _, imported := range p.Imports {
			more := exceptions[p.Rel()]
			if !slices.Contains(allowed, imported) && !slices.Contains(more, imported) {
				refusals = append(refusals, p.ImportPath+" imports "+imported+
					", which is not on the allow-list")
			}
			laboratory := slices.Contains(visitors, p.Rel()) &&
				strings.HasPrefix(imported, module.Path+"/internal/lab/")
			if ours(imported) && !laboratory {
				queue = append(queue, imported)
			}
		}
	}
	return refusals, nil
}
