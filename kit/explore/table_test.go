package explore_test

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/kit/explore"
	"github.com/sluicefc/sluice/portfc"
	"github.com/stretchr/testify/require"
)

var (
	update = flag.Bool("update", false, "write the page of what was explored")
	only   = flag.String("rows", "", `explore networks of the page: where "protocol/network/faults" begins so`)
	states = flag.Int("states", 1<<28, "states of a network that -update and -rows explore at most")
	budget = flag.Duration("budget", 10*time.Second, "how long -update and -rows explore a network")
)

// row is a network of the page.
type row struct {
	protocol, network, faults string
	at                        *explore.Network
	want                      string // the property that is known to be violated; empty: none
}

// faulty are what goes wrong in the networks of the page.
var faulty = []struct {
	name    string
	repairs bool // protocols of which papers say that no frame is lost repeat what they say
	faults  explore.Faults
}{
	{"none", false, explore.Faults{}},
	{"a lost frame", true, explore.Faults{Lost: 1}},
	{"a doubled frame", false, explore.Faults{Doubled: 1}},
	{"a flap", false, explore.Faults{Flaps: []int{1}}},
	{"a restart", false, explore.Faults{Restarts: []int{1}}},
}

// rows are the networks that the page tells of.
func rows() (all []row) {
	add := func(protocol, network, want string, make func(repairs bool) *explore.Network) {
		for _, f := range faulty {
			n := make(f.repairs)
			n.Faults = f.faults
			all = append(all, row{protocol, network, f.name, n, want})
		}
	}
	for _, p := range protocols {
		deadlock := ""
		if p.name == "pfc" || p.name == "cbfc" {
			deadlock = "no deadlock"
		}
		of := func(make func(protocol) *explore.Network) func(repairs bool) *explore.Network {
			return func(repairs bool) *explore.Network {
				p.repairs = repairs
				return make(p)
			}
		}
		add(p.name, "two switches", "", of(pair))
		add(p.name, "a loop of three", deadlock, of(circle))
		add(p.name, "a ring of three", "", of(ring))
		add(p.name, "a tree, two roots", "", of(tree))
	}
	for _, t := range []portfc.NDC{{N: 2, K: 1}, {N: 3, K: 1}} {
		add("portfc", t.String(), "", func(repairs bool) *explore.Network {
			return ndc(t, 3, 1, repairs)
		})
	}
	return all
}

// inGate is how long each protocol is explored by the gates, all its networks together.
const inGate = 10 * time.Second

// TestPage explores every network of the page a little, further with SLUICE_DEPTH; with -update it
// writes the page.
func TestPage(t *testing.T) {
	all := rows()
	of := map[string]int{}
	for _, row := range all {
		of[row.protocol]++
	}
	var page, ways, halves strings.Builder
	for _, row := range all {
		if !strings.HasPrefix(row.protocol+"/"+row.network+"/"+row.faults, *only) {
			continue
		}
		o := explore.Options{States: depth.Choose(50, 100, 1<<24), Memory: 2 << 30}
		if depth.Now() >= depth.Thorough {
			o.Time = inGate / time.Duration(of[row.protocol])
		}
		if *update || *only != "" {
			o = explore.Options{States: *states, Time: *budget, Memory: 2 << 30}
			runtime.GC()
		}
		r, err := row.at.Explore(o)
		require.NoError(t, err)
		if v := r.Violation; v != nil {
			if v.Property != row.want {
				report := t.Errorf
				if *only != "" {
					report = t.Fatalf
				}
				report("%s, %s, %s: %v", row.protocol, row.network, row.faults, violation(r))
			}
			if row.faults == "none" {
				fmt.Fprintf(&ways, "\n## %s, %s\n\n```\n%s```\n", row.protocol, row.network, v.Timeline())
			}
		}
		fmt.Fprintf(&page, "| %s | %s | %s | %d | %d | %d | %.1f s | %d MB | %s |\n", row.protocol,
			row.network, row.faults, r.States, r.NodeStates, r.Depth, r.Took.Seconds(), r.Memory>>20,
			verdict(r))
		if (*update || *only != "") && r.Symmetries > 1 && row.faults == "none" {
			halve(t, &halves, row, r, o)
		}
	}
	t.Log("\n" + page.String() + symmetries + halves.String())
	if *update {
		mutants, err := os.ReadFile("testdata/mutants.md")
		require.NoError(t, err)
		text := fmt.Sprintf(head, *states, *budget) + page.String() + symmetries + halves.String() +
			ways.String() + string(mutants)
		require.NoError(t, os.WriteFile(pagePath, []byte(text), 0o644))
	}
}

// halve explores a network without its symmetries, and writes what they saved.
func halve(t *testing.T, w *strings.Builder, row row, with explore.Result, o explore.Options) {
	runtime.GC()
	o.NoSymmetry = true
	without, err := row.at.Explore(o)
	require.NoError(t, err)
	fmt.Fprintf(w, "| %s | %s | %d | %d%s | %d%s |\n", row.protocol, row.network, with.Symmetries,
		without.States, unless(without.Whole || without.Violation != nil, ", not all"),
		with.States, unless(with.Whole || with.Violation != nil, ", not all"))
}

func unless(ok bool, text string) string {
	if ok {
		return ""
	}
	return text
}

// verdict says in words what came of a search.
func verdict(r explore.Result) string {
	switch {
	case r.Violation != nil:
		return fmt.Sprintf("%s: violated after %d steps", r.Violation.Property, len(r.Violation.Steps))
	case r.Whole:
		return "holds"
	}
	return fmt.Sprintf("holds for %d steps; %s over", r.Through, strings.ToLower(r.Bound))
}

const pagePath = "../../docs/explored.md"

const head = `<!-- made by TestPage -->
# What was explored

Every order of what can happen in small networks, by package kit/explore, whose documentation says
what may happen and what must hold. Made by
` + "`go test ./kit/explore -run TestPage -update -states %d -budget %v -timeout 0`" + `, on two
cores that some twenty other processes used too, so that times are rough. The networks are those of
its tests. To go further with some, with -states and -budget:
` + "`go test ./kit/explore -run TestPage -v -rows pfc/ -timeout 0`" + `.

Each flow has one packet; buffers hold one or two before they pause. Where a frame is lost, Pyrrha,
PortFC, OFC and BFC are configured to repeat what they say, and PFC's pauses run out. Without that a
lost frame leaves something held for ever: found of Pyrrha after 11 steps, of PFC after 13, of BFC
and OFC after 18. Elsewhere PFC's pauses last until they are taken back, so that a deadlock is for
ever. TCD and PCN mark packets and hold none: they have no network of their own here.

States that a symmetry of the network makes of each other count once. The memory is the largest heap
seen, with what is garbage. What was not visited whole "holds for" so many steps: all states that so
many steps lead to were visited, and the bound that ended the search is named.

With more time OFC's loop, without faults, was visited whole: 4,872,928 states, 46 steps deep, which
took 6.5 minutes and 756 MB, and it holds.

PFC's deadlock in a loop is the one that its papers tell of, and credits have it too. So has BFC if
flows share a queue (TestKnownDeadlocks); here each has its own. The shortest ways to it are below:
a packet is named by flow and number, a place by node and port.

| protocol | network | faults | states | of nodes | steps | time | memory | verdict |
| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | --- |
`

const symmetries = `
## Symmetry

In how many ways networks are like themselves, with what their machines do, and what that saves.
The networks above that are not below are like themselves in one way only.

| protocol | network | ways | states without symmetry | with it |
| --- | --- | ---: | ---: | ---: |
`
