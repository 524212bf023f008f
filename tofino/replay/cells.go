package replay

import (
	"math/bits"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
	"github.com/sluicefc/sluice/internal/drr"
	"github.com/sluicefc/sluice/internal/wire"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/ofc"
)

// cellSwitch is the machine of [OFC], slow and plain. It has no timers. Its configuration is one in
// which tofino.RealiseOFC has nothing to change.
type cellSwitch struct {
	config   ofc.Config // every default filled in
	clock    chassis.Clock
	woken    chassis.Woken
	ports    []cellPort
	accounts [][sluice.Classes]cellAccount // by ingress, the last of local packets
	incoming ofc.Frame
}

var _ kit.Machine = (*cellSwitch)(nil)

// cellPort is a port as an egress.
type cellPort struct {
	wire.Peer
	counters sluice.Counters
	turns    drr.Octet
	turn     uint8
	classes  [sluice.Classes]cellClass
}

// cellClass is a class of an egress. Queues are numbered within the class: 0 is the normal queue.
type cellClass struct {
	bytes           [ofc.QueuesPerClass]sluice.Bytes
	packets         [ofc.QueuesPerClass]int
	serving, paused int
	held, spilled   bool  // downstream holds the class, or paused a flow without a cell
	flows           table // flow_in_port_tab
	congested       table // congested_flow_tab
	untracked       int   // packets of flows without a cell
}

// cellAccount is a class of an ingress.
type cellAccount struct {
	bytes              sluice.Bytes // q_in
	untracked          int          // packets of flows without a cell
	active             bool         // something was paused since q_in was down to X_ON
	allWanted, allTold bool         // the whole class is to be paused; a frame said so
	resume             bool         // frames are to resume all flows that frames paused
	told               table        // pause_frame_tab; a marked cell: a frame paused the flow
	pending            []int        // cells of told that a frame is to pause, in this order
	walked             map[sluice.PortID]bool
}

// newCellSwitch returns a switch in which no packet waits and no pause holds.
func newCellSwitch(config ofc.Config) *cellSwitch {
	n := len(config.Ports)
	s := &cellSwitch{config: config, clock: chassis.NewClock(), woken: chassis.NewWoken(n),
		ports: make([]cellPort, n), accounts: make([][sluice.Classes]cellAccount, n+1)}
	for at := range s.accounts {
		for class := range s.accounts[at] {
			a := &s.accounts[at][class]
			a.told, a.walked = newTable(config.Flows), map[sluice.PortID]bool{}
		}
	}
	for at := range s.ports {
		p := &s.ports[at]
		p.Peer = wire.NewPeer()
		for class := range p.classes {
			k := &p.classes[class]
			k.paused, k.flows, k.congested = 1, newTable(config.Flows), newTable(config.Flows)
			p.turns.SetQuantum(class, int64(config.Quantum))
		}
	}
	return s
}

// Ports implements [kit.Machine].
func (s *cellSwitch) Ports() int { return len(s.ports) }

// Queues implements [kit.Machine].
func (s *cellSwitch) Queues() int { return ofc.QueuesPerClass * sluice.Classes }

// account returns what an ingress holds of a class; nil if there is no such ingress.
func (s *cellSwitch) account(ingress sluice.PortID, class sluice.Class) *cellAccount {
	if ingress == sluice.Local {
		return &s.accounts[len(s.ports)][class]
	}
	return &s.accounts[ingress][class]
}

// Enqueue implements [kit.Machine].
func (s *cellSwitch) Enqueue(
	now sluice.Time, id sluice.PortID, packet *sluice.Packet,
) sluice.Verdict {
	s.clock.Advance(now)
	p := &s.ports[id]
	if fault := chassis.Fault(packet, len(s.ports)); fault != sluice.NoReason {
		p.counters.Dropped[fault]++
		return sluice.DropBecause(fault)
	}
	k, a := &p.classes[packet.Class], s.account(packet.Ingress, packet.Class)
	a.bytes += packet.Size
	k.bytes[0] += packet.Size
	k.packets[0]++
	p.counters.Enqueued++
	packet.Note = cellNote
	v := sluice.AppendToQueue(sluice.QueueID(packet.Class) * ofc.QueuesPerClass)
	if !s.config.Classes.Has(packet.Class) {
		p.counters.Outside++
		return v
	}
	if at := k.flows.place(packet.Flow); at >= 0 {
		c := &k.flows[at]
		c.flow, c.ingress = packet.Flow, packet.Ingress
		c.packets++
		packet.Note |= uint64(at + 1)
	} else {
		k.untracked++
		a.untracked++
	}
	if packet.Ingress != sluice.Local {
		s.over(id, k, a, packet)
	}
	return s.woken.Answer(v)
}

// A packet's note: a tag, and its flow's cell of flow_in_port_tab from 1, 0 if it has none.
const (
	cellNote   uint64 = 0x0fc1 << 32
	cellNumber uint64 = 1<<32 - 1
)

