package portfc

import "github.com/sluicefc/sluice"

// place returns the queue of a packet, -1 for one whose path is none of the network: by how many
// relays are left, and which egress port of the next switch it takes (section III-B).
func (p *Port) place(packet *sluice.Packet) int {
	s := p.owner
	if s.high.Has(packet.Class % sluice.Classes) {
		return len(p.queues) - 1
	}
	hops := packet.Path.Hops()
	if len(hops) == 0 || hops[0] != p.self || packet.Ingress == p.id {
		return -1
	}
	if s.node {
		return p.placeAtNode(hops, packet.Ingress)
	}
	if len(hops) == 1 {
		return len(p.queues) - 2
	}
	left := int32(len(hops) / 2)
	if len(hops)&1 == 0 || left > s.k {
		return -1
	}
	layer, far := int(hops[1].Port), hops[2]
	if hops[1].Switch != p.peer || layer > int(s.k) || layer == int(s.layer) {
		return -1
	}
	next := &p.next[layer&MaxK]
	if far.Switch != next.id || int32(far.Port) >= s.n || int32(far.Port) == next.own {
		return -1
	}
	return int((s.k-left)*(s.n-1) + compact(int32(far.Port), next.own))
}

// placeAtNode is place at a node.
func (p *Port) placeAtNode(hops []sluice.Hop, ingress sluice.PortID) int {
	s := p.owner
	left := int32(len(hops)/2) - 1
	if len(hops)&1 != 0 || left > s.k {
		return -1
	}
	next := hops[1]
	if next.Switch != p.peer || int32(next.Port) >= s.n || int32(next.Port) == p.ownPort {
		return -1
	}
	if ingress != sluice.Local {
		return len(p.queues) - 2
	}
	return int((s.k-left)*(s.n-1) + compact(int32(next.Port), p.ownPort))
}

// queueOf returns the queue of a class at a node for egress e of its switch.
func (p *Port) queueOf(class uint8, e int) int {
	return int(p.owner.network.firstOf(class)) + compact(e, int(p.ownPort))
}

// classOf returns the class of a queue.
func (p *Port) classOf(q int) uint8 {
	t := p.owner.network
	switch {
	case q == len(p.queues)-1:
		return highClass
	case p.owner.node && q == len(p.queues)-2:
		return relayClass
	}
	return uint8(t.K - q/(t.N-1))
}

// note returns what Enqueue writes on a packet of a queue.
func (p *Port) note(q int, size int32) uint64 {
	return uint64(uint32(size))<<32 | uint64(p.id)<<16 | uint64(uint16(q))
}

// fits reports whether so many packets can be so many bytes: none has none, others 1 each at least.
func fits(bytes sluice.Bytes, packets int32) bool {
	return packets >= 0 && bytes >= sluice.Bytes(packets) && (packets > 0 || bytes == 0)
}

// bit returns the bit of Port.strict that says that a queue has packets, which is not served in
// turn.
func (q *queue) bit() uint8 {
	if q.class == highClass {
		return highBit
	}
	return relayBit
}

// hold lets reason hold queue q or not. It reports whether the queue was held and is not any more,
// or the other way round.
func (p *Port) hold(q int, reason uint8, held bool) (changed bool) {
	queue := &p.queues[q]
	before := queue.holds
	if held {
		queue.holds |= reason
	} else {
		queue.holds &^= reason
	}
	if (before == 0) == (queue.holds == 0) {
		return false
	}
	if queue.holds == 0 {
		p.counters.QueuesReleased++
	} else {
		p.counters.QueuesHeld++
	}
	if queue.packets > 0 {
		p.ring.SetEligible(q, queue.holds == 0)
	}
	return true
}

// refuse drops a packet for the first reason that applies.
func (p *Port) refuse(packet *sluice.Packet) sluice.Verdict {
	switch {
	case packet.Size <= 0:
		return p.drop(sluice.BadSize)
	case int(packet.Ingress) >= len(p.owner.ports) && packet.Ingress != sluice.Local:
		return p.drop(sluice.BadIngress)
	case packet.Class >= sluice.Classes:
		return p.drop(sluice.BadClass)
	case p.place(packet) < 0:
		return p.drop(sluice.BadPath)
	}
	return p.drop(sluice.BufferFull)
}

// misuse answers a Dequeue of a packet that is not there.
func (p *Port) misuse() sluice.Verdict {
	p.counters.Misuse++
	return p.drop(sluice.BadQueue)
}

func (p *Port) drop(r sluice.Reason) sluice.Verdict {
	p.counters.Dropped[r]++
	return sluice.DropBecause(r)
}
