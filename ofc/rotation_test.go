package ofc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// When a rotation ends, the normal queue sends at once if it has packets, else the class is silent
// (section III-B, the dequeue of the order mark). The time in between is counted.
func TestARotationEnds(t *testing.T) {
	const paused, other = 1, 2
	for _, class := range []sluice.Class{0, 3, 7} {
		for _, waiting := range []bool{false, true} {
			s := mustNew(t, Config{Ports: []PortConfig{edgePort, edgePort}})
			out := s.Port(0)
			normal := sluice.QueueID(class) * QueuesPerClass
			hear := func(now sluice.Time, f Frame) {
				f.Class, f.Count, f.Keys[0] = class, 1, paused
				out.Receive(now, &f)
			}
			p := &sluice.Packet{Flow: paused, Size: 900, Class: class, Ingress: 1}
			q := &sluice.Packet{Flow: other, Size: 1, Class: class, Ingress: 1} // the least there is
			hear(0, Frame{Type: Pause, Sequence: 1})
			out.Enqueue(0, p)
			require.Equal(t, sluice.AppendToQueue(normal+1), out.Dequeue(0, normal, p))
			hear(20*sluice.Microsecond, Frame{Type: Resume, Sequence: 2})
			if waiting {
				out.Enqueue(20*sluice.Microsecond, q)
			}
			next, ok := out.Next(0)
			require.True(t, ok)
			require.Equal(t, normal+1, next, "what was moved leaves before what was not")

			v := out.Dequeue(27*sluice.Microsecond, next, p)
			require.Equal(t, sluice.TransmitMarked(0).WithWake(sluice.WakePort(0)), v)
			require.Equal(t, 7*sluice.Microsecond, out.Counters().RotationTime)
			require.NoError(t, s.Audit())
			next, ok = out.Next(0)
			require.Equal(t, waiting, ok)
			if waiting {
				require.Equal(t, normal, next)
				require.Equal(t, sluice.Transmit, out.Dequeue(0, next, q).Action())
			}
			require.NoError(t, s.Quiescent())
		}
	}
}
