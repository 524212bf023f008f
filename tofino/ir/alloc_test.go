package ir_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// A machine that has run for a while allocates no more: its outcome is its own, and used again.
func TestZeroAlloc(t *testing.T) {
	m := newCounting().machine(t)
	unicast, multicast, refused := packet(2, 0), packet(4, 0), []byte{0x20}
	queue, err := chip.NewQueue(0, 1, 16)
	require.NoError(t, err)
	var waiting [3]ir.Copy
	for at := range waiting {
		waiting[at].Octets = make([]byte, 64)
	}
	input := func() {
		o := m.Receive(0, 8, unicast)
		copied := o.Copies[0]
		copied.Octets = append(waiting[0].Octets[:0], copied.Octets...)
		m.Depart(0, copied, 1)
		m.Receive(0, 8, multicast)
		m.Receive(0, 8, refused)
		m.Ghost(queue, 5)
	}
	for range 100 {
		input()
	}
	require.Zero(t, testing.AllocsPerRun(100, input))
}
