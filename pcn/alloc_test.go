package pcn

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// TestZeroAlloc: only NewCongestionPoint, NewFluid, and errors of a configuration allocate.
func TestZeroAlloc(t *testing.T) {
	var p CongestionPoint
	var n NotificationPoint
	r, err := NewReactionPoint(RPConfig{LineRate: 40 * g})
	require.NoError(t, err)
	f := newFluid(t, FluidConfig{Capacity: 40 * g, Rates: []sluice.Rate{40 * g, 30 * g}})
	four, six := sample(), sampleIPv6()
	buffer := make([]byte, 0, IPv6Length+1)
	var now sluice.Time
	var parsed CNP
	notices := 0
	require.Zero(t, testing.AllocsPerRun(100, func() {
		now += us
		p.Resumed(now, 5000)
		for i := range 60 {
			now += us
			n.Arrive(now, 1030, p.Dequeue(now, 1030, sluice.Bytes(i)*100, sluice.ECT1))
			if c, ok := n.Expire(now); ok {
				r.Receive(&c)
				notices++
			}
		}
		for _, c := range [...]*CNP{&four, &six} {
			buffer = c.AppendTo(buffer[:0])
			if err := parsed.Parse(buffer); err != nil {
				t.Fatal(err)
			}
			if parsed.Parse(buffer[:50]) == nil || parsed.Parse(buffer[:len(buffer)+1]) == nil {
				t.Fatal("not a CNP")
			}
			r.Receive(&parsed)
		}
		f.Step()
		if _, _, err := Advice(4, 10*g, us); err != nil || f.Total() == 0 {
			t.Fatal(err)
		}
		_, errNP := NewNotificationPoint(NPConfig{Period: us})
		_, errRP := NewReactionPoint(RPConfig{LineRate: 40 * g})
		if errNP != nil || errRP != nil { // one per flow
			t.Fatal(errNP, errRP)
		}
	}))
	require.NotZero(t, notices)
}
