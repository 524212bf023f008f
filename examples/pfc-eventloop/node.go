package main

import (
	"fmt"
	"log"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
)

// node is a switch or a network card. What it forwards leaves by its last port. One without a machine is a sink.
type node struct {
	name    string
	machine *pfc.Switch
	ports   []port
	arrived int // packets
}

type port struct {
	link     sluice.Link
	peer     *node
	peerPort sluice.PortID
	busy     bool // its transmitter
	fifos    [sluice.Classes][]*sluice.Packet
}

// arrive takes in a packet that came by a port, or from the host itself.
func (n *node) arrive(now sluice.Time, ingress sluice.PortID, p *sluice.Packet) {
	n.arrived++
	if n.machine == nil {
		return
	}
	out := sluice.PortID(len(n.ports) - 1)
	p.Ingress = ingress
	verdict := n.machine.Port(out).Enqueue(now, p)
	if verdict.Action() != sluice.Append {
		log.Fatalf("%v %s: %v", now, n.name, verdict)
	}
	fifo := &n.ports[out].fifos[verdict.Queue()]
	*fifo = append(*fifo, p)
	n.act(now, verdict.Wake())
	n.kick(now, out)
}

// kick starts the transmitter of a port, if it is idle and a packet may go.
func (n *node) kick(now sluice.Time, id sluice.PortID) {
	out := &n.ports[id]
	if out.busy {
		return
	}
	q, ok := n.machine.Port(id).Next(now)
	if !ok {
		return
	}
	p := out.fifos[q][0]
	out.fifos[q] = out.fifos[q][1:]
	verdict := n.machine.Port(id).Dequeue(now, q, p)
	out.busy = true
	sent := now + out.link.Rate.TimeOf(sluice.Bytes(p.Size))
	schedule(sent, func(now sluice.Time) {
		out.busy = false
		n.kick(now, id)
	})
	schedule(sent+out.link.Delay, func(now sluice.Time) { out.peer.arrive(now, out.peerPort, p) })
	n.act(now, verdict.Wake())
}

// act does what a hook asked for: frames first, for they must be gone before the next hook is called, then queues that
// may send again.
func (n *node) act(now sluice.Time, wake sluice.Wake) {
	if wake.Has(sluice.WakeFrames) {
		n.sendFrames(now)
	}
	if wake.Has(sluice.WakeQueues) {
		for id := range n.ports { // wake.Port says which one; with so few, one can as well try all
			n.kick(now, sluice.PortID(id))
		}
	}
}

// sendFrames puts all pending pause frames on the wire. They go ahead of packets, but for one that has begun, which the
// headroom allows for.
func (n *node) sendFrames(now sluice.Time) {
	for {
		var f pfc.Frame
		id, ok := n.machine.PollFrame(now, &f)
		if !ok {
			return
		}
		out := n.ports[id]
		fmt.Printf("%11v  %s -> %s  %v\n", now, n.name, out.peer.name, f)
		there := now + out.link.Rate.TimeOf(pfc.WireLength) + out.link.Delay
		schedule(there, func(now sluice.Time) { out.peer.hear(now, out.peerPort, &f) })
	}
}

// hear takes in a pause frame. Between one's own machines it need not be encoded and parsed.
func (n *node) hear(now sluice.Time, id sluice.PortID, f *pfc.Frame) {
	n.act(now, n.machine.Port(id).Receive(now, f))
}

// symbol is the node's state in the picture.
func (n *node) symbol() string {
	out := n.machine.Port(sluice.PortID(len(n.ports) - 1))
	switch {
	case out.Held().Has(class):
		return "#"
	case n.machine.Buffered() > 0:
		return "="
	}
	return "."
}
