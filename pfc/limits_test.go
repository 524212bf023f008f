package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc/qos"
)

// TestReserveOfAnOverdrawnPool: the reserve is the account's own. What just fits it is taken though
// Reconfigure left less of the pool than is in use.
func TestReserveOfAnOverdrawnPool(t *testing.T) {
	k := newBench(t, lossless34(2, func(c *Config) {
		c.Ports[0].Reserve, c.Ports[1].Reserve = 1000, 1000
	}))
	for range 4 {
		k.enqueue(0, 1, 3, 1000) // 3,000 of the pool
	}
	k.reconfigure(func(c *Config) { c.Buffer = c.SetApart() + 1000 })
	require.EqualValues(t, -2000, k.s.Free())
	k.enqueue(1, 0, 3, 1000)
	require.Zero(t, k.s.Port(0).HeadroomBytes(3))
	require.EqualValues(t, 1000, k.s.Port(0).IngressBytes(3))
	require.Empty(t, k.take(), "X_off is 5,000")
	k.enqueue(1, 0, 3, 1)
	require.EqualValues(t, 1, k.s.Port(0).HeadroomBytes(3))
	require.Len(t, k.take(), 1)
	require.Equal(t, 6, k.drain(0)+k.drain(1))
	require.NoError(t, k.s.Quiescent())
}

// TestReserveOfAPortOverItsLimit: what fits the reserve of a group is taken whatever the port holds
// of the pool; a byte more goes to the headroom.
func TestReserveOfAPortOverItsLimit(t *testing.T) {
	config := ruled(func(q *qos.Port) { q.Ingress = []qos.Limit{{Alpha: ratio(1, 2)}} })
	for i := range config.Ports {
		config.Ports[i].Profile = Profile{XOff: 9000, XOn: 1000, Reserve: 500, Headroom: 5000}
	}
	config.Buffer = config.SetApart() + 9000
	k := newBench(t, config)
	for in := range sluice.PortID(2) {
		k.enqueue(0, in, 3, 500)
		k.enqueue(0, in, 3, 2900)
	}
	require.EqualValues(t, 3200, k.s.Free(), "1,600 is the limit of either port, 2,900 it has")
	for _, size := range []int{300, 200} {
		k.enqueue(0, 1, 4, size)
		require.Zero(t, k.s.Port(1).HeadroomBytes(4))
	}
	k.enqueue(0, 1, 4, 1)
	require.EqualValues(t, 1, k.s.Port(1).HeadroomBytes(4))
	require.Equal(t, 7, k.drain(0))
	require.NoError(t, k.s.Quiescent())
}

// TestLimitOfAPortToTheByte: it may take all that its limit says, and no byte more.
func TestLimitOfAPortToTheByte(t *testing.T) {
	k := newBench(t, ruled(func(q *qos.Port) { q.Ingress = []qos.Limit{{Static: 800}} }))
	k.enqueue(0, 1, 3, 800)
	require.Zero(t, k.s.Port(1).HeadroomBytes(3))
	k.enqueue(0, 1, 4, 1)
	require.EqualValues(t, 1, k.s.Port(1).HeadroomBytes(4))
}

// TestEgressPoolToTheByte: a packet takes of the egress pool what exceeds the reserve of its queue.
// All of the pool may be taken; and what fits a reserve is taken though the pool is overdrawn.
func TestEgressPoolToTheByte(t *testing.T) {
	config := ruled(func(q *qos.Port) {
		q.Queues[0], q.Queues[1] = &qos.Limit{Reserve: 500}, &qos.Limit{Reserve: 500}
	})
	config.EgressPools[0] = 300
	k := newBench(t, config)
	drops := func(class sluice.Class) uint64 { return k.s.Counters().Class[class].QueueDrops }
	k.enqueue(0, 1, 0, 700) // 200 beyond the reserve
	require.EqualValues(t, 100, k.s.FreeOfEgress(0))
	k.enqueue(0, 1, 0, 100)
	require.Zero(t, k.s.FreeOfEgress(0))
	require.Zero(t, drops(0))
	k.enqueue(0, 1, 0, 1)
	require.EqualValues(t, 1, drops(0))
	k.reconfigure(func(c *Config) { c.EgressPools[0] = 50 })
	require.EqualValues(t, -250, k.s.FreeOfEgress(0))
	k.enqueue(0, 1, 1, 501)
	require.EqualValues(t, 1, drops(1))
	k.enqueue(0, 1, 1, 500)
	require.EqualValues(t, 1, drops(1))
	require.Equal(t, 3, k.drain(0))
	require.EqualValues(t, 50, k.s.FreeOfEgress(0))
}

// TestSharesOfAnotherPool: a port shares out its limit of pool 1 among its groups, and of pool 0,
// where it has no limit, nothing.
func TestSharesOfAnotherPool(t *testing.T) {
	config := ruled(func(q *qos.Port) {
		q.Shares, q.Ingress = true, []qos.Limit{{}, {Alpha: ratio(1, 1)}}
	})
	config.Pools = []sluice.Bytes{30_000}
	profile := Profile{Alpha: ratio(1, 1), ResumeOffset: ResumeAtThreshold, Headroom: 1000}
	for i := range config.Ports {
		p := &config.Ports[i]
		p.Profile, p.Profiles[4] = profile, &Profile{
			Alpha: ratio(1, 1), ResumeOffset: ResumeAtThreshold, Headroom: 1000, Pool: 1,
		}
	}
	config.Buffer = config.SetApart() + 20_000
	k := newBench(t, config)
	k.enqueue(0, 1, 3, 1000)
	k.enqueue(0, 1, 4, 1000)
	require.EqualValues(t, 19_000, k.s.Port(1).Threshold(3), "what is free")
	require.EqualValues(t, 28_000, k.s.Port(1).Threshold(4), "what is free, less what it has")
	k.drain(0)
}

// TestBufferOfMoreThanIsSetApart: where more is promised than there is, a packet is taken while the
// whole Buffer has room for it, and a lossless one counts what was missing. Local packets take
// none of it.
func TestBufferOfMoreThanIsSetApart(t *testing.T) {
	config := lossless34(2, func(c *Config) {
		c.ReservedClasses, c.Buffer = 1, 7000
		for i := range c.Ports {
			c.Ports[i].Profile = Profile{XOff: 5000, XOn: 2000, Reserve: 1000, Headroom: 2000}
		}
	})
	require.EqualValues(t, 6000, config.SetApart())
	k := newBench(t, config)
	k.enqueue(0, 0, 3, 2000) // so that the common way is open to less
	k.drain(0)
	k.enqueue(0, sluice.Local, 3, 500)
	for _, class := range []sluice.Class{3, 3, 3, 3, 4, 4, 4} {
		require.Equal(t, sluice.Append, k.enqueue(0, 1, class, 1000).Action())
	}
	require.EqualValues(t, 7500, k.s.Buffered())
	require.Equal(t, sluice.DropBecause(sluice.HeadroomExhausted), k.enqueue(0, 0, 3, 300))
	require.Equal(t, sluice.DropBecause(sluice.BufferFull), k.enqueue(0, 0, 1, 1))
	in := k.s.Port(0).Counters().Class[3]
	require.EqualValues(t, 1, in.HeadroomDrops)
	require.EqualValues(t, 300, in.HeadroomMissing)

	config.Buffer = 0 // no limit: nothing is short
	require.Equal(t, sluice.Append, newBench(t, config).enqueue(0, 1, 3, 1000).Action())
}
