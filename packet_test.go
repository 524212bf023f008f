package sluice_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// TestSized: a packet has 1 to MaxPacket bytes.
func TestSized(t *testing.T) {
	for size, sized := range map[sluice.Bytes]bool{
		-1: false, 0: false, 1: true, sluice.MaxPacket: true, sluice.MaxPacket + 1: false,
	} {
		p := sluice.Packet{Size: size}
		require.Equal(t, sized, p.Sized(), size)
	}
}
