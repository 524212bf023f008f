package main

import (
	"encoding/binary"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/kit"
	"golang.org/x/sys/unix"
)

// transmit serves the ports whose transmitter has become free.
func (n *node) transmit() {
	for i := range n.ports {
		p := &n.ports[i]
		if p.busy && p.free <= n.now {
			n.driver.Ready(n.now, sluice.PortID(i))
			p.busy = p.free > n.now
		}
	}
}

// Free implements kit.Output.
func (n *node) Free(id sluice.PortID) bool {
	p := &n.ports[id]
	return !p.down && p.free <= n.now
}

// Send implements kit.Output: a packet leaves with what the machine says of it.
func (n *node) Send(id sluice.PortID, h kit.Handle) {
	item := n.store.At(h)
	frame, ours := item.Value, item.Ingress == sluice.Local
	if n.shim {
		bfc.AppendShim(frame[typeOffset:typeOffset], item.UpstreamQueue)
	}
	ip := frame[ipOffset(n.shim):]
	if tos := tosOf(ip[1], item.Class, item.ECN); tos != ip[1] {
		setTOS(ip, tos)
	}
	if ours {
		binary.BigEndian.PutUint64(ip[20+8+8:], uint64(sinceEpoch()))
	}
	n.put(id, frame, item.Size)
	n.release(h)
	if ours {
		n.sourceFree(frame, true)
	}
}

// SendFrame implements kit.Output.
func (n *node) SendFrame(id sluice.PortID, frame []byte, kind string) {
	n.ports[id].frames[kind]++
	n.put(id, frame, sluice.Bytes(len(frame))+kit.FrameOverhead(n.driver.Machine()))
}

// Drop implements kit.Output.
func (n *node) Drop(id sluice.PortID, h kit.Handle, why sluice.Reason) {
	n.ports[id].Dropped[why]++
	if item := n.store.At(h); item.Ingress == sluice.Local {
		n.sourceFree(item.Value, false)
	}
	n.release(h)
}

// put puts bytes on the wire, and keeps the transmitter busy for as long as they take at the rate
// of the link. A transmitter that was busy until now, and is late, makes up for the time that it
// lost, at most for the credit, which the headroom at the other end covers.
func (n *node) put(id sluice.PortID, frame []byte, size sluice.Bytes) {
	p := &n.ports[id]
	switch p.socket.send(frame) {
	case nil:
		p.Sent++
	case unix.ENOBUFS: // the interface dropped it, and counts that itself: Severed
	default:
		p.Unsent++
	}
	began := n.now
	if p.busy {
		began = max(p.free, n.now-sluice.FromDuration(n.settings.delays.credit()))
	}
	p.free = began + n.settings.rate().TimeOf(size)
	p.busy = true
}

func (n *node) release(h kit.Handle) {
	if in := n.store.At(h).Ingress; in != sluice.Local {
		n.ports[in].taken--
	}
	n.store.Release(h)
}
