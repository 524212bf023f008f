package kit_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/stretchr/testify/require"
)

// echo is a switch that remembers the last call it got, so that a test sees what Wrap passes on.
type echo struct {
	ports []*echoPort
	call  call
	out   []echoFrame // frames to poll
	by    sluice.Time // of the last Rebase
}

type echoPort struct {
	owner *echo
	id    sluice.PortID
}

type call struct {
	hook   string
	now    sluice.Time
	port   sluice.PortID
	queue  sluice.QueueID
	packet *sluice.Packet
	frame  byte
}

type echoFrame struct{ value byte }

func newEcho(ports int) *echo {
	s := &echo{}
	for i := range ports {
		s.ports = append(s.ports, &echoPort{s, sluice.PortID(i)})
	}
	return s
}

func (s *echo) Ports() int                      { return len(s.ports) }
func (s *echo) Queues() int                     { return 7 }
func (s *echo) Audit() error                    { return errAudit }
func (s *echo) Quiescent() error                { return errQuiescent }
func (s *echo) Buffered() sluice.Bytes          { return 4711 }
func (s *echo) Deadline() sluice.Time           { return 42 }
func (s *echo) Rebase(by sluice.Time)           { s.by = by }
func (s *echo) PollPort() (sluice.PortID, bool) { return 2, true }

func (s *echo) Snapshot() echoSnapshot { return echoSnapshot{Said: "an echo"} }

type echoSnapshot struct{ Said string }

func (s *echo) Port(id sluice.PortID) *echoPort {
	if int(id) >= len(s.ports) {
		return nil
	}
	return s.ports[id]
}

func (s *echo) Expire(now sluice.Time) sluice.Wake {
	s.call = call{hook: "Expire", now: now}
	return sluice.WakePort(7)
}

func (p *echoPort) ID() sluice.PortID { return p.id }

func (p *echoPort) Owes() bool { return len(p.owner.out) > 0 }

func (p *echoPort) WaitsFor(
	q sluice.QueueID, pk *sluice.Packet, in sluice.QueueID, came bool,
) bool {
	return q == 3 && pk.Flow == uint64(p.id) && in == 4 && came
}

func (p *echoPort) Counters() sluice.Counters { return sluice.Counters{Enqueued: uint64(p.id)} }

func (p *echoPort) LinkDown(now sluice.Time) sluice.Wake {
	p.owner.call = call{hook: "LinkDown", now: now, port: p.id}
	return sluice.WakePort(p.id)
}

func (p *echoPort) LinkUp(now sluice.Time) sluice.Wake {
	p.owner.call = call{hook: "LinkUp", now: now, port: p.id}
	return sluice.WakeDeadline
}

func (p *echoPort) PollFrame(now sluice.Time, f *echoFrame) bool {
	s := p.owner
	s.call = call{hook: "PollFrame", now: now, port: p.id}
	if len(s.out) == 0 {
		return false
	}
	*f, s.out = s.out[0], s.out[1:]
	return true
}

func (p *echoPort) ReceiveWire(now sluice.Time, frame []byte) (sluice.Wake, error) {
	var f echoFrame
	if err := f.Parse(frame); err != nil {
		return 0, err
	}
	return p.Receive(now, &f), nil
}

func (p *echoPort) Enqueue(now sluice.Time, pk *sluice.Packet) sluice.Verdict {
	p.owner.call = call{hook: "Enqueue", now: now, port: p.id, packet: pk}
	return sluice.AppendToQueue(5)
}

func (p *echoPort) Next(now sluice.Time) (sluice.QueueID, bool) {
	p.owner.call = call{hook: "Next", now: now, port: p.id}
	return 6, p.id == 1
}

func (p *echoPort) Dequeue(now sluice.Time, q sluice.QueueID, pk *sluice.Packet) sluice.Verdict {
	p.owner.call = call{hook: "Dequeue", now: now, port: p.id, queue: q, packet: pk}
	return sluice.TransmitMarked(sluice.CE)
}

func (p *echoPort) Receive(now sluice.Time, f *echoFrame) sluice.Wake {
	p.owner.call = call{hook: "Receive", now: now, port: p.id, frame: f.value}
	return sluice.WakeDeadline
}

func (p *echoPort) Backlog(q sluice.QueueID) sluice.Bytes {
	return sluice.Bytes(p.id)*100 + sluice.Bytes(q)
}
func (p *echoPort) Sendable(q sluice.QueueID) bool { return uint16(p.id) == uint16(q) }

func (f *echoFrame) AppendTo(dst []byte) []byte { return append(dst, 0xEC, f.value) }
func (f *echoFrame) Kind() string               { return "abcdefghij"[f.value : f.value+1] }

func (f *echoFrame) Parse(src []byte) error {
	if len(src) != 2 || src[0] != 0xEC {
		return errParse
	}
	f.value = src[1]
	return nil
}

var (
	errAudit     = errors.New("audit")
	errQuiescent = errors.New("quiescent")
	errParse     = errors.New("not a frame of the echo")
)

