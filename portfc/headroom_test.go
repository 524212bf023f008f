package portfc

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// mtu of section V: 1,000 bytes of payload and 48 of headers.
const paperMTU = 1048

// What a switch needs at 100 Gb/s and 1 us, and which of the paper's networks its 5 MB cover: not
// its own NDC(8,1), though less is in use there (see the README), and a switch of 128 ports would
// need more than a gigabyte.
func TestHeadroomOfThePapersNetworks(t *testing.T) {
	covered := 0
	before := sluice.Bytes(0)
	for n := 2; n <= 16; n++ {
		network := NDC{n, 1}
		bound, err := SwitchConfig(network, network.SwitchOf(0, 0), benchLink).
			Headroom(paperMTU, Relay{Link: benchLink, Backlog: 2 * paperMTU})
		require.NoError(t, err)
		t.Logf("n = %2d: IHFQs %7d, DDQ %7d, switch %9d bytes", n, bound.IHFQ, bound.DDQ, bound.Total)
		less := sluice.Bytes(n-1) * WireLength
		require.Equal(t, sluice.Bytes(n)*(bound.IHFQ+bound.DDQ-less), bound.Total)
		require.Greater(t, bound.Total, before)
		before = bound.Total
		if bound.Total <= 5*sluice.MB {
			covered = n
		}
	}
	require.Equal(t, 7, covered)
	network := NDC{128, 1}
	bound, err := SwitchConfig(network, network.SwitchOf(0, 0), benchLink).
		Headroom(paperMTU, Relay{Link: benchLink})
	require.NoError(t, err)
	require.Greater(t, bound.Total, sluice.GB)
}

// Where the nodes' relay queues have no bound, the DDQ has none.
func TestHeadroomBehindUnboundedRelayQueues(t *testing.T) {
	for _, n := range []int{2, 3, 8} {
		network := NDC{n, 1}
		node, err := NodeConfig(network, 0, benchLink).Headroom(1000, Relay{})
		require.NoError(t, err)
		c := SwitchConfig(network, network.SwitchOf(0, 0), benchLink)
		relay := Relay{Link: benchLink, Backlog: node.Relay}
		bound, err := c.Headroom(1000, relay)
		require.NoError(t, err)
		require.Equal(t, sluice.Bytes(math.MaxInt64), bound.DDQ, "n = %d", n)
		require.Equal(t, sluice.Bytes(math.MaxInt64), bound.Total)
		relay.Backlog = 0
		bounded, err := c.Headroom(1000, relay)
		require.NoError(t, err)
		require.Equal(t, bounded.IHFQ, bound.IHFQ, "which no relay queue feeds")
	}
}

// The terms, one by one.
func TestHeadroomTerms(t *testing.T) {
	network := NDC{3, 1}
	c := SwitchConfig(network, network.SwitchOf(0, 0), benchLink)
	relay := Relay{Link: benchLink, Backlog: 5000}
	bound, err := c.Headroom(1000, relay)
	require.NoError(t, err)
	const bdp, wire = 12_500, 84
	require.EqualValues(t, 75_000-1+2*(2*bdp+3*1000+4*wire), bound.IHFQ)
	require.EqualValues(t, 75_000-1+2*(4*bdp+5*1000+(4+2)*wire+5000), bound.DDQ)

	huge, err := c.Headroom(math.MaxInt64, relay)
	require.NoError(t, err)
	require.Greater(t, huge.IHFQ, bound.IHFQ)
	none, err := c.Headroom(math.MinInt64, relay)
	require.NoError(t, err)
	require.EqualValues(t, 75_000-1+2*(2*bdp+4*wire), none.IHFQ)

	node := NodeConfig(network, 0, benchLink)
	bound, err = node.Headroom(1000, Relay{})
	require.NoError(t, err)
	require.Equal(t, sluice.Bytes(math.MaxInt64), bound.Relay, "the paper has no bound")
	node.RelayXOff = sluice.Ratio{Num: 2, Den: 1}
	bound, err = node.Headroom(1000, Relay{})
	require.NoError(t, err)
	require.EqualValues(t, 25_000-1+2*bdp+3*1000+3*wire, bound.Relay)

	instant := sluice.Link{Rate: benchLink.Rate} // of which a threshold is a byte
	c = SwitchConfig(network, network.SwitchOf(0, 0), instant)
	bound, err = c.Headroom(1000, Relay{Link: instant, Backlog: 5000})
	require.NoError(t, err)
	require.EqualValues(t, 2*(3*1000+4*wire), bound.IHFQ)
	require.EqualValues(t, 2*(5*1000+(4+2)*wire+5000), bound.DDQ)
	node = NodeConfig(network, 0, benchLink, instant)
	node.RelayXOff = sluice.Ratio{Num: 2, Den: 1}
	bound, err = node.Headroom(1000, Relay{})
	require.NoError(t, err)
	require.EqualValues(t, 2*bdp+3*1000+3*wire, bound.Relay, "of port 1, which port 0 feeds")

	c = SwitchConfig(NDC{3, 2}, NDC{3, 2}.SwitchOf(0, 0), benchLink)
	c.HopClasses = true
	_, err = c.Headroom(1000, relay)
	require.ErrorContains(t, err, "K = 1")
	_, err = Config{}.Headroom(1000, relay)
	require.Error(t, err)

	c = SwitchConfig(network, network.SwitchOf(0, 0), benchLink)
	for field, wrong := range map[string]Relay{
		"Relay.Link.Rate":  {},
		"Relay.Link.Delay": {Link: sluice.Link{Rate: 1, Delay: -1}},
		"Relay.Backlog":    {Link: benchLink, Backlog: -1},
	} {
		_, err = c.Headroom(1000, wrong)
		require.ErrorContains(t, err, field)
	}
}
