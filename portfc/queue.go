package portfc

import "github.com/sluicefc/sluice"

// nowhere is the queue of a packet that has none: negative, whatever is added.
const nowhere = -1 << 30

// place returns the queue of a packet: by how many relays are left, and by which port it leaves the
// next switch (section III-B). For a class that is none, or a path that is none of the network, it
// is negative.
func (p *Port) place(packet *sluice.Packet) int {
	if packet.Class >= sluice.Classes {
		return nowhere
	}
	s := p.owner
	if s.high.Has(packet.Class) {
		return s.queues - 1
	}
	path := &packet.Path
	hops := path.Len()
	if hops == 0 || path.At(0) != p.self() || packet.Ingress == p.id {
		return nowhere
	}
	if s.node {
		q := s.first[hops] + p.next.sort(0, path.At(1))
		if q >= 0 && packet.Ingress != sluice.Local {
			return s.queues - 2
		}
		return q
	}
	if hops < 3 {
		return s.first[hops]
	}
	via := path.At(1)
	if via.Switch != p.peer || via.Port > MaxK {
		return nowhere
	}
	return s.first[hops] + p.next.sort(via.Port, path.At(2))
}

// sort returns which of n-1 queues is of packets that leave the switch of a layer by a hop; nowhere
// if the hop is none of that switch, or leads back to the node.
func (b *beyond) sort(layer sluice.PortID, hop sluice.Hop) int {
	port, own := int(hop.Port), int(b.own[layer])
	if hop.Switch != b.ids[layer] || hop.Port >= b.ports[layer] || port == own {
		return nowhere
	}
	return compact(port, own)
}

// queueOf returns the queue of a class at a node for egress e of its switch.
func (p *Port) queueOf(class uint8, e int) int {
	return int(p.owner.network.firstOf(class)) + compact(e, int(p.ownPort))
}

func (p *Port) classOf(q int) uint8 {
	t := p.owner.network
	switch {
	case q == p.owner.queues-1:
		return highClass
	case p.owner.node && q == p.owner.queues-2:
		return relayClass
	}
	return uint8(t.K - q/(t.N-1))
}

// note returns what Enqueue writes on a packet of a queue.
func (p *Port) note(q int, size sluice.Bytes) uint64 {
	return uint64(size)<<32 | uint64(p.stamp|uint32(q))
}

// fits reports whether a number of packets can have these bytes: 0 packets have 0, others at least
// 1 each.
func fits(bytes sluice.Bytes, packets int32) bool {
	return packets == 0 && bytes == 0 || packets > 0 && bytes >= sluice.Bytes(packets)
}

// hold lets reason hold queue q or not. It reports whether that held or released it.
func (p *Port) hold(q int, reason uint8, held bool) (changed bool) {
	queue := p.queue(q)
	before := queue.holds
	if held {
		queue.holds |= reason
	} else {
		queue.holds &^= reason
	}
	switch {
	case (before == 0) == (queue.holds == 0):
		return false
	case queue.holds == 0:
		p.counters.QueuesReleased++
		if queue.packets > 0 {
			p.ring.Join(q)
		}
	default:
		p.counters.QueuesHeld++
		if queue.packets > 0 {
			p.ring.Leave(q)
		}
	}
	return true
}

// fault returns why a packet is dropped.
func (p *Port) fault(packet *sluice.Packet) sluice.Reason {
	s := p.owner
	switch {
	case !packet.Sized():
		return sluice.BadSize
	case packet.Ingress+1 > s.ingresses:
		return sluice.BadIngress
	case packet.Class >= sluice.Classes:
		return sluice.BadClass
	case p.place(packet) < 0:
		return sluice.BadPath
	}
	return sluice.BufferFull
}

func (p *Port) misuse() sluice.Verdict {
	p.counters.Misuse++
	return p.drop(sluice.BadQueue)
}

func (p *Port) drop(r sluice.Reason) sluice.Verdict {
	p.counters.Dropped[r]++
	return sluice.DropBecause(r)
}
