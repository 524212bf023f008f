package hol_test

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/hol"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/prng"
)

// The network of the paper's section VIII: 4 cores, 10 ToRs, 160 hosts, an incast of 720 flows to a
// host that receives no other flow. 1,440 other flows are under way. The victim's port is
// congested. The table has for each protocol the queues of the port that needs most, the queues of
// all ports, and the number of flows that wait for a port that they do not pass.
func ExampleStrategy() {
	link := sluice.Link{Rate: 100 * sluice.Gbps}
	g, err := topo.LeafSpine(topo.LeafSpineConfig{
		Racks: 10, Spines: 4, HostsPerRack: 16, HostLink: link, Uplink: link,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	random := prng.New(1)
	const victim = 0
	var flows []hol.Flow
	for i := range 3 * 720 {
		from := 1 + sluice.SwitchID(random.Below(159))
		to := sluice.SwitchID(victim)
		for i%3 > 0 && (to == victim || to == from) {
			to = 1 + sluice.SwitchID(random.Below(159))
		}
		flows = append(flows, hol.Flow{ID: random.Uint64(), Path: route(g, &random, from, to)})
	}
	port := flows[0].Path[len(flows[0].Path)-1]
	s, err := hol.New(flows, []sluice.Hop{port})
	if err != nil {
		fmt.Println(err)
		return
	}

	fmt.Println("protocol         at a port  in total  blocked")
	for _, p := range []struct {
		name     string
		strategy hol.Strategy
	}{
		{"PFC", hol.PFC}, {"BFC-32", hol.BFCDynamic(32)}, {"BFC-128", hol.BFCDynamic(128)},
		{"per flow", hol.PerFlow},
		{"Pyrrha", hol.PyrrhaHIQ}, {"Pyrrha one tier", hol.PyrrhaSingleTier},
	} {
		a := p.strategy(s)
		most := 0
		for _, port := range s.Ports() {
			most = max(most, a.CountAt(port).InUse)
		}
		blocked := make(map[int]bool)
		for _, w := range a.Blocked() {
			blocked[w.Flow] = true
		}
		fmt.Printf("%-16s %9d %9d %8d\n", p.name, most, a.Total().InUse, len(blocked))
	}
	// Output:
	// protocol         at a port  in total  blocked
	// PFC                      1       399     1428
	// BFC-32                  32      6107      448
	// BFC-128                128      7372       65
	// per flow               720      8220        0
	// Pyrrha                   2       594        0
	// Pyrrha one tier          2       594        0
}

// route picks one of the shortest paths.
func route(g *topo.Graph, random *prng.Source, from, to sluice.SwitchID) []sluice.Hop {
	distances := g.Distances(to)
	var path []sluice.Hop
	for at := from; at != to; {
		ports := g.AppendNextHops(nil, at, distances)
		port := ports[random.Below(uint64(len(ports)))]
		path = append(path, sluice.Hop{Switch: at, Port: port})
		at = g.Nodes[at].Ports[port].Peer
	}
	return path
}

// A simulator that finds nothing moving asks who waits for whom.
func ExampleWaitGraph() {
	a, b := sluice.Hop{Switch: 160, Port: 17}, sluice.Hop{Switch: 171, Port: 3}
	var g hol.WaitGraph
	g.Edge(hol.Node{At: a}, hol.Node{At: b})
	fmt.Println(hol.Describe(g.Stuck()) == "")
	g.Edge(hol.Node{At: b}, hol.Node{At: a})
	fmt.Println(hol.Describe(g.Stuck()))
	// Output:
	// true
	// 160:17 q0 waits for 171:3 q0 waits for 160:17 q0
}
