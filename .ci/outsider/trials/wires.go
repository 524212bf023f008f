package main

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

func (w *world) inject(e *event) {
	a := &w.actions[e.what]
	f := &w.flows[a.flow]
	if e.left > 1 {
		w.schedule(event{at: w.now + a.span, kind: injects, what: e.what, left: e.left - 1})
	}
	h, ok := w.store.Take()
	if !ok {
		return
	}
	item := w.store.At(h)
	w.sentTo[a.flow]++
	item.Value = tag{flow: uint16(a.flow), number: w.sentTo[a.flow]}
	size := mix(a.salt + uint64(e.left))
	item.Packet = sluice.Packet{
		Flow: f.hash, Class: f.class, ECN: f.ecn, Path: f.path, Ingress: sluice.Local,
		Size: [...]int32{mtu, mtu, 64, int32(1 + size>>8%mtu)}[size%4],
	}
	n := w.nodes[f.src]
	n.enqueue(f.path.At(0).Port, h)
	n.look()
}

func (w *world) carry(n *node, port sluice.PortID, h kit.Handle) {
	p, item := &n.ports[port], w.store.At(h)
	left := &w.left[item.Value.flow][item.Value.hop]
	if item.Value.number <= *left && !w.setup.reorder {
		w.fail("2 order", "packet %d of flow %d leaves node %d by port %d after packet %d",
			item.Value.number, item.Value.flow, n.id, port, *left)
	}
	*left = item.Value.number
	item.Value.hop++
	w.note(uint64(w.now), uint64(n.id)<<56|uint64(item.Value.flow)<<36|uint64(item.Value.number)<<4|
		uint64(item.ECN))
	done := w.occupy(n, port, sluice.Bytes(item.Size))
	if w.lost(p) {
		w.store.Release(h)
		return
	}
	w.schedule(event{
		at: done + p.link.Delay, kind: packetArrives, node: uint8(p.peer), port: uint8(p.peerPort),
		epoch: p.epoch, what: uint32(h),
	})
}

func (w *world) carryFrame(n *node, port sluice.PortID, frame []byte, kind string) {
	p := &n.ports[port]
	if w.trace {
		fmt.Printf("%v node %d port %d sends %s %x\n", w.now, n.id, port, kind, frame)
	}
	for _, b := range frame[:min(len(frame), 40)] {
		w.digest = (w.digest ^ uint64(b)) * 0x100000001b3
	}
	w.note(uint64(w.now), uint64(n.id)<<8|uint64(port))
	w.recent[w.sent%16] = append(w.recent[w.sent%16][:0], frame...)
	w.sent++
	done := w.occupy(n, port, sluice.Bytes(len(frame))+n.overhead)
	if !w.lost(p) {
		w.deliver(p, done+p.link.Delay, frame)
	}
	if p.loss > 0 && w.lost(p) { // again, later
		w.deliver(p, done+p.link.Delay+sluice.Time(mix(w.sent)%5_000_000), frame)
	}
}

// occupy keeps a transmitter busy with so many bytes, and returns until when.
func (w *world) occupy(n *node, port sluice.PortID, size sluice.Bytes) sluice.Time {
	p := &n.ports[port]
	done := w.now + p.link.Rate.TimeOf(size)
	p.busy = true
	w.schedule(event{
		at: done, kind: transmitterFree, node: uint8(n.id), port: uint8(port), epoch: p.epoch,
	})
	return done
}

func (w *world) deliver(p *nodePort, at sluice.Time, frame []byte) {
	slot := uint32(len(w.frames))
	if last := len(w.free) - 1; last >= 0 {
		slot = w.free[last]
		w.free = w.free[:last]
	} else {
		w.frames = append(w.frames, make([]byte, 0, 128))
	}
	w.frames[slot] = append(w.frames[slot][:0], frame...)
	w.schedule(event{
		at: at, kind: frameArrives, node: uint8(p.peer), port: uint8(p.peerPort), epoch: p.epoch,
		what: slot,
	})
}

func (w *world) lost(p *nodePort) bool {
	if p.loss == 0 {
		return false
	}
	p.carried++
	return int(mix(p.salt+p.carried)%1000) < p.loss
}
