package explore_test

import (
	"flag"
	"fmt"
	"os"
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
	budget = flag.Duration("budget", 60*time.Second, "how long each network of the page is explored")
)

// row is a network of the page.
type row struct {
	protocol, network, faults string
	make                      func() *explore.Network
	want                      string // the property that is known to be violated; empty: none
}

// rows are the networks that the page tells of.
func rows() (all []row) {
	add := func(protocol, network string, make func() *explore.Network, want string) {
		all = append(all, row{protocol, network, "none", make, want})
		all = append(all, row{protocol, network, "a link flaps", func() *explore.Network {
			n := make()
			n.Faults.Flaps = []int{1}
			return n
		}, want}, row{protocol, network, "a node starts anew", func() *explore.Network {
			n := make()
			n.Faults.Restarts = []int{1}
			return n
		}, want})
	}
	for _, p := range protocols {
		deadlock := ""
		if p.name == "pfc" {
			deadlock = "no deadlock"
		}
		add(p.name, "a circle of three", func() *explore.Network { return circle(p, 1) }, deadlock)
		add(p.name, "two switches", func() *explore.Network { return pair(p, 1) }, "")
		add(p.name, "a tree with two roots", func() *explore.Network { return tree(p, 1) }, "")
	}
	for _, t := range []portfc.NDC{{N: 2, K: 1}, {N: 3, K: 1}} {
		add("portfc", t.String(), func() *explore.Network { return ndc(t, 2) }, "")
	}
	return all
}

// TestPage explores every network of the page a little, further with SLUICE_DEPTH; with -update it
// writes the page.
func TestPage(t *testing.T) {
	var page, ways strings.Builder
	for _, row := range rows() {
		o := explore.Options{States: depth.Choose(200, 500, 50_000)}
		if *update {
			o = explore.Options{States: 1 << 24, Time: *budget}
		}
		r, err := row.make().Explore(o)
		require.NoError(t, err)
		verdict := "holds as far as visited"
		if r.Whole {
			verdict = "holds"
		}
		if r.Violation != nil {
			v := r.Violation
			verdict = fmt.Sprintf("%s: violated after %d steps", v.Property, len(v.Steps))
			fmt.Fprintf(&ways, "\n## %s, %s, faults: %s\n\n```\n%s```\n", row.protocol, row.network,
				row.faults, v.Timeline())
			if r.Violation.Property != row.want {
				t.Errorf("%s, %s, %s: %v", row.protocol, row.network, row.faults, violation(r))
			}
		}
		fmt.Fprintf(&page, "| %s | %s | %s | %d | %d | %d | %.1f s | %s |\n", row.protocol, row.network,
			row.faults, r.States, r.NodeStates, r.Depth, r.Took.Seconds(), verdict)
	}
	t.Log("\n" + page.String())
	if *update {
		text := fmt.Sprintf(head, *budget) + page.String() + ways.String()
		require.NoError(t, os.WriteFile("../../docs/explored.md", []byte(text), 0o644))
	}
}

const head = `<!-- made by TestPage -->
# What was explored

Every order of what can happen in small networks, by package kit/explore, whose documentation says
what may happen and what must hold. Made by
` + "`go test ./kit/explore -run TestPage -update -budget %v -timeout 0`" + `; the networks are those of
its tests. Each sender has one packet, on NDC two; buffers hold one or two before they pause. A
network that was not visited whole "holds as far as visited". Below the table is the shortest way to
each violation: a packet is named by flow and number, a place by node and port.

PFC's deadlock in a circle is the one that its papers tell of. BFC has it too if flows share a queue
(TestKnownDeadlocks); here each has its own.

| protocol | network | faults | states | of nodes | steps | time | verdict |
| --- | --- | --- | ---: | ---: | ---: | ---: | --- |
`
