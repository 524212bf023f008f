package conformance

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// A frame that Spec.Describe does not know is printed as its bytes; so is a frame that need not
// parse.
func TestFramesWithoutWords(t *testing.T) {
	frame := []byte{0xab, 0x01}
	var s step
	require.Equal(t, "[2 bytes: ab01]", s.contents(frame))
	s.words = func([]byte) string { return "words" }
	require.Equal(t, "words", s.contents(frame))
	s.label = garbled
	require.Equal(t, "[2 bytes: ab01]", s.contents(frame))
}

func TestStepsInWords(t *testing.T) {
	p := sluice.Packet{Size: 64, Flow: 16, Ingress: sluice.Local, Class: 3}
	for want, s := range map[string]step{
		"0ps enqueue port 1 from local class 3 size 64 flow 0x10 -> append 2": {
			kind: stepEnqueue, packet: p, answer: answer{verdict: sluice.AppendToQueue(2)},
		},
		"0ps next port 1 -> queue 2": {
			kind: stepNext, answer: answer{next: 2, ok: true},
		},
		"0ps next port 1 -> none": {
			kind: stepNext,
		},
		"0ps dequeue port 1 queue 2 from local size 64 flow 0x10 -> drop: bad queue": {
			kind: stepDequeue, packet: p, queue: 2,
			answer: answer{verdict: sluice.DropBecause(sluice.BadQueue)},
		},
		"0ps receive port 1 pause [1 bytes: 01] -> port 3": {
			kind: stepReceive, frame: []byte{1}, label: "pause",
			answer: answer{wake: sluice.WakePort(3)},
		},
		"0ps receive port 1 pause [1 bytes: 01] -> error: no": {
			kind: stepReceive, frame: []byte{1}, label: "pause", answer: answer{err: errors.New("no")},
		},
		"0ps expire too early -> nothing": {
			kind: stepExpire, label: " too early",
		},
		"0ps poll port 1 -> none": {
			kind: stepPoll,
		},
		"0ps poll port 1 -> resume [1 bytes: 02]": {
			kind: stepPoll, answer: answer{ok: true, kind: "resume", polled: []byte{2}},
		},
		"0ps link down port 1 -> nothing": {
			kind: stepLinkDown,
		},
		"0ps link up port 1 -> deadline": {
			kind: stepLinkUp, answer: answer{wake: sluice.WakeDeadline},
		},
		"0ps rebase by 5ps": {
			kind: stepRebase, by: 5,
		},
		"0ps consume port 1 from local class 3 size 64 flow 0x10 -> nothing": {
			kind: stepConsume, packet: p,
		},
		"0ps a remark": {
			kind: stepRemark, label: "a remark",
		},
	} {
		s.port, s.done = 1, true
		require.Equal(t, want, s.String())
	}
	require.Equal(t, "0ps next port 0 -> did not return", (&step{kind: stepNext}).String())
}

// told is a machine that notes the times of its inputs.
type told struct {
	kit.Machine
	times   []sluice.Time
	refuses bool
}

func (m *told) Enqueue(now sluice.Time, _ sluice.PortID, p *sluice.Packet) sluice.Verdict {
	m.times, p.Note = append(m.times, now), p.Note+1
	return sluice.AppendToQueue(0)
}

func (m *told) Next(now sluice.Time, _ sluice.PortID) (sluice.QueueID, bool) {
	m.times = append(m.times, now)
	return 0, false
}

func (m *told) Receive(now sluice.Time, _ sluice.PortID, _ []byte) (sluice.Wake, error) {
	m.times = append(m.times, now)
	if m.refuses {
		return 0, errors.New("no frame")
	}
	return 0, nil
}

func (m *told) Deadline() sluice.Time { return sluice.Never }
func (m *told) Rebase(by sluice.Time) { m.times = append(m.times, -by) }

// The machine under test gets times from its own origin, and its twin from the first. For a time
// that goes back the twin gets the latest seen; it does not get a call that changes nothing.
func TestTimesTold(t *testing.T) {
	m, twin := &told{}, &told{}
	e := &embedder{run: &run{}, m: m, twin: twin, seen: 100, now: 150, base: 10}
	e.packets = []packet{{}}
	require.EqualValues(t, 140, e.do(step{kind: stepNext}).now)
	require.EqualValues(t, 100, e.seen, "Next tells no time")
	e.skew = 30
	e.do(step{kind: stepNext})
	e.do(step{kind: stepReceive})
	require.EqualValues(t, 100, e.seen)
	e.skew = 0
	m.refuses = true
	require.Error(t, e.do(step{kind: stepReceive}).err)
	require.EqualValues(t, 100, e.seen, "what is refused tells no time")
	m.refuses = false
	e.do(step{kind: stepRebase, by: 1})
	e.do(step{kind: stepEnqueue, inert: true, now: 7, id: -1})
	require.EqualValues(t, 100, e.seen)
	e.do(step{kind: stepEnqueue})
	require.EqualValues(t, 150, e.seen)
	require.Equal(t, []sluice.Time{140, 140, 60, 140, -1, 7, 140}, m.times)
	require.Equal(t, []sluice.Time{150, 150, 100, 150}, twin.times)
	require.EqualValues(t, 1, e.packets[0].Note)
	require.EqualValues(t, 1, e.packets[0].twinNote)
	require.Equal(t, -1, e.do(step{kind: stepNext}).id)
}

func TestMayHold(t *testing.T) {
	holds := map[stepKind]bool{
		stepEnqueue: true, stepDequeue: true, stepLinkDown: true, stepLinkUp: true, stepReceive: true,
		stepExpire: true,
	}
	for kind := range stepRemark {
		s := step{kind: kind, port: 1}
		require.Equal(t, holds[kind], s.mayHold(1), kind)
		require.Equal(t, kind == stepExpire, s.mayHold(2), kind)
		s.inert, s.err = true, errors.New("no")
		require.False(t, s.mayHold(1), kind)
	}
}
