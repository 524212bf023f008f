package pyrrha

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// circle is three switches in a ring, two hosts at each, every link 100 Gb/s and 600 ns: hosts 2i
// and 2i+1 at switch 6+i. Clockwise is from a switch to the next.
const (
	circleSwitches = 3
	circleHosts    = 2
	circleFirst    = circleSwitches * circleHosts
)

func circle() (*topo.Graph, error) {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: 600 * sluice.Nanosecond}
	return topo.Ring(topo.RingConfig{
		Switches: circleSwitches, HostsPerSwitch: circleHosts, HostLink: link, RingLink: link,
	})
}

// clockwise routes packets for a host from switch number i to the next.
func clockwise(g *topo.Graph, i int, host sluice.SwitchID) fabric.Route {
	here := sluice.SwitchID(circleFirst + i)
	next := sluice.SwitchID(circleFirst + (i+1)%circleSwitches)
	port, _ := g.PortTo(here, next)
	return fabric.Route{At: here, Host: host, Ports: []sluice.PortID{port}}
}

// twoOn is the first host of the switch two links clockwise of switch number i.
func twoOn(i int) sluice.SwitchID {
	return sluice.SwitchID((i + 2) % circleSwitches * circleHosts)
}

// buildRing has both hosts of each switch send two links clockwise (Figure 13), so that two flows
// of two switches meet on every link of the ring.
func buildRing(uint64, *params.Values) (*topo.Graph, []workload.Flow, error) {
	graph, err := circle()
	if err != nil {
		return nil, nil, err
	}
	var flows []workload.Flow
	for i := range circleSwitches {
		for host := range circleHosts {
			flows = append(flows, workload.Flow{
				Src: sluice.SwitchID(i*circleHosts + host), Dst: twoOn(i), Class: 3, DstPort: 100,
				Bytes: 10 * sluice.MB, Group: workload.Incast,
			})
		}
	}
	return graph, flows, nil
}

func routesRing(g *topo.Graph, _ *params.Values) []fabric.Route {
	var routes []fabric.Route
	for i := range circleSwitches {
		routes = append(routes, clockwise(g, i, twoOn(i)))
	}
	return routes
}

// lost is the host whose routes loop.
const lost sluice.SwitchID = 3

// buildLoop has both hosts of switch 0 send to a host of switch 1 that every switch looks for
// clockwise (Figure 12), and a host of switch 2 cross the loop, to the other host of switch 1,
// while it fills and again when looping packets have met their hop limit, wherever they can still
// move.
func buildLoop(uint64, *params.Values) (*topo.Graph, []workload.Flow, error) {
	graph, err := circle()
	if err != nil {
		return nil, nil, err
	}
	looping := func(src sluice.SwitchID) workload.Flow {
		return workload.Flow{
			Src: src, Dst: lost, Class: 3, DstPort: 100, Bytes: 4 * sluice.MB, Group: workload.Incast,
		}
	}
	return graph, []workload.Flow{
		looping(0), looping(1),
		{
			Src: 4, Dst: 2, Class: 3, DstPort: 100, Bytes: sluice.MB, Start: 100 * sluice.Microsecond,
			Group: workload.Vulnerable,
		},
		{
			Src: 4, Dst: 2, Class: 3, DstPort: 100, Bytes: sluice.MB, Start: 9 * sluice.Millisecond,
			Group: workload.Background,
		},
	}, nil
}

// routesLoop has every switch send packets for the lost host to the next one, for ever; and the
// crossing flow go clockwise.
func routesLoop(g *topo.Graph, _ *params.Values) []fabric.Route {
	var routes []fabric.Route
	for i := range circleSwitches {
		routes = append(routes, clockwise(g, i, lost))
	}
	return append(routes, clockwise(g, 2, 2), clockwise(g, 0, 2))
}
