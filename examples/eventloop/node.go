package main

import (
	"log"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// node is a switch or a network card, and the output of its driver. What it forwards leaves by its
// last port.
type node struct {
	loop    *loop
	id      sluice.SwitchID
	name    string
	driver  *kit.Driver[struct{}]
	ports   []port
	arrived int // packets
	picture string
}

type port struct {
	link     sluice.Link
	peer     *node
	peerPort sluice.PortID
	busy     bool // its transmitter
}

// send gives a card a packet of its own, with the path that it will take.
func (n *node) send() {
	h, _ := n.loop.store.Take()
	p := &n.loop.store.At(h).Packet
	*p = sluice.Packet{Flow: 1, Size: mtu, Class: class, Ingress: sluice.Local}
	for _, at := range n.loop.nodes[:3] {
		p.Path.Append(sluice.Hop{Switch: at.id, Port: sluice.PortID(len(at.ports) - 1)})
	}
	n.driver.Enqueue(n.loop.now, 0, h)
}

// arrive takes in a packet that came by a port.
func (n *node) arrive(ingress sluice.PortID, h kit.Handle) {
	n.arrived++
	if len(n.ports) == 1 {
		n.loop.store.Release(h)
		return
	}
	n.loop.store.At(h).Ingress = ingress
	n.driver.Enqueue(n.loop.now, sluice.PortID(len(n.ports)-1), h)
}

// Free says whether a transmitter is idle. One that is busy is Ready at the end of what it sends:
// see occupy.
func (n *node) Free(id sluice.PortID) bool { return !n.ports[id].busy }

// Send puts a packet on the wire.
func (n *node) Send(id sluice.PortID, h kit.Handle) {
	out := n.ports[id]
	there := n.occupy(id, n.loop.store.At(h).Size)
	n.loop.schedule(there, func() { out.peer.arrive(out.peerPort, h) })
}

// SendFrame puts a control frame on the wire.
func (n *node) SendFrame(id sluice.PortID, frame []byte, kind string) {
	out := n.ports[id]
	n.loop.frames[kind]++
	wire := append([]byte(nil), frame...)
	there := n.occupy(id, sluice.Bytes(len(frame)))
	n.loop.schedule(there, func() {
		if err := out.peer.driver.Receive(n.loop.now, out.peerPort, wire); err != nil {
			log.Fatal(err)
		}
	})
}

// Drop is what must not happen here.
func (n *node) Drop(id sluice.PortID, _ kit.Handle, why sluice.Reason) {
	log.Fatalf("%v %s drops a packet at port %d: %v", n.loop.now, n.name, id, why)
}

// occupy keeps a transmitter busy and returns when what it sends is at the other end.
func (n *node) occupy(id sluice.PortID, size sluice.Bytes) sluice.Time {
	n.ports[id].busy = true
	sent := n.loop.now + n.ports[id].link.Rate.TimeOf(size)
	n.loop.schedule(sent, func() {
		n.ports[id].busy = false
		n.driver.Ready(n.loop.now, id)
	})
	return sent + n.ports[id].link.Delay
}

// symbol is the node's state in the picture: whether what waits at its last port is held.
func (n *node) symbol() string {
	out := sluice.PortID(len(n.ports) - 1)
	machine := n.driver.Machine()
	symbol := "."
	for q := range sluice.QueueID(machine.Queues()) {
		switch {
		case machine.Backlog(out, q) == 0:
		case machine.Sendable(out, q):
			return "="
		default:
			symbol = "#"
		}
	}
	return symbol
}
