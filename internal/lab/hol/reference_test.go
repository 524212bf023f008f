package hol

import (
	"maps"
	"slices"

	"github.com/sluicefc/sluice"
)

// definitions is section VI-A and VI-B word for word, over sets of flows and queues, for routes
// that pass no port twice. It is slow and obvious.
type definitions struct {
	flows     []Flow
	congested []sluice.Hop
	// queue is Q(p, f): the queue that flow f passes at port p.
	queue func(p sluice.Hop, f int) Queue
}

// Table I: the place of port p in the route of flow f, or none.
func (d definitions) order(f int, p sluice.Hop) (int, bool) {
	i := slices.Index(d.flows[f].Path, p)
	return i, i >= 0
}

// Definition 2: all vertices that an edge joins with a vertex.
func (d definitions) neighbours(q Queue) map[int]bool {
	flows := make(map[int]bool)
	for f := range d.flows {
		if _, passes := d.order(f, q.At); passes && d.queue(q.At, f) == q {
			flows[f] = true
		}
	}
	return flows
}

// queuesAt is Q(p).
func (d definitions) queuesAt(p sluice.Hop) map[Queue]bool {
	queues := make(map[Queue]bool)
	for f := range d.flows {
		if _, passes := d.order(f, p); passes {
			queues[d.queue(p, f)] = true
		}
	}
	return queues
}

// Definition 5: all queues that a congested flow of a queue passes before that queue; for a port,
// the union over its queues (equation 8).
func (d definitions) pausedQueues(p sluice.Hop) map[Queue]bool {
	queues := make(map[Queue]bool)
	if !slices.Contains(d.congested, p) {
		return queues
	}
	for congested := range d.queuesAt(p) {
		for f := range d.neighbours(congested) {
			end, _ := d.order(f, p)
			for _, earlier := range d.flows[f].Path[:end] {
				queues[d.queue(earlier, f)] = true
			}
		}
	}
	return queues
}

// Definition 6: "F_p.p.(p) is the neighborhood of Q_p.p.(p)".
func (d definitions) pausedFlows(p sluice.Hop) map[int]bool {
	flows := make(map[int]bool)
	for q := range d.pausedQueues(p) {
		maps.Copy(flows, d.neighbours(q))
	}
	return flows
}

// Definition 7: a congested port blocks no head of line if and only if all flows that it may pause
// pass it. The flows that do not are innocent.
func (d definitions) innocent(p sluice.Hop) map[int]bool {
	flows := d.pausedFlows(p)
	for q := range d.queuesAt(p) {
		for f := range d.neighbours(q) {
			delete(flows, f)
		}
	}
	return flows
}

// definitionsOf reads an assignment of one tier.
func definitionsOf(a *Assignment) definitions {
	return definitions{flows: a.s.flows, congested: a.s.Congested(),
		queue: func(p sluice.Hop, f int) Queue {
			return a.QueuesOf(f, slices.Index(a.s.flows[f].Path, p))[0]
		}}
}
