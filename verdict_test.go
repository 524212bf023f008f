package sluice_test

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawWake draws a word that a machine may answer.
func drawWake(t *rapid.T, label string) sluice.Wake {
	var w sluice.Wake
	if rapid.Bool().Draw(t, label+" frames") {
		w |= sluice.WakeFrames
	}
	if rapid.Bool().Draw(t, label+" deadline") {
		w |= sluice.WakeDeadline
	}
	if rapid.Bool().Draw(t, label+" queues") {
		port := rapid.OneOf(rapid.Uint16Range(0, 3), rapid.Uint16(), rapid.Just(uint16(sluice.AnyPort))).Draw(t, label+" port")
		w |= sluice.WakePort(sluice.PortID(port))
	}
	return w
}

func TestWakePort(t *testing.T) {
	for _, port := range []sluice.PortID{0, 1, 4095, sluice.AnyPort} {
		w := sluice.WakePort(port)
		require.True(t, w.Has(sluice.WakeQueues))
		require.False(t, w.Has(sluice.WakeFrames))
		require.False(t, w.Has(sluice.WakeDeadline))
		require.Equal(t, port, w.Port())
	}
}

func TestHasAsksForAll(t *testing.T) {
	w := sluice.WakeFrames | sluice.WakeDeadline
	require.True(t, w.Has(sluice.WakeFrames|sluice.WakeDeadline))
	require.False(t, w.Has(sluice.WakeFrames|sluice.WakeQueues))
	require.True(t, w.Has(0))
}

// names reports whether an embedder who got w would call Next of a port.
func names(w sluice.Wake, port sluice.PortID) bool {
	return w.Has(sluice.WakeQueues) && (w.Port() == port || w.Port() == sluice.AnyPort)
}

func TestMergeLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawWake(t, "a"), drawWake(t, "b")
		merged := a.Merge(b)
		for _, flag := range []sluice.Wake{sluice.WakeFrames, sluice.WakeQueues, sluice.WakeDeadline} {
			require.Equal(t, a.Has(flag) || b.Has(flag), merged.Has(flag), "%v and %v: %v", a, b, merged)
		}
		for _, port := range []sluice.PortID{0, 1, a.Port(), b.Port(), 4095} {
			if names(a, port) || names(b, port) {
				require.True(t, names(merged, port), "port %d of %v and %v: %v", port, a, b, merged)
			}
		}
	})
}

func TestMergeAddsNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawWake(t, "a")
		port := rapid.SampledFrom([]sluice.PortID{0, 1, 2}).Draw(t, "port")
		b := drawWake(t, "b") &^ sluice.WakePort(sluice.AnyPort)
		merged := a.Merge(b)
		if !names(a, port) {
			require.False(t, names(merged, port), "one word that names no port adds none: %v and %v: %v", a, b, merged)
		}
		require.Equal(t, a, a.Merge(a))
		require.Equal(t, a, a.Merge(0))
		require.Equal(t, a, sluice.Wake(0).Merge(a))
	})
}

func TestMergeLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := drawWake(t, "a"), drawWake(t, "b"), drawWake(t, "c")
		require.Equal(t, a.Merge(b), b.Merge(a), "commutative: %v %v", a, b)
		require.Equal(t, a.Merge(b).Merge(c), a.Merge(b.Merge(c)), "associative: %v %v %v", a, b, c)
		require.Equal(t, a.Merge(b), a.Merge(b).Merge(b), "absorbs: %v %v", a, b)
	})
}

func TestVerdictRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWake(t, "wake")
		q := sluice.QueueID(rapid.Uint16().Draw(t, "queue"))
		mark := sluice.ECN(rapid.IntRange(0, 3).Draw(t, "mark"))
		reason := sluice.Reason(rapid.Uint8().Draw(t, "reason"))

		v := sluice.AppendTo(q).WithWake(w)
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
		v := sluice.AppendTo(7).WithWake(a).WithWake(b)
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
		"append 3":                            sluice.AppendTo(3),
		"append 3, frames":                    sluice.AppendTo(3).WithWake(sluice.WakeFrames),
		"transmit CE, frames":                 sluice.TransmitMarked(sluice.CE).WithWake(sluice.WakeFrames),
		"transmit ECT1, queues(2)":            sluice.TransmitMarked(sluice.ECT1).WithWake(sluice.WakePort(2)),
		"drop: buffer full":                   sluice.DropBecause(sluice.BufferFull),
		"drop: bad ingress, deadline":         sluice.DropBecause(sluice.BadIngress).WithWake(sluice.WakeDeadline),
		"drop: no reason":                     0,
		"drop: Reason(200)":                   sluice.DropBecause(200),
		"transmit NotECT, queues(any)":        sluice.TransmitMarked(sluice.NotECT).WithWake(sluice.WakePort(sluice.AnyPort)),
		"append 65535, frames|queues(0)":      sluice.AppendTo(65535).WithWake(sluice.WakeFrames | sluice.WakePort(0)),
		"append 0, frames|queues(0)|deadline": sluice.AppendTo(0).WithWake(sluice.WakeFrames | sluice.WakeDeadline).WithWake(sluice.WakePort(0)),
	} {
		require.Equal(t, want, v.String())
	}
}

func TestWakeString(t *testing.T) {
	require.Equal(t, "none", sluice.Wake(0).String())
	require.Equal(t, "frames|queues(3)|deadline", (sluice.WakeFrames | sluice.WakePort(3) | sluice.WakeDeadline).String())
	require.Equal(t, "queues(any)", sluice.WakePort(1).Merge(sluice.WakePort(2)).String())
}

func TestActionString(t *testing.T) {
	require.Equal(t, "drop", sluice.Drop.String())
	require.Equal(t, "append", sluice.Append.String())
	require.Equal(t, "transmit", sluice.Transmit.String())
	require.Equal(t, "Action(3)", sluice.Action(3).String())
}
