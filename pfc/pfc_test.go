package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/machine"
)

// The contract of the library, kept.
var _ = machine.Wrap[*Switch, *Port, Frame, *Frame]

// TestPauseAndResume walks one packet too many through a switch of two ports.
func TestPauseAndResume(t *testing.T) {
	port := PortConfig{Link: sluice.Link{Rate: 100 * sluice.Gbps}, XOff: 3000, XOn: 1500, Headroom: 3000}
	s, err := New(Config{Ports: []PortConfig{port, port}, Buffer: 100 * sluice.KB, Lossless: sluice.MakeClassSet(3)})
	require.NoError(t, err)
	packet := sluice.Packet{Size: 1500, Class: 3, Ingress: 1}
	out := s.Port(0)

	require.Equal(t, sluice.AppendTo(3), out.Enqueue(0, &packet))
	v := out.Enqueue(0, &packet)
	require.True(t, v.Wake().Has(sluice.WakeFrames|sluice.WakeDeadline))
	var f Frame
	id, ok := s.PollFrame(0, &f)
	require.True(t, ok)
	require.Equal(t, sluice.PortID(1), id)
	require.Equal(t, Frame{Opcode: OpcodePFC, Enabled: sluice.MakeClassSet(3), Time: [8]sluice.Quanta{3: DefaultPause}}, f)
	require.NoError(t, s.Audit())

	v = out.Dequeue(0, 3, &packet)
	require.Equal(t, sluice.Transmit, v.Action())
	require.True(t, v.Wake().Has(sluice.WakeFrames))
	_, ok = s.PollFrame(0, &f)
	require.True(t, ok)
	require.Equal(t, "resume", f.Kind())
	require.Error(t, s.Quiescent())
	out.Dequeue(0, 3, &packet)
	require.NoError(t, s.Audit())
	require.NoError(t, s.Quiescent())
	require.Equal(t, sluice.Never, s.Deadline())
}
