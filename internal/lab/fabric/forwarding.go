package fabric

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/topo/ways"
)

// Route overrides the shortest paths to a host at one switch.
type Route struct {
	At, Host sluice.SwitchID
	Ports    []sluice.PortID
}

// Forwarding returns shortest-path forwarding with ECMP by the five-tuple on every switch of a
// graph, but for the given routes.
func Forwarding(g *topo.Graph, seed uint64, routes ...Route) (*hashpath.Network, error) {
	return build(ways.Builder(g, hashpath.HostAddress), hashpath.Config{Seed: seed}, routes)
}

func build(b *hashpath.Builder, config hashpath.Config, routes []Route) (*hashpath.Network, error) {
	for _, r := range routes {
		b.SetRoute(r.At, r.Host, r.Ports...)
	}
	return b.Build(config)
}
