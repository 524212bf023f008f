package sluice_test

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
)

var sink uint64 // keeps the compiler from leaving out what is measured

// TestZeroAlloc calls what hooks and embedders call for every packet.
func TestZeroAlloc(t *testing.T) {
	packet := sluice.Packet{Size: 1500}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		packet.Path, _ = sluice.MakePath(sluice.Hop{Switch: 1, Port: 2}, sluice.Hop{Switch: 3, Port: 4})
		packet.Path.Append(sluice.Hop{Switch: 5})
		packet.Path.Advance()
		for i := range packet.Path.Len() {
			h := packet.Path.At(i)
			sink += h.Key()
		}
		v := sluice.AppendToQueue(3).WithWake(sluice.WakePort(1).Merge(sluice.WakeSeveral))
		port, _ := v.Wake().Port()
		sink += uint64(v.Queue()) + uint64(port)
		v = sluice.TransmitMarked(sluice.CE).WithWake(sluice.WakeDeadline)
		sink += uint64(v.Mark())
		r := 100 * sluice.Gbps
		sink += uint64(r.TimeOf(1500)) + uint64(r.BytesIn(sluice.Microsecond)) +
			uint64(r.QuantaIn(sluice.Microsecond))
		sink += uint64(sluice.Time(5).Add(r.TimeOfQuanta(3)))
	}))
}
