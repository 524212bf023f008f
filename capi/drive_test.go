package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// Calls as testdata/replay.c has them: the calls of sluice_run, and others.
const (
	opEnqueue = iota + 1
	opNext
	opDequeue
	opPollFrame
	opReceive
	opConsume
	opExpire
	opLinkDown
	opLinkUp
	opPoll
	_ // opPollPort and opDeadline, which have calls of their own here
	_
	opOwes

	opPollPort = 32 + iota - 13
	opRebase
	opDeadline
	opBacklog
	opSendable
	opBuffered
	opCounted
	opQuiescent
	opAudit
)

const (
	none     = -100    // SLUICE_NONE
	isFrame  = 0x10000 // SLUICE_FRAME
	refused  = -2      // SLUICE_E_ARGUMENT
	badFrame = -4      // SLUICE_E_FRAME
	busy     = -6      // SLUICE_E_BUSY
)

// drive has two machines, linked port to port, and makes random calls to them, which it writes down
// with their answers.
type drive struct {
	*rand.Rand
	sides    *sides
	machines [2]kit.Machine
	queues   [2][][]sluice.Packet // FIFOs by port and queue
	now      sluice.Time
	frame    [1600]byte

	calls             int
	requests, replies bytes.Buffer
	journal           []entry
	seen              map[string]int
}

// entry is where the answer to a call is in replies, and what was called.
type entry struct {
	at   int
	text string
}

func newDrive(t *testing.T, s *sides, seed uint64) *drive {
	d := &drive{Rand: rand.New(rand.NewPCG(seed, 1)), sides: s, seen: map[string]int{}}
	for i := range d.machines {
		m, err := newMachine(s.protocol, s.configs[i])
		require.NoError(t, err)
		d.machines[i] = m
		d.queues[i] = make([][]sluice.Packet, m.Ports()*m.Queues())
	}
	return d
}

func (d *drive) below(n int) int { return d.IntN(n) }

func (d *drive) begin() {
	d.calls, d.journal = 0, d.journal[:0]
	d.requests.Reset()
	d.replies.Reset()
}

// endRound has the C program answer what it holds back for a batch.
func (d *drive) endRound() { d.write(&request{}, nil) }

// step makes one random call, or a few that belong together.
func (d *drive) step() {
	side, now := d.below(2), d.now
	m := d.machines[side]
	port := sluice.PortID(d.below(m.Ports()))
	d.now += sluice.Time(d.below(100_000))
	switch x := d.below(1000); {
	case x < 480:
		d.enqueue(side, port)
	case x < 800:
		d.transmit(side, port)
	case x < 880:
		d.expire(side)
	case x < 900:
		d.getters(side, port)
	case x < 920:
		d.misuse(side, port)
	case x < 940:
		p := d.packet(side, port)
		d.call(side, &request{Now: now, Hook: opConsume, Port: uint16(port), Packet: p}, nil)
	case x < 944:
		d.call(side, &request{Now: now, Hook: opLinkDown, Port: uint16(port)}, nil)
		d.call(side, &request{Now: now, Hook: opLinkUp, Port: uint16(port)}, nil)
	case x < 945:
		d.rebase()
	case x < 946:
		d.now += sluice.Time(d.below(100)) * sluice.Microsecond
	case x < 947:
		d.call(side, &request{Hook: opAudit}, nil)
	default:
		for d.call(side, &request{Hook: opPollPort}, nil).Status >= 0 {
		}
	}
}

func (d *drive) packet(side int, port sluice.PortID) sluice.Packet {
	p := sluice.Packet{
		Flow: uint64(d.below(64)) * 0x9e3779b97f4a7c15, Size: sluice.Bytes(64 + d.below(1500)),
		Ingress: sluice.PortID(d.below(4)), UpstreamQueue: sluice.QueueID(d.below(8)),
		Class: sluice.Class(d.below(8)), ECN: sluice.ECN(d.below(4)), Path: d.sides.path(d, side, port),
	}
	switch d.below(200) {
	case 0:
		p.Size = 0
	case 1:
		p.Ingress = sluice.PortID(d.below(1 << 16))
	case 2:
		p.Class = 200
	case 3:
		p.Path = sluice.Path{}
	case 4:
		p.Ingress = sluice.Local
	}
	return p
}

func (d *drive) enqueue(side int, port sluice.PortID) {
	r := request{Now: d.now, Hook: opEnqueue, Port: uint16(port), Packet: d.packet(side, port)}
	answer := d.call(side, &r, nil)
	r.Packet.Note = answer.Note
	if v := sluice.Verdict(answer.Result); v.Action() == sluice.Append {
		d.push(side, port, v.Queue(), r.Packet)
	}
}

func (d *drive) push(side int, port sluice.PortID, q sluice.QueueID, p sluice.Packet) {
	fifo := d.fifo(side, port, q)
	*fifo = append(*fifo, p)
}

func (d *drive) fifo(side int, port sluice.PortID, q sluice.QueueID) *[]sluice.Packet {
	return &d.queues[side][int(port)*d.machines[side].Queues()+int(q)]
}

