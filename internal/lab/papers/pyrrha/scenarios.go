// Package pyrrha follows the figures of the Pyrrha paper.
package pyrrha

import (
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/generate"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Library follows the Pyrrha paper.
var Library = &run.Library{
	Scenarios: slices.Concat(
		paperScenarios, destinationScenarios, pyrrhaControlScenarios, conferenceScenarios,
	),
	Parameters: conferenceParameters, Notes: notes,
}

// paperScenarios follow figures of papers, with the papers' parameters.
var paperScenarios = []run.Scenario{
	{Name: "pyrrha/fig2", Figure: "Pyrrha paper, Figure 2", SampleEvery: 5 * sluice.Microsecond,
		Doc: "720-to-1 incast of 4 bandwidth-delay products a flow amid web-server traffic " +
			"between racks at load 0.8",
		Set:       "locality=other-racks,duration=12ms,incast.min=149,incast.max=199,pfc.alpha=2",
		Protocols: []string{"pfc", "bfc-pyrrha", "bfc", "pyrrha", "ideal"}, Build: generate.Build,
		Claims: run.Unread(claimCollapse(map[string]map[workload.Group][2]float64{
			"pfc":        {workload.Background: {1, 4}},
			"bfc-pyrrha": {workload.Vulnerable: {2, 12}, workload.Background: {2, 12}},
		}))},
	{Name: "pyrrha/fig7", Figure: "Pyrrha paper, Figure 7", SampleEvery: 20 * sluice.Microsecond,
		Doc: "fat-tree of 12-port switches: (m-1) of m hosts send, each 40 flows of one " +
			"bandwidth-delay product to one of the others",
		Set: "buffer=1GiB", Protocols: []string{"pyrrha", "pyrrha-single"}, Build: buildFigure7,
		Claims: run.Unread(claimIQs)},
	{Name: "pyrrha/fig10", Figure: "Pyrrha paper, Figure 10", SampleEvery: 5 * sluice.Microsecond,
		Doc: "three ToRs, two cores: S1 and S2 send to R1, VS to VR beside it; they start at " +
			"100, 400 and 700 us for the paper's 1, 4 and 7 s",
		Set:       "buffer=300KiB", // so that PFC's thresholds are met within the shortened time
		Protocols: []string{"pfc", "bfc", "pyrrha", "pyrrha-single", "ideal"}, Build: buildFigure10,
		Routes: routesFigure10, Claims: run.Unread(claimThroughput)},
	figure14("memcached", "1/20"), // with 4/5 it has 8.6 million flows per millisecond
	figure14("webserver", "4/5"),
	figure14("websearch", "4/5"),
	{Name: "pyrrha/fig15", Figure: "Pyrrha paper, Figure 15", SampleEvery: 5 * sluice.Microsecond,
		Doc: "1,024 hosts, fat-tree of 16-port switches: 720-to-1 incast amid web-server traffic at " +
			"load 0.8",
		Build: generate.Build, Protocols: []string{"pfc", "bfc-pyrrha", "pyrrha", "ideal"},
		Set:    "topology=fat-tree,k=16,fabric.rate=100Gbps,locality=other-racks,duration=400us,pfc.alpha=2",
		Claims: run.Unread(claimIsolation)},
	{Name: "pyrrha/merge", Figure: "Pyrrha paper, Figure 5", SampleEvery: 2 * sluice.Microsecond,
		Doc: "two racks send to the hosts of a third through one spine, whose port becomes a " +
			"root; then all to one host, and the root moves there",
		Protocols: []string{"pyrrha", "pyrrha-single"}, Build: buildMerge},
	{
		Name: "pyrrha/host", Figure: "Pyrrha paper, section IV-D", SampleEvery: 5 * sluice.Microsecond,
		Doc: "the first host takes a tenth of what its link brings: eight hosts of other racks " +
			"send to it, and to its neighbours",
		Set:       "racks=3,hosts=8,spines=2,drain=1/10",
		Protocols: []string{"pfc", "pyrrha", "pyrrha-single"},
		Build:     generate.On(slowHost), Claims: run.Unread(claimHost),
	},
	{
		Name: "pyrrha/legacy", Figure: "Pyrrha paper, section IV-E", SampleEvery: 5 * sluice.Microsecond,
		Doc:       "one of four spines speaks PFC only: 720-to-1 incast amid web-server traffic",
		Set:       "locality=other-racks,duration=200us,legacy=spines,legacy.count=1",
		Protocols: []string{"pfc", "pyrrha+pfc", "pyrrha"}, Build: generate.Build,
	},
	{Name: "pyrrha/loop", Figure: "Pyrrha paper, Figure 12", SampleEvery: 5 * sluice.Microsecond,
		Doc: "one flow's routes form a loop over three switches, which others cross, one while it " +
			"fills and one 9 ms later",
		Set: "window=1GB,buffer=2MiB", Protocols: []string{"pfc", "bfc", "pyrrha"}, Build: buildLoop,
		Routes: routesLoop},
	{Name: "pyrrha/ring", Figure: "Pyrrha paper, Figure 13", SampleEvery: 20 * sluice.Microsecond,
		Doc: "flows of three switches, each two links clockwise: their buffers depend on one another " +
			"in a circle",
		Set: "window=1GB,buffer=2MiB", Protocols: []string{
			"pfc", "bfc", "bfc-ideal", "pyrrha", "pyrrha-single",
		}, Build: buildRing, Routes: routesRing},
	{Name: "pyrrha/ring-collision", Figure: "Pyrrha paper, Figure 13(b)",
		SampleEvery: 20 * sluice.Microsecond,
		Doc:         "the same with all flows hashed into one queue: the worst case of BFC",
		Set:         "window=1GB,buffer=2MiB,bfc.queues=2,bfc.assignment=hash,bfc.vfids=1",
		Protocols:   []string{"bfc", "pyrrha"}, Build: buildRing, Routes: routesRing},
}

// figure14 is a workload of Pyrrha's Figure 14: "flows following a Poisson arrival process with a
// load of 0.8 and periodic incast flows each composed of 30-40 MTUs with a load of 0.5". That load
// of the incasts is a period of 5.9 ms, so that there are three in 12 ms.
func figure14(traffic, load string) run.Scenario {
	return run.Scenario{
		Name: "pyrrha/fig14-" + traffic, Figure: "Pyrrha paper, Figure 14",
		SampleEvery: 5 * sluice.Microsecond,
		Doc:         "periodic 720-to-1 incasts at load 0.5 amid " + traffic + " traffic at load " + load,
		Protocols:   []string{"pfc", "bfc-pyrrha", "bfc", "bfc-128", "pyrrha", "ideal"},
		Set: "workload=" + traffic + ",load=" + load +
			",duration=12ms,incast.load=1/2,locality=other-racks,pfc.alpha=2", Build: generate.Build,
		Claims: run.Unread(claimCollapse(map[string]map[workload.Group][2]float64{
			"pfc": {workload.Background: {1.5, 0}}, // no end is given
		})),
	}
}

// link is a link of the paper's networks.
var link = sluice.Link{Rate: 100 * sluice.Gbps, Delay: 600 * sluice.Nanosecond}

func buildFigure7(_ uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
	graph, err := topo.FatTree(topo.FatTreeConfig{K: 12, Link: link})
	if err != nil {
		return nil, nil, err
	}
	rtt := graph.BaseRTT(v.Bytes("payload"))
	bdp := link.Rate.BDP(rtt)
	flows, err := workload.ManyToOne(graph, workload.ManyToOneConfig{
		M: int(v.Int("m")), FlowsPerHost: 40, Bytes: bdp, Later: rtt, Class: 3,
	})
	return graph, flows, err
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
	graph, err := topo.ThreeToRs(link)
	const enough = 20 * sluice.MB // for each to send until the window is over
	return graph, []workload.Flow{
		generate.Flow(topo.TestbedS1, topo.TestbedR1, enough, figure10S1, workload.Incast),
		generate.Flow(topo.TestbedS2, topo.TestbedR1, enough, figure10S2, workload.Incast),
		generate.Flow(topo.TestbedVS, topo.TestbedVR, enough, figure10VS, workload.Vulnerable),
	}, err
}

// routesFigure10 sends S1's flow over the first core, S2's and VS's over the second: "Flows S2
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

// slowHost has each host of the second rack send to the first host, and each host of the third rack
// to another host of the first.
func slowHost(
	graph *topo.Graph, _ uint64, v *params.Values,
) (flows []workload.Flow, err error) {
	hosts, perRack := graph.Hosts(), int(v.Int("hosts"))
	for i := range perRack {
		neighbour := hosts[1+i%(perRack-1)]
		flows = append(flows,
			generate.Flow(hosts[perRack+i], hosts[0], 100*sluice.KB, 0, workload.Incast),
			generate.Flow(hosts[2*perRack+i], neighbour, sluice.MB, 0, workload.Vulnerable))
	}
	return flows, nil
}

func buildMerge(uint64, *params.Values) (*topo.Graph, []workload.Flow, error) {
	up := link
	up.Rate = 400 * sluice.Gbps
	const perRack = 8
	graph, err := topo.LeafSpine(topo.LeafSpineConfig{
		Racks: 3, Spines: 1, HostsPerRack: perRack, HostLink: link, Uplink: up,
	})
	var flows []workload.Flow
	for sender := sluice.SwitchID(perRack); sender < 3*perRack; sender++ {
		other := 1 + sender%(perRack-1)
		flows = append(flows,
			generate.Flow(sender, other, 200*sluice.KB, 0, workload.Vulnerable),
			generate.Flow(sender, 0, 100*sluice.KB, 10*sluice.Microsecond, workload.Incast))
	}
	return graph, flows, err
}
