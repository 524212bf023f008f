package main

import (
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/topo/byname"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// pyrrhaLibrary follows the Pyrrha paper.
var pyrrhaLibrary = &library{scenarios: slices.Concat(paperScenarios, pyrrhaControlScenarios)}

// paperScenarios follow figures of papers, with the papers' parameters.
var paperScenarios = []scenario{
	{
		name: "pyrrha/fig2", figure: "Pyrrha paper, Figure 2", sampleEvery: 5 * sluice.Microsecond,
		doc: "720-to-1 incast of 4 bandwidth-delay products a flow amid web-server traffic " +
			"between racks at load 0.8",
		set:       "locality=other-racks,duration=12ms,incast.min=149,incast.max=199,pfc.alpha=2",
		protocols: []string{"pfc", "bfc-pyrrha", "bfc", "pyrrha", "ideal"}, build: buildGenerated,
		claims: claimCollapse(map[string][2]string{
			"pfc": {"", "1 to 4"}, "bfc-pyrrha": {"2 to 12", "2 to 12"},
		}),
	},
	{
		name: "pyrrha/fig7", figure: "Pyrrha paper, Figure 7", sampleEvery: 20 * sluice.Microsecond,
		doc: "fat-tree of 12-port switches: (m-1) of m hosts send, each 40 flows of one " +
			"bandwidth-delay product to one of the others",
		set: "buffer=1GiB", protocols: []string{"pyrrha", "pyrrha-single"}, build: buildFigure7,
		claims: claimIQs,
	},
	{
		name: "pyrrha/fig10", figure: "Pyrrha paper, Figure 10", sampleEvery: 5 * sluice.Microsecond,
		doc: "three ToRs, two cores: S1 and S2 send to R1, VS to VR beside it; they start at " +
			"100, 400 and 700 us for the paper's 1, 4 and 7 s",
		set:       "buffer=300KiB", // so that PFC's thresholds are met within the shortened time
		protocols: []string{"pfc", "bfc", "pyrrha", "pyrrha-single", "ideal"}, build: buildFigure10,
		routes: routesFigure10, claims: claimThroughput,
	},
	figure14("memcached", "1/20"), // with 4/5 it has 8.6 million flows per millisecond
	figure14("webserver", "4/5"),
	figure14("websearch", "4/5"),
	{
		name: "pyrrha/fig15", figure: "Pyrrha paper, Figure 15", sampleEvery: 5 * sluice.Microsecond,
		doc: "1,024 hosts, fat-tree of 16-port switches: 720-to-1 incast amid web-server traffic at " +
			"load 0.8",
		build: buildGenerated, protocols: []string{"pfc", "bfc-pyrrha", "pyrrha"},
		set:    "topology=fat-tree,k=16,fabric.rate=100Gbps,locality=other-racks,duration=400us,pfc.alpha=2",
		claims: claimIsolation,
	},
	{
		name: "pyrrha/merge", figure: "Pyrrha paper, Figure 5", sampleEvery: 2 * sluice.Microsecond,
		doc: "two racks send to the hosts of a third through one spine, whose port becomes a " +
			"root; then all to one host, and the root moves there",
		protocols: []string{"pyrrha", "pyrrha-single"}, build: buildMerge,
	},
	{
		name: "pyrrha/host", figure: "Pyrrha paper, section IV-D", sampleEvery: 5 * sluice.Microsecond,
		doc: "the first host takes a tenth of what its link brings: eight hosts of other racks " +
			"send to it, and to its neighbours",
		set:       "racks=3,hosts=8,spines=2,drain=1/10",
		protocols: []string{"pfc", "pyrrha", "pyrrha-single"}, build: buildSlowHost, claims: claimHost,
	},
	{
		name: "pyrrha/legacy", figure: "Pyrrha paper, section IV-E", sampleEvery: 5 * sluice.Microsecond,
		doc:       "one of four spines speaks PFC only: 720-to-1 incast amid web-server traffic",
		set:       "locality=other-racks,duration=200us,legacy=spines,legacy.count=1",
		protocols: []string{"pfc", "pyrrha+pfc", "pyrrha"}, build: buildGenerated,
	},
	{
		name: "pyrrha/loop", figure: "Pyrrha paper, Figure 12", sampleEvery: 5 * sluice.Microsecond,
		doc: "one flow's routes form a loop over three switches, which others cross, one while it " +
			"fills and one 9 ms later",
		set: "window=1GB,buffer=2MiB", protocols: []string{"pfc", "bfc", "pyrrha"}, build: buildLoop,
		routes: routesLoop,
	},
	{
		name: "pyrrha/ring", figure: "Pyrrha paper, Figure 13", sampleEvery: 20 * sluice.Microsecond,
		doc: "flows of three switches, each two links clockwise: their buffers depend on one another " +
			"in a circle",
		set: "window=1GB,buffer=2MiB", protocols: []string{
			"pfc", "bfc", "bfc-ideal", "pyrrha", "pyrrha-single",
		}, build: buildRing, routes: routesRing,
	},
	{
		name: "pyrrha/ring-collision", figure: "Pyrrha paper, Figure 13(b)",
		sampleEvery: 20 * sluice.Microsecond,
		doc:         "the same with all flows hashed into one queue: the worst case of BFC",
		set:         "window=1GB,buffer=2MiB,bfc.queues=2,bfc.assignment=hash,bfc.vfids=1",
		protocols:   []string{"bfc", "pyrrha"}, build: buildRing, routes: routesRing,
	},
}

// figure14 is a workload of Pyrrha's Figure 14: "flows following a Poisson arrival process with a
// load of 0.8 and periodic incast flows each composed of 30-40 MTUs with a load of 0.5". That load
// of the incasts is a period of 5.9 ms, so that there are three in 12 ms.
func figure14(traffic, load string) scenario {
	return scenario{
		name: "pyrrha/fig14-" + traffic, figure: "Pyrrha paper, Figure 14",
		sampleEvery: 5 * sluice.Microsecond,
		doc:         "periodic 720-to-1 incasts at load 0.5 amid " + traffic + " traffic at load " + load,
		protocols:   []string{"pfc", "bfc-pyrrha", "bfc", "bfc-128", "pyrrha"},
		set: "workload=" + traffic + ",load=" + load +
			",duration=12ms,incast.load=1/2,locality=other-racks,pfc.alpha=2", build: buildGenerated,
		claims: claimCollapse(map[string][2]string{"pfc": {"", "from 1.5"}}),
	}
}

const paramM = "m"

func buildFigure7(_ uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: 600 * sluice.Nanosecond}
	graph, err := topo.FatTree(topo.FatTreeConfig{K: 12, Link: link})
	if err != nil {
		return nil, nil, err
	}
	rtt := graph.BaseRTT(v.Bytes("payload"))
	bdp := link.Rate.BDP(rtt)
	flows, err := workload.ManyToOne(graph, workload.ManyToOneConfig{
		M: int(v.Int(paramM)), FlowsPerHost: 40, Bytes: bdp, Later: rtt, Class: 3,
	})
	return graph, flows, err
}

