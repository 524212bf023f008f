package explore_test

import (
	"flag"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/explore"
	"github.com/sluicefc/sluice/portfc"
	"github.com/stretchr/testify/require"
)

var (
	update = flag.Bool("update", false, "write what was explored into the page")
	only   = flag.String("rows", "", `explore networks of the page: where "protocol/network/faults" begins so`)
	states = flag.Int("states", 1<<28, "states of a network that -update and -rows explore at most")
	budget = flag.Duration("budget", 10*time.Second, "how long -update and -rows explore a network")
)

// row is a network of the page.
type row struct {
	protocol, network, faults string
	at                        *explore.Network
	// deadlock is how a test makes the network, if it is known to have one; empty: it has none.
	deadlock string
}

func (r *row) key() string { return r.protocol + "/" + r.network + "/" + r.faults }

// colliding is BFC whose flows share a queue.
var colliding = protocol{name: "bfc", packets: 1, node: func(s site) (kit.Machine, error) {
	return bfcMachine(bfc.Config{Queues: 1, CountLonePackets: true}, s)
}}

// faulty are what goes wrong in the networks of the page.
var faulty = []struct {
	name    string
	repairs bool // protocols of which papers say that no frame is lost repeat what they say
	faults  explore.Faults
}{
	{"none", false, explore.Faults{}},
	{timePasses, true, explore.Faults{}},
	{"a lost frame", true, explore.Faults{Lost: 1}},
	{"a doubled frame", false, explore.Faults{Doubled: 1}},
	{"a flap", false, explore.Faults{Flaps: []int{1}}},
	{"a restart", false, explore.Faults{Restarts: []int{1}}},
}

// timePasses is no fault: pauses run out, if they are not repeated in time.
const timePasses = "none; time passes"

// rows are the networks that the page tells of.
func rows() (all []row) {
	add := func(protocol, network, deadlock string, make func(repairs bool) *explore.Network) {
		list := faulty
		if strings.HasSuffix(network, ", pressed") || strings.HasSuffix(network, ", little room") {
			list = faulty[:2] // they are large, or much like others
		}
		for _, f := range list {
			n := make(f.repairs)
			n.Faults = f.faults
			if f.name == timePasses {
				if n.Timers = explore.TimersAny; !n.Prompt {
					continue
				}
			}
			if protocol == "pfc" && len(n.Faults.Flaps)+len(n.Faults.Restarts) == 0 {
				leavesNothing(n)
			}
			all = append(all, row{protocol, network, f.name, n, deadlock})
		}
	}
	of := func(p protocol, make func(protocol) *explore.Network) func(repairs bool) *explore.Network {
		return func(repairs bool) *explore.Network {
			p.repairs = repairs
			return make(p)
		}
	}
	for _, p := range protocols {
		deadlock := ""
		if p.name == "pfc" || p.name == "cbfc" {
			deadlock = fmt.Sprintf("circle(protocolOf(%q))", p.name)
		}
		add(p.name, "two switches", "", of(p, pair))
		add(p.name, "a loop of three", deadlock, of(p, circle))
		if p.name == "bfc" {
			add("bfc", "a loop, one queue", "circle(colliding)", of(colliding, circle))
		}
		add(p.name, "a ring of three", "", of(p, ring))
		add(p.name, "a tree, two roots", "", of(p, tree))
		if p.name == "pyrrha" {
			add(p.name, "a tree, little room", "", of(forgetful, tree))
		}
		p.packets = 2
		add(p.name, "two switches, pressed", "", of(p, func(p protocol) *explore.Network {
			return pressed(pair(p), 0, room[p.name]...)
		}))
	}
	for _, t := range []portfc.NDC{{N: 2, K: 1}, {N: 3, K: 1}} {
		add("portfc", t.String(), "", func(repairs bool) *explore.Network {
			return ndc(t, 3, 1, repairs)
		})
	}
	for _, c := range []struct {
		name    string
		senders []int // of the flows of ndc
		most    []int
	}{
		{"NDC(2,1), a neighbour pressed", []int{1}, []int{0, 0, 2, 0}},
		{"NDC(2,1), a relay pressed", []int{0}, []int{0, 2, 3, 0}},
		{"NDC(2,1), pressed", []int{0, 1}, []int{0, 2, 5, 0}},
	} {
		add("portfc", c.name, "", func(repairs bool) *explore.Network {
			n := ndc(portfc.NDC{N: 2, K: 1}, 2, 3, repairs)
			n.Flows = n.Flows[c.senders[0] : c.senders[len(c.senders)-1]+1]
			return pressed(n, 4, c.most...)
		})
	}
	return all
}

// inGate is how long each protocol is explored by the gates, all its networks together.
const inGate = 10 * time.Second

// TestPage explores every network of the page a little, further with SLUICE_DEPTH: what it visits
// whole is what the page says. With -update it writes what it explored into the page.
func TestPage(t *testing.T) {
	all := rows()
	of := map[string]int{}
	for _, row := range all {
		of[row.protocol]++
	}
	p := readPage(t)
	for _, row := range all {
		if !strings.HasPrefix(row.key(), *only) {
			continue
		}
		o := explore.Options{States: depth.Choose(50, 50, 1<<24), Memory: 2 << 30}
		if depth.Now() >= depth.Thorough {
			o.Time = inGate / time.Duration(of[row.protocol])
		}
		if *update || *only != "" {
			o = explore.Options{States: *states, Time: *budget, Memory: 2 << 30}
			runtime.GC()
		}
		begun := processorTime(t)
		r, err := row.at.Explore(o)
		require.NoError(t, err)
		if v := r.Violation; v != nil && (row.deadlock == "" || v.Property != "no deadlock") {
			report := t.Errorf
			if *only != "" {
				report = t.Fatalf
			}
			report("%s, %s, %s: %v", row.protocol, row.network, row.faults, violation(r))
		}
		p.explored(t, &row, r, processorTime(t)-begun)
		if *update && r.Symmetries > 1 && row.faults == "none" {
			o.NoSymmetry = true
			without, err := row.at.Explore(o)
			require.NoError(t, err)
			p.halved(&row, r, without)
		}
	}
	if *update {
		p.write(t, all)
	}
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
