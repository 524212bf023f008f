// Package pyrrha follows the figures of the Pyrrha paper.
package pyrrha

import (
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/generate"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Library follows the Pyrrha paper.
var Library = &run.Library{
	Scenarios: slices.Concat(
		paperScenarios, destinationScenarios, pyrrhaControlScenarios, conferenceScenarios,
	),
	Parameters: slices.Concat(figure7Parameters, moeParameters),
	Notes:      notes, Panels: panels, Messages: messages, Untested: untested,
}

// paperScenarios follow figures of papers, with the papers' parameters.
var paperScenarios = []run.Scenario{
	{Name: "pyrrha/fig2", Figure: "Pyrrha paper, Figure 2", SampleEvery: 5 * sluice.Microsecond,
		Doc: "720-to-1 incast of 4 bandwidth-delay products a flow amid web-server traffic " +
			"between racks at load 0.8",
		Set:       "locality=other-racks,duration=12ms,incast.min=149,incast.max=199,pfc.alpha=2",
		Protocols: []string{"pfc", "bfc-pyrrha", "bfc", "pyrrha", "ideal"}, Build: generate.Build,
		Claims: claimCollapse},
	{Name: "pyrrha/fig7", Figure: "Pyrrha paper, Figure 7", SampleEvery: 20 * sluice.Microsecond,
		Doc: "fat-tree of 12-port switches: hosts of m-1 of m racks send to hosts of the others, each " +
			"40 flows of one bandwidth-delay product, one after another",
		Protocols: []string{"pyrrha", "pyrrha-single"}, Build: buildFigure7, Claims: claimIQs,
		Variants: []run.Variant{
			{Name: "m=2", Set: "m=2"}, {Name: "m=3", Set: "m=3"}, {Name: "m=4", Set: "m=4"},
			{Name: "m=6", Set: "m=6"},
		}},
	{Name: "pyrrha/fig10", Figure: "Pyrrha paper, Figure 10", SampleEvery: 5 * sluice.Microsecond,
		Doc: "three ToRs, two cores: S1 and S2 send to R1, VS to VR beside it; they start at " +
			"100, 400 and 700 us for the paper's 1, 4 and 7 s",
		Set:       "buffer=300KiB", // so that PFC's thresholds are met within the shortened time
		Protocols: []string{"pfc", "bfc", "pyrrha", "pyrrha-single", "ideal"}, Build: buildFigure10,
		Routes: routesFigure10, Claims: claimThroughput},
	figure9("webserver"), figure9("websearch"),
	figure14("memcached", "1/20", claimFigure14), // 4/5 is 8.6 million flows per millisecond
	figure14("webserver", "4/5", claimFigure14),
	figure14("websearch", "4/5", claimWebSearch),
	{Name: "pyrrha/fig14f", Figure: "Pyrrha paper, Figure 14(f)", SampleEvery: 5 * sluice.Microsecond,
		Doc: "the first 3 ms of pyrrha/fig14-webserver, with one incast: background flows over time " +
			"under PFC, with its alpha as in the text and as in the authors' ns-3; what the incast takes",
		Protocols: []string{"pfc", "bfc-pyrrha", "bfc-128", "pyrrha"},
		Set:       figure14Set("webserver", "4/5", "3ms"), Build: generate.Build, Claims: claimStart,
		Variants: []run.Variant{
			{FC: "pfc", Name: "alpha 2", Set: "pfc.alpha=2"},
			{FC: "pfc", Name: "alpha 1/4", Set: "pfc.alpha=1/4"},
		}},
	{Name: "pyrrha/fig15", Figure: "Pyrrha paper, Figure 15", SampleEvery: 5 * sluice.Microsecond,
		Doc: "1,024 hosts, fat-tree of 16-port switches: 720-to-1 incast amid web-server traffic at " +
			"load 0.8",
		Build: generate.Build, Protocols: []string{"pfc", "bfc-pyrrha", "pyrrha", "ideal"},
		Set:    "topology=fat-tree,k=16,fabric.rate=100Gbps,locality=other-racks,duration=400us,pfc.alpha=2",
		Claims: claimSummary},
	{Name: "pyrrha/hops", Figure: "Pyrrha paper, section VIII, Metrics",
		SampleEvery: 5 * sluice.Microsecond,
		Doc:         "720-to-1 incast amid web-server traffic: the longest queue of each hop",
		Set:         conferenceTraffic, Protocols: []string{"pfc", "pyrrha"}, Build: generate.Build,
		Watch: watchHops, Claims: claimHops},
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
		Build:     generate.On(slowHost), Claims: claimHost,
	},
	{
		Name: "pyrrha/legacy", Figure: "Pyrrha paper, section IV-E", SampleEvery: 5 * sluice.Microsecond,
		Doc:       "one of four spines speaks PFC only: 720-to-1 incast amid web-server traffic",
		Set:       "locality=other-racks,duration=200us,legacy=spines,legacy.count=1",
		Protocols: []string{"pfc", "pyrrha+pfc", "pyrrha"}, Build: generate.Build, Claims: claimLegacy,
	},
	{Name: "pyrrha/loop", Figure: "Pyrrha paper, Figure 12", SampleEvery: 5 * sluice.Microsecond,
		Doc: "one flow's routes form a loop over three switches, which others cross, one while it " +
			"fills and one 9 ms later",
		Set: "window=1GB,buffer=2MiB", Protocols: []string{"pfc", "bfc", "pyrrha"}, Build: buildLoop,
		Routes: routesLoop, Claims: claimDeadlock(
			"a flow whose route is a loop has PFC and BFC deadlock, and not Pyrrha", loop, "pfc", "bfc")},
	{Name: "pyrrha/ring", Figure: "Pyrrha paper, Figure 13", SampleEvery: 20 * sluice.Microsecond,
		Doc: "flows of three switches, each two links clockwise: their buffers depend on one another " +
			"in a circle",
		Set: "window=1GB,buffer=2MiB", Protocols: []string{
			"pfc", "bfc", "bfc-ideal", "pyrrha", "pyrrha-single",
		}, Build: buildRing, Routes: routesRing, Claims: claimDeadlock(
			"flows whose routes together are a loop have PFC deadlock, and not Pyrrha", ring, "pfc")},
	{Name: "pyrrha/ring-collision", Figure: "Pyrrha paper, Figure 13(b)",
		SampleEvery: 20 * sluice.Microsecond,
		Doc:         "the same with all flows hashed into one queue: the worst case of BFC",
		Set:         "window=1GB,buffer=2MiB,bfc.queues=2,bfc.assignment=hash,bfc.vfids=1",
		Protocols:   []string{"bfc", "pyrrha"}, Build: buildRing, Routes: routesRing,
		Claims: claimDeadlock("flows whose routes together are a loop have BFC deadlock if they are "+
			"hashed to one queue, and not Pyrrha", collision, "bfc")},
}

