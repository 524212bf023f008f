// Command imports fails if a core package imports anything that is not on the allow-list: core
// packages have no clock, no I/O and no dependency that an embedder does not expect.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

const module = "github.com/sluicefc/sluice"

// core lists the packages that embedders import, with what each may import beyond allowed.
var core = map[string][]string{
	"":         {"time"}, // for conversions of time.Duration
	"pfc":      nil,
	"bfc":      {module + "/internal/wire"},
	"hiq":      nil,
	"hashpath": {"net/netip", "sync", "sync/atomic", "hash/crc32", "github.com/vmihailenco/go-tinylfu"},
	"pyrrha":   {"io", module + "/internal/wire", module + "/hashpath", module + "/hiq"},
}

var allowed = []string{
	"cmp", "encoding/binary", "errors", "fmt", "iter", "math", "math/bits", "slices", "sort", "strconv", "strings",
	"github.com/cespare/xxhash/v2", "golang.org/x/exp/constraints",
	module, module + "/internal/bitset", module + "/internal/debug", module + "/internal/drr",
	module + "/internal/prng", module + "/internal/timers",
}

func main() {
	failed := false
	for name, more := range core {
		path := strings.TrimSuffix(module+"/"+name, "/")
		out, err := exec.Command("go", "list", "-f", `{{join .Imports "\n"}}`, path).Output()
		if err != nil {
			fmt.Fprintf(os.Stderr, "go list %s: %v\n", path, err)
			os.Exit(1)
		}
		for _, imported := range strings.Fields(string(out)) {
			if !slices.Contains(allowed, imported) && !slices.Contains(more, imported) {
				fmt.Fprintf(os.Stderr, "%s imports %s, which is not on the allow-list\n", path, imported)
				failed = true
			}
		}
	}
	if failed {
		os.Exit(1)
	}
}
