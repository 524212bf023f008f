package hol

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
)

// Queue is a queue of an egress port in an assignment.
type Queue struct {
	At sluice.Hop
	// ID counts a port's queues in the order of first use. Under Pyrrha 0 is the OQ.
	ID sluice.QueueID
	// Name says what the queue is for: "{160:3}" is the isolation queue of a root, "{}" the OQ, in
	// the paper's notation q_p-{...}.
	Name string
	// Level is the level of a hierarchical isolation queue: how many hops its root is away. 0 for
	// every other queue.
	Level int
}

// Node returns the queue's name in a WaitGraph.
func (q Queue) Node() Node { return Node{q.At, q.ID} }

// String formats q as "160:16 q1 {171:3}".
func (q Queue) String() string { return q.Node().String() + " " + q.Name }

// Who pauses a flow's stay in a queue, besides the port number of a single root.
const (
	anyRoot int32 = -1 // every congested port ahead
	noRoot  int32 = -2 // no root: the OQ of the hierarchy
)

// stay is one queue that a flow passes at a port.
type stay struct {
	queue int32
	root  int32 // the root that pauses it, or anyRoot, or noRoot
}

// visit is a stay seen from the queue.
type visit struct {
	place
	root int32
}

// Assignment is the bipartite graph of flows and queues (Definition 1): who waits where, under one
// protocol in one scenario, and which pauses reach it there.
type Assignment struct {
	s *Scenario
	// perRoot is set if pauses name a root, which other queues ignore and which is relayed only to
	// queues of that root (Pyrrha). Otherwise a queue that fills pauses every queue that feeds it.
	perRoot bool
	queues  []Queue
	number  map[Node]int32 // of a queue
	port    []int32        // by queue
	stays   [][][]stay     // by flow and index on its route: first to last
	visits  [][]visit      // by queue: its neighbourhood
}

// Queues returns the queues in use, port by port in ascending order, then by ID.
func (a *Assignment) Queues() []Queue {
	queues := slices.Clone(a.queues)
	slices.SortFunc(queues, func(x, y Queue) int {
		return cmp.Or(compareHops(x.At, y.At), cmp.Compare(x.ID, y.ID))
	})
	return queues
}

// QueuesAt returns the queues in use at a port, by ID: Q(p).
func (a *Assignment) QueuesAt(port sluice.Hop) []Queue {
	return slices.DeleteFunc(a.Queues(), func(q Queue) bool { return q.At != port })
}

// QueuesOf returns the queues that flow f passes at the i-th port of its path, first to last. Only
// the hierarchy has more than one.
func (a *Assignment) QueuesOf(f, i int) []Queue {
	var queues []Queue
	for _, st := range a.stays[f][i] {
		queues = append(queues, a.queues[st.queue])
	}
	return queues
}

// FlowsIn returns the flows that pass a queue, in ascending order: its neighbourhood N(q)
// (Definition 2).
func (a *Assignment) FlowsIn(q Queue) []int {
	n := a.find(q)
	if n < 0 {
		return nil
	}
	return distinct(nil, a.visits[n])
}

// distinct adds the flows of visits to others, and returns all in ascending order, each once.
func distinct(flows []int, visits []visit) []int {
	for _, v := range visits {
		flows = append(flows, int(v.flow))
	}
	slices.Sort(flows)
	return slices.Compact(flows)
}

// Merge returns the assignment in which the flows of queues x and y of one port share queue x, and
// are paused there by whatever paused either. It is how Theorem 2 is put to the test.
func (a *Assignment) Merge(x, y Queue) (*Assignment, error) {
	keep, gone := a.find(x), a.find(y)
	if keep < 0 || gone < 0 || keep == gone || a.port[keep] != a.port[gone] {
		return nil, fmt.Errorf("hol: %v and %v are not two queues of one port", x, y)
	}
	merged := newAssignment(a.s, a.perRoot)
	for f := range a.stays {
		for i, stays := range a.stays[f] {
			for _, st := range stays {
				q := a.queues[st.queue]
				if st.queue == gone {
					q = a.queues[keep]
				}
				merged.add(place{int32(f), int32(i)}, q, st.root)
			}
		}
	}
	return merged, nil
}

// Count is how many queues an assignment has, at one port or in total.
type Count struct {
	InUse     int // some flow passes them
	Congested int // queues of a congested port that fill because of it; under Pyrrha its OQ
	Paused    int // queues that a congested port can pause
	Involved  int // congested, paused or both: what the paper counts in Theorem 2
}

// CountAt counts the queues of a port.
func (a *Assignment) CountAt(port sluice.Hop) Count {
	return a.count(func(q int32) bool { return a.queues[q].At == port })
}

// Total counts the queues of all ports.
func (a *Assignment) Total() Count { return a.count(func(int32) bool { return true }) }

// LevelsAt returns how many levels the isolation queues of a port reach: the largest distance to a
// root. 0 without a hierarchy.
func (a *Assignment) LevelsAt(port sluice.Hop) int {
	levels := 0
	for _, q := range a.queues {
		if q.At == port {
			levels = max(levels, q.Level)
		}
	}
	return levels
}

// String lists the queues of each port and the flows in each.
func (a *Assignment) String() string {
	var b strings.Builder
	for _, q := range a.Queues() {
		fmt.Fprintf(&b, "%v: flows %v\n", q, a.FlowsIn(q))
	}
	return b.String()
}

func (a *Assignment) count(which func(q int32) bool) Count {
	paused := make([]bool, len(a.queues))
	for root := range a.s.ports {
		if a.s.root[root] {
			a.eachPaused(int32(root), func(q int32, _ place) { paused[q] = true })
		}
	}
	var c Count
	for n := range a.queues {
		if !which(int32(n)) {
			continue
		}
		congested := a.s.root[a.port[n]] && (!a.perRoot || a.queues[n].ID == 0)
		c.InUse++
		c.Congested += toInt(congested)
		c.Paused += toInt(paused[n])
		c.Involved += toInt(congested || paused[n])
	}
	return c
}

func newAssignment(s *Scenario, perRoot bool) *Assignment {
	a := &Assignment{
		s: s, perRoot: perRoot, number: make(map[Node]int32), stays: make([][][]stay, len(s.route)),
	}
	for f := range s.route {
		a.stays[f] = make([][]stay, len(s.route[f]))
	}
	return a
}

// add sends a flow through a queue, known by its Node, after the queues that it has there already.
func (a *Assignment) add(at place, q Queue, root int32) {
	n := a.find(q)
	if n < 0 {
		n = int32(len(a.queues))
		a.number[q.Node()] = n
		a.queues = append(a.queues, q)
		a.port = append(a.port, a.s.number[q.At])
		a.visits = append(a.visits, nil)
	}
	a.stays[at.flow][at.i] = append(a.stays[at.flow][at.i], stay{n, root})
	a.visits[n] = append(a.visits[n], visit{at, root})
}

// find returns the number of the queue with q's Node, or -1.
func (a *Assignment) find(q Queue) int32 {
	if n, known := a.number[q.Node()]; known {
		return n
	}
	return -1
}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
