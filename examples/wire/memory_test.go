package main

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// memory is an end of a cable without a kernel.
type memory struct{ in, out *ring }

// ring is one direction of the cable. What finds it full is lost.
type ring struct {
	frames     [2 * batch][]byte
	head, tail int
}

func (m memory) receive(buffer []byte) (int, error) {
	r := m.in
	if r.head == r.tail {
		return 0, unix.EAGAIN
	}
	length := copy(buffer, r.frames[r.head%len(r.frames)])
	r.head++
	return length, nil
}

func (m memory) send(frame []byte) error {
	r := m.out
	if r.tail-r.head == len(r.frames) {
		return unix.ENOBUFS
	}
	at := &r.frames[r.tail%len(r.frames)]
	*at = append((*at)[:0], frame...)
	r.tail++
	return nil
}

func (memory) carrier() bool { return true }
func (memory) lost() uint64  { return 0 }

// inMemory is a bench without a kernel, except that a round still asks it what came in. Something
// always has at the port of the sender: a bell that nothing silences.
func inMemory(b *testing.B, s settings) *bench {
	n := &bench{plan: star(&s), batches: 8} // which take less than one on veth
	bell, err := unix.Eventfd(1, unix.EFD_CLOEXEC)
	require.NoError(b, err)
	b.Cleanup(func() { unix.Close(bell) })
	for i := range n.hosts {
		there, back := new(ring), new(ring)
		n.hosts[i] = memory{in: back, out: there}
		n.wires = append(n.wires, memory{in: there, out: back})
	}
	const none = -1 // of which poll says nothing
	n.files = []unix.PollFd{{Fd: int32(bell), Events: unix.POLLIN}, {Fd: none}, {Fd: none}}
	return n.of(s)
}

// hollow is a machine that decides nothing: every packet joins queue 0, and may leave at once.
type hollow struct{ kit.Machine }

func (hollow) Hooks(sluice.PortID) kit.Hooks  { return &hollowPort{} }
func (hollow) Expire(sluice.Time) sluice.Wake { return 0 }
func (hollow) Deadline() sluice.Time          { return sluice.Never }

type hollowPort struct{}

func (*hollowPort) Enqueue(sluice.Time, *sluice.Packet) sluice.Verdict {
	return sluice.AppendToQueue(0)
}

func (*hollowPort) Next(sluice.Time) (sluice.QueueID, bool) { return 0, true }

func (*hollowPort) Dequeue(
	_ sluice.Time, _ sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	return sluice.TransmitMarked(p.ECN)
}

func (*hollowPort) Owes() bool { return false }
