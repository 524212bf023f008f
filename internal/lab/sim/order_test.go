package sim_test

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/kit"
	"github.com/stretchr/testify/require"
)

// recording notes the order of what leaves by port 0 and of what comes in there, 0 for a frame,
// else a packet's flow.
type recording struct {
	kit.Machine
	out, in *[]uint64
}

func (r recording) PollFrame(
	now sluice.Time, port sluice.PortID, buf []byte,
) ([]byte, string, bool) {
	frame, kind, ok := r.Machine.PollFrame(now, port, buf)
	if ok && port == 0 {
		*r.out = append(*r.out, 0)
	}
	return frame, kind, ok
}

func (r recording) Dequeue(
	now sluice.Time, port sluice.PortID, q sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	v := r.Machine.Dequeue(now, port, q, p)
	if v.Action() == sluice.Transmit && port == 0 {
		*r.out = append(*r.out, p.Flow)
	}
	return v
}

func (r recording) Receive(now sluice.Time, port sluice.PortID, frame []byte) (sluice.Wake, error) {
	if port == 0 {
		*r.in = append(*r.in, 0)
	}
	return r.Machine.Receive(now, port, frame)
}

func (r recording) Consume(_ sluice.Time, port sluice.PortID, p *sluice.Packet) sluice.Wake {
	if port == 0 {
		*r.in = append(*r.in, p.Flow)
	}
	return 0
}

// A frame leaves, and arrives, behind the packets that were dequeued before it was polled, and
// ahead of all later ones (package sluice).
func TestFramesKeepTheirPlace(t *testing.T) {
	g := star(4)
	c := config(g)
	for src := range sluice.SwitchID(3) {
		c.Flows = append(c.Flows, workload.Flow{Src: src, Dst: 3, Bytes: 200_000},
			workload.Flow{Src: 3, Dst: src, Bytes: 100_000})
	}
	c.NewMachine = func(node sluice.SwitchID) (kit.Machine, error) {
		return small(g, node, sluice.AllClasses, sluice.MiB)
	}
	var atSwitch, atHost recording
	atSwitch.out, atSwitch.in = new([]uint64), new([]uint64)
	atHost.out, atHost.in = new([]uint64), new([]uint64)
	at(&c, 4, func(m kit.Machine) kit.Machine { atSwitch.Machine = m; return atSwitch })
	at(&c, 0, func(m kit.Machine) kit.Machine { atHost.Machine = m; return atHost })
	r := run(t, c)
	require.Positive(t, r.ControlFrames["pause"])
	require.Contains(t, *atSwitch.out, uint64(0))
	require.Equal(t, *atSwitch.out, *atHost.in)
}
