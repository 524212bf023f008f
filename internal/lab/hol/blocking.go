package hol

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
)

// Paused returns the queues that a congested port can pause, in ascending order: the potentially
// paused queues of Definition 5, or of equation 13 where pauses name a root. A port that is not
// congested pauses none.
func (a *Assignment) Paused(root sluice.Hop) []Queue {
	var queues []Queue
	paused := a.paused(root)
	for _, q := range a.Queues() {
		if _, found := paused[a.find(q)]; found {
			queues = append(queues, q)
		}
	}
	return queues
}

// PausedFlows returns the flows that a congested port can pause, in ascending order: the
// potentially paused flows of Definition 6, the neighbourhood of Paused.
func (a *Assignment) PausedFlows(root sluice.Hop) []int {
	var flows []int
	for q := range a.paused(root) {
		flows = distinct(flows, a.visits[q])
	}
	return flows
}

// Witness is one case of head-of-line blocking.
type Witness struct {
	Flow    int        // who waits innocently
	In      Queue      // where
	Root    sluice.Hop // for which congested port, which is not ahead of it
	Because int        // a flow in the queue that brought it the pause
	// Passed is set if the flow did pass Root, before it came to this queue.
	Passed bool
}

// String formats the witness, as in
// `flow 2 waits in 160:16 q0 all for 171:3, which it does not pass, because of flow 0`.
func (w Witness) String() string {
	why := "which it does not pass"
	if w.Passed {
		why = "which it has passed already"
	}
	return fmt.Sprintf("flow %d waits in %v for %v, %s, because of flow %d", w.Flow, w.In, w.Root,
		why, w.Because)
}

// Blocked returns every case of head-of-line blocking, by root, then by queue, then by flow. None
// means: free of head-of-line blocking, for every congested port (Definition 7). Only the queues
// that a congested flow passes count (Definition 5); Spread has the rest.
func (a *Assignment) Blocked() []Witness { return a.witnesses(a.paused) }

// Spread returns the cases of Blocked and the cases behind them: a paused queue fills, pauses the
// queues that feed it, and so stops flows that share a queue with an innocent one only. It has any
// if and only if Blocked has.
func (a *Assignment) Spread() []Witness {
	return a.witnesses(func(root sluice.Hop) map[int32]place {
		w := newWaits(a, nil)
		w.spreadFrom(a.s.number[root])
		return w.paused
	})
}

func (a *Assignment) witnesses(pausedBy func(root sluice.Hop) map[int32]place) []Witness {
	var witnesses []Witness
	queues := a.Queues()
	for _, root := range a.s.Congested() {
		paused := pausedBy(root)
		for _, q := range queues {
			n := a.find(q)
			if because, found := paused[n]; found {
				witnesses = append(witnesses, a.innocents(n, root, because)...)
			}
		}
	}
	return witnesses
}

// innocents returns the flows in queue q that do not have the root ahead of them, once each.
func (a *Assignment) innocents(q int32, root sluice.Hop, because place) []Witness {
	var witnesses []Witness
	n := a.s.number[root]
	for _, v := range a.visits[q] {
		if a.s.ahead(v.flow, v.i, n) {
			continue
		}
		witnesses = append(witnesses, Witness{
			Flow:    int(v.flow),
			In:      a.queues[q],
			Root:    root,
			Because: int(because.flow),
			Passed:  slices.Contains(a.s.route[v.flow], n),
		})
	}
	slices.SortStableFunc(witnesses, func(x, y Witness) int { return x.Flow - y.Flow })
	return slices.CompactFunc(witnesses, func(x, y Witness) bool { return x.Flow == y.Flow })
}

// paused returns the queues that a port can pause, and for each the first flow on whose account.
func (a *Assignment) paused(root sluice.Hop) map[int32]place {
	queues := make(map[int32]place)
	n, known := a.s.number[root]
	if !known || !a.s.root[n] {
		return queues
	}
	a.eachPaused(n, func(q int32, because place) {
		if _, found := queues[q]; !found {
			queues[q] = because
		}
	})
	return queues
}

// eachPaused calls f for each queue that each flow through a root passes before it and that the
// root's pause stops. Queues come as often as flows bring them.
func (a *Assignment) eachPaused(root int32, f func(queue int32, because place)) {
	for _, at := range a.s.through[root] {
		for i := range at.i {
			for _, st := range a.stays[at.flow][i] {
				if before := (place{at.flow, i}); a.heeds(st.root, before, root) {
					f(st.queue, before)
				}
			}
		}
	}
}

// heeds reports whether the pause of a root that a flow has ahead of it stops the flow's stay,
// paused by who, at a port.
func (a *Assignment) heeds(who int32, at place, root int32) bool {
	if a.perRoot && a.s.route[at.flow][at.i] == root {
		return false // a port ignores the PAUSE of its own root (section IV-E)
	}
	return who == anyRoot || who == root
}
