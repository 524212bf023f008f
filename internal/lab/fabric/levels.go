package fabric

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/lab/sim"
)

// levels returns how far a congestion root can be from each port, at any time of a run: with the
// links as they are at its beginning, and as they are after each failure and repair, when detours
// can be longer. A switch is configured once, so the most counts.
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

// change is a link that fails or is repaired.
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
