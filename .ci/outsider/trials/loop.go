package main

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// embedding drives a machine: a kit.Driver, or a loop of our own.
type embedding interface {
	Enqueue(now sluice.Time, port sluice.PortID, h kit.Handle) sluice.Verdict
	Receive(now sluice.Time, port sluice.PortID, frame []byte) error
	Consume(now sluice.Time, port sluice.PortID, p *sluice.Packet)
	Ready(now sluice.Time, port sluice.PortID)
	Expire(now sluice.Time)
	LinkDown(now sluice.Time, port sluice.PortID)
	LinkUp(now sluice.Time, port sluice.PortID)
	Flush(now sluice.Time, port sluice.PortID)
	Rebase(by sluice.Time)
	Act(now sluice.Time, wake sluice.Wake)
	Waiting(port sluice.PortID) int
	Queue(port sluice.PortID, q sluice.QueueID) *kit.Queue
}

// loop is an embedding that was written from the documentation of package sluice.
type loop struct {
	*node
	ports   []loopPort
	woken   []sluice.PortID
	several bool // PollPort has not been called since a word said so
	planned bool // servesLate
	serving bool
}

type loopPort struct {
	queues  []kit.Queue
	waiting int // packets
	woken   bool
	hooks   kit.Hooks
}

func newLoop(n *node) *loop {
	l := &loop{node: n, ports: make([]loopPort, len(n.ports))}
	for i := range l.ports {
		l.ports[i].queues = make([]kit.Queue, n.queues)
	}
	l.askHooks()
	return l
}

// askHooks learns which ports say whether they have a frame.
func (l *loop) askHooks() {
	for i := range l.ports {
		l.ports[i].hooks = kit.HooksOf(l.m, sluice.PortID(i))
	}
}

func (l *loop) Enqueue(now sluice.Time, port sluice.PortID, h kit.Handle) sluice.Verdict {
	v := l.m.Enqueue(now, port, &l.store.At(h).Packet)
	switch v.Action() {
	case sluice.Append:
		l.push(port, v.Queue(), h)
		l.ports[port].waiting++
		l.kick(port)
	case sluice.Drop:
		l.drop(h, v.Reason())
	default:
		l.fail("6 bounded", "Enqueue answered %v", v)
	}
	l.Act(now, v.Wake())
	return v
}

func (l *loop) push(port sluice.PortID, q sluice.QueueID, h kit.Handle) {
	if int(q) >= l.queues {
		l.fail("6 bounded", "node %d: a verdict names queue %d of %d", l.id, q, l.queues)
	}
	l.store.Push(l.Queue(port, q), h)
}

func (l *loop) Receive(now sluice.Time, port sluice.PortID, frame []byte) error {
	w, err := l.m.Receive(now, port, frame)
	if l.trace {
		fmt.Printf("%v node %d port %d receives %x: %v %v\n", l.now, l.id, port, frame, w, err)
	}
	if err != nil && w != 0 {
		l.fail("6 bounded", "node %d refused a frame (%v) and said %v", l.id, err, w)
	}
	l.Act(now, w)
	return err
}

func (l *loop) Consume(now sluice.Time, port sluice.PortID, p *sluice.Packet) {
	l.Act(now, kit.Consume(l.m, now, port, p))
}

func (l *loop) Expire(now sluice.Time) { l.Act(now, l.m.Expire(now)) }

func (l *loop) LinkDown(now sluice.Time, port sluice.PortID) { l.Act(now, l.m.LinkDown(now, port)) }

func (l *loop) LinkUp(now sluice.Time, port sluice.PortID) { l.Act(now, l.m.LinkUp(now, port)) }

func (l *loop) Rebase(by sluice.Time) { l.m.Rebase(by) }

// Ready is for a transmitter that has become free.
func (l *loop) Ready(_ sluice.Time, port sluice.PortID) {
	l.kick(port)
	l.serve()
}

func (l *loop) Waiting(port sluice.PortID) int { return l.ports[port].waiting }

func (l *loop) Queue(port sluice.PortID, q sluice.QueueID) *kit.Queue {
	return &l.ports[port].queues[q]
}

