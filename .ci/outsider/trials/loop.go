package main

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// do acts on a word: it notes the ports that it names, and serves them.
func (n *node) do(w sluice.Wake) {
	if w.Has(sluice.WakeDeadline) {
		n.plan()
	}
	if port, ok := w.Port(); ok {
		n.kick(port)
	}
	if w.Has(sluice.WakeSeveral) {
		n.several = true
	}
	if len(n.woken) == 0 && !n.several {
		return
	}
	if n.lazy && mix(n.events^uint64(n.id))%4 == 0 { // after the next input is early enough
		if !n.planned {
			n.planned = true
			at := n.now + sluice.Time(mix(n.events)%300_000)
			n.schedule(event{at: at, kind: servesLate, node: uint8(n.id)})
		}
		return
	}
	n.serve()
}

func (n *node) kick(port sluice.PortID) {
	if int(port) >= len(n.ports) {
		n.fail("4 no lost wake", "node %d: a word names port %d of %d", n.id, port, len(n.ports))
	}
	if p := &n.ports[port]; !p.woken {
		p.woken = true
		n.woken = append(n.woken, port)
	}
}

// serve lets every port send that was woken.
func (n *node) serve() {
	n.planned = false
	if n.driver != nil || n.busyNow {
		return
	}
	n.busyNow = true
	for {
		if n.several {
			n.several = false
			for polls := 0; ; polls++ {
				port, ok := n.m.PollPort()
				n.calls++
				if !ok {
					break
				}
				if polls > len(n.ports) {
					n.fail("6 bounded", "node %d: PollPort does not end", n.id)
				}
				n.kick(port)
			}
		}
		last := len(n.woken) - 1
		if last < 0 {
			break
		}
		port := n.woken[last]
		n.woken = n.woken[:last]
		n.ports[port].woken = false
		n.transmit(port)
	}
	n.busyNow = false
}

// ready is for a transmitter that has become free.
func (n *node) ready(port sluice.PortID) {
	if n.driver != nil {
		n.calls++
		n.driver.Ready(n.time(), port)
		n.moved()
		return
	}
	n.kick(port)
	n.serve()
}

// transmit asks a port for a frame, then for a packet, and sends the first that it gets.
func (n *node) transmit(port sluice.PortID) {
	p := &n.ports[port]
	for moves := 0; n.isFree(port); moves++ {
		owes := p.owing == nil || p.owing.Owes()
		if owes || n.looked%8 == 0 {
			n.calls++
			frame, kind, ok := n.m.PollFrame(n.time(), port, n.buffer[:0])
			if ok && !owes {
				n.fail("4 no lost wake", "node %d port %d has a frame and Owes denies it", n.id, port)
			}
			if ok {
				n.carryFrame(n, port, frame, kind)
				return
			}
		}
		if p.waiting == 0 {
			return
		}
		h, ok := n.take(port)
		if !ok {
			return
		}
		if h != 0 {
			n.carry(n, port, h)
		}
		if moves > 100_000 {
			n.fail("6 bounded", "node %d port %d moves packets without end", n.id, port)
		}
	}
}

// take takes the head out of the queue that Next names; 0 if it was moved or dropped, false if Next
// names none.
func (n *node) take(port sluice.PortID) (kit.Handle, bool) {
	p := &n.ports[port]
	now := n.time()
	n.calls++
	q, ok := n.m.Next(now, port)
	if !ok {
		return 0, false
	}
	if int(q) >= n.queues || p.fifo[q].empty() {
		n.fail("4 no lost wake", "Next of node %d port %d names queue %d, which is empty", n.id, port, q)
	}
	f := &p.fifo[q]
	h := f.items[f.head]
	f.head++
	item := n.store.At(h)
	f.bytes -= n.inBuffer(item.Size)
	n.calls++
	v := n.m.Dequeue(now, port, q, &item.Packet)
	switch v.Action() {
	case sluice.Append:
		n.append(port, v.Queue(), h, item.Size)
		h = 0
	case sluice.Transmit:
		p.waiting--
		n.held -= n.inBuffer(item.Size)
		item.Depart(q, v)
	case sluice.Drop:
		p.waiting--
		n.held -= n.inBuffer(item.Size)
		n.dropped(h, v.Reason())
		h = 0
	}
	if w := v.Wake(); w != 0 {
		n.do(w)
	}
	return h, true
}
