package conformance

import (
	"bytes"
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
	twin kit.Machine // nil, or a machine that must answer the same

	now  sluice.Time
	seen sluice.Time // latest time that an input carried
	skew sluice.Time // how far the next inputs lag behind seen
	base sluice.Time // by how much the machine under test was rebased; its twin never is

	queues  int
	ports   []port
	packets []packet
	held    sluice.Bytes

	frameLimit int
	mayDrop    func(p *sluice.Packet, r sluice.Reason) bool
	sent       func(port sluice.PortID, id int, q sluice.QueueID, v sluice.Verdict)
	lost       func(id int) // by Dequeue
	frame      func(port sluice.PortID, kind string, frame []byte)

	buffer [2][]byte // for frames of the machine and its twin
}

type port struct {
	fifo    [][]int        // packets by queue, head first
	open    []bool         // by queue: Sendable after the last hook
	bytes   []sluice.Bytes // by queue
	held    int            // packets
	last    map[int]int64  // by flow: number of the last packet that left
	entered map[int]int64  // by flow: packets that entered

	busy   bool // its transmitter sends
	idle   bool // it had nothing to send, and no Wake has named it since
	kicked bool // it is to be served
	down   bool // its link
}

type packet struct {
	sluice.Packet
	flow     int
	number   int64 // within its flow at this port
	twinNote uint64
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
		for q := range e.ports[i].open {
			e.ports[i].open[q] = m.Sendable(sluice.PortID(i), sluice.QueueID(q))
		}
	}
	e.frameLimit = 4096 + 16*len(e.ports)*e.queues
	e.mayDrop = func(*sluice.Packet, sluice.Reason) bool { return true }
	e.sent = func(sluice.PortID, int, sluice.QueueID, sluice.Verdict) {}
	e.lost = func(int) {}
	e.frame = func(sluice.PortID, string, []byte) {}
	return e
}

// deadline returns the deadline of the machine under test in the embedder's time.
func (e *embedder) deadline() sluice.Time {
	if d := e.m.Deadline(); d != sluice.Never {
		return d.Add(e.base)
	}
	return sluice.Never
}

// do takes a step: it calls the hook of the machine under test and of its twin, whose answers must
// be the same. A machine that sees time go back must use the latest time it has seen; the twin gets
// that time.
func (e *embedder) do(s step) *step {
	tells := !s.inert && s.kind != stepNext && s.kind != stepPoll && s.kind != stepRebase
	twinNow, lag := e.now, sluice.Time(0)
	if tells && e.skew > 0 && e.seen != math.MinInt64 {
		twinNow, lag = e.seen, e.skew
	}
	if !s.inert {
		s.now = twinNow - lag - e.base
	}
	if s.kind != stepEnqueue && s.kind != stepDequeue {
		s.id = -1
	}
	s.node, s.words, s.deadline = e.node, e.words, e.deadline()
	s.first = e.seen == math.MinInt64
	j := e.journal.begin(s)
	e.ask(0, j, j.now)
	if tells && j.err == nil && j.now != sluice.Never {
		e.seen = max(e.seen, j.now+e.base)
	}
	if e.twin == nil || s.inert || s.kind == stepRebase || j.err != nil {
		return j
	}
	twins := *j
	if e.ask(1, &twins, twinNow); !twins.equal(&j.answer) {
		e.fail(determinism, twinAdvice, "%v of port %d answered %s, the twin's %s", s.kind, s.port,
			j.answered(), twins.answered())
	}
	return j
}

const twinAdvice = "state that is not set by New, maps and clocks; or a call that must change " +
	"nothing and did: the twin was not given refused packets and frames, Next asked twice, Expire " +
	"too early, and it got the latest time seen for a time that went back"

// before is what stands in the buffer that frames are appended to.
const before = "before"