// testbed is the network of Figure 10.
func testbed() (*topo.Graph, error) {
	return topo.ThreeToRs(sluice.Link{Rate: 100 * sluice.Gbps, Delay: 600 * sluice.Nanosecond})
}

// Instants of Figure 10, a ten-thousandth of the paper's, and the window in which all three flows
// have settled.
const (
	figure10S1   = 100 * sluice.Microsecond
	figure10S2   = 400 * sluice.Microsecond
	figure10VS   = 700 * sluice.Microsecond
	figure10From = 800 * sluice.Microsecond
	figure10To   = 1000 * sluice.Microsecond
)

func buildFigure10(uint64, *params.Values) (*topo.Graph, []workload.Flow, error) {
	graph, err := testbed()
	if err != nil {
		return nil, nil, err
	}
	const enough = 20 * sluice.MB // for each to send until the window is over
	flow := func(src, dst sluice.SwitchID, start sluice.Time, group workload.Group) workload.Flow {
		return workload.Flow{
			Src: src, Dst: dst, Class: 3, DstPort: 100, Bytes: enough, Start: start, Group: group,
		}
	}
	return graph, []workload.Flow{
		flow(topo.TestbedS1, topo.TestbedR1, figure10S1, workload.Incast),
		flow(topo.TestbedS2, topo.TestbedR1, figure10S2, workload.Incast),
		flow(topo.TestbedVS, topo.TestbedVR, figure10VS, workload.Vulnerable),
	}, nil
}

// routesFigure10 sends S1's flow over the first core, those of S2 and VS over the second: "Flows S2
// -> R1 and VS -> VR share the same port on the core switch".
func routesFigure10(g *topo.Graph, _ *params.Values) []fabric.Route {
	const core1, core2 = 9, 10
	via := func(sender, receiver, core sluice.SwitchID) fabric.Route {
		tor := g.Nodes[sender].Ports[0].Peer
		port, _ := g.PortTo(tor, core)
		return fabric.Route{At: tor, Host: receiver, Ports: []sluice.PortID{port}}
	}
	return []fabric.Route{
		via(topo.TestbedS1, topo.TestbedR1, core1),
		via(topo.TestbedS2, topo.TestbedR1, core2),
		via(topo.TestbedVS, topo.TestbedVR, core2),
	}
}

// buildSlowHost has each host of the second rack send to the first host, and each of the third to
// another host of the first rack.
func buildSlowHost(_ uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
	graph, err := byname.Build(v)
	if err != nil {
		return nil, nil, err
	}
	hosts := graph.Hosts()
	perRack := int(v.Int(byname.Hosts))
	var flows []workload.Flow
	for i := range perRack {
		slow := workload.Flow{
			Src: hosts[perRack+i], Dst: hosts[0], Class: 3, DstPort: 100, Bytes: 100 * sluice.KB,
			Group: workload.Incast,
		}
		beside := workload.Flow{
			Src: hosts[2*perRack+i], Dst: hosts[1+i%(perRack-1)], Class: 3, DstPort: 100, Bytes: sluice.MB,
			Group: workload.Vulnerable,
		}
		flows = append(flows, slow, beside)
	}
	return graph, flows, nil
}

func buildMerge(uint64, *params.Values) (*topo.Graph, []workload.Flow, error) {
	host := sluice.Link{Rate: 100 * sluice.Gbps, Delay: 600 * sluice.Nanosecond}
	up := host
	up.Rate = 400 * sluice.Gbps
	const perRack = 8
	graph, err := topo.LeafSpine(topo.LeafSpineConfig{
		Racks: 3, Spines: 1, HostsPerRack: perRack, HostLink: host, Uplink: up,
	})
	if err != nil {
		return nil, nil, err
	}
	var flows []workload.Flow
	for sender := sluice.SwitchID(perRack); sender < 3*perRack; sender++ {
		flows = append(flows,
			workload.Flow{
				Src: sender, Dst: 1 + sender%(perRack-1), Class: 3, DstPort: 100, Bytes: 200 * sluice.KB,
				Group: workload.Vulnerable,
			},
			workload.Flow{
				Src: sender, Dst: 0, Class: 3, DstPort: 100, Bytes: 100 * sluice.KB,
				Start: 10 * sluice.Microsecond, Group: workload.Incast,
			})
	}
	return graph, flows, nil
}
