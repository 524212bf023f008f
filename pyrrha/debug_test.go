//go:build sluicedebug

package pyrrha

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
)

// Every input hook panics while a frame is pending.
func TestInputBeforeDrain(t *testing.T) {
	s := mustNew(Config{Switch: labID, Ports: ports(Down, Down, NIC)})
	pkt := sluice.Packet{Size: 1000, Ingress: 1}
	p := s.Port(0)
	for range 31 {
		p.Enqueue(0, &pkt)
	}
	const message = "pyrrha: input before frames were drained with PollFrame"
	for _, hook := range []func(){
		func() { p.Enqueue(0, &pkt) },
		func() { p.Dequeue(0, 0, &pkt) },
		func() { p.Receive(0, &Frame{Type: Resume}) },
		func() { p.Hold(0, true) },
		func() { p.LinkUp(0) },
		func() { s.Port(2).Congested(0, true) },
	} {
		require.PanicsWithValue(t, message, hook)
	}
	var f Frame
	_, ok := s.PollFrame(0, &f)
	require.True(t, ok)
	require.NotPanics(t, func() { p.Dequeue(0, 0, &pkt) })
}
