package conformance

import (
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// embedder owns the packets around one machine, as the contract asks of its user: one FIFO for
// each queue of each port. It keeps its own account of them and compares after every hook.
type embedder struct {
	*run
	node string      // prefix of its lines in the journal
	m    kit.Machine // under test
	twin kit.Machine // nil, or one that must answer the same

	now  sluice.Time
	seen sluice.Time // latest time that an input carried
	skew sluice.Time // how far the next inputs lag behind seen
	base sluice.Time // by how much the machine under test was rebased; its twin never is

	queues  int
	ports   []port
	packets []packet
	held    sluice.Bytes
	// dequeueDrops counts packets that Dequeue dropped, until the network takes note.
	dequeueDrops int

	frameLimit int
	mayDrop    func(p *sluice.Packet, r sluice.Reason) bool
	sent       func(port sluice.PortID, id int, q sluice.QueueID, v sluice.Verdict)
	frame      func(port sluice.PortID, kind string, frame []byte)

	scratch [2]*sluice.Packet // what the machine and its twin were handed
	buffer  [2][]byte
}

type port struct {
	fifo    [][]int        // packets by queue, head first
	open    []bool         // by queue: Sendable after the last hook
	bytes   []sluice.Bytes // by queue
	held    int            // packets
	last    map[int]int64  // by flow: number of the last packet that left
	entered map[int]int64  // by flow: packets that entered

	busy   bool // its transmitter sends
	idle   bool // it had nothing to send, and nobody was told otherwise since
	kicked bool // it is to be asked
	down   bool // its link
}

type packet struct {
	sluice.Packet
	flow     int
	number   int64 // within its flow at this port
	twinNote uint64
	origin   int64 // number within its flow, in a network
}

func newEmbedder(r *run, node string, m, twin kit.Machine) *embedder {
	e := &embedder{
		run: r, node: node, m: m, twin: twin, seen: math.MinInt64, queues: m.Queues(),
		ports: make([]port, m.Ports()),
	}
	if len(e.ports) == 0 || e.queues == 0 {
		e.fail(bounded, "Ports and Queues", "the machine has %d ports and %d queues", len(e.ports),
			e.queues)
	}
	for i := range e.ports {
		e.ports[i] = port{
			fifo:    make([][]int, e.queues),
			bytes:   make([]sluice.Bytes, e.queues),
			open:    make([]bool, e.queues),
			last:    map[int]int64{},
			entered: map[int]int64{},
			idle:    true,
		}
	}
	for i := range e.ports {
		for q := range e.ports[i].open {
			e.ports[i].open[q] = m.Sendable(sluice.PortID(i), sluice.QueueID(q))
		}
	}
	e.frameLimit = 4096 + 16*len(e.ports)*e.queues
	e.mayDrop = func(*sluice.Packet, sluice.Reason) bool { return true }
	e.sent = func(sluice.PortID, int, sluice.QueueID, sluice.Verdict) {}
	e.frame = func(sluice.PortID, string, []byte) {}
	return e
}

// given returns the time that the machine under test is told at an input, and what its twin is
// told: a machine that sees time go back must use the latest it has seen.
func (e *embedder) given() (toMachine, toTwin sluice.Time) {
	if e.skew > 0 && e.seen != math.MinInt64 {
		return e.seen - e.skew - e.base, e.seen
	}
	e.seen = max(e.seen, e.now)
	return e.now - e.base, e.now
}

// deadline returns the deadline of the machine under test in the embedder's time.
func (e *embedder) deadline() sluice.Time {
	if d := e.m.Deadline(); d != sluice.Never {
		return d.Add(e.base)
	}
	return sluice.Never
}

// enqueue offers a packet to a port and returns whether it was appended.
func (e *embedder) enqueue(at sluice.PortID, flow int, p sluice.Packet) bool {
	id := len(e.packets)
	e.packets = append(e.packets, packet{Packet: p, flow: flow})
	now, twinNow := e.given()
	s := e.journal.begin(step{kind: stepEnqueue, node: e.node, now: now, port: at, id: id, packet: p})
	deadline := e.deadline()

	e.hand(0, p)
	v := e.m.Enqueue(now, at, e.scratch[0])
	s.verdict, s.done = v, true
	e.packets[id].Note = e.takeBack(0, &p)
	if e.twin != nil {
		e.hand(1, p)
		e.same("Enqueue", v, e.twin.Enqueue(twinNow, at, e.scratch[1]))
		e.packets[id].twinNote = e.takeBack(1, &p)
	}

	switch v.Action() {
	case sluice.Append:
		e.coverage.enqueued++
		e.push(at, v.Queue(), id)
		e.ports[at].entered[flow]++
		e.packets[id].number = e.ports[at].entered[flow]
		e.ports[at].kicked = true
	case sluice.Drop:
		e.dropped(at, &p, v)
	default:
		e.fail(conservation, "Enqueue's verdicts: only Append and Drop", "Enqueue answered %v", v)
	}
	e.settle(hook{name: "Enqueue", holds: true, port: at}, v.Wake(), deadline)
	e.checkPort(at)
	return v.Action() == sluice.Append
}

// hand makes a copy of a packet for one call. Every call gets one of its own.
func (e *embedder) hand(i int, p sluice.Packet) { e.scratch[i] = &p }

// takeBack reads the note that the machine left in the packet handed to it and spoils the
// rest, so that a machine which kept the pointer reads rubbish.
func (e *embedder) takeBack(i int, before *sluice.Packet) (note uint64) {
	p := e.scratch[i]
	note = p.Note
	p.Note = before.Note
	if *p != *before {
		e.fail(conservation, "assignments to the packet: a machine writes Note and nothing else",
			"a hook changed the packet from %s to %s", describe(before), describe(p))
	}
	*p = sluice.Packet{
		Flow: ^uint64(0), Note: ^uint64(0), Size: math.MinInt32, Ingress: 0xfffe, UpstreamQueue: 0xffff,
		Class: 255, ECN: 255,
	}
	return note
}

// service asks every port that was named by a Wake and whose transmitter is free, until none is
// left.
func (e *embedder) service() {
	for again := true; again; {
		again = false
		for i := range e.ports {
			if e.ports[i].kicked && !e.ports[i].busy {
				e.pull(sluice.PortID(i))
				again = true
			}
		}
	}
}

// pull starts to send what a port whose transmitter is free has to send: a frame, or else a packet.
func (e *embedder) pull(at sluice.PortID) {
	p := &e.ports[at]
	limit := 1 + p.held*(e.queues+1)
	for range limit {
		p.kicked, p.idle = false, false
		if _, ok := e.poll(at); ok {
			return
		}
		q, ok := e.next(at)
		p.idle = !ok
		if !ok {
			return
		}
		if e.dequeue(at, q) {
			return
		}
	}
	e.fail(bounded, "moves: every one must bring a packet nearer to the wire",
		"port %d moved packets %d times and sent none", at, limit)
}

// next asks the machine twice, its twin once.
func (e *embedder) next(at sluice.PortID) (sluice.QueueID, bool) {
	now := e.now - e.base
	s := e.journal.begin(step{kind: stepNext, node: e.node, now: now, port: at})
	deadline := e.deadline()
	q, ok := e.m.Next(now, at)
	s.queue, s.ok, s.done = q, ok, true
	if q2, ok2 := e.m.Next(now, at); q2 != q || ok2 != ok {
		e.fail(determinism, "what Next changes: it must answer the same until an input",
			"Next of port %d answered (%d, %v), asked again (%d, %v)", at, q, ok, q2, ok2)
	}
	if e.twin != nil {
		if q2, ok2 := e.twin.Next(e.now, at); q2 != q || ok2 != ok {
			e.fail(determinism, twinAdvice,
				"Next of port %d answered (%d, %v), the twin's (%d, %v)", at, q, ok, q2, ok2)
		}
	}
	p := &e.ports[at]
	if !ok {
		if p.held > 0 {
			e.coverage.held++
		}
		if q, found := e.sendable(at); found {
			e.fail(noLostWake, "Next, and what makes queue's bit in the scheduler",
				"port %d queue %d has %d packets and is Sendable, but Next answers none", at, q,
				len(p.fifo[q]))
		}
	} else if int(q) >= e.queues || len(p.fifo[q]) == 0 {
		e.fail(noLostWake, "what takes a queue out of the scheduler when its last packet goes",
			"Next of port %d answers queue %d, which is empty", at, q)
	}
	e.settle(hook{name: "Next"}, 0, deadline)
	return q, ok
}

// dequeue takes the head of a queue and returns whether it went to the wire.
func (e *embedder) dequeue(at sluice.PortID, q sluice.QueueID) bool {
	p := &e.ports[at]
	sendable := e.m.Sendable(at, q)
	id := e.pop(at, q)
	before := e.packets[id].Packet
	now, twinNow := e.given()
	s := e.journal.begin(step{
		kind: stepDequeue, node: e.node, now: now, port: at, queue: q, id: id, packet: before,
	})
	deadline := e.deadline()

	e.hand(0, before)
	v := e.m.Dequeue(now, at, q, e.scratch[0])
	s.verdict, s.done = v, true
	e.packets[id].Note = e.takeBack(0, &before)
	if e.twin != nil {
		twins := before
		twins.Note = e.packets[id].twinNote
		e.hand(1, twins)
		e.same("Dequeue", v, e.twin.Dequeue(twinNow, at, q, e.scratch[1]))
		e.packets[id].twinNote = e.takeBack(1, &twins)
	}

	switch v.Action() {
	case sluice.Append:
		if v.Queue() == q {
			e.fail(bounded, "the move that Dequeue chose",
				"port %d moved a packet from queue %d to its own tail", at, q)
		}
		e.coverage.moved++
		e.push(at, v.Queue(), id)
	case sluice.Drop:
		e.dequeueDrops++
		e.dropped(at, &before, v)
	case sluice.Transmit:
		if !sendable {
			e.fail(noLostWake,
				"Next's set of eligible queues and what Sendable reads: they disagree",
				"port %d queue %d is not Sendable, and its head went to the wire", at, q)
		}
		e.coverage.sent++
		e.departed(at, id)
		p.busy = true
	default:
		e.fail(conservation, "Dequeue's verdicts", "Dequeue answered %v", v)
	}
	p.idle = false
	e.settle(hook{name: "Dequeue", holds: true, port: at}, v.Wake(), deadline)
	e.checkPort(at)
	if v.Action() == sluice.Transmit {
		e.sent(at, id, q, v)
	}
	return v.Action() == sluice.Transmit
}

const twinAdvice = "state that is not set by New, maps and clocks; or a call that must change " +
	"nothing and did: the twin was not given refused packets and frames, Next asked twice, Expire " +
	"too early, and a time that went back was told to it as the latest seen"

func (e *embedder) same(hook string, v, twins sluice.Verdict) {
	if v != twins {
		e.fail(determinism, twinAdvice, "%s answered %v, the twin's %v", hook, v, twins)
	}
}
