package fabric

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/topo/ways"
)

// Route overrides the shortest paths to a host at one switch.
type Route struct {
	At, Host sluice.SwitchID
	Ports    []sluice.PortID
}

// Forwarding returns shortest-path forwarding with ECMP by the five-tuple on every switch of a
// graph, except on the given routes.
func Forwarding(g *topo.Graph, seed uint64, routes ...Route) (*hashpath.Network, error) {
	return build(ways.Builder(g, hashpath.HostAddress), hashpath.Config{Seed: seed}, routes)
}

func build(b *hashpath.Builder, config hashpath.Config, routes []Route) (*hashpath.Network, error) {
	for _, r := range routes {
		b.SetRoute(r.At, r.Host, r.Ports...)
	}
	return b.Build(config)
}

// hashParameters are how switches choose among equal paths: by all functions but polynomials of the
// user's own.
func hashParameters(h *hashpath.Hash) []params.Field {
	return params.In("network",
		params.Bind("hash", &h.Kind, "xxhash",
			"hash function by which switches choose among equal paths; switch chips have no xxhash").
			But(hashpath.KindCRC.String()),
		params.Bind("hash.offset", &h.Offset, "0",
			"lowest bit of the hash value that chooses").As("Offset"),
		params.Bind("hash.width", &h.Width, "0",
			"how many bits of the hash value choose; 0: all, 32 at most").As("Width"),
		params.Bind("hash.select", &h.Select, "modulo",
			"how a value chooses: modulo the number of members, or by buckets, where only the buckets "+
				"of a lost member are refilled"),
	)
}

func bucketsParameter(h *hashpath.Hash) []params.Field {
	return params.In("network", params.Bind("hash.buckets", &h.Buckets, "512",
		"buckets of a group, where hash.select is resilient").Range("1", "65536"))
}

// hashing returns how the switches of a run hash, and the parameters that say so.
func hashing(values *params.Values) (hashpath.Hash, []params.Field) {
	var h hashpath.Hash
	fields := hashParameters(&h)
	values.Fill(fields)
	if h.Select == hashpath.Resilient {
		values.Fill(bucketsParameter(&h))
	}
	return h, fields
}

// Configuration returns the configuration that the run gives the flow control of a switch: a
// pfc.Config, bfc.Config, ofc.Config, portfc.Config or pyrrha.Config.
func (r *Run) Configuration(node sluice.SwitchID) (any, error) {
	protocol, err := Find(r.Protocol)
	if err != nil {
		return nil, err
	}
	built, err := protocol.build(r.plan(protocol, r.Forwarding))
	if err != nil {
		return nil, err
	}
	switch f := built.(type) {
	case *pfcFleet:
		return f.configured(node)
	case *bfcFleet:
		return f.switchConfig(node), nil
	case *ofcFleet:
		return f.configOf(node), nil
	case *portfcFleet:
		return f.configOf(node), nil
	case *pyrrhaFleet:
		return f.configOf(node), nil
	}
	return nil, fmt.Errorf("%s: its configuration is not shown", r.Protocol)
}

// Forwarding returns the forwarding state that the run begins with.
func (r *Run) Forwarding() (*hashpath.Network, error) {
	hash, parameters := hashing(r.Values)
	var balance sim.Balance
	r.Values.Fill(balanceParameter(&balance))
	c := hashpath.Config{Hash: hash, Seed: r.Seed, HostHops: r.Values.IsSet("drain")}
	address := hashpath.HostAddress
	if balance.Kind == sim.PLB {
		address = byLabel(&c)
	}
	n, err := build(ways.Builder(r.Topology, address), c, r.Routes)
	return n, r.Values.Explain(err, parameters)
}

// levels returns how far a congestion root can be from each port, at any time of a run: with the
// links as they are at its beginning, and as they are after each failure and repair, when detours
// can be longer. A switch is configured once, so the longest distance counts.
func (r *Run) levels(network *hashpath.Network) (map[sluice.Hop]int, error) {
	levels := network.Levels()
	if len(r.Failures) == 0 {
		return levels, nil
	}
	failing, err := r.Forwarding()
	if err != nil {
		return nil, err
	}
	for _, change := range changes(r.Failures) {
		if change.up {
			err = failing.RestoreLink(change.at)
		} else {
			err = failing.FailLink(change.at)
		}
		if err != nil {
			return nil, fmt.Errorf("link %v: %w", change.at, err)
		}
		for port, hops := range failing.Levels() {
			levels[port] = max(levels[port], hops)
		}
	}
	return levels, nil
}

type change struct {
	when sluice.Time
	at   sluice.Hop
	up   bool
}

// changes returns the failures and repairs of a run in the order in which they happen.
func changes(failures []sim.Failure) []change {
	var all []change
	for _, f := range failures {
		all = append(all, change{f.Down, f.At, false})
		if f.Up > 0 {
			all = append(all, change{f.Up, f.At, true})
		}
	}
	slices.SortStableFunc(all, func(a, b change) int { return cmp.Compare(a.when, b.when) })
	return all
}
