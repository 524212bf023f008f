package conformance

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/testnet"
	"github.com/sluicefc/sluice/kit"
)

const (
	mostIdleSteps = 400_000 // events without a packet that moves, before the network counts as stuck
	idleJournal   = 100     // how many of these events are worth reading
)

// deliver runs the network until all packets have arrived, and every machine is quiescent and stays
// so until all packets and frames under way have arrived.
func (n *network) deliver() {
	for n.Done() != nil {
		if !n.step(sluice.Never) {
			n.stuck("nothing is under way and no timer runs")
		}
		if n.Now-n.Moved > n.patience || n.Still > mostIdleSteps {
			n.stuck(fmt.Sprintf("no packet moved since %v", n.Moved))
		}
	}
	for end := n.Last(); n.step(end); {
	}
	if n.Done() != nil {
		n.deliver()
		return
	}
	for _, v := range n.Nodes {
		m := n.member(v)
		m.checkAll()
		if m.held != 0 {
			n.fail(liveness, "the suite", "%sholds %d bytes at the end", m.node, m.held)
		}
	}
}

func (n *network) stuck(why string) {
	if n.Left == 0 {
		n.fail(liveness, "what is freed when the last packet has left, and who tells the peer",
			"%v: %v", why, n.Done())
	}
	text := ""
	for _, v := range n.Nodes {
		e := n.member(v)
		for i := range e.ports {
			for q, fifo := range e.ports[i].fifo {
				if len(fifo) > 0 {
					text += fmt.Sprintf("; %sport %d queue %d has %d packets, Sendable %v", e.node,
						i, q, len(fifo), e.m.Sendable(sluice.PortID(i), sluice.QueueID(q)))
				}
			}
		}
	}
	n.fail(liveness, "who holds those queues, and the frame that should have released them",
		"%d packets have not arrived: %s%s", n.Left, why, text)
}

func (n *network) step(until sluice.Time) bool {
	n.journal.muted = n.Still > idleJournal
	return n.Step(until)
}

// got asserts that a host receives the packets of a flow in order.
func (n *network) got(v *testnet.Node, h kit.Handle) {
	cargo := &n.Store.At(h).Value
	n.journal.remark(n.Now, n.member(v).node, "has packet %d of flow %d", cargo.Number, cargo.Flow.ID)
	if cargo.Number <= cargo.Flow.Last {
		n.fail(order, "the switches on its path", "host %d received packet %d of flow %d after packet %d",
			v.ID, cargo.Number, cargo.Flow.ID, cargo.Flow.Last)
	}
}
