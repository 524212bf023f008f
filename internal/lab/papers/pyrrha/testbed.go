package pyrrha

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/generate"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// figure9 is a workload of Figure 9, on the testbed of Figure 10. The load is not published.
func figure9(traffic string) run.Scenario {
	return run.Scenario{
		Name: "pyrrha/fig9-" + traffic, Figure: "Pyrrha paper, Figure 9",
		SampleEvery: 50 * sluice.Microsecond,
		Doc: "the testbed of pyrrha/fig10: S1 and S2 send to R1 throughout, VS sends " + traffic +
			" flows to VR at load 0.3",
		Set:       "buffer=300KiB,duration=20ms,load=3/10,workload=" + traffic,
		Protocols: []string{"pfc", "pyrrha-single", "pyrrha", "ideal"}, Build: buildFigure9,
		Routes: routesFigure10, Claims: claimTestbed,
	}
}

func buildFigure9(seed uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
	graph, err := topo.ThreeToRs(link)
	if err != nil {
		return nil, nil, err
	}
	sizes, err := workload.DistributionByName(v.String("workload"))
	if err != nil {
		return nil, nil, err
	}
	load, err := generate.PerMille(v, "load")
	if err != nil {
		return nil, nil, err
	}
	flows, err := workload.Poisson(graph, workload.TrafficConfig{
		Seed: seed, Sizes: sizes, LoadPerMille: load, Duration: v.Time("duration"), Class: 3,
		Sources: []sluice.SwitchID{topo.TestbedVS}, Destinations: []sluice.SwitchID{topo.TestbedVR},
		Group: workload.Vulnerable,
	})
	enough := link.Rate.BDP(v.Time("duration")) // for both to send until vulnerable flows are over
	for _, sender := range []sluice.SwitchID{topo.TestbedS1, topo.TestbedS2} {
		flows = append(flows, generate.Flow(sender, topo.TestbedR1, enough, 0, workload.Incast))
	}
	return graph, workload.Merge(flows), err
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

// routesFigure10 sends S1's flow over the first core, S2's and VS's over the second, so that these
// share a port of it (section V-B).
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
