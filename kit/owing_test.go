package kit_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pfc"
)

// Owes is PollFrame's answer before it is asked, whatever happened: a frame that it overlooked
// would never leave.
func TestOwes(t *testing.T) {
	frames := 0
	rapid.Check(t, func(t *rapid.T) {
		link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
		profile := pfc.Profile{XOff: 4 * sluice.KB, XOn: 2 * sluice.KB, Headroom: 100 * sluice.KB}
		config := pfc.Config{Buffer: 4 * sluice.MiB}
		for range 2 {
			config.Ports = append(config.Ports, pfc.PortConfig{Link: link, Profile: profile})
		}
		s, err := pfc.New(config)
		require.NoError(t, err)
		m := kit.Wrap[*pfc.Switch, *pfc.Port, pfc.Frame](s)
		var queue []*sluice.Packet
		for now := range sluice.Time(rapid.IntRange(1, 40).Draw(t, "hooks")) {
			if rapid.Bool().Draw(t, "arrival") {
				p := &sluice.Packet{Size: 1000}
				if m.Enqueue(now, 1, p).Action() == sluice.Append {
					queue = append(queue, p)
				}
			} else if len(queue) > 0 {
				m.Dequeue(now, 1, 0, queue[0])
				queue = queue[1:]
			}
			for port := range sluice.PortID(2) {
				if rapid.Bool().Draw(t, "polled") {
					owes := s.Port(port).Owes()
					_, _, ok := m.PollFrame(now, port, nil)
					require.Equal(t, ok, owes)
					if ok {
						frames++
					}
				}
			}
		}
	})
	require.Positive(t, frames)
}
