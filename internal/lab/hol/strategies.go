package hol

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
)

// Strategy is a flow-control protocol as section VI sees it: it decides which queues each flow of a
// scenario passes.
type Strategy func(*Scenario) *Assignment

// PFC has one queue a port. Priority classes would be that many separate networks.
func PFC(s *Scenario) *Assignment {
	return OneTier(s, func(int, int) string { return "all" })
}

// PerFlow has a queue for every flow that passes a port: free of blocking, and as many queues as
// flows.
func PerFlow(s *Scenario) *Assignment {
	return OneTier(s, func(f, _ int) string { return "flow " + strconv.Itoa(f) })
}

// BFCDynamic gives each flow, in the order of the scenario, the lowest of a port's n queues that no
// flow has yet, and hashes it onto one when all are taken: BFC (NSDI 2022) at the instant when
// every flow has a packet waiting. Flows of one ID are one flow to BFC. It panics if n is 0.
func BFCDynamic(n sluice.QueueID) Strategy {
	if n == 0 {
		panic("hol: BFC needs a queue")
	}
	return func(s *Scenario) *Assignment {
		type flowAt struct {
			id   uint64
			port int32
		}
		queue := make(map[flowAt]uint64)
		taken := make([]uint64, len(s.ports))
		for f, route := range s.route {
			for _, port := range route {
				key := flowAt{s.flows[f].ID, port}
				if _, known := queue[key]; known {
					continue
				}
				if taken[port] < uint64(n) {
					queue[key] = taken[port]
					taken[port]++
				} else {
					queue[key] = hash(key.id, n)
				}
			}
		}
		return OneTier(s, func(f, i int) string {
			return "queue " + strconv.FormatUint(queue[flowAt{s.flows[f].ID, s.route[f][i]}], 10)
		})
	}
}

// PFCStar is PFC with a class for each queue that a packet passes: PFC* of the PortFC paper.
func PFCStar(s *Scenario) *Assignment {
	return OneTier(s, func(_, i int) string { return "class " + strconv.Itoa(i) })
}

// PortFC is for routes through hosts and switches in turn, as NDC(n,k) has them. A switch has a
// queue for each egress port of the switch after the next host, and a queue for packets to that
// host. The sending host has queues by the egress port of the next switch, for each number of hosts
// that forward beyond it; a host between has one queue. A switch's queue to its host, and the queue
// of a host between, are never paused (PortFC, section III-B). Pauses reach back from a port to the
// host before it and to the switch before that host.
func PortFC(s *Scenario) *Assignment {
	return assigned(s, false, nil, func(at place, add add) {
		route := s.route[at.flow]
		left := len(route) - 1 - int(at.i) // ports ahead
		by := func(next int32) string {    // the number of the far port, whichever layer's
			return "by " + strconv.Itoa(int(s.ports[next].Port)) + " of " + strconv.Itoa(left/2)
		}
		switch {
		case left == 0:
			add("to the host", 0, noRoot)
		case left%2 == 0: // at a switch
			add(by(route[at.i+2]), 0, anyRoot)
		case at.i == 0:
			add(by(route[1]), 0, anyRoot)
		default:
			add("relay", 0, noRoot)
		}
	})
}

// OFC has two queues at each port: the paused queue for flows with any congested port ahead, and
// the normal queue for the others, which no port pauses. That is the steady
// state, in which original congestion is known upstream. While an ingress holds X_OFF it pauses the
// whole class, and during a rotation the normal queue waits for the other: then OFC blocks as [PFC]
// does.
func OFC(s *Scenario) *Assignment {
	return assigned(s, false, []string{"normal", "paused"}, func(at place, add add) {
		if roots, _ := s.rootsAhead(at.flow, at.i); len(roots) > 0 {
			add("paused", 0, anyRoot)
		} else {
			add("normal", 0, noRoot)
		}
	})
}

// OneTier is any protocol with one tier of queues whose pauses stop whole queues, whatever is in
// them: flows with the same key at a port share a queue of that name there. The key is asked for
// the i-th port of flow f's path.
func OneTier(s *Scenario, key func(f, i int) string) *Assignment {
	return assigned(s, false, nil, func(at place, add add) {
		add(key(int(at.flow), int(at.i)), 0, anyRoot)
	})
}

// PerDestination has a virtual output queue for every receiver of the flows that pass a port, each
// held alone (section II-C of Pyrrha's paper; package fabric/voq).
func PerDestination(s *Scenario) *Assignment {
	return OneTier(s, func(f, _ int) string {
		path := s.flows[f].Path
		return "to " + path[len(path)-1].String()
	})
}

// PyrrhaSingleTier has, at each port, an isolation queue for every set of roots that some flow has
// ahead of it, and the OQ for flows without a root ahead (equations 13 and 14).
func PyrrhaSingleTier(s *Scenario) *Assignment {
	return assigned(s, true, oq, func(at place, add add) {
		roots, _ := s.rootsAhead(at.flow, at.i)
		add(s.setName(roots), 0, anyRoot)
	})
}

// PyrrhaHIQ has, at each port, an isolation queue for every root that some flow has ahead of it, on
// the level of the root's distance, and the OQ. A flow passes the queues of its roots from near to
// far and then the OQ (section IV-C).
func PyrrhaHIQ(s *Scenario) *Assignment {
	return assigned(s, true, oq, func(at place, add add) {
		roots, hops := s.rootsAhead(at.flow, at.i)
		for k, root := range roots {
			add(s.setName(roots[k:k+1]), hops[k], root)
		}
		add(s.setName(nil), 0, noRoot)
	})
}

// oq is Pyrrha's output queue, in the notation of setName.
var oq = []string{"{}"}

// setName names a set of roots in the paper's notation, the members in ascending order.
func (s *Scenario) setName(roots []int32) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, root := range slices.Sorted(slices.Values(roots)) {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(s.ports[root].String())
	}
	b.WriteByte('}')
	return b.String()
}

// add sends a flow at a port through the queue of a name, on a level, that a root pauses.
type add func(name string, level int, root int32)

// assigned makes an assignment: visit is asked at every port of every flow. The queues of a port
// begin with the queues that are everywhere; others follow in the order of first use.
func assigned(
	s *Scenario, perRoot bool, everywhere []string, visit func(at place, add add),
) *Assignment {
	type nameAt struct {
		port int32
		name string
	}
	a := newAssignment(s, perRoot)
	ids, count := map[nameAt]sluice.QueueID{}, map[int32]int{}
	for f, route := range s.route {
		for i, port := range route {
			at := place{int32(f), int32(i)}
			visit(at, func(name string, level int, root int32) {
				key := nameAt{port, name}
				id, known := ids[key]
				if fixed := slices.Index(everywhere, name); fixed >= 0 {
					id = sluice.QueueID(fixed)
				} else if !known {
					id = sluice.QueueID(len(everywhere) + count[port])
					count[port]++
					ids[key] = id
				}
				a.add(at, Queue{At: s.ports[port], ID: id, Name: name, Level: level}, root)
			})
		}
	}
	return a
}

// hash maps a flow onto one of n queues.
func hash(id uint64, n sluice.QueueID) uint64 {
	queue, _ := bits.Mul64(prng.Mix(id), uint64(n))
	return queue
}
