package machine_test

import (
	"errors"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/machine"
	"github.com/stretchr/testify/require"
)

// echo is a switch that remembers the last call it got, so that a test sees what Wrap passes on.
type echo struct {
	ports []*echoPort
	call  call
	out   []echoFrame // frames to poll, for port 1
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

func (s *echo) Ports() int             { return len(s.ports) }
func (s *echo) Queues() int            { return 7 }
func (s *echo) Audit() error           { return errAudit }
func (s *echo) Quiescent() error       { return errQuiescent }
func (s *echo) Buffered() sluice.Bytes { return 4711 }
func (s *echo) Deadline() sluice.Time  { return 42 }

func (s *echo) Port(id sluice.PortID) *echoPort {
	if int(id) >= len(s.ports) {
		return nil
	}
	return s.ports[id]
}

func (s *echo) Expire(now sluice.Time) sluice.Wake {
	s.call = call{hook: "Expire", now: now}
	return sluice.WakePort(sluice.AnyPort)
}

func (s *echo) PollFrame(now sluice.Time, f *echoFrame) (sluice.PortID, bool) {
	s.call = call{hook: "PollFrame", now: now}
	if len(s.out) == 0 {
		return 0, false
	}
	*f, s.out = s.out[0], s.out[1:]
	return 1, true
}

func (p *echoPort) Enqueue(now sluice.Time, pk *sluice.Packet) sluice.Verdict {
	p.owner.call = call{hook: "Enqueue", now: now, port: p.id, packet: pk}
	return sluice.AppendTo(5)
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

func wrap(s *echo) machine.Machine { return machine.Wrap[*echo, *echoPort, echoFrame](s) }

func TestHooksReachTheirPort(t *testing.T) {
	s := newEcho(3)
	m := wrap(s)
	p := &sluice.Packet{Size: 1}

	require.Equal(t, sluice.AppendTo(5), m.Enqueue(10, 2, p))
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

	require.Equal(t, sluice.WakePort(sluice.AnyPort), m.Expire(14))
	require.Equal(t, call{hook: "Expire", now: 14}, s.call)
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
}

func TestFramesPassAsBytes(t *testing.T) {
	s := newEcho(2)
	m := wrap(s)
	s.out = []echoFrame{{1}, {2}}

	frame, port, kind, ok := m.PollFrame(20, []byte("before"))
	require.True(t, ok)
	require.Equal(t, append([]byte("before"), 0xEC, 1), frame, "appended to what was there")
	require.EqualValues(t, 1, port)
	require.Equal(t, "b", kind)

	frame, _, kind, ok = m.PollFrame(20, nil)
	require.True(t, ok)
	require.Equal(t, []byte{0xEC, 2}, frame)
	require.Equal(t, "c", kind)

	frame, _, kind, ok = m.PollFrame(21, []byte("rest"))
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
		if _, _, _, ok := m.PollFrame(1, buffer); !ok {
			panic("no frame")
		}
		if _, err := m.Receive(1, 0, frame); err != nil {
			panic(err)
		}
		m.Expire(1)
	}))
}