// transmit does what a free transmitter does: a frame, which the peer gets unless it is lost, or a
// packet.
func (d *drive) transmit(side int, port sluice.PortID) {
	var next reply
	if d.below(2) == 0 {
		next = d.call(side, &request{Now: d.now, Hook: opPoll, Port: uint16(port)}, nil)
		if next.Status == isFrame {
			d.deliver(side, port, next)
			return
		}
	} else if d.pollFrame(side, port) {
		return
	} else {
		next = d.call(side, &request{Now: d.now, Hook: opNext, Port: uint16(port)}, nil)
	}
	if next.Status < 0 {
		return
	}
	q := sluice.QueueID(next.Status)
	fifo := d.fifo(side, port, q)
	if len(*fifo) == 0 {
		panic("Next names an empty queue")
	}
	r := request{Now: d.now, Hook: opDequeue, Port: uint16(port), Queue: uint16(q), Packet: (*fifo)[0]}
	*fifo = (*fifo)[1:]
	answer := d.call(side, &r, nil)
	r.Packet.Note = answer.Note
	switch v := sluice.Verdict(answer.Result); v.Action() {
	case sluice.Append:
		d.push(side, port, v.Queue(), r.Packet)
	case sluice.Transmit:
		if d.below(2) == 0 { // the peer takes it on
			d.now += 10 * sluice.Nanosecond
		}
	}
}

// pollFrame reports whether there was a frame.
func (d *drive) pollFrame(side int, port sluice.PortID) bool {
	owes := d.call(side, &request{Hook: opOwes, Port: uint16(port)}, nil)
	answer := d.call(side, &request{Now: d.now, Hook: opPollFrame, Port: uint16(port)}, nil)
	if answer.Status != 1 {
		return false
	}
	if owes.Status == 0 {
		panic("a frame that the port did not owe")
	}
	d.deliver(side, port, answer)
	return true
}

// deliver takes a frame to the peer. One in ten is lost, one in twenty damaged.
func (d *drive) deliver(side int, port sluice.PortID, answer reply) {
	frame := d.frame[:answer.Length-kindLength]
	switch fate := d.below(20); {
	case fate < 2:
		return
	case fate < 3:
		frame[d.below(len(frame))] ^= 1 << d.below(8)
	case fate < 4:
		frame = frame[:d.below(len(frame))]
	}
	d.call(1-side, &request{Now: d.now, Hook: opReceive, Port: uint16(port)}, frame)
}

func (d *drive) expire(side int) {
	answer := d.call(side, &request{Hook: opDeadline}, nil)
	if at := sluice.Time(answer.Result); at < d.now+10*sluice.Microsecond {
		d.now = max(d.now, at)
	}
	d.call(side, &request{Now: d.now, Hook: opExpire}, nil)
}

func (d *drive) getters(side int, port sluice.PortID) {
	q := uint16(d.below(d.machines[side].Queues() + 1))
	for _, hook := range []uint16{opBacklog, opSendable, opBuffered, opCounted, opQuiescent} {
		d.call(side, &request{Hook: hook, Port: uint16(port), Queue: q}, nil)
	}
}

// misuse makes calls that make no sense.
func (d *drive) misuse(side int, port sluice.PortID) {
	switch d.below(3) {
	case 0:
		p := d.packet(side, port)
		p.Size = 1 << 30 // none such is there
		q := uint16(d.below(d.machines[side].Queues() + 3))
		d.call(side, &request{Now: d.now, Hook: opDequeue, Port: uint16(port), Queue: q, Packet: p}, nil)
	case 1:
		noise := d.frame[:d.below(80)]
		for i := range noise {
			noise[i] = byte(d.Uint32())
		}
		d.call(side, &request{Now: d.now, Hook: opReceive, Port: uint16(port)}, noise)
	case 2:
		d.call(side, &request{Now: d.now / 2, Hook: opExpire}, nil)
	}
}

func (d *drive) rebase() {
	by := d.now / 3
	for side := range d.machines {
		d.call(side, &request{Now: by, Hook: opRebase}, nil)
	}
	d.now -= by
}

// kindLength is the room for a frame's kind in front of it.
const kindLength = 12

// count notes what happened, so that report can say what the inputs reached.
func (d *drive) count(r *request, a *reply, more []byte) {
	switch r.Hook {
	case opEnqueue, opDequeue:
		v := sluice.Verdict(a.Result)
		d.seen[v.Action().String()]++
		if v.Action() == sluice.Drop {
			d.seen[v.String()]++
		}
	case opPollFrame, opPoll:
		if len(more) > 0 {
			d.seen[string(bytes.TrimRight(more[:kindLength], "\x00"))+" frame"]++
		}
	case opNext:
		if a.Status == none {
			d.seen["no queue may go"]++
		}
	case opReceive:
		if a.Status == badFrame {
			d.seen["no frame"]++
		}
	case opPollPort:
		if a.Status >= 0 {
			d.seen["several ports woken"]++
		}
	}
}

// difference describes the first answer of C that is another than Go's.
func (d *drive) difference(got []byte) string {
	want := d.replies.Bytes()
	first := 0
	for got[first] == want[first] { // they are of one length
		first++
	}
	i := 0
	for i+1 < len(d.journal) && d.journal[i+1].at <= first {
		i++
	}
	from, to := d.journal[i].at, len(want)
	if i+1 < len(d.journal) {
		to = d.journal[i+1].at
	}
	return fmt.Sprintf("%s\nanswer %d\nC  %x\nGo %x", d.journal[i].text, i, got[from:to],
		want[from:to])
}

// report checks that the inputs reached what they are for, and says what they reached.
func (d *drive) report(t *testing.T) {
	t.Log(d.seen)
	for _, what := range []string{"append", "transmit", "drop", "no frame", "no queue may go"} {
		require.NotZero(t, d.seen[what], what)
	}
	frames := 0
	for _, kind := range []string{"pause", "resume", "credit", "bitmap", "refresh"} {
		frames += d.seen[kind+" frame"]
	}
	require.NotZero(t, frames, "no frame was sent")
}
