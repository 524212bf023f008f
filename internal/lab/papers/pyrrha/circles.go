package pyrrha

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/generate"
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
	var flows []workload.Flow
	for host := range sluice.SwitchID(circleFirst) {
		dst := twoOn(int(host) / circleHosts)
		flows = append(flows, generate.Flow(host, dst, 10*sluice.MB, 0, workload.Incast))
	}
	return graph, flows, err
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
	return graph, []workload.Flow{
		generate.Flow(0, lost, 4*sluice.MB, 0, workload.Incast),
		generate.Flow(1, lost, 4*sluice.MB, 0, workload.Incast),
		generate.Flow(4, 2, sluice.MB, 100*sluice.Microsecond, workload.Vulnerable),
		generate.Flow(4, 2, sluice.MB, 9*sluice.Millisecond, workload.Background),
	}, err
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
