package main

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// node is a machine and what drives it.
type node struct {
	*world
	id       int
	m        kit.Machine
	drive    embedding
	ports    []nodePort
	base     sluice.Time // by how much the machine's clock is behind
	due      sluice.Time // when to call Expire
	held     sluice.Bytes
	cell     sluice.Bytes // what a packet takes of the buffer is whole cells
	queues   int
	overhead sluice.Bytes
	looked   uint64
	latest   sluice.Time // time that the machine was told
	congest  bool
	consumes bool
}

type nodePort struct {
	edge
	busy    bool
	downs   int // reasons why the link is down
	epoch   uint16
	loss    int // per mille
	salt    uint64
	carried uint64
}

func newNode(w *world, id int) *node {
	n := &node{world: w, id: id}
	for _, e := range w.graph.nodes[id].ports {
		n.ports = append(n.ports, nodePort{edge: e})
	}
	n.start()
	return n
}

func (n *node) start() {
	m, err := n.setup.node(n.id)
	if err != nil {
		panic(err)
	}
	n.m, n.queues, n.overhead = m, m.Queues(), kit.FrameOverhead(m)
	n.held, n.congest = 0, false
	n.consumes = kit.Consumes(m)
	n.latest = n.time()
	n.cell = 1
	if len(n.ports) > 1 && n.setup.cellOf != nil { // network cards count bytes
		n.cell = max(1, n.setup.cellOf(m))
	}
	for i := range n.ports {
		n.ports[i].busy = false
	}
	if n.own {
		n.drive = newLoop(n)
	} else {
		n.drive = kit.NewDriver(m, n.store, (*output)(n))
	}
	n.plan()
}

// time is what the machine's clock shows.
func (n *node) time() sluice.Time {
	t := n.now - n.base
	n.latest = max(n.latest, t)
	return t
}

func (n *node) plan() {
	n.due = n.m.Deadline()
	if n.due != sluice.Never {
		n.due += n.base
		if n.late { // now and then a timer is served late
			if salt := mix(uint64(n.due) ^ uint64(n.id)); salt%4 == 0 {
				n.due += sluice.Time(salt >> 8 % 5_000_000)
			}
		}
	}
}

func (n *node) isFree(port sluice.PortID) bool {
	p := &n.ports[port]
	return !p.busy && p.downs == 0
}

func (n *node) enqueue(port sluice.PortID, h kit.Handle) {
	n.calls++
	n.held += n.inBuffer(n.store.At(h).Size) // send and drop take it off
	n.drive.Enqueue(n.time(), port, h)
	n.moved()
}

func (n *node) inBuffer(size int32) sluice.Bytes {
	return (sluice.Bytes(size) + n.cell - 1) / n.cell * n.cell
}

// send takes a packet that a machine transmits.
func (n *node) send(port sluice.PortID, h kit.Handle) {
	n.held -= n.inBuffer(n.store.At(h).Size)
	n.carry(n, port, h)
}

// drop discards a packet that a machine refused, or that was flushed.
func (n *node) drop(h kit.Handle, why sluice.Reason) {
	p := &n.store.At(h).Packet
	n.held -= n.inBuffer(p.Size)
	switch why {
	case sluice.BufferFull, sluice.HeadroomExhausted, sluice.WatchdogDrop, sluice.LinkDown:
	default:
		n.fail("3 lossless", "node %d drops a packet that is well-formed: %v", n.id, why)
	}
	if !n.broken.faults && (n.setup.mayDrop == nil || !n.setup.mayDrop(p, why)) {
		n.fail("3 lossless", "node %d drops a packet of class %d, though everyone obeys: %v", n.id,
			p.Class, why)
	}
	n.note(uint64(n.now), uint64(why)<<40|uint64(n.id))
	n.store.Release(h)
}

func (n *node) receive(port sluice.PortID, frame []byte) {
	n.calls++
	_ = n.drive.Receive(n.time(), port, frame) // which may be hostile
	n.moved()
}

func (n *node) consume(port sluice.PortID, h kit.Handle) {
	if !n.consumes {
		return
	}
	n.calls++
	n.drive.Consume(n.time(), port, &n.store.At(h).Packet)
	n.moved()
}

func (n *node) expire() {
	n.calls++
	now := n.time()
	n.drive.Expire(now)
	n.moved()
	n.plan()
	if d := n.m.Deadline(); d <= now {
		n.fail("6 bounded", "node %d: after Expire(%v) Deadline is %v", n.id, now, d)
	}
}

// moved asks a kit.Driver whether the deadline moved, and whether the machine broke a rule. Our own
// loop plans in Act, and ends the run where a rule is broken.
func (n *node) moved() {
	driver, ok := n.drive.(*kit.Driver[tag])
	if !ok {
		return
	}
	if driver.DeadlineMoved() {
		n.plan()
	}
	if err := driver.Err(); err != nil {
		n.fail("4 no lost wake", "node %d: %v", n.id, err)
	}
}

// ready is for a transmitter that has become free.
func (n *node) ready(port sluice.PortID) {
	n.calls++
	n.drive.Ready(n.time(), port)
	n.moved()
}
