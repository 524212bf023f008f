package conformance

import "github.com/sluicefc/sluice"

func (e *embedder) push(at sluice.PortID, q sluice.QueueID, id int) {
	if int(q) >= e.queues {
		e.fail(conservation, "how the queue of AppendTo is chosen", "a hook chose queue %d of %d",
			q, e.queues)
	}
	p := &e.ports[at]
	p.fifo[q] = append(p.fifo[q], id)
	p.bytes[q] += sluice.Bytes(e.packets[id].Size)
	e.held += sluice.Bytes(e.packets[id].Size)
	p.held++
}

func (e *embedder) pop(at sluice.PortID, q sluice.QueueID) int {
	p := &e.ports[at]
	id := p.fifo[q][0]
	p.fifo[q] = p.fifo[q][1:]
	p.bytes[q] -= sluice.Bytes(e.packets[id].Size)
	e.held -= sluice.Bytes(e.packets[id].Size)
	p.held--
	return id
}

// dropped checks that a drop at an egress has a reason and is allowed. What waits where the link
// is down may be flushed.
func (e *embedder) dropped(at sluice.PortID, p *sluice.Packet, v sluice.Verdict) {
	e.coverage.dropped++
	if v.Reason() == sluice.NoReason || int(v.Reason()) >= sluice.NumReasons {
		e.fail(lossless, "the verdict of this drop", "a packet was dropped without a reason: %v", v)
	}
	flushed := v.Reason() == sluice.LinkDown && e.ports[at].down
	if !flushed && !e.mayDrop(p, v.Reason()) {
		e.fail(lossless, "admission, and the bound that the configuration promises",
			"a packet that may not be dropped was: %v", v)
	}
}

func (e *embedder) departed(at sluice.PortID, id int) {
	pk := &e.packets[id]
	p := &e.ports[at]
	if last := p.last[pk.flow]; pk.number <= last {
		e.fail(order, "the queues this flow went through: a later packet overtook",
			"packet %d of flow %d left port %d after packet %d", pk.number, pk.flow, at, last)
	}
	p.last[pk.flow] = pk.number
}
