package conformance

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// scripted is a machine of two ports with two queues each, whose answers a test sets. Its accounts
// are the embedder's, less its lie.
type scripted struct {
	kit.Machine
	e        *embedder
	verdict  sluice.Verdict
	nexts    []sluice.QueueID // Next answers them one after another
	frame    []byte
	kind     string
	wake     sluice.Wake
	err      error
	deadline sluice.Time
	moved    sluice.Time // the deadline, once Next or PollFrame was called
	held     bool
	lie      sluice.Bytes
}

// none is what Next of a scripted machine has in place of a queue if it answers false.
const none sluice.QueueID = 9

func (m *scripted) Ports() int  { return 2 }
func (m *scripted) Queues() int { return 2 }

func (m *scripted) Enqueue(sluice.Time, sluice.PortID, *sluice.Packet) sluice.Verdict {
	return m.verdict
}

func (m *scripted) Next(sluice.Time, sluice.PortID) (sluice.QueueID, bool) {
	q := m.nexts[0]
	if len(m.nexts) > 1 {
		m.nexts = m.nexts[1:]
	}
	m.deadline = min(m.deadline, m.moved)
	if q == none {
		return 0, false
	}
	return q &^ unavailable, q&unavailable == 0
}

func (m *scripted) WaitsFor(
	sluice.PortID, sluice.QueueID, *sluice.Packet, sluice.QueueID, bool,
) bool {
	return false
}

// unavailable marks a queue that Next names, though it answers false.
const unavailable sluice.QueueID = 16

func (m *scripted) Dequeue(
	sluice.Time, sluice.PortID, sluice.QueueID, *sluice.Packet,
) sluice.Verdict {
	return m.verdict
}

func (m *scripted) PollFrame(_ sluice.Time, _ sluice.PortID, b []byte) ([]byte, string, bool) {
	if m.frame == nil {
		return b, "", false
	}
	b = append(b, m.frame...)
	m.frame = nil
	m.deadline = min(m.deadline, m.moved)
	return b, m.kind, true
}

func (m *scripted) Receive(sluice.Time, sluice.PortID, []byte) (sluice.Wake, error) {
	return m.wake, m.err
}

func (m *scripted) Expire(sluice.Time) sluice.Wake              { return m.wake }
func (m *scripted) Deadline() sluice.Time                       { return m.deadline }
func (m *scripted) Sendable(sluice.PortID, sluice.QueueID) bool { return !m.held }
func (m *scripted) Buffered() sluice.Bytes                      { return m.e.held }

func (m *scripted) Backlog(port sluice.PortID, q sluice.QueueID) sluice.Bytes {
	return m.e.ports[port].bytes[q] - m.lie
}

// counting is a scripted machine with a Consume, for packets that go no further.
type counting struct{ *scripted }

func (m counting) Consume(sluice.Time, sluice.PortID, *sluice.Packet) sluice.Wake { return m.wake }

