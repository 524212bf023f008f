package workload

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/prng"
)

type endpoints struct {
	sources []sluice.SwitchID
	// destinations are in order of rack, then of identity, so that what a source may not draw is
	// one run of them.
	destinations []sluice.SwitchID
	choices      []choice // of each source
}

// choice is what a source draws from: count destinations from first on, not counting the run of
// skipped destinations that begins at skipAt.
type choice struct{ first, count, skipAt, skipped int32 }

func newEndpoints(
	g *topo.Graph, sources, destinations, exclude []sluice.SwitchID, rule RackRule,
) (*endpoints, error) {
	excluded, err := hostSet(g, "Exclude", exclude)
	if err != nil {
		return nil, err
	}
	e := &endpoints{}
	if e.sources, err = hostList(g, "Sources", sources, excluded); err != nil {
		return nil, err
	}
	if e.destinations, err = hostList(g, "Destinations", destinations, excluded); err != nil {
		return nil, err
	}
	rack := func(h sluice.SwitchID) int32 { return g.Nodes[h].Rack }
	slices.SortFunc(e.destinations, func(a, b sluice.SwitchID) int {
		return cmp.Or(cmp.Compare(rack(a), rack(b)), cmp.Compare(a, b))
	})
	rackStart := func(r int32) int32 {
		i, _ := slices.BinarySearchFunc(e.destinations, r, func(h sluice.SwitchID, r int32) int {
			return cmp.Compare(rack(h), r)
		})
		return int32(i)
	}
	for _, source := range e.sources {
		all := int32(len(e.destinations))
		rackFirst, rackEnd := rackStart(rack(source)), rackStart(rack(source)+1)
		self := rackFirst + int32(slices.Index(e.destinations[rackFirst:rackEnd], source))
		var c choice
		switch {
		case rule == OtherRacks:
			c = choice{first: 0, count: all, skipAt: rackFirst, skipped: rackEnd - rackFirst}
		case rule == SameRack:
			c = choice{first: rackFirst, count: rackEnd - rackFirst, skipAt: self, skipped: 1}
		default:
			c = choice{first: 0, count: all, skipAt: self, skipped: 1}
		}
		if self < rackFirst && rule != OtherRacks {
			c.skipped = 0 // the source is no destination
		}
		c.count -= c.skipped
		if c.count == 0 {
			return nil, configError("Destinations", destinations,
				fmt.Sprintf("leave host %d no destination (%v)", source, rule))
		}
		e.choices = append(e.choices, c)
	}
	return e, nil
}

// draw returns a source and a destination, with two draws from random.
func (e *endpoints) draw(random *prng.Source) (src, dst sluice.SwitchID) {
	i := random.Below(uint64(len(e.sources)))
	return e.sources[i], e.drawFor(int(i), random)
}

func (e *endpoints) drawFor(i int, random *prng.Source) sluice.SwitchID {
	c := e.choices[i]
	at := c.first + int32(random.Below(uint64(c.count)))
	if at >= c.skipAt {
		at += c.skipped
	}
	return e.destinations[at]
}

// capacity returns the rate of all sources' links together, saturating.
func (e *endpoints) capacity(g *topo.Graph) sluice.Rate {
	var sum sluice.Rate
	for _, host := range e.sources {
		rate := g.Nodes[host].Ports[0].Link.Rate
		if sum+rate < sum {
			return 1<<63 - 1
		}
		sum += rate
	}
	return sum
}

// hostList returns the hosts of a list, or all if it is nil, that are not excluded.
func hostList(
	g *topo.Graph, field string, list []sluice.SwitchID, excluded map[sluice.SwitchID]bool,
) ([]sluice.SwitchID, error) {
	if list == nil {
		list = g.Hosts()
	}
	if _, err := hostSet(g, field, list); err != nil {
		return nil, err
	}
	var hosts []sluice.SwitchID
	for _, h := range list {
		if !excluded[h] {
			hosts = append(hosts, h)
		}
	}
	if len(hosts) == 0 {
		return nil, configError(field, list, "leaves no host")
	}
	return hosts, nil
}

// hostSet checks that a list names hosts, each once.
func hostSet(
	g *topo.Graph, field string, list []sluice.SwitchID,
) (map[sluice.SwitchID]bool, error) {
	set := make(map[sluice.SwitchID]bool, len(list))
	for i, h := range list {
		at := fmt.Sprintf("%s[%d]", field, i)
		switch {
		case !isHost(g, h):
			return nil, configError(at, h, "must be a host of "+g.Name)
		case set[h]:
			return nil, configError(at, h, "must not be listed twice")
		}
		set[h] = true
	}
	return set, nil
}
