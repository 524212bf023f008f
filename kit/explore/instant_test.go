package explore_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/explore"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/portfc"
	"github.com/stretchr/testify/require"
)

// agreed says that the first switch of a pair sends nothing to the second exactly while that one
// pauses it.
func agreed(machines []kit.Machine) error {
	pauses := kit.Unwrap(machines[1]).(*pfc.Switch).Port(2).Paused() != 0
	if held := !machines[0].Sendable(2, 0); held != pauses {
		return fmt.Errorf("switch 1 pauses: %t, switch 0 is held: %t", pauses, held)
	}
	return nil
}

// TestCheckAll: while a pause is on its way the two ends of a link do not agree, and that is no
// violation; where no frame is on its way they must, and a machine that obeys no frame is found.
// Its steps, taken anew, end so.
func TestCheckAll(t *testing.T) {
	for _, instant := range []bool{false, true} {
		n := pair(protocolOf("pfc"))
		n.CheckAll, n.Instant = agreed, instant
		r := explored(t, n)
		require.NoError(t, violation(r))
		require.True(t, r.Whole)

		n = bugged(protocolOf("pfc"), "Receive obeys no frame")
		n.CheckAll, n.Instant = agreed, instant
		r = explored(t, n)
		require.NotNil(t, r.Violation)
		require.Equal(t, "check", r.Violation.Property)
		require.ErrorContains(t, n.Replay(nil, texts(r.Violation.Steps)...), "switch 1 pauses: true")
	}
	n := pair(protocolOf("pfc"))
	n.CheckAll = func([]kit.Machine) error { return fmt.Errorf("never right") }
	require.Empty(t, explored(t, n).Violation.Steps, "the first state is looked at, too")
}

// TestInstant: on links that take no time PFC's circle comes to its deadlock, by packets alone, in
// far fewer states; PortFC's network does not.
func TestInstant(t *testing.T) {
	n := circle(protocolOf("pfc"))
	n.Instant = true
	r := explored(t, n)
	require.NotNil(t, r.Violation)
	require.Equal(t, "no deadlock", r.Violation.Property)
	require.Less(t, r.States, 100)
	require.Equal(t, 1, r.Symmetries)
	steps := texts(r.Violation.Steps)
	require.NotContains(t, strings.Join(steps, " "), "arrive")
	require.ErrorContains(t, n.Replay(nil, steps...), "no deadlock")

	n = ndc(portfc.NDC{N: 2, K: 1}, 3, 1, false)
	n.Instant = true
	r = explored(t, n)
	require.NoError(t, violation(r))
	require.True(t, r.Whole)
	require.Contains(t, r.Frames, "pause")
}

// endless is a switch that owes port 2 a frame, whatever it sent, while a packet waits.
type endless struct {
	kit.Machine
	kit.Stateful
}

func (e endless) PollFrame(
	now sluice.Time, port sluice.PortID, dst []byte,
) ([]byte, string, bool) {
	if port != 2 || e.Buffered() == 0 {
		return e.Machine.PollFrame(now, port, dst)
	}
	resume := pfc.Frame{Opcode: pfc.OpcodePFC, Enabled: 1}
	return resume.AppendTo(dst), "resume", true
}

func (e endless) Clone() kit.Machine {
	m := e.Stateful.Clone()
	state, _ := kit.StatefulOf(m)
	return endless{m, state}
}

// TestInstantFrames: frames have an end, and no frame is on a link where it could be lost.
func TestInstantFrames(t *testing.T) {
	n := pair(protocolOf("pfc"))
	n.Instant = true
	real := n.Nodes[0].New
	n.Nodes[0].New = func() (kit.Machine, error) {
		m, err := real()
		state, _ := kit.StatefulOf(m)
		return endless{m, state}, err
	}
	require.ErrorContains(t, violation(explored(t, n)), "answered by frames for ever")

	n.Faults.Lost = 1
	_, err := n.Explore(explore.Options{})
	require.ErrorContains(t, err, "Network.Instant = true: must be false")
}