// Act acts on a word: it notes the ports that the word names, and serves them.
func (l *loop) Act(_ sluice.Time, w sluice.Wake) {
	if w.Has(sluice.WakeDeadline) {
		l.plan()
	}
	if port, ok := w.Port(); ok {
		l.kick(port)
	}
	if w.Has(sluice.WakeSeveral) {
		l.several = true
	}
	if len(l.woken) == 0 && !l.several {
		return
	}
	if l.lazy && mix(l.events^uint64(l.id))%4 == 0 { // after the next input is early enough
		if !l.planned {
			l.planned = true
			at := l.now + sluice.Time(mix(l.events)%300_000)
			l.schedule(event{at: at, kind: servesLate, node: uint8(l.id)})
		}
		return
	}
	l.serve()
}

func (l *loop) kick(port sluice.PortID) {
	if int(port) >= len(l.ports) {
		l.fail("4 no lost wake", "node %d: a word names port %d of %d", l.id, port, len(l.ports))
	}
	if p := &l.ports[port]; !p.woken {
		p.woken = true
		l.woken = append(l.woken, port)
	}
}

// serve lets every port send that was woken.
func (l *loop) serve() {
	l.planned = false
	if l.serving {
		return
	}
	l.serving = true
	for {
		if l.several {
			l.several = false
			l.pollPorts()
		}
		last := len(l.woken) - 1
		if last < 0 {
			break
		}
		port := l.woken[last]
		l.woken = l.woken[:last]
		l.ports[port].woken = false
		l.transmit(port)
	}
	l.serving = false
}

func (l *loop) pollPorts() {
	for polls := 0; ; polls++ {
		port, ok := l.m.PollPort()
		l.calls++
		if !ok {
			return
		}
		if polls > len(l.ports) {
			l.fail("6 bounded", "node %d: PollPort does not end", l.id)
		}
		l.kick(port)
	}
}

// transmit asks a port for a frame, then for a packet, and sends the first that it gets.
func (l *loop) transmit(port sluice.PortID) {
	p := &l.ports[port]
	for moves := 0; l.isFree(port); moves++ {
		owes := p.hooks.Owes()
		if owes || l.looked%8 == 0 {
			l.calls++
			frame, kind, ok := l.m.PollFrame(l.time(), port, l.buffer[:0])
			if ok && !owes {
				l.fail("4 no lost wake", "node %d port %d has a frame and Owes denies it", l.id, port)
			}
			if ok {
				l.carryFrame(l.node, port, frame, kind)
				return
			}
		}
		if p.waiting == 0 {
			return
		}
		h, ok := l.take(port)
		if !ok {
			return
		}
		if h != 0 {
			l.send(port, h)
		}
		if moves > 100_000 {
			l.fail("6 bounded", "node %d port %d moves packets without end", l.id, port)
		}
	}
}

// take takes the head out of the queue that Next names. It returns 0 if that packet was moved or
// dropped, and false if Next names no queue.
func (l *loop) take(port sluice.PortID) (kit.Handle, bool) {
	now := l.time()
	l.calls++
	q, ok := l.m.Next(now, port)
	if !ok {
		return 0, false
	}
	if int(q) >= l.queues || l.Queue(port, q).Empty() {
		l.fail("4 no lost wake", "Next of node %d port %d names queue %d, which is empty", l.id, port, q)
	}
	h := l.store.Pop(l.Queue(port, q))
	item := l.store.At(h)
	l.calls++
	v := l.m.Dequeue(now, port, q, &item.Packet)
	switch v.Action() {
	case sluice.Append:
		l.push(port, v.Queue(), h)
		h = 0
	case sluice.Transmit:
		l.ports[port].waiting--
		item.Depart(q, v)
	case sluice.Drop:
		l.ports[port].waiting--
		l.drop(h, v.Reason())
		h = 0
	}
	if w := v.Wake(); w != 0 {
		l.Act(now, w)
	}
	return h, true
}

// Flush drops what waits at a port whose link is down.
func (l *loop) Flush(_ sluice.Time, port sluice.PortID) {
	for l.ports[port].waiting > 0 {
		h, ok := l.take(port)
		if !ok {
			return
		}
		if h != 0 {
			l.drop(h, sluice.LinkDown)
		}
	}
}
