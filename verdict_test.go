package sluice_test

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestVerdictRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWake(t, "wake")
		q := sluice.QueueID(rapid.Uint16().Draw(t, "queue"))
		mark := sluice.ECN(rapid.IntRange(0, 3).Draw(t, "mark"))
		reason := sluice.Reason(rapid.Uint8().Draw(t, "reason"))

		v := sluice.AppendToQueue(q).WithWake(w)
		require.Equal(t, sluice.Append, v.Action())
		require.Equal(t, q, v.Queue())
		require.Equal(t, w, v.Wake())

		v = sluice.TransmitMarked(mark).WithWake(w)
		require.Equal(t, sluice.Transmit, v.Action())
		require.Equal(t, mark, v.Mark())
		require.Equal(t, w, v.Wake())

		v = sluice.DropBecause(reason).WithWake(w)
		require.Equal(t, sluice.Drop, v.Action())
		require.Equal(t, reason, v.Reason())
		require.Equal(t, w, v.Wake())
	})
}

func TestWithWakeMerges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawWake(t, "a"), drawWake(t, "b")
		v := sluice.AppendToQueue(7).WithWake(a).WithWake(b)
		require.Equal(t, a.Merge(b), v.Wake())
		require.Equal(t, sluice.QueueID(7), v.Queue())
		require.Equal(t, sluice.Append, v.Action())
	})
}

func TestTransmitMarkedKeepsTwoBits(t *testing.T) {
	v := sluice.TransmitMarked(7)
	require.Equal(t, sluice.CE, v.Mark())
	require.Equal(t, sluice.Transmit, v.Action())
	require.Zero(t, v.Wake())
}

// TestZeroVerdict: the zero word asks nothing of an embedder but to drop, for no reason, so that a
// forgotten verdict is seen.
func TestZeroVerdict(t *testing.T) {
	var v sluice.Verdict
	require.Equal(t, sluice.Drop, v.Action())
	require.Equal(t, sluice.NoReason, v.Reason())
	require.Zero(t, v.Wake())
}

func TestVerdictString(t *testing.T) {
	for want, v := range map[string]sluice.Verdict{
		"append 3":         sluice.AppendToQueue(3),
		"append 3, port 1": sluice.AppendToQueue(3).WithWake(sluice.WakePort(1)),
		"transmit CE, several ports": sluice.TransmitMarked(sluice.CE).WithWake(
			sluice.WakeSeveral,
		),
		"transmit ECT1, port 2": sluice.TransmitMarked(sluice.ECT1).WithWake(sluice.WakePort(
			2,
		)),
		"transmit NotECT class 5": sluice.TransmitMarked(sluice.NotECT).WithClass(5),
		"drop: buffer full":       sluice.DropBecause(sluice.BufferFull),
		"drop: bad ingress, deadline": sluice.DropBecause(sluice.BadIngress).WithWake(
			sluice.WakeDeadline,
		),
		"drop: no reason":      0,
		"drop: Reason(200)":    sluice.DropBecause(200),
		"append 65535, port 0": sluice.AppendToQueue(65535).WithWake(sluice.WakePort(0)),
		"append 0, several ports, deadline": sluice.AppendToQueue(0).WithWake(
			sluice.WakeSeveral,
		).WithWake(sluice.WakeDeadline),
	} {
		require.Equal(t, want, v.String())
	}
}

// TestClassAndMark: a packet may leave in another class than it came in; a machine that never says
// so pays nothing, and a marker changes the mark and nothing else.
func TestClassAndMark(t *testing.T) {
	_, other := sluice.TransmitMarked(sluice.CE).Class()
	require.False(t, other)
	for class := range sluice.Class(sluice.Classes) {
		v := sluice.TransmitMarked(sluice.ECT0).WithWake(sluice.WakePort(9)).WithClass(7).WithClass(
			class,
		).WithMark(sluice.CE)
		got, other := v.Class()
		require.True(t, other)
		require.Equal(t, class, got)
		require.Equal(t, sluice.CE, v.Mark())
		require.Equal(t, sluice.NotECT, v.WithMark(sluice.NotECT).Mark())
		require.Equal(t, sluice.Transmit, v.Action())
		require.Equal(t, sluice.WakePort(9), v.Wake())
		require.Zero(t, v.WithoutWake().Wake())
		require.Equal(t, v, v.WithoutWake().WithWake(v.Wake()))
	}
}

func TestActionString(t *testing.T) {
	require.Equal(t, "drop", sluice.Drop.String())
	require.Equal(t, "append", sluice.Append.String())
	require.Equal(t, "transmit", sluice.Transmit.String())
	require.Equal(t, "Action(3)", sluice.Action(3).String())
}