func wrap(s *echo) kit.Machine { return kit.Wrap(s) }

func TestHooksReachTheirPort(t *testing.T) {
	s := newEcho(3)
	m := wrap(s)
	p := &sluice.Packet{Size: 1}

	require.Equal(t, sluice.AppendToQueue(5), m.Enqueue(10, 2, p))
	require.Equal(t, call{hook: "Enqueue", now: 10, port: 2, packet: p}, s.call)
	require.Same(t, p, s.call.packet, "the packet itself, so that the machine can write its note")

	require.Equal(t, sluice.TransmitMarked(sluice.CE), m.Dequeue(11, 1, 4, p))
	require.Equal(t, call{hook: "Dequeue", now: 11, port: 1, queue: 4, packet: p}, s.call)
	require.Same(t, p, s.call.packet)

	q, ok := m.Next(12, 1)
	require.Equal(t, call{hook: "Next", now: 12, port: 1}, s.call)
	require.EqualValues(t, 6, q)
	require.True(t, ok)
	_, ok = m.Next(13, 0)
	require.False(t, ok)

	require.Equal(t, sluice.WakePort(7), m.Expire(14))
	require.Equal(t, call{hook: "Expire", now: 14}, s.call)

	require.Equal(t, sluice.WakePort(2), m.LinkDown(15, 2))
	require.Equal(t, call{hook: "LinkDown", now: 15, port: 2}, s.call)
	require.Equal(t, sluice.WakeDeadline, m.LinkUp(16, 1))
	require.Equal(t, call{hook: "LinkUp", now: 16, port: 1}, s.call)
	m.Rebase(17)
	require.EqualValues(t, 17, s.by)
}

func TestGettersPassThrough(t *testing.T) {
	m := wrap(newEcho(3))
	require.Equal(t, 3, m.Ports())
	require.Equal(t, 7, m.Queues())
	require.EqualValues(t, 42, m.Deadline())
	require.EqualValues(t, 4711, m.Buffered())
	require.EqualValues(t, 206, m.Backlog(2, 6))
	require.True(t, m.Sendable(2, 2))
	require.False(t, m.Sendable(2, 1))
	require.Same(t, errAudit, m.Audit())
	require.Same(t, errQuiescent, m.Quiescent())
	require.EqualValues(t, 2, m.Counters(2).Enqueued)
	require.True(t, m.WaitsFor(2, 3, &sluice.Packet{Flow: 2}, 4, true))
	require.False(t, m.WaitsFor(2, 3, &sluice.Packet{Flow: 2}, 4, false))
	port, ok := m.PollPort()
	require.True(t, ok)
	require.EqualValues(t, 2, port)
	var text strings.Builder
	require.NoError(t, kit.Dump(&text, m.Snapshot()))
	require.Equal(t, "kit_test: Said an echo\n", text.String())
}

func TestFramesPassAsBytes(t *testing.T) {
	s := newEcho(2)
	m := wrap(s)
	s.out = []echoFrame{{1}, {2}}

	frame, kind, ok := m.PollFrame(20, 1, []byte("before"))
	require.True(t, ok)
	require.Equal(t, append([]byte("before"), 0xEC, 1), frame, "appended to what was there")
	require.Equal(t, call{hook: "PollFrame", now: 20, port: 1}, s.call)
	require.Equal(t, "b", kind)

	frame, kind, ok = m.PollFrame(20, 0, nil)
	require.True(t, ok)
	require.Equal(t, []byte{0xEC, 2}, frame)
	require.Equal(t, "c", kind)

	frame, kind, ok = m.PollFrame(21, 0, []byte("rest"))
	require.False(t, ok)
	require.Equal(t, []byte("rest"), frame)
	require.Empty(t, kind)
	require.Equal(t, call{hook: "PollFrame", now: 21}, s.call)

	w, err := m.Receive(22, 1, []byte{0xEC, 9})
	require.NoError(t, err)
	require.Equal(t, sluice.WakeDeadline, w)
	require.Equal(t, call{hook: "Receive", now: 22, port: 1, frame: 9}, s.call)
}

func TestRefusedFramesReachNoMachine(t *testing.T) {
	s := newEcho(1)
	m := wrap(s)
	w, err := m.Receive(5, 0, []byte{0xEC})
	require.Same(t, errParse, err)
	require.Zero(t, w)
	require.Zero(t, s.call)
}

func TestWrapAllocatesOnlyOnce(t *testing.T) {
	s := newEcho(2)
	m := wrap(s)
	p := &sluice.Packet{Size: 1}
	frame := []byte{0xEC, 1}
	frames := []echoFrame{{1}}
	buffer := make([]byte, 0, 64)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		m.Enqueue(1, 0, p)
		m.Next(1, 0)
		m.Dequeue(1, 0, 0, p)
		s.out = frames
		if _, _, ok := m.PollFrame(1, 0, buffer); !ok {
			panic("no frame")
		}
		if _, err := m.Receive(1, 0, frame); err != nil {
			panic(err)
		}
		m.Expire(1)
	}))
}
