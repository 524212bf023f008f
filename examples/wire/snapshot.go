package main

import (
	"maps"
	"time"

	"github.com/sluicefc/sluice"
)

// snapshot is a copy of all that a node counted.
type snapshot struct {
	place    *place
	ports    []portSnapshot
	sent     []uint64 // packets of each flow of the plan that left here
	sinks    []sinkSnapshot
	buffered sluice.Bytes
	stray    uint64        // packets delivered of no flow
	latest   time.Duration // most by which the node was late
	stalls   uint64        // times it was later than the headroom covers
	broken   error         // a rule of the contract
}

type portSnapshot struct {
	portCounters
	machine sluice.Counters
	frames  map[string]uint64 // control frames sent, by kind
	waiting int               // packets in its queues
	held    int               // queues with packets that may not send
	down    bool
}

// snapshot copies the counters.
func (n *node) snapshot() snapshot {
	s := snapshot{
		place: n.place, stray: n.stray, latest: n.latest, stalls: n.stalls,
		buffered: n.driver.Machine().Buffered(), broken: n.driver.Err(),
		sent: make([]uint64, len(n.plan.flows)), sinks: make([]sinkSnapshot, len(n.sinks)),
	}
	for _, source := range n.sources {
		s.sent[source.flow] = source.number
	}
	for i := range n.sinks {
		s.sinks[i] = n.sinks[i].snapshot()
	}
	for i := range n.ports {
		s.ports = append(s.ports, n.portSnapshot(sluice.PortID(i)))
	}
	return s
}

func (n *node) portSnapshot(id sluice.PortID) portSnapshot {
	p := &n.ports[id]
	p.Lost += p.socket.lost()
	machine, held := n.driver.Machine(), 0
	for q := range sluice.QueueID(machine.Queues()) {
		if machine.Backlog(id, q) > 0 && !machine.Sendable(id, q) {
			held++
		}
	}
	return portSnapshot{
		portCounters: p.portCounters, machine: machine.Counted(id), frames: maps.Clone(p.frames),
		waiting: n.driver.Waiting(id), held: held, down: p.down,
	}
}
