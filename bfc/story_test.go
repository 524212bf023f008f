package bfc

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// story is a switch of equal 100 Gb/s ports and 1 us links, and an embedder's queues, for tests
// step by step.
type story struct {
	*testing.T
	s     *Switch
	now   sluice.Time
	fifos map[sluice.PortID][][]sluice.Packet
	late  bool     // frames are polled only when the story asks for them
	said  []string // frames polled that the story has not asked for
	heard uint32   // frames of downstream
	woken func(sluice.Wake)
}

func tell(t *testing.T, ports int, c Config) *story {
	for range ports {
		c.Ports = append(c.Ports, PortConfig{Link: benchLink})
	}
	return tellOf(t, c)
}

func tellOf(t *testing.T, c Config) *story {
	st := &story{T: t, s: mustNew(t, c), fifos: map[sluice.PortID][][]sluice.Packet{}}
	for i := range st.s.Ports() {
		st.fifos[sluice.PortID(i)] = make([][]sluice.Packet, st.s.Queues())
	}
	return st
}

// in enqueues a packet of 1,000 bytes and returns its queue.
func (st *story) in(
	egress sluice.PortID, flow uint64, ingress sluice.PortID, upstream sluice.QueueID,
) sluice.QueueID {
	st.Helper()
	return st.packet(
		egress, sluice.Packet{Flow: flow, Size: 1000, Ingress: ingress, UpstreamQueue: upstream},
	)
}

func (st *story) packet(egress sluice.PortID, p sluice.Packet) sluice.QueueID {
	st.Helper()
	v := st.s.Port(egress).Enqueue(st.now, &p)
	require.Equal(st, sluice.Append, v.Action(), "%v", v)
	st.note(v.Wake())
	queue := &st.fifos[egress][v.Queue()]
	*queue = append(*queue, p)
	st.settle()
	return v.Queue()
}

func (st *story) note(w sluice.Wake) {
	if st.woken != nil {
		st.woken(w)
	}
}

// settle does an embedder's work after every hook.
func (st *story) settle() {
	st.Helper()
	require.NoError(st, st.s.Audit())
	if !st.late {
		st.said = append(st.said, describeFrames(st.s, st.now)...)
	}
}

// out serves one packet, and returns its queue.
func (st *story) out(egress sluice.PortID) sluice.QueueID {
	st.Helper()
	q, ok := st.s.Port(egress).Next(st.now)
	require.True(st, ok, "port %d has nothing to send", egress)
	st.outOf(egress, q)
	return q
}

func (st *story) outOf(egress sluice.PortID, q sluice.QueueID) {
	st.Helper()
	queue := &st.fifos[egress][q]
	require.NotEmpty(st, *queue)
	v := st.s.Port(egress).Dequeue(st.now, q, &(*queue)[0])
	require.Equal(st, sluice.Transmit, v.Action(), "%v", v)
	st.note(v.Wake())
	*queue = (*queue)[1:]
	st.settle()
}

// frames describes the frames sent since it was asked last: "pause 3:[7]", port and queues.
func (st *story) frames() []string {
	said := append(st.said, describeFrames(st.s, st.now)...)
	st.said = nil
	return said
}

// due lets time come to the deadline, and serves it.
func (st *story) due() sluice.Wake {
	st.now = max(st.now, st.s.Deadline())
	wake := st.s.Expire(st.now)
	st.settle()
	return wake
}

// hear lets downstream of a port say something.
func (st *story) hear(port sluice.PortID, kind Type, queues ...sluice.QueueID) sluice.Wake {
	st.Helper()
	f := Frame{Type: kind, Count: uint16(len(queues)), Sequence: st.heard + 1}
	st.heard++
	copy(f.Queues[:], queues)
	wake := st.s.Port(port).Receive(st.now, &f)
	st.settle()
	return wake
}

// describeFrames polls the frames of every port, over the wire, and describes them: kind, port,
// queues.
func describeFrames(s *Switch, now sluice.Time) (all []string) {
	var built, f Frame
	for i := range s.Ports() {
		port := s.Port(sluice.PortID(i))
		for port.PollFrame(now, &built) {
			if err := f.Parse(built.AppendTo(nil)); err != nil {
				panic(err)
			}
			all = append(all, fmt.Sprintf("%s %d:%v", f.Kind(), i, f.AppendPaused(f.Listed())))
		}
	}
	return all
}
