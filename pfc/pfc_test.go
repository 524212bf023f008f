package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// The contract of the library, kept.
var _ = kit.Wrap[*Switch, *Port, Frame, *Frame]

// TestPauseAndResume walks one packet too many through a switch of two ports.
func TestPauseAndResume(t *testing.T) {
	port := PortConfig{
		Link:    sluice.Link{Rate: 100 * sluice.Gbps},
		Profile: Profile{XOff: 3000, XOn: 1500, Headroom: 3000},
	}
	s, err := New(
		Config{Ports: []PortConfig{port, port}, Buffer: 100 * sluice.KB, Classes: sluice.MakeClassSet(3)},
	)
	require.NoError(t, err)
	packet := sluice.Packet{Size: 1500, Class: 3, Ingress: 1}
	out := s.Port(0)

	require.Equal(t, sluice.AppendToQueue(3), out.Enqueue(0, &packet))
	v := out.Enqueue(0, &packet)
	require.Equal(t, sluice.WakePort(1)|sluice.WakeDeadline, v.Wake())
	var f Frame
	require.False(t, s.Port(0).PollFrame(0, &f))
	require.True(t, s.Port(1).PollFrame(0, &f))
	require.Equal(
		t,
		Frame{
			Opcode:  OpcodePFC,
			Enabled: sluice.MakeClassSet(3),
			Time:    [8]sluice.Quanta{3: DefaultPause},
		},
		f,
	)
	require.NoError(t, s.Audit())

	v = out.Dequeue(0, 3, &packet)
	require.Equal(t, sluice.Transmit, v.Action())
	require.Equal(t, sluice.WakePort(1)|sluice.WakeDeadline, v.Wake())
	require.True(t, s.Port(1).PollFrame(0, &f))
	require.Equal(t, "resume", f.Kind())
	require.Error(t, s.Quiescent())
	out.Dequeue(0, 3, &packet)
	require.NoError(t, s.Audit())
	require.NoError(t, s.Quiescent())
	require.Equal(t, sluice.Never, s.Deadline())
}