// ask calls a step's hook of the machine under test, 0, or of its twin, 1. It spoils the hook's
// arguments afterwards, so that a machine which kept a pointer reads rubbish.
func (e *embedder) ask(which int, s *step, now sluice.Time) {
	lent, b := s.packet, e.buffer[which][:0]
	switch s.kind {
	case stepReceive:
		b = append(b, s.frame...)
	case stepPoll:
		b = append(b, before...)
	}
	if which == 1 && s.id >= 0 {
		lent.Note = e.packets[s.id].twinNote
	}
	want := lent
	s.answer = s.call([...]kit.Machine{e.m, e.twin}[which], now, &lent, b)
	s.done = true
	if s.id >= 0 {
		*[...]*uint64{&e.packets[s.id].Note, &e.packets[s.id].twinNote}[which] = lent.Note
	}
	lent.Note = want.Note
	if lent != want {
		e.fail(conservation, "assignments to the packet: a machine writes Note and nothing else",
			"a hook changed the packet from %s to %s", describe(&want), describe(&lent))
	}
	lent = sluice.Packet{
		Flow: ^uint64(0), Note: ^uint64(0), Size: math.MinInt64, Ingress: 0xfffe, UpstreamQueue: 0xffff,
		Class: 255, ECN: 255,
	}
	switch s.kind {
	case stepReceive:
		if !bytes.Equal(b, s.frame) {
			e.fail(bounded, "Parse: it reads", "Receive changed the bytes of the frame to %s", hex(b))
		}
		for i := range b {
			b[i] = 0xA5
		}
		e.buffer[which] = b
	case stepPoll:
		e.buffer[which] = s.polled
		polled, intact := bytes.CutPrefix(s.polled, []byte(before))
		if !intact {
			e.fail(bounded, "AppendTo: it appends",
				"PollFrame overwrote what stood before the frame: %s", hex(s.polled))
		}
		s.polled = bytes.Clone(polled)
	}
}

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

// pull starts to send from a port whose transmitter is free: a frame, or else a packet.
func (e *embedder) pull(at sluice.PortID) {
	p := &e.ports[at]
	limit := 1 + p.held*(e.queues+1)
	for range limit {
		p.kicked, p.idle = false, false
		if e.poll(at) {
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

func (e *embedder) push(at sluice.PortID, q sluice.QueueID, id int) {
	if int(q) >= e.queues {
		e.fail(conservation, "how the queue of AppendToQueue is chosen", "a hook chose queue %d of %d",
			q, e.queues)
	}
	p := &e.ports[at]
	p.fifo[q] = append(p.fifo[q], id)
	p.bytes[q] += e.packets[id].Size
	e.held += e.packets[id].Size
	p.held++
}

func (e *embedder) pop(at sluice.PortID, q sluice.QueueID) int {
	p := &e.ports[at]
	id := p.fifo[q][0]
	p.fifo[q] = p.fifo[q][1:]
	p.bytes[q] -= e.packets[id].Size
	e.held -= e.packets[id].Size
	p.held--
	return id
}

// dropped checks that a drop at an egress has a reason and is allowed. Packets may be flushed where
// the link is down.
func (e *embedder) dropped(at sluice.PortID, p *sluice.Packet, v sluice.Verdict) {
	e.coverage.dropped++
	if v.Reason() == sluice.NoReason || int(v.Reason()) >= sluice.NumReasons {
		e.fail(lossless, "the verdict of this drop", "a packet was dropped without a reason: %v", v)
	}
	flushed := v.Reason() == sluice.LinkDown && e.ports[at].down
	if !flushed && !e.mayDrop(p, v.Reason()) {
		e.fail(lossless, "admission, and the bound that the configuration promises",
			"a packet that may not be dropped was: %v", v)
	}
}

func (e *embedder) departed(at sluice.PortID, id int) {
	pk := &e.packets[id]
	p := &e.ports[at]
	if last := p.last[pk.flow]; pk.number <= last {
		e.fail(order, "the queues this flow went through: a later packet overtook",
			"packet %d of flow %d left port %d after packet %d", pk.number, pk.flow, at, last)
	}
	p.last[pk.flow] = pk.number
}
