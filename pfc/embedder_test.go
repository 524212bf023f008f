package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// bench drives one switch in a test as an embedder does: it keeps the queues. Its transmitters are
// free, so it polls frames after every hook, unless busy.
type bench struct {
	t      *testing.T
	s      *Switch
	now    sluice.Time
	queues map[[2]int][]sluice.Packet
	frames []sent // since the test last took them
	busy   bool   // transmitters are: frames wait
}

// sent is a frame and the port it left by.
type sent struct {
	port sluice.PortID
	Frame
}

func newBench(t *testing.T, config Config) *bench {
	t.Helper()
	s, err := New(config)
	require.NoError(t, err)
	return &bench{t: t, s: s, queues: map[[2]int][]sluice.Packet{}}
}

// enqueue offers a packet of a size and class from an ingress to an egress.
func (k *bench) enqueue(out, in sluice.PortID, class sluice.Class, size int) sluice.Verdict {
	k.t.Helper()
	return k.enqueuePacket(out, sluice.Packet{Size: sluice.Bytes(size), Class: class, Ingress: in})
}

func (k *bench) enqueuePacket(out sluice.PortID, p sluice.Packet) sluice.Verdict {
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
func (k *bench) send(out sluice.PortID) (sluice.Packet, sluice.Verdict, bool) {
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
func (k *bench) drain(out sluice.PortID) (packets int) {
	k.t.Helper()
	for {
		if _, _, ok := k.send(out); !ok {
			return packets
		}
		packets++
	}
}

func (k *bench) receive(port sluice.PortID, f Frame) sluice.Wake {
	k.t.Helper()
	w := k.s.Port(port).Receive(k.now, &f)
	k.poll(w)
	return w
}

// at moves time on, serving each timer when it is due.
func (k *bench) at(now sluice.Time) {
	k.t.Helper()
	for k.s.Deadline() <= now {
		k.now = max(k.now, k.s.Deadline())
		k.poll(k.s.Expire(k.now))
	}
	k.now = now
}

func (k *bench) poll(w sluice.Wake) {
	k.t.Helper()
	woken := wokenPorts(k.s, w)
	var f Frame
	for port := range sluice.PortID(k.s.Ports()) {
		if !k.busy && k.s.Port(port).PollFrame(k.now, &f) {
			require.True(k.t, woken[port], "a frame of port %d, which was not woken", port)
			k.frames = append(k.frames, sent{port, f})
			require.False(k.t, k.s.Port(port).PollFrame(k.now, &f), "a second frame")
		}
	}
	require.NoError(k.t, k.s.Audit())
}

// wokenPorts returns the ports that a word names.
func wokenPorts(s *Switch, w sluice.Wake) map[sluice.PortID]bool {
	ports := map[sluice.PortID]bool{}
	if port, ok := w.Port(); ok {
		ports[port] = true
	}
	if w.Has(sluice.WakeSeveral) {
		for port, ok := s.PollPort(); ok; port, ok = s.PollPort() {
			ports[port] = true
		}
	}
	return ports
}

// free makes the transmitters free: frames that waited go.
func (k *bench) free() {
	k.busy = false
	var f Frame
	for port := range sluice.PortID(k.s.Ports()) {
		for k.s.Port(port).PollFrame(k.now, &f) {
			k.frames = append(k.frames, sent{port, f})
		}
	}
}

// take returns the frames sent since the last call.
func (k *bench) take() []sent {
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
