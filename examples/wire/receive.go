package main

import (
	"encoding/binary"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/kit"
	"golang.org/x/sys/unix"
)

// patience is how many frames of a port are read before the next port has its turn.
const patience = 64

// receive takes in what came in at the ports.
func (n *node) receive() {
	for i := range n.ports {
		if n.files[i].Revents == 0 {
			continue
		}
		for range patience {
			length, err := n.ports[i].socket.receive(n.scratch)
			if err == unix.ENETDOWN {
				n.lookLinks = n.now
				continue
			}
			if err != nil {
				break
			}
			n.take(sluice.PortID(i), length)
		}
	}
}

// take takes in the frame in n.scratch: it is for the machine, for this host, or for another port.
func (n *node) take(in sluice.PortID, length int) {
	p := &n.ports[in]
	p.Received++
	if p.down { // perhaps the frame was faster than the news that the link is up
		n.watchLink(in)
	}
	frame := n.scratch[:length]
	switch {
	case length < ethernetLength:
		n.refuse(in, tooShort, length)
	case length > maxFrame:
		n.refuse(in, tooLong, length)
	case isControl(frame):
		p.Control++
		n.driver.Receive(n.now, in, frame) // the machine counts what is malformed
	default:
		n.takePacket(in, frame)
	}
}

func isControl(frame []byte) bool {
	ether := binary.BigEndian.Uint16(frame[typeOffset:])
	return ether == typeControl || ether == typeSluice
}

// takePacket finds the way of a packet.
func (n *node) takePacket(in sluice.PortID, frame []byte) {
	h := &n.headers
	if why, ok := h.parse(frame, n.shim); !ok {
		n.refuse(in, why, len(frame))
		return
	}
	path, status := n.routes.Path(n.id, in, &h.flow)
	switch {
	case status == hashpath.OK && path.Len() == 0:
		n.ports[in].Delivered++
		n.deliver(h)
		n.consume(in, len(frame))
	case status != hashpath.OK || path.At(0).Port == in:
		n.refuse(in, noRoute, len(frame))
	default:
		n.forward(in, path, frame)
	}
}

// forward hands a packet to the port by which it leaves.
func (n *node) forward(in sluice.PortID, path sluice.Path, frame []byte) {
	out := path.At(0).Port
	p := &n.ports[in]
	if n.ports[out].down {
		n.refuse(in, deadLink, len(frame))
		return
	}
	h, ok := n.store.Take()
	if !ok || p.taken > n.store.Capacity()/2 {
		if ok {
			n.store.Release(h)
		}
		n.refuse(in, noBuffer, len(frame))
		return
	}
	item := n.store.At(h)
	item.Value = append(item.Value[:0], frame...)
	item.Packet = sluice.Packet{
		Flow: n.headers.flow.Hash(), Size: sluice.Bytes(len(frame)), Ingress: in, Path: path,
		UpstreamQueue: n.headers.queue, Stamped: n.headers.stamped, Class: n.headers.class,
		ECN: n.headers.ecn,
	}
	p.Forwarded++
	p.taken++
	n.driver.Enqueue(n.now, out, h)
}

// refuse counts a frame that goes no further.
func (n *node) refuse(in sluice.PortID, why refusal, length int) {
	n.ports[in].Refused[why]++
	n.consume(in, length)
}

// consume says that a frame that came in goes no further, for protocols that count arrivals.
func (n *node) consume(in sluice.PortID, length int) {
	n.driver.Consume(n.now, in, &sluice.Packet{Size: sluice.Bytes(length), Ingress: in, Class: class})
}

// newStore returns a store whose items have room for a packet each, out of one piece of memory.
// They keep it: what Take returns has the room that the last user left.
func newStore(packets int) (*kit.Store[[]byte], error) {
	store, err := kit.NewStore[[]byte](packets)
	if err != nil {
		return nil, err
	}
	memory := make([]byte, packets*maxFrame)
	handles := make([]kit.Handle, packets)
	for i := range handles {
		handles[i], _ = store.Take()
		store.At(handles[i]).Value = memory[i*maxFrame : (i+1)*maxFrame : (i+1)*maxFrame]
	}
	for _, h := range handles {
		store.Release(h)
	}
	return store, nil
}
