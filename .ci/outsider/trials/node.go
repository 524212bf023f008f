package main

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// node embeds a machine: by our own loop, written from the documentation of package sluice, or by
// kit.Driver.
type node struct {
	*world
	id       int
	m        kit.Machine
	driver   *kit.Driver[tag] // nil: our own loop
	ports    []nodePort
	base     sluice.Time // what the machine's clock is behind
	due      sluice.Time // when to call Expire
	held     sluice.Bytes
	cell     sluice.Bytes // what a packet takes of the buffer is whole cells
	queues   int
	overhead sluice.Bytes
	woken    []sluice.PortID
	several  bool // PollPort has not been called since a word said so
	planned  bool // servesLate
	busyNow  bool // our own loop serves ports
	looked   uint64
	latest   sluice.Time // that the machine was told
	congest  bool
	consumes bool
}

type nodePort struct {
	edge
	busy    bool
	woken   bool
	downs   int // reasons why the link is down
	epoch   uint16
	loss    int // per mille
	salt    uint64
	carried uint64
	waiting int
	fifo    []fifo // of our own loop
	owing   kit.Owing
}

type fifo struct {
	items []kit.Handle
	head  int
	bytes sluice.Bytes
}

func (f *fifo) empty() bool { return f.head == len(f.items) }

func (f *fifo) push(h kit.Handle, size sluice.Bytes) {
	if f.head == len(f.items) {
		f.items, f.head = f.items[:0], 0
	} else if f.head > 64 && f.head*2 > len(f.items) {
		f.items, f.head = append(f.items[:0], f.items[f.head:]...), 0
	}
	f.items = append(f.items, h)
	f.bytes += size
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
	n.held, n.woken, n.several, n.congest = 0, n.woken[:0], false, false
	n.consumes = kit.Consumes(m)
	n.latest = n.time()
	n.cell = 1
	if len(n.ports) > 1 && n.setup.cellOf != nil { // network cards count bytes
		n.cell = max(1, n.setup.cellOf(m))
	}
	for i := range n.ports {
		p := &n.ports[i]
		p.busy, p.woken, p.waiting = false, false, 0
		p.fifo = make([]fifo, n.queues)
		p.owing, _ = kit.HooksOf(m, sluice.PortID(i)).(kit.Owing)
	}
	if n.driver = nil; !n.own {
		n.driver = kit.NewDriver(m, n.store, (*output)(n))
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
	item := n.store.At(h)
	n.calls++
	if n.driver != nil {
		size := n.inBuffer(item.Size)
		n.held += size // Output.Drop and Send take it off
		n.driver.Enqueue(n.time(), port, h)
		n.moved()
		return
	}
	v := n.m.Enqueue(n.time(), port, &item.Packet)
	switch v.Action() {
	case sluice.Append:
		n.append(port, v.Queue(), h, item.Size)
		n.held += n.inBuffer(item.Size)
		n.ports[port].waiting++
		n.kick(port)
	case sluice.Drop:
		n.dropped(h, v.Reason())
	default:
		n.fail("6 bounded", "Enqueue answered %v", v)
	}
	n.do(v.Wake())
}

func (n *node) inBuffer(size int32) sluice.Bytes {
	return (sluice.Bytes(size) + n.cell - 1) / n.cell * n.cell
}

func (n *node) append(port sluice.PortID, q sluice.QueueID, h kit.Handle, size int32) {
	if int(q) >= n.queues {
		n.fail("6 bounded", "node %d: a verdict names queue %d of %d", n.id, q, n.queues)
	}
	n.ports[port].fifo[q].push(h, n.inBuffer(size))
}

// dropped discards a packet that a machine refused.
func (n *node) dropped(h kit.Handle, why sluice.Reason) {
	p := &n.store.At(h).Packet
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
	if n.driver != nil {
		_ = n.driver.Receive(n.time(), port, frame)
		n.moved()
		return
	}
	w, err := n.m.Receive(n.time(), port, frame)
	if n.trace {
		fmt.Printf("%v node %d port %d receives %x: %v %v\n", n.now, n.id, port, frame, w, err)
	}
	if err != nil && w != 0 {
		n.fail("6 bounded", "node %d refused a frame (%v) and said %v", n.id, err, w)
	}
	n.do(w)
}

func (n *node) consume(port sluice.PortID, h kit.Handle) {
	if !n.consumes {
		return
	}
	n.calls++
	p := &n.store.At(h).Packet
	if n.driver != nil {
		n.driver.Consume(n.time(), port, p)
		n.moved()
		return
	}
	n.do(kit.Consume(n.m, n.time(), port, p))
}

func (n *node) expire() {
	n.calls++
	now := n.time()
	if n.driver != nil {
		n.driver.Expire(now)
		n.moved()
	} else {
		n.do(n.m.Expire(now))
	}
	n.plan()
	if d := n.m.Deadline(); d <= now {
		n.fail("6 bounded", "node %d: after Expire(%v) Deadline is %v", n.id, now, d)
	}
}
