package ofc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
	"github.com/sluicefc/sluice/internal/enum"
)

// Snapshot is the observable state of a switch at a time.
type Snapshot struct {
	Now      sluice.Time // the latest time told
	Deadline sluice.Time
	Buffered sluice.Bytes
	Ports    []PortSnapshot
}

// PortSnapshot is the observable state of a port.
type PortSnapshot struct {
	Port    sluice.PortID
	Down    bool // the link is down
	Known   int  // flows known as an egress
	Classes [sluice.Classes]ClassSnapshot
}

// ClassSnapshot is the observable state of a class of a port.
type ClassSnapshot struct {
	// As an egress. Queues are numbered within the class.

	State           State
	Serving, Paused int // the roles of queues
	Queues          [QueuesPerClass]sluice.Bytes
	Flows           int  // with packets here: flow_in_port_tab
	Congested       int  // congested_flow_tab
	Deferred        int  // of them resumed when the rotation ends
	Held            bool // downstream holds the class

	// As an ingress.

	Ingress   sluice.Bytes // q_in
	Told      int          // pause_frame_tab
	AllPaused bool         // the whole class is to be paused
	Pending   bool         // a frame waits for the transmitter
}

// Snapshot returns a copy of the observable state. It allocates.
func (s *Switch) Snapshot() Snapshot {
	return Snapshot{
		s.clock.Now(), s.Deadline(), s.Buffered(), chassis.Each(s.ports, (*Port).Snapshot),
	}
}

// Snapshot returns a copy of the port's observable state.
func (p *Port) Snapshot() PortSnapshot {
	snapshot := PortSnapshot{Port: p.id, Down: p.state.Down, Known: int(p.known)}
	for class := range sluice.Class(sluice.Classes) {
		k, a := &p.classes[class], p.owner.account(p.id, class)
		c := ClassSnapshot{
			State: p.State(class), Serving: int(k.serving), Paused: int(k.paused),
			Flows: int(k.present), Congested: int(k.congested), Deferred: int(k.deferred), Held: k.held(),
			Ingress: sluice.Bytes(a.bytes), Told: int(a.count), AllPaused: a.allWanted,
			Pending: (p.urgent | p.owed).Has(class),
		}
		for q, n := range k.bytes {
			c.Queues[q] = sluice.Bytes(n)
		}
		snapshot.Classes[class] = c
	}
	return snapshot
}

// ID returns the number of the port.
func (p *Port) ID() sluice.PortID { return p.id }

// Backlog returns the bytes in queue q; 0 for a queue that does not exist.
func (p *Port) Backlog(q sluice.QueueID) sluice.Bytes {
	if q >= QueuesPerClass*sluice.Classes {
		return 0
	}
	return sluice.Bytes(p.classes[q/QueuesPerClass].bytes[q%QueuesPerClass])
}

// Sendable reports whether queue q is the queue that its class serves, and nothing holds it; false
// if there is no such queue.
func (p *Port) Sendable(q sluice.QueueID) bool {
	return q < QueuesPerClass*sluice.Classes &&
		p.sendable(sluice.Class(q/QueuesPerClass))>>(q%QueuesPerClass)&1 != 0
}

// PausedByPeer reports whether downstream pauses a flow of the class whose normal queue q is, or
// the whole class; a flow whose resume waits for the end of a rotation counts as resumed. False for
// backup queues, which change their roles, and for a queue that does not exist.
func (p *Port) PausedByPeer(q sluice.QueueID) bool {
	return q < QueuesPerClass*sluice.Classes && q%QueuesPerClass == normal &&
		p.classes[q/QueuesPerClass].obeys()
}

// IngressBytes returns q_in of a class: the bytes that came in by this port and wait, backup queues
// included; 0 for a class above 7.
func (p *Port) IngressBytes(class sluice.Class) sluice.Bytes {
	if class >= sluice.Classes {
		return 0
	}
	return sluice.Bytes(p.owner.account(p.id, class).bytes)
}

// FlowPaused reports whether a flow is in congested_flow_tab of a class: downstream pauses it, or
// has resumed it in a rotation that is under way.
func (p *Port) FlowPaused(class sluice.Class, flow uint64) bool {
	return p.pauses(flow, class)
}

// Tables returns how many flows are in the tables of the port, of all classes: in flow_in_port_tab
// and congested_flow_tab as an egress, in pause_frame_tab as an ingress. A flow of several
// ingresses counts once for each.
func (p *Port) Tables() (flows, congested, paused int) {
	for class := range sluice.Class(sluice.Classes) {
		flows += int(p.classes[class].present)
		congested += int(p.classes[class].congested)
		paused += int(p.owner.account(p.id, class).count)
	}
	return flows, congested, paused
}

// State is the state of a class at an egress port (section II-B).
type State uint8

// States.
const (
	// AllResumed: downstream pauses no flow, and the normal queue is served.
	AllResumed State = iota
	// PartialPaused: downstream pauses some flows. The normal queue is served, and their packets
	// move from it to the paused queue.
	PartialPaused
	// PartialResumed: a rotation. What was the paused queue is served until it is empty, and
	// packets of flows that are paused still move from it to the other backup queue.
	PartialResumed
	// AllPaused: downstream holds the whole class, or pauses every flow that has packets here.
	AllPaused
	numStates
)

// String names the state.
func (s State) String() string { return enum.Name(s, "State", stateNames[:]...) }

var stateNames = [numStates]string{
	"all resumed", "partial paused", "partial resumed", "all paused",
}

// State returns the state of a class at this port as an egress; AllResumed for a class above 7.
func (p *Port) State(class sluice.Class) State {
	if class >= sluice.Classes {
		return AllResumed
	}
	switch k := &p.classes[class]; {
	case k.held():
		return AllPaused
	case k.serving != normal:
		return PartialResumed
	case k.congested == 0:
		return AllResumed
	case k.present > 0 && k.present == k.presentCongested && k.untracked == 0:
		return AllPaused
	}
	return PartialPaused
}

// WaitsFor reports whether queue q, which is held, waits for a packet to leave the peer's device: a
// paused queue, and every queue of a class that is held, wait until what came in by that ingress in
// the class has come down to X_ON. A normal queue that waits for a rotation waits for its own port.
// In which queue the packet waits there makes no difference; came says that it came in by this
// port's link.
func (p *Port) WaitsFor(q sluice.QueueID, packet *sluice.Packet, _ sluice.QueueID, came bool) bool {
	if q >= QueuesPerClass*sluice.Classes || !came ||
		sluice.QueueID(packet.Class) != q/QueuesPerClass {
		return false
	}
	k := &p.classes[packet.Class]
	return k.held() || uint8(q%QueuesPerClass) == k.paused
}