// Places of what the paper says of deadlock.
const (
	loop      = "section VII; Figure 12"
	ring      = "section VII; Figure 13(a), (c)"
	collision = "section VII; Figure 13(b)"
)

// figure14 is a workload of Pyrrha's Figure 14: Poisson flows at load 0.8, and periodic incasts of
// 30 to 40 packets a flow at load 0.5, which is a period of 5.9 ms: there are three in 12 ms.
func figure14(traffic, load string, claims func(*run.Subject) []run.Claim) run.Scenario {
	return run.Scenario{
		Name: "pyrrha/fig14-" + traffic, Figure: "Pyrrha paper, Figure 14",
		SampleEvery: 5 * sluice.Microsecond,
		Doc:         "periodic 720-to-1 incasts at load 0.5 amid " + traffic + " traffic at load " + load,
		Protocols:   []string{"pfc", "bfc-pyrrha", "bfc", "bfc-128", "pyrrha", "ideal"},
		Set:         figure14Set(traffic, load, "12ms"), Build: generate.Build, Claims: claims,
	}
}

func figure14Set(traffic, load, duration string) string {
	return "workload=" + traffic + ",load=" + load + ",duration=" + duration +
		",incast.load=1/2,locality=other-racks,pfc.alpha=2"
}

// link is a link of the paper's networks.
var link = sluice.Link{Rate: 100 * sluice.Gbps, Delay: 600 * sluice.Nanosecond}

var figure7Parameters = []params.Definition{
	{Name: "m.pattern", Kind: params.Choice, Default: "racks", Choices: []string{"racks", "ns-3"},
		Doc: "scenario pyrrha/fig7: racks send, each host one flow after another; or, as in the " +
			"authors' ns-3, hosts send for racks, and all flows but the first together"},
}

func buildFigure7(_ uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
	graph, err := topo.FatTree(topo.FatTreeConfig{K: 12, Link: link})
	if err != nil {
		return nil, nil, err
	}
	rtt, authors := graph.BaseRTT(v.Bytes("payload")), v.String("m.pattern") == "ns-3"
	flows, err := workload.ManyToOne(graph, workload.ManyToOneConfig{
		M: int(v.Int("m")), FlowsPerHost: 40, Bytes: link.Rate.BDP(rtt), Later: rtt, Class: 3,
		ByHost: authors, Together: authors,
	})
	return graph, flows, err
}

// watchHops watches every port that data of the incast may wait at.
func watchHops(s *run.Subject, c *probe.Config) {
	for node := range s.Graph.Nodes {
		for port, end := range s.Graph.Nodes[node].Ports {
			at := sluice.Hop{Switch: sluice.SwitchID(node), Port: sluice.PortID(port)}
			up := s.Graph.Nodes[node].Tier == 1 && !s.Graph.IsHost(end.Peer)
			if up || s.Graph.Nodes[node].Tier == 2 || isRoot(s, at) {
				c.Ports = append(c.Ports, at)
			}
		}
	}
}

// isRoot reports whether a port leads to the incast's host.
func isRoot(s *run.Subject, at sluice.Hop) bool {
	node := &s.Graph.Nodes[at.Switch]
	return node.Tier == 1 && node.Ports[at.Port].Peer == generate.Victim
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