// TestInputs: the suite's verdict on one answer of a hook, and its counts. A packet waits in queue
// 0 of port 0 before.
func TestInputs(t *testing.T) {
	p := sluice.Packet{Size: 100, Ingress: sluice.Local}
	next := func(e *embedder) { e.next(0) }
	dequeue := func(e *embedder) { e.dequeue(0, 0) }
	poll := func(e *embedder) { e.poll(0) }
	consume := func(e *embedder) { e.consume(0, p) }
	for name, c := range map[string]struct {
		machine scripted
		counts  bool // a counting machine
		change  func(e *embedder)
		call    func(e *embedder)
		want    string // the violation
		holds   func(e *embedder) bool
	}{
		"enqueue": {
			machine: scripted{verdict: sluice.AppendToQueue(1)},
			call:    func(e *embedder) { e.enqueue(0, 0, p) },
			holds:   func(e *embedder) bool { return e.coverage.enqueued == 2 && e.ports[0].kicked },
		},
		"enqueue transmits": {
			machine: scripted{verdict: sluice.TransmitMarked(0)},
			call:    func(e *embedder) { e.enqueue(0, 0, p) }, want: "Enqueue answered transmit",
		},
		"another queue, asked again": {
			machine: scripted{nexts: []sluice.QueueID{0, 1}}, call: next, want: "asked again (1, true)",
		},
		"none, asked again": {
			machine: scripted{nexts: []sluice.QueueID{0, none}}, call: next, want: "asked again (0, false)",
		},
		"neither, asked again": {
			machine: scripted{nexts: []sluice.QueueID{none, 1 | unavailable}, held: true}, call: next,
			want: "asked again (1, false)",
		},
		"held": {
			machine: scripted{nexts: []sluice.QueueID{none}, held: true}, call: next,
			holds: func(e *embedder) bool { return e.coverage.held == 1 },
		},
		"nothing to hold": {
			machine: scripted{nexts: []sluice.QueueID{none}}, call: func(e *embedder) { e.next(1) },
			holds: func(e *embedder) bool { return e.coverage.held == 0 },
		},
		"overlooked": {
			machine: scripted{nexts: []sluice.QueueID{none}}, call: next,
			want: "port 0 queue 0 has 1 packets and is Sendable, but Next answers none",
		},
		"no such queue": {
			machine: scripted{nexts: []sluice.QueueID{2}}, call: next, want: "queue 2, which is empty",
		},
		"an empty queue": {
			machine: scripted{nexts: []sluice.QueueID{1}}, call: next, want: "queue 1, which is empty",
		},
		"a timer of Next": {
			machine: scripted{nexts: []sluice.QueueID{0}, moved: 50}, call: next, want: "Deadline moved",
		},
		"a move to its own tail": {
			machine: scripted{verdict: sluice.AppendToQueue(0)}, call: dequeue, want: "to its own tail",
		},
		"a move": {
			machine: scripted{verdict: sluice.AppendToQueue(1)}, call: dequeue,
			holds: func(e *embedder) bool {
				return e.coverage.moved == 1 && !e.ports[0].idle && len(e.ports[0].fifo[1]) == 1
			},
		},
		"a drop": {
			machine: scripted{verdict: sluice.DropBecause(sluice.BufferFull)}, call: dequeue,
			change: func(e *embedder) { e.lost = func(id int) { e.ports[1].last[id] = 1 } },
			holds:  func(e *embedder) bool { return e.ports[1].last[0] == 1 && e.coverage.dropped == 1 },
		},
		"a transmission": {
			machine: scripted{verdict: sluice.TransmitMarked(0)}, call: dequeue,
			holds: func(e *embedder) bool { return e.coverage.sent == 1 && e.ports[0].busy },
		},
		"a transmission of a held queue": {
			machine: scripted{verdict: sluice.TransmitMarked(0), held: true}, call: dequeue,
			want: "is not Sendable, and its head went to the wire",
		},
		"a nonexistent action": {
			machine: scripted{verdict: sluice.AppendToQueue(0) | sluice.TransmitMarked(0)}, call: dequeue,
			want: "Dequeue answered",
		},
		"a wrong account after Dequeue": {
			machine: scripted{verdict: sluice.TransmitMarked(0), lie: 1}, call: dequeue,
			want: "Backlog says",
		},
		"a wake for a frame that is refused": {
			machine: scripted{err: errors.New("no"), wake: sluice.WakePort(1)},
			call:    func(e *embedder) { _ = e.receive(0, "", nil) }, want: `was refused with "no"`,
		},
		"expiry": {
			machine: scripted{deadline: 101}, call: (*embedder).expire,
			holds: func(e *embedder) bool { return e.coverage.expired == 1 },
		},
		"a timer that is due still": {
			machine: scripted{deadline: 100}, call: (*embedder).expire, want: "Deadline is 100ps",
		},
		"a machine that counts": {
			machine: scripted{wake: sluice.WakePort(1)}, counts: true, call: consume,
			holds: func(e *embedder) bool { return len(e.journal.steps) == 1 && e.ports[1].kicked },
		},
		"a wrong account after Consume": {
			machine: scripted{lie: 1}, counts: true, call: consume, want: "Backlog says",
		},
		"a machine that does not count": {
			call:  consume,
			holds: func(e *embedder) bool { return len(e.journal.steps) == 0 },
		},
		"a frame": {
			machine: scripted{frame: []byte{1}, kind: "pause"}, call: poll,
			holds: func(e *embedder) bool { return e.coverage.frames == 1 },
		},
		"a frame without bytes": {
			machine: scripted{frame: []byte{}, kind: "pause"}, call: poll, want: `kind "pause" and 0 bytes`,
		},
		"a frame of no kind": {
			machine: scripted{frame: []byte{1, 2}}, call: poll, want: `kind "" and 2 bytes`,
		},
		"a frame on a dead link": {
			machine: scripted{frame: []byte{1}, kind: "pause"}, call: poll, want: "port 0 sent pause",
			change: func(e *embedder) { e.ports[0].down = true },
		},
		"a timer of PollFrame": {
			machine: scripted{frame: []byte{1}, kind: "pause", moved: 50}, call: poll,
			want: "Deadline moved",
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := &c.machine
			if m.deadline == 0 {
				m.deadline = 1000
			}
			if m.moved == 0 {
				m.moved = m.deadline
			}
			machine := kit.Machine(m)
			if c.counts {
				machine = counting{m}
			}
			e := newEmbedder(&run{coverage: &coverage{}}, "", machine, nil)
			m.e, e.now = e, 100
			e.packets = []packet{{Packet: p, number: 1}}
			e.push(0, 0, 0)
			e.coverage.enqueued++
			e.ports[0].kicked = true
			if c.change != nil {
				c.change(e)
			}
			e.guard(func() { c.call(e) })
			if c.want != "" {
				require.NotNil(t, e.broken)
				require.Contains(t, e.broken.what, c.want)
				return
			}
			require.Nil(t, e.broken)
			require.True(t, c.holds(e))
		})
	}
	owes, says := (&embedder{m: &scripted{}}).owes(0)
	require.False(t, owes || says, "a machine without hooks says nothing of frames")
}
