package pyrrha

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
)

// TestZeroAlloc covers every hook: packets that are isolated, pause their upstreams and move;
// frames of every type, received and sent; timers.
func TestZeroAlloc(t *testing.T) {
	for _, o := range []Organisation{Hierarchical, SingleTier} {
		s := mustNew(Config{
			Switch: labID, Organisation: o, Ports: ports(Down, Down, Host), MTU: 4000,
			Refresh: 10 * sluice.Microsecond, Classes: 0x7f, Buffer: sluice.MB,
		})
		p := s.Port(0)
		var frame Frame
		var wire []byte
		var pkt [40]sluice.Packet
		var queue [40]sluice.QueueID
		for i := range pkt {
			pkt[i] = sluice.Packet{Size: 4000, Ingress: sluice.PortID(1 + i&1)}
			pkt[i].Path, _ = sluice.MakePath(at(int(labID), 0), at(20, 1), at(30, 1))
		}
		pkt[39].Class = 7
		now, sequence := sluice.Time(0), uint32(0)
		drain := func() {
			for i := range sluice.PortID(3) {
				for s.Port(i).PollFrame(now, &frame) {
					wire = frame.AppendTo(wire[:0])
					if frame.Parse(wire) != nil {
						panic("refused")
					}
				}
			}
			for _, ok := s.PollPort(); ok; _, ok = s.PollPort() {
			}
		}
		receive := func(port sluice.PortID, f Frame) {
			sequence++
			f.Sequence = sequence
			wire = f.AppendTo(wire[:0])
			if _, err := s.Port(port).ReceiveWire(now, wire); err != nil {
				panic(err)
			}
			drain()
		}
		round := func() {
			receive(0, Frame{Type: Pause, Root: at(20, 1), Hop: 1})
			receive(0, Frame{Type: Pause, Root: at(30, 1), Hop: 2})
			for i := range pkt {
				queue[i] = p.Enqueue(now, &pkt[i]).Queue()
				drain()
			}
			receive(0, Frame{Type: Resume, Root: at(30, 1)})
			receive(0, Frame{Type: Merge, Old: at(20, 1), Root: at(30, 1), Hop: 2})
			p.Hold(now, true)
			p.Hold(now, false)
			p.Blocked(&pkt[0].Path)
			now += 30 * sluice.Microsecond
			s.Expire(now)
			drain()
			for moved := true; moved; {
				moved = false
				for i := range pkt {
					if queue[i] == 0xffff {
						continue
					}
					now += 100 * sluice.Nanosecond
					p.Next(now)
					v := p.Dequeue(now, queue[i], &pkt[i])
					queue[i] = 0xffff
					if v.Action() == sluice.Append {
						queue[i], moved = v.Queue(), true
					}
					drain()
				}
			}
			receive(1, Frame{Type: Dealloc, Root: at(30, 1)})
			receive(1, Frame{Type: Dealloc, Root: at(20, 1)})
			receive(1, Frame{Type: Dealloc, Root: at(int(labID), 0)})
			_ = s.Deadline()
			_ = s.Buffered()
			_ = s.Counters()
			_ = p.Counters()
			s.Rebase(sluice.Nanosecond)
			now -= sluice.Nanosecond
		}
		round()
		require.Zero(t, testing.AllocsPerRun(50, round), "%v", o)
		require.NoError(t, s.Audit())
		require.NoError(t, s.Quiescent())
		require.NotZero(t, s.Counters().Sent[Merge])
		require.Zero(t, testing.AllocsPerRun(10, func() {
			s.Port(0).LinkDown(now)
			s.Port(0).LinkUp(now)
			s.Port(2).Congested(now, true)
		}))
	}
}
