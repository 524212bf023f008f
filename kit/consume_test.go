package kit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// counting is a machine that counts arrivals, hung is a machine that is hung on it.
type counting struct {
	kit.Machine
	bytes sluice.Bytes
}

func (c *counting) Consume(_ sluice.Time, port sluice.PortID, p *sluice.Packet) sluice.Wake {
	c.bytes += p.Size
	return sluice.WakePort(port)
}

type hung struct{ kit.Machine }

func (h hung) Unwrap() kit.Machine { return h.Machine }

// plain is a machine that counts nothing.
type plain struct{ kit.Machine }

// Consume reaches a machine that counts arrivals, however deep it hangs, and answers what it wakes;
// another machine is not asked.
func TestConsumeReachesWhoCounts(t *testing.T) {
	c := &counting{}
	p := &sluice.Packet{Size: 900}
	require.True(t, kit.Consumes(hung{hung{c}}))
	require.Equal(t, sluice.WakePort(3), kit.Consume(hung{hung{c}}, 5, 3, p))
	require.EqualValues(t, 900, c.bytes)

	other := hung{plain{}}
	require.False(t, kit.Consumes(other))
	require.Zero(t, kit.Consume(other, 5, 3, p))
}
