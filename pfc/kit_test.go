package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// kit drives one switch in a test as an embedder does: it keeps the queues, and polls frames after every
// hook.
type kit struct {
	t      *testing.T
	s      *Switch
	now    sluice.Time
	queues map[[2]int][]sluice.Packet
	frames []sent // since the test last took them
}

// sent is a frame and the port it left by.
type sent struct {
	port sluice.PortID
	Frame
}

func newKit(t *testing.T, config Config) *kit {
	t.Helper()
	s, err := New(config)
	require.NoError(t, err)
	return &kit{t: t, s: s, queues: map[[2]int][]sluice.Packet{}}
}

// enqueue offers a packet of a size and class from an ingress to an egress.
func (k *kit) enqueue(out, in sluice.PortID, class sluice.Class, size int) sluice.Verdict {
	k.t.Helper()
	return k.enqueuePacket(out, sluice.Packet{Size: int32(size), Class: class, Ingress: in})
}

func (k *kit) enqueuePacket(out sluice.PortID, p sluice.Packet) sluice.Verdict {
	k.t.Helper()
	v := k.s.Port(out).Enqueue(k.now, &p)
	if v.Action() == sluice.Append {
		at := [2]int{int(out), int(v.Queue())}
		k.queues[at] = append(k.queues[at], p)
	}
	k.poll(v.Wake())
	return v
}

// send takes the next packet of an egress; false if there is none to send.
func (k *kit) send(out sluice.PortID) (sluice.Packet, sluice.Verdict, bool) {
	k.t.Helper()
	q, ok := k.s.Port(out).Next(k.now)
	if !ok {
		return sluice.Packet{}, 0, false
	}
	at := [2]int{int(out), int(q)}
	require.NotEmpty(k.t, k.queues[at], "Next answered an empty queue")
	p := k.queues[at][0]
	k.queues[at] = k.queues[at][1:]
	v := k.s.Port(out).Dequeue(k.now, q, &p)
	k.poll(v.Wake())
	return p, v, true
}

// drain sends all that an egress may.
func (k *kit) drain(out sluice.PortID) (packets int) {
	k.t.Helper()
	for {
		if _, _, ok := k.send(out); !ok {
			return packets
		}
		packets++
	}
}

func (k *kit) receive(port sluice.PortID, f Frame) sluice.Wake {
	k.t.Helper()
	w := k.s.Port(port).Receive(k.now, &f)
	k.poll(w)
	return w
}

// at moves time on, serving each timer when it is due.
func (k *kit) at(now sluice.Time) {
	k.t.Helper()
	for k.s.Deadline() <= now {
		k.now = max(k.now, k.s.Deadline())
		k.poll(k.s.Expire(k.now))
	}
	k.now = now
}

func (k *kit) poll(w sluice.Wake) {
	k.t.Helper()
	var f Frame
	for {
		port, ok := k.s.PollFrame(k.now, &f)
		if !ok {
			break
		}
		require.True(k.t, w.Has(sluice.WakeFrames), "a frame nobody announced")
		k.frames = append(k.frames, sent{port, f})
	}
	require.NoError(k.t, k.s.Audit())
}

// take returns the frames sent since the last call.
func (k *kit) take() []sent {
	frames := k.frames
	k.frames = nil
	return frames
}

// pauseOf is the frame that pauses classes for a time.
func pauseOf(t sluice.Quanta, classes ...sluice.Class) Frame {
	f := Frame{Opcode: OpcodePFC, Enabled: sluice.MakeClassSet(classes...)}
	for _, c := range classes {
		f.Time[c] = t
	}
	return f
}

func ratio(num, den int64) sluice.Ratio { return sluice.Ratio{Num: num, Den: den} }
