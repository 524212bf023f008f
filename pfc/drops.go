package pfc

import "github.com/sluicefc/sluice"

// refused counts and answers a packet that is not well-formed.
func (p *Port) refused(reason sluice.Reason) sluice.Verdict {
	p.state.counters.Dropped[reason]++
	return sluice.DropBecause(reason)
}

// misused counts and answers a Dequeue that does not fit what was enqueued.
func (p *Port) misused(q sluice.QueueID, packet *sluice.Packet) sluice.Verdict {
	p.state.counters.Misuse++
	switch {
	case q >= sluice.Classes:
		return sluice.DropBecause(sluice.BadQueue)
	case sluice.QueueID(p.queueFor(packet)) != q || p.queues[q].bytes == 0:
		return sluice.DropBecause(sluice.BadClass)
	case packet.Size <= 0 || p.owner.taken(packet) > p.queues[q].bytes:
		return sluice.DropBecause(sluice.BadSize)
	}
	return sluice.DropBecause(sluice.BadIngress)
}

// dropped counts and answers a packet that is discarded at this egress.
func (p *Port) dropped(
	class sluice.Class, packet *sluice.Packet, reason sluice.Reason,
) sluice.Verdict {
	t := p.state
	c := &t.counters.Class[class]
	t.counters.Dropped[reason]++
	c.Dropped[reason]++
	c.DroppedBytes += sluice.Bytes(max(0, packet.Size))
	if reason == sluice.WatchdogDrop {
		t.watch[class].txDrop++
	}
	return sluice.DropBecause(reason)
}

// droppedAtIngress counts and answers a packet that the watchdog discards because it came in by
// this port, in a priority group.
func (p *Port) droppedAtIngress(packet *sluice.Packet, group sluice.Class) sluice.Verdict {
	t, c := p.state, &p.state.counters.Class[group]
	t.counters.Dropped[sluice.WatchdogDrop]++
	c.Dropped[sluice.WatchdogDrop]++
	c.DroppedBytes += sluice.Bytes(packet.Size)
	t.watch[p.state.maps.queueOf[group]].rxDrop++
	return sluice.DropBecause(sluice.WatchdogDrop)
}
