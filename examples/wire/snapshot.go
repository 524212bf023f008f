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
		portCounters: p.portCounters, machine: machine.Counters(id), frames: maps.Clone(p.frames),
		waiting: n.driver.Waiting(id), held: held, down: p.down,
	}
}

// snapshots asks every node what it counted, and the kernel what it did not pass on.
func (l *lab) snapshots() []snapshot {
	all := make([]snapshot, len(l.nodes))
	for i, n := range l.nodes {
		ask := func() { all[i] = n.snapshot() }
		if !n.do(ask) {
			ask() // it does not run, or not any more
		}
		for port := range all[i].ports {
			all[i].ports[port].Severed = l.cables.severed(n.place, sluice.PortID(port))
		}
	}
	return all
}

// drain stops the sources, waits until all that they sent has arrived or is lost, and returns what
// was counted.
func (l *lab) drain() []snapshot {
	for _, n := range l.nodes {
		n.do(n.stopSources)
	}
	const look, calm, most = 50 * time.Millisecond, 4, 100
	all := l.snapshots()
	for quiet, looks := 0, 0; quiet < calm && looks < most; looks++ {
		time.Sleep(look)
		before := l.sum(all)
		if all = l.snapshots(); l.sum(all) == before && before.waiting == 0 {
			quiet++
		} else {
			quiet = 0
		}
	}
	return all
}

// sums tell whether anything is under way. Protocols that repeat their state send frames for ever,
// and nodes are asked one after the other: a frame may be between a node that was asked and a node
// that was not. Then a port has heard less than was sent to it; the next look finds the same
// difference only if the frame is lost. What a foreign host has heard is not known.
type sums struct{ packets, waiting, unheard int }

func (l *lab) sum(all []snapshot) (s sums) {
	for _, node := range all {
		for id, p := range node.ports {
			s.packets += int(p.Forwarded + p.Delivered)
			s.waiting += p.waiting
			if foreign := l.settings.foreign; node.place.name != foreign &&
				node.place.peers[id].name != foreign {
				s.unheard += int(p.Sent) - int(p.Received)
			}
		}
	}
	return s
}
