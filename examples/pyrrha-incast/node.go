package main

import (
	"fmt"
	"log"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pyrrha"
)

// node is a switch or a host: a machine with its driver, and the driver's output.
type node struct {
	id      sluice.SwitchID
	now     sluice.Time
	machine *pyrrha.Switch
	store   *kit.Store[struct{}]
	driver  *kit.Driver[struct{}]
	ports   []*port

	// Of a host: what it has to send, by one path, and what it received.
	unsent   int
	path     sluice.Path
	received int
	last     sluice.Time
}

type port struct {
	config   pyrrha.PortConfig
	peer     *node
	peerPort sluice.PortID
	idleAt   sluice.Time // its transmitter
	onWire   []arrival   // at the peer
}

type arrival struct {
	at     sluice.Time
	packet kit.Handle // or
	frame  []byte
}

// step does what is due at a node.
func (n *node) step(now sluice.Time) {
	n.now = now
	n.driver.Expire(now) // early calls do nothing
	n.pull()
	for i, p := range n.ports {
		n.driver.Ready(now, sluice.PortID(i))
		var later []arrival
		for _, a := range p.onWire {
			switch {
			case a.at > now:
				later = append(later, a)
			case a.frame != nil:
				p.peer.hear(now, p.peerPort, a.frame)
			default:
				p.peer.arrive(now, p.peerPort, a.packet)
			}
		}
		p.onWire = later
	}
}

// pull gives a host's next packet to its network card, if the last one has gone and no paused root
// is on the path.
func (n *node) pull() {
	if n.unsent == 0 || n.machine.Buffered() > 0 {
		return
	}
	if _, blocked := n.machine.Port(0).Blocked(&n.path); !blocked {
		n.give()
	}
}

// give gives a host's next packet to its network card. Nothing stops a packet that waits in the OQ
// there.
func (n *node) give() {
	n.unsent--
	h, ok := n.store.Take()
	if !ok {
		log.Fatal("the store is full")
	}
	n.store.At(h).Packet = sluice.Packet{Size: mtu, Path: n.path}
	n.arrive(n.now, sluice.Local, h)
}

// arrive takes in a packet. Its path begins at this node's egress; without one it is here.
func (n *node) arrive(now sluice.Time, ingress sluice.PortID, h kit.Handle) {
	n.now = now
	p := n.store.At(h)
	if p.Path.Len() == 0 {
		n.received++
		n.last = now
		n.store.Release(h)
		return
	}
	p.Ingress = ingress
	n.driver.Enqueue(now, p.Path.At(0).Port, h)
}

// hear takes in a control frame.
func (n *node) hear(now sluice.Time, id sluice.PortID, frame []byte) {
	n.now = now
	if err := n.driver.Receive(now, id, frame); err != nil {
		log.Fatal(err)
	}
}

// Free says whether a transmitter is idle. Every step asks all of them again.
func (n *node) Free(id sluice.PortID) bool { return n.now >= n.ports[id].idleAt }

// Send puts a packet on the wire.
func (n *node) Send(id sluice.PortID, h kit.Handle) {
	there := n.occupy(id, n.store.At(h).Size)
	n.ports[id].onWire = append(n.ports[id].onWire, arrival{at: there, packet: h})
}

// SendFrame puts a control frame on the wire, and prints it.
func (n *node) SendFrame(id sluice.PortID, wire []byte, _ string) {
	var f pyrrha.Frame
	if err := f.Parse(wire); err != nil {
		log.Fatal(err)
	}
	out := n.ports[id]
	fmt.Printf("%8v  %d -> %d  %v\n", n.now, n.id, out.peer.id, &f)
	there := n.occupy(id, sluice.Bytes(len(wire)))
	out.onWire = append(out.onWire, arrival{at: there, frame: append([]byte(nil), wire...)})
}

// Drop is what must not happen here.
func (n *node) Drop(id sluice.PortID, _ kit.Handle, why sluice.Reason) {
	log.Fatalf("%v at %d: a packet for port %d is dropped: %v", n.now, n.id, id, why)
}

// occupy keeps a transmitter busy and returns when what it sends is at the other end.
func (n *node) occupy(id sluice.PortID, size sluice.Bytes) sluice.Time {
	out := n.ports[id]
	out.idleAt = n.now + out.config.Link.Rate.TimeOf(size)
	return out.idleAt + out.config.Link.Delay
}
