package forwarder

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/conformance"
	"github.com/sluicefc/sluice/pfc"
)

func config(ports int) pfc.Config {
	c := pfc.Config{Buffer: sluice.MiB, MAC: sluice.MAC{2}}
	for range ports {
		c.Ports = append(c.Ports, pfc.PortConfig{Link: sluice.Link{Rate: 100 * sluice.Gbps}})
	}
	return c
}

func TestConformance(t *testing.T) {
	depth.Fewer(t, 20)
	conformance.Run(t, conformance.Spec{
		Name: "forwarder",
		New: func(t *rapid.T) func() kit.Machine {
			c := config(rapid.IntRange(1, 4).Draw(t, "ports"))
			return func() kit.Machine {
				m, err := New(c)
				require.NoError(t, err)
				return m
			}
		},
		Frame: func(t *rapid.T, _ kit.Machine, _ sluice.PortID) []byte {
			f := pfc.Frame{Opcode: rapid.SampledFrom([]uint16{
				pfc.OpcodePFC, pfc.OpcodePFC, pfc.OpcodePause,
			}).Draw(t, "opcode")}
			f.Enabled = sluice.ClassSet(rapid.IntRange(0, 0xff).Draw(t, "enabled"))
			for i := range f.Time {
				f.Time[i] = sluice.Quanta(rapid.IntRange(0, 3).Draw(t, "time"))
			}
			return f.AppendTo(nil)
		},
	})
}

func told(t *testing.T, m *Machine, port sluice.PortID) pfc.Frame {
	b, _, ok := m.PollFrame(0, port, nil)
	require.True(t, ok)
	var f pfc.Frame
	require.NoError(t, f.Parse(b))
	return f
}

// Nodes only forward flow control of downstream switches (PortFC, Figure 5): a frame's content
// leaves by every other port, and the later of two frames counts; a node that is full sends none.
func TestForwards(t *testing.T) {
	m, err := New(config(3))
	require.NoError(t, err)
	frame := func(enabled sluice.ClassSet, time sluice.Quanta) []byte {
		f := pfc.Frame{Opcode: pfc.OpcodePFC, Enabled: enabled}
		for c := range f.Time {
			if enabled.Has(sluice.Class(c)) {
				f.Time[c] = time
			}
		}
		return f.AppendTo(nil)
	}
	wake, err := m.Receive(0, 1, frame(sluice.MakeClassSet(3), 100))
	require.NoError(t, err)
	require.True(t, wake.Has(sluice.WakeSeveral))
	require.False(t, m.Sendable(1, 3), "it obeys")
	require.True(t, m.Sendable(0, 3))
	require.Error(t, m.Quiescent())
	require.Equal(t, sluice.Quanta(100), told(t, m, 0).Time[3])
	require.Equal(t, sluice.MAC{2}, told(t, m, 2).Source)
	_, _, ok := m.PollFrame(0, 1, nil)
	require.False(t, ok, "not back where it came from")

	_, err = m.Receive(0, 1, frame(sluice.MakeClassSet(3, 4), 0))
	require.NoError(t, err)
	_, err = m.Receive(0, 2, frame(sluice.MakeClassSet(4), 7))
	require.NoError(t, err)
	f := told(t, m, 0)
	require.Equal(t, sluice.MakeClassSet(3, 4), f.Enabled)
	require.Equal(t, sluice.Quanta(0), f.Time[3])
	require.Equal(t, sluice.Quanta(7), f.Time[4])

	p := sluice.Packet{Size: 1 << 19, Class: 3, Ingress: 1}
	require.Equal(t, sluice.Append, m.Enqueue(0, 0, &p).Action())
	require.Equal(
		t, sluice.DropBecause(sluice.BufferFull),
		m.Enqueue(0, 0, &sluice.Packet{Size: 1 << 20, Class: 3, Ingress: 1}),
	)
	_, _, ok = m.PollFrame(0, 0, nil)
	require.False(t, ok)
	m.LinkDown(0, 2)
	_, _, ok = m.PollFrame(0, 2, nil)
	require.False(t, ok, "what it owed is void")
	_, err = New(pfc.Config{})
	require.Error(t, err)
}
