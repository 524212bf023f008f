package testnet

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// Node is a machine and its links. A node of one link is a host.
type Node struct {
	ID     sluice.SwitchID
	Links  []*Link // by port
	Driver Driver  // nil: the node is not started

	network *Network
	embed   func(v *Node) Driver
}

// Driver embeds the machine of a node: a kit.Driver, or what has its methods. It sends by the
// methods of the node, which is a kit.Output.
type Driver interface {
	Enqueue(now sluice.Time, port sluice.PortID, h kit.Handle) sluice.Verdict
	Receive(now sluice.Time, port sluice.PortID, frame []byte) error
	Consume(now sluice.Time, port sluice.PortID, p *sluice.Packet)
	Ready(now sluice.Time, port sluice.PortID)
	Expire(now sluice.Time)
	Deadline() sluice.Time
	LinkDown(now sluice.Time, port sluice.PortID)
	LinkUp(now sluice.Time, port sluice.PortID)
	Flush(now sluice.Time, port sluice.PortID)
	Machine() kit.Machine
}

// Link is a port's end of a link, and its transmitter.
type Link struct {
	sluice.Link
	Peer *Node
	Port sluice.PortID // of Peer

	busy    bool
	life    int         // of the transmitter: what it began in a life before ends without notice
	downs   int         // reasons why the link is down
	cuts    [2]int      // how often it lost the packets, and the frames, that it carried
	arrival sluice.Time // of the last packet or frame
	sent    int         // packets and frames
	arrived int         // the latest of them
}

// Host reports whether the node is a host.
func (v *Node) Host() bool { return len(v.Links) == 1 }

// Machine returns what the function that the node was started with returned.
func (v *Node) Machine() kit.Machine { return v.Driver.Machine() }

// Kit returns the driver of a node that Start started.
func (v *Node) Kit() *kit.Driver[Cargo] { return v.Driver.(*kit.Driver[Cargo]) }

// Acted must be called after a method of the node's machine or driver that a test calls itself. It
// lets the flows of a host go on that were not ready.
func (v *Node) Acted() {
	n := v.network
	if n.Every > 0 && n.agenda.Planned()%n.Every == 0 {
		n.Look(v)
	}
	for _, f := range n.Flows {
		if f.source == v && f.Ready != nil && f.Sent > 0 {
			n.refill(f)
		}
	}
}

// Free, Send, SendFrame and Drop are the kit.Output of a node.
func (v *Node) Free(port sluice.PortID) bool {
	return !v.Links[port].busy && v.Links[port].downs == 0
}

func (v *Node) Send(port sluice.PortID, h kit.Handle) {
	n, l := v.network, v.Links[port]
	item := n.Store.At(h)
	arrival := v.transmit(port, item.Size)
	item.Ingress = l.Port
	v.leave(h)
	if n.chance(n.LostPackets) {
		n.Strayed++
		n.lose(h)
		return
	}
	cuts, turn := l.cuts[0], l.sent
	n.At(arrival, func() {
		if l.cuts[0] != cuts {
			n.lose(h)
			return
		}
		l.inOrder(turn)
		l.Peer.arrive(h)
	})
}

// SendFrame puts a control frame on a link that may lose it, double it, or let others pass.
func (v *Node) SendFrame(port sluice.PortID, frame []byte, kind string) {
	n, l := v.network, v.Links[port]
	arrival := v.transmit(port, sluice.Bytes(len(frame)))
	vanishes := n.chance(n.Lost) || n.Lose(v, kind)
	n.Saw(v, port, frame, vanishes)
	if vanishes {
		n.Vanished++
		return
	}
	sent := append([]byte(nil), frame...)
	cuts, turn := l.cuts[1], l.sent
	deliver := func(turn int) func() {
		return func() {
			if l.cuts[1] == cuts {
				l.inOrder(turn)
				l.Peer.Receive(l.Port, sent)
			}
		}
	}
	if n.chance(n.Doubled) {
		n.Twice++
		n.At(arrival, deliver(turn))
	}
	if n.chance(n.Late) {
		n.Delayed++
		n.At(arrival+sluice.Time(n.Random.Below(uint64(5*sluice.Microsecond))), deliver(late))
		return
	}
	n.At(arrival, deliver(turn))
}

// transmit occupies a transmitter for size bytes, and returns when the last of them arrives: not
// before what was sent earlier.
func (v *Node) transmit(port sluice.PortID, size sluice.Bytes) sluice.Time {
	n, l := v.network, v.Links[port]
	if !v.Free(port) {
		panic(fmt.Sprintf("port %d of node %d sends, and is not free", port, v.ID))
	}
	l.busy = true
	l.sent++
	life, end := l.life, n.Now+l.Rate.TimeOf(size)
	n.At(end, func() {
		if l.life == life {
			l.busy = false
			v.Driver.Ready(n.Now, port)
			v.Acted()
		}
	})
	delay := l.Delay
	if n.Early {
		delay -= sluice.Time(n.Random.Below(uint64(delay/4) + 1))
	}
	l.arrival = max(l.arrival, end+delay)
	return l.arrival
}

// late is in place of the number, from 1 on, of a frame that others may pass.
const late = 0

// inOrder panics if a link hands over packets and frames in another order than that in which they
// were dequeued and polled, frames that are held back on purpose left out. The contract of package
// sluice orders a frame after the packets dequeued before its poll, and before later ones.
func (l *Link) inOrder(turn int) {
	if turn == late {
		return
	}
	if turn < l.arrived {
		panic(fmt.Sprintf("number %d of a link arrived after number %d", turn, l.arrived))
	}
	l.arrived = turn
}

func (n *Network) chance(percent uint64) bool {
	return percent > 0 && n.Random.Below(100) < percent
}

func (v *Node) Drop(_ sluice.PortID, h kit.Handle, why sluice.Reason) {
	n := v.network
	if why != sluice.LinkDown && why != n.MayDrop {
		n.Fatalf("%v: node %d dropped a packet: %v", n.Now, v.ID, why)
	}
	v.Discard(h)
}

// Receive hands a control frame that came in at a port, or that a test forged, to the machine.
func (v *Node) Receive(port sluice.PortID, frame []byte) {
	if v.Driver == nil {
		return
	}
	n := v.network
	if err := v.Driver.Receive(n.Now, port, frame); err != nil {
		n.Fatal(err)
	}
	v.Acted()
	n.Look(v)
}
