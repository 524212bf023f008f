package ofc

import (
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/generate"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/internal/prng"
)

// Nodes of a copy of Figure 9's network: 16 hosts of each leaf, leaves, spines. Hosts of all copies
// come first, then the leaves and spines copy by copy, then a switch that joins the copies.
const (
	figure9PerLeaf  = 16
	figure9Hosts    = sluice.SwitchID(4 * figure9PerLeaf)
	figure9Switches = 6
)

// figure9Kinds are the leaves between which f_1 to f_4 go.
var figure9Kinds = [4][2]int{{2, 3}, {3, 2}, {0, 1}, {1, 0}}

// figure9 is a copy of the network.
type figure9 struct{ copies, number sluice.SwitchID }

func (c figure9) host(leaf, i int) sluice.SwitchID {
	return c.number*figure9Hosts + sluice.SwitchID(leaf*figure9PerLeaf+i)
}

func (c figure9) leaf(i sluice.SwitchID) sluice.SwitchID {
	return c.copies*figure9Hosts + c.number*figure9Switches + i
}

func (c figure9) spine(i sluice.SwitchID) sluice.SwitchID { return c.leaf(4 + i) }

// figure9Copies returns the copies of the network.
func figure9Copies(v *params.Values) (all []figure9) {
	n := sluice.SwitchID(v.Int("ofc.copies"))
	for i := range n {
		all = append(all, figure9{n, i})
	}
	return all
}

// buildOFC9 has leaves and spines, two failed links, and M flows, whose shares are random: of the
// kinds f_1 to f_4, section IV-A2. Spine 0 has no link to leaf 2, spine 1 none to leaf 3. The
// copies of the network that a run has are joined by a switch over which nothing goes.
func buildOFC9(seed uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
	copies := figure9Copies(v)
	n := sluice.SwitchID(len(copies))
	g := &topo.Graph{
		Name: "OFC Figure 9", Nodes: make([]topo.Node, n*(figure9Hosts+figure9Switches)+1),
	}
	joint := sluice.SwitchID(len(g.Nodes) - 1)
	g.Nodes[joint].Tier, g.Nodes[joint].Rack = 3, -1
	var flows []workload.Flow
	random := prng.New(prng.Mix(seed))
	for _, c := range copies {
		c.connect(g)
		if n > 1 {
			g.Connect(c.leaf(0), joint, ofcLink)
		}
		flows = append(flows, c.flows(&random, int(v.Int("ofc.m")))...)
	}
	if n == 1 {
		g.Nodes = g.Nodes[:joint]
	}
	workload.SortByStart(flows)
	if v.Int("ofc.classes") == 2 {
		for i := 1; i < len(flows); i += 2 {
			flows[i].Class = 5
		}
	}
	return g, flows, nil
}

func (c figure9) connect(g *topo.Graph) {
	for i := range sluice.SwitchID(4) {
		rack := int32(4*c.number + i)
		g.Nodes[c.leaf(i)].Tier, g.Nodes[c.leaf(i)].Rack = 1, rack
		for host := range figure9PerLeaf {
			g.Nodes[c.host(int(i), host)].Rack = rack
			g.Connect(c.host(int(i), host), c.leaf(i), ofcLink)
		}
	}
	for i := range sluice.SwitchID(2) {
		g.Nodes[c.spine(i)].Tier, g.Nodes[c.spine(i)].Rack = 2, -1
		for leaf := range sluice.SwitchID(4) {
			if leaf != 2+i {
				g.Connect(c.leaf(leaf), c.spine(i), ofcLink)
			}
		}
	}
}

// flows returns m flows, cut into the four kinds at random.
func (c figure9) flows(random *prng.Source, m int) []workload.Flow {
	cuts := []int{0, m}
	for range 3 {
		cuts = append(cuts, int(random.Below(uint64(m+1))))
	}
	slices.Sort(cuts)
	host := func(leaf int) sluice.SwitchID {
		return c.host(leaf, int(random.Below(figure9PerLeaf)))
	}
	flows := make([]workload.Flow, 0, m)
	for kind, ends := range figure9Kinds {
		for range cuts[kind+1] - cuts[kind] {
			src, dst := host(ends[0]), host(ends[1])
			start := sluice.Time(random.Below(uint64(500 * sluice.Microsecond)))
			flows = append(flows, generate.Flow(src, dst, 30*sluice.KB, start, workload.Incast))
		}
	}
	return flows
}

// routesOFC9 form the circle: f_1 over leaf 2, spine 1, leaf 0, spine 0, leaf 3; f_2 over leaf 3,
// spine 0, leaf 1, spine 1, leaf 2; f_3 over leaf 0, spine 0, leaf 1; f_4 over leaf 1, spine 1,
// leaf 0.
func routesOFC9(g *topo.Graph, v *params.Values) (routes []fabric.Route) {
	for _, c := range figure9Copies(v) {
		via := func(at, next sluice.SwitchID, leaf int) {
			port, _ := g.PortTo(at, next)
			for i := range figure9PerLeaf {
				routes = append(routes,
					fabric.Route{At: at, Host: c.host(leaf, i), Ports: []sluice.PortID{port}})
			}
		}
		via(c.spine(1), c.leaf(0), 3)
		via(c.spine(0), c.leaf(1), 2)
		via(c.leaf(0), c.spine(0), 1)
		via(c.leaf(1), c.spine(1), 0)
	}
	return routes
}

// deadlocks measures in how many of a run's networks flows never complete, in per cent, if the run
// ended in a deadlock. GFC proper never does: its flows there go on, if next to not at all.
func deadlocks(o *run.Outcome) run.Measured {
	stuck := map[sluice.SwitchID]bool{}
	if o.Result.Deadlock != "" {
		for i := range o.Result.Flows {
			if f := &o.Result.Flows[i]; f.FCT == sluice.Never {
				stuck[f.Src/figure9Hosts] = true
			}
		}
	}
	return run.Number(100 * float64(len(stuck)) / float64(o.Subject.Values.Int("ofc.copies")))
}