// over pauses upstream after a packet that takes its ingress to a threshold (Algorithm 1, lines 3
// to 15).
func (s *cellSwitch) over(id sluice.PortID, k *cellClass, a *cellAccount, packet *sluice.Packet) {
	limits := &s.config.Ports[packet.Ingress]
	before := s.owes(packet.Ingress, packet.Class)
	switch original := s.config.Undistinguished || k.congested.count(taken) == 0; {
	case a.bytes >= limits.XOff:
		a.pauseAll()
	case a.bytes < limits.XOffCongested, k.bytes[0]+k.bytes[1]+k.bytes[2] < limits.XOffCongested:
	case a.untracked > 0:
		a.pauseAll()
	case !a.walked[id]:
		a.active, a.walked[id] = true, true
		for at := range k.flows {
			c := &k.flows[at]
			if c.packets > 0 && c.ingress == packet.Ingress && (original || k.congested.has(c.flow)) {
				a.want(c.flow)
			}
		}
	default:
		a.active = true
		if (original || k.congested.has(packet.Flow)) && !a.want(packet.Flow) {
			a.pauseAll()
		}
	}
	s.wakeFor(packet.Ingress, packet.Class, before)
}

// Next implements [kit.Machine].
func (s *cellSwitch) Next(_ sluice.Time, id sluice.PortID) (sluice.QueueID, bool) {
	p := &s.ports[id]
	eligible := uint8(0)
	for class := range p.classes {
		if k := &p.classes[class]; k.bytes[k.serving] > 0 && !k.blocked() {
			eligible |= 1 << class
		}
	}
	if eligible == 0 {
		return 0, false
	}
	class := bits.Len8(eligible) - 1
	if s.config.Quantum > 0 {
		class = p.turns.Next(&p.turn, eligible)
	}
	return sluice.QueueID(class*ofc.QueuesPerClass + p.classes[class].serving), true
}

// Dequeue implements [kit.Machine].
func (s *cellSwitch) Dequeue(
	now sluice.Time, id sluice.PortID, q sluice.QueueID, packet *sluice.Packet,
) sluice.Verdict {
	s.clock.Advance(now)
	p, at := &s.ports[id], int(packet.Note&cellNumber)-1
	if chassis.Fault(packet, len(s.ports)) != sluice.NoReason || packet.Note&^cellNumber != cellNote {
		return p.misused()
	}
	k, a := &p.classes[packet.Class], s.account(packet.Ingress, packet.Class)
	under := s.config.Classes.Has(packet.Class)
	switch {
	case int(q) != int(packet.Class)*ofc.QueuesPerClass+k.serving,
		packet.Size > k.bytes[k.serving], packet.Size > a.bytes,
		under && at < 0 && (k.untracked == 0 || a.untracked == 0),
		at >= len(k.flows), at >= 0 && (k.flows[at].flow != packet.Flow || k.flows[at].packets == 0):
		return p.misused()
	case k.congested.has(packet.Flow):
		return s.move(id, k, packet)
	case at >= 0:
		k.flows.leave(at)
	case under:
		k.untracked--
		a.untracked--
	}
	a.bytes -= packet.Size
	p.counters.Transmitted++
	if s.config.Quantum > 0 {
		p.turns.Charge(int(packet.Class), int64(packet.Size))
	}
	s.take(id, k, packet)
	if packet.Ingress != sluice.Local && a.active && a.bytes <= s.config.Ports[packet.Ingress].XOn {
		s.resumeUpstream(packet.Ingress, packet.Class, a)
	}
	return s.woken.Answer(sluice.TransmitMarked(packet.ECN))
}

// move takes a packet of a paused flow to the paused queue (Algorithm 3, line 14).
func (s *cellSwitch) move(id sluice.PortID, k *cellClass, packet *sluice.Packet) sluice.Verdict {
	to := k.paused
	k.bytes[to] += packet.Size
	k.packets[to]++
	s.ports[id].counters.Moved++
	s.take(id, k, packet)
	return s.woken.Answer(sluice.AppendToQueue(
		sluice.QueueID(packet.Class)*ofc.QueuesPerClass + sluice.QueueID(to)))
}

// take takes a packet from the queue that its class serves. If that was the last packet of a
// rotation, resumes that were deferred take effect, and with them the next may begin.
func (s *cellSwitch) take(id sluice.PortID, k *cellClass, packet *sluice.Packet) {
	k.bytes[k.serving] -= packet.Size
	k.packets[k.serving]--
	if k.bytes[k.serving] > 0 {
		return
	}
	if s.config.Quantum > 0 {
		s.ports[id].turns.Forfeit(int(packet.Class))
	}
	if k.serving == 0 {
		return
	}
	k.serving = 0
	if k.congested.free(func(c *cell) bool { return c.marked }) {
		k.rotate()
	}
	s.woken.Port(id)
}

func (p *cellPort) misused() sluice.Verdict {
	p.counters.Misuse++
	return sluice.DropBecause(sluice.BadQueue)
}

// rotate starts a rotation if the paused queue has packets.
func (k *cellClass) rotate() {
	if k.bytes[k.paused] > 0 {
		k.serving, k.paused = k.paused, 3-k.paused
	}
}

func (k *cellClass) blocked() bool { return k.held || k.spilled }
