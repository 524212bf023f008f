package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// The tests of this file have the names of SONiC and IEEE 802.1Q.

// lossless34 is a switch of n ports at 100 Gb/s in which classes 3 and 4 are lossless, with a
// static threshold.
func lossless34(n int, change func(*Config)) Config {
	config := Config{Buffer: sluice.MiB, Classes: sluice.MakeClassSet(3, 4)}
	for range n {
		config.Ports = append(config.Ports, PortConfig{
			Link: sluice.Link{Rate: g100}, Profile: Profile{XOff: 5000, XOn: 2000, Headroom: 5000},
		})
	}
	change(&config)
	return config
}

// TestBufferProfilePerPriorityGroup: BUFFER_PG maps a priority group of a port to a profile.
func TestBufferProfilePerPriorityGroup(t *testing.T) {
	k := newBench(t, lossless34(2, func(c *Config) {
		c.Ports[1].Profiles[4] = &Profile{XOff: 9000, XOn: 8000, Headroom: 1000}
	}))
	require.Equal(t, sluice.Bytes(5000), k.s.Port(1).XOff(3))
	require.Equal(t, sluice.Bytes(9000), k.s.Port(1).XOff(4))
	require.Equal(t, sluice.Bytes(5000), k.s.Port(0).XOff(4))
	require.Equal(t, sluice.MiB-3*5000-1000, k.s.Pool(), "each has its headroom set apart")
	for range 8 {
		k.enqueue(0, 1, 4, 1000)
	}
	require.Empty(t, k.take())
	k.enqueue(0, 1, 4, 1000)
	require.Len(t, k.take(), 1)
}

// TestPFCEnableOfPort: `pfc_enable` of PORT_QOS_MAP lists the lossless priorities of each port.
func TestPFCEnableOfPort(t *testing.T) {
	k := newBench(t, lossless34(3, func(c *Config) {
		c.Ports[1].Classes = sluice.MakeClassSet(4)
		c.Ports[2].Classes = sluice.NoClasses
	}))
	require.Zero(t, k.s.Port(1).XOff(3))
	for _, in := range []sluice.PortID{0, 1, 2} {
		for range 6 {
			k.enqueue(0, in, 3, 1000)
		}
	}
	require.Equal(
		t,
		[]sent{{0, pauseOf(DefaultPause, 3)}},
		k.take(),
		"the others are lossy in class 3",
	)
	k.receive(1, pauseOf(9, 3, 4))
	require.Equal(t, sluice.MakeClassSet(4), k.s.Port(1).Held())
	k.receive(2, pauseOf(9, 3, 4))
	require.Zero(t, k.s.Port(2).Held())
	require.Equal(t, 18, k.drain(0), "packets of both kinds share a queue")
	require.Equal(t, k.s.Pool(), k.s.Free())
}

// TestAsymmetricPFC: an asymmetric port obeys pauses of every class, and sends pauses of its
// lossless classes only (SONiC).
func TestAsymmetricPFC(t *testing.T) {
	k := newBench(t, lossless34(2, func(c *Config) { c.Ports[0].Obeys = sluice.AllClasses }))
	k.enqueue(0, 1, 0, 1000)
	k.receive(0, pauseOf(10, 0, 3))
	require.Equal(t, sluice.MakeClassSet(0, 3), k.s.Port(0).Held())
	require.Zero(t, k.drain(0))
	k.at(10 * 5120)
	require.Equal(t, 1, k.drain(0))
	for range 9 {
		k.enqueue(1, 0, 0, 1000)
	}
	require.Empty(t, k.take(), "class 0 is lossy all the same")
}

// TestPauseIsNotSent: IEEE 802.1Q lets a port obey PFC and send none: what exceeds the headroom is
// lost.
func TestPauseIsNotSent(t *testing.T) {
	k := newBench(t, lossless34(2, func(c *Config) { c.Ports[1].Sends = sluice.MakeClassSet(4) }))
	for range 10 {
		require.Equal(t, sluice.Append, k.enqueue(0, 1, 3, 1000).Action())
	}
	require.Equal(t, sluice.DropBecause(sluice.HeadroomExhausted), k.enqueue(0, 1, 3, 1000))
	require.Empty(t, k.take())
	require.Equal(t, sluice.MakeClassSet(3), k.s.Port(1).Paused())
	require.Equal(t, sluice.Never, k.s.Deadline(), "and nothing is refreshed")
	for range 5 {
		k.enqueue(0, 1, 4, 1000)
	}
	require.Equal(t, []sent{{1, pauseOf(DefaultPause, 4)}}, k.take())
	k.drain(0)
	require.Equal(t, []sent{{1, pauseOf(0, 4)}}, k.take())
	require.NoError(t, k.s.Quiescent())
}

// TestXonOffsetAndXonFloor: SONiC resumes at max(xon, threshold - xon_offset).
func TestXonOffsetAndXonFloor(t *testing.T) {
	profile := Profile{
		Alpha:        ratio(1, 8),
		ResumeOffset: 2000,
		XOnFloor:     3000,
		Reserve:      1000,
		Headroom:     5000,
	}
	k := newBench(t, lossless34(3, func(c *Config) {
		c.Ports[1].Profile, c.Ports[2].Profile = profile, profile
		c.Ports[2].LossyAlpha = ratio(sluice.MaxRatio, 1)
		c.Buffer = c.SetApart() + 80_000
	}))
	in := k.s.Port(1)
	require.Equal(t, sluice.Bytes(1000+10_000), in.XOff(3))
	require.Equal(t, sluice.Bytes(1000+10_000-2000), in.XOn(3), "threshold - xon_offset")
	for range 7 {
		k.enqueue(0, 1, 3, 1000)
	}
	for in.XOff(3) > 3500 { // another port fills the pool, in a class of its own
		k.enqueue(2, 0, 0, 500)
	}
	require.Equal(t, sluice.Bytes(3000), in.XOn(3), "the floor")
	k.enqueue(0, 1, 3, 64)
	require.Len(t, k.take(), 1)
	for range 4 {
		k.send(0)
	}
	require.Empty(t, k.take(), "3,064 bytes")
	k.send(0)
	require.Equal(t, []sent{{1, pauseOf(0, 3)}}, k.take())
}

// TestSharedHeadroomPool: `xoff` of ingress_lossless_pool: the headrooms of all priority groups
// share a pool that is smaller than their sum.
func TestSharedHeadroomPool(t *testing.T) {
	k := newBench(t, lossless34(3, func(c *Config) { c.HeadroomPool = 8000 }))
	require.Equal(t, sluice.MiB-8000, k.s.Pool())
	fill := func(in sluice.PortID, packets int) (lost int) {
		for range packets {
			if k.enqueue(0, in, 3, 1000).Action() == sluice.Drop {
				lost++
			}
		}
		return lost
	}
	require.Equal(t, 1, fill(0, 5+5+1), "5 to X_off, 5 to its own headroom")
	require.Equal(t, sluice.Bytes(3000), k.s.FreeHeadroom())
	require.Equal(t, 2, fill(1, 5+5), "the pool has 3 left")
	require.Zero(t, k.s.FreeHeadroom())
	c := k.s.Port(1).Counters().Class[3]
	require.Equal(t, sluice.Bytes(3000), c.HeadroomPeak)
	require.Equal(t, sluice.Bytes(1000), c.HeadroomMissing, "of the pool")
	k.drain(0)
	require.Equal(t, sluice.Bytes(8000), k.s.FreeHeadroom())
	require.NoError(t, k.s.Quiescent())
}

// TestLossyFloodElsewhere: a flood of other classes between other ports, and an uncongested
// lossless flow. With the pool shared, and by default, the lossless class is not paused; with pools
// of their own, not even where a lossy queue may take all there is.
func TestLossyFloodElsewhere(t *testing.T) {
	flood := func(change func(*Config)) (pauses uint64) {
		config := lossless34(4, func(c *Config) {
			for i := range c.Ports {
				c.Ports[i].Profile = Profile{Alpha: ratio(1, 8), Reserve: 4096, Headroom: 40_000}
			}
			change(c)
		})
		k := newBench(t, config)
		for range 2000 {
			k.enqueue(2, 3, 0, 1500)
			k.enqueue(1, 0, 3, 1500) // as fast as it leaves, ten packets at a time
			if k.s.Port(1).Backlog(3) > 15_000 {
				k.drain(1)
			}
		}
		return k.s.Counters().Class[3].XOffs
	}
	noLimit := func(c *Config) {
		for i := range c.Ports {
			c.Ports[i].LossyAlpha = ratio(sluice.MaxRatio, 1)
		}
	}
	require.Zero(t, flood(func(*Config) {}), "LossyAlpha is 1 by default where the pool is shared")
	require.NotZero(t, flood(noLimit))
	require.Zero(t, flood(func(c *Config) {
		noLimit(c)
		c.Pools, c.LossyPool = []sluice.Bytes{300 * sluice.KiB}, 1 // ingress_lossy_pool
	}))
}

// TestQueueMinimum: the reserved size of a lossy egress queue is there whatever the others take.
func TestQueueMinimum(t *testing.T) {
	k := newBench(t, lossless34(2, func(c *Config) {
		c.Ports[1].LossyReserve = 3000
		c.Ports[0].LossyAlpha = ratio(sluice.MaxRatio, 1)
	}))
	for k.enqueue(0, 1, 0, 1000).Action() == sluice.Append {
	}
	require.Less(t, k.s.Free(), sluice.Bytes(1000))
	for range 3 {
		require.Equal(t, sluice.Append, k.enqueue(1, 0, 0, 1000).Action())
	}
	require.Equal(t, sluice.DropBecause(sluice.BufferFull), k.enqueue(1, 0, 0, 1000))
	require.Equal(t, sluice.Append, k.enqueue(1, 0, 1, 1000).Action(), "each queue has its own")
	k.drain(0)
	k.drain(1)
	require.NoError(t, k.s.Quiescent())
}

// TestCellsOfTheBuffer: a packet of 64 bytes takes a cell of 208.
func TestCellsOfTheBuffer(t *testing.T) {
	k := newBench(t, lossless34(2, func(c *Config) { c.CellSize = 208 }))
	k.enqueue(0, 1, 3, 64)
	require.Equal(t, sluice.Bytes(208), k.s.Port(1).IngressBytes(3))
	require.Equal(t, sluice.Bytes(208), k.s.Buffered())
	k.enqueue(0, 1, 3, 209)
	require.Equal(t, sluice.Bytes(3*208), k.s.Port(0).Backlog(3))
	k.enqueue(0, sluice.Local, 3, 1)
	k.enqueue(0, 1, 0, 416)
	require.Equal(t, sluice.Bytes(6*208), k.s.Buffered())
	require.Equal(t, 4, k.drain(0))
	require.NoError(t, k.s.Quiescent())
	require.Equal(
		t,
		sluice.Bytes(64+209+1),
		k.s.Port(0).Counters().Class[3].TransmittedBytes,
		"bytes sent are bytes",
	)
	require.Equal(
		t,
		sluice.DropBecause(sluice.BadClass),
		k.s.Port(0).Dequeue(0, 3, &sluice.Packet{Size: 1, Class: 3, Ingress: 1}),
	)
}

// TestReserveIsTheAccountsOwn: an ingress within its reserve is not paused, though the dynamic
// threshold is 0.
func TestReserveIsTheAccountsOwn(t *testing.T) {
	k := newBench(t, lossless34(2, func(c *Config) {
		for i := range c.Ports {
			c.Ports[i].Profile = Profile{Alpha: ratio(1, 8), Reserve: 3000}
			c.Ports[i].LossyAlpha = ratio(sluice.MaxRatio, 1)
		}
		c.Buffer = c.SetApart() + 4000
	}))
	for range 4 {
		k.enqueue(0, 1, 0, 1000)
	}
	require.Zero(t, k.s.Port(1).Threshold(3))
	k.enqueue(0, 1, 3, 2999)
	require.Empty(t, k.take())
	k.enqueue(0, 1, 3, 1)
	require.Equal(t, []sent{{1, pauseOf(DefaultPause, 3)}}, k.take(), "it is full, and X_off")
	require.Equal(t, sluice.Bytes(3000), k.s.Port(1).XOff(3))
}

// TestMarginOfAPausedIngress is 0 or less, though it was a large packet in the headroom that paused
// it and the pool has room.
func TestMarginOfAPausedIngress(t *testing.T) {
	k := newBench(t, lossless34(2, func(*Config) {}))
	k.enqueue(0, 1, 3, 3600)
	require.Equal(t, sluice.Bytes(1400), k.s.Port(1).Counters().Class[3].XOffMargin)
	k.enqueue(0, 1, 3, 1500)
	require.Equal(t, sluice.MakeClassSet(3), k.s.Port(1).Paused())
	require.Zero(t, k.s.Port(1).Counters().Class[3].XOffMargin)
}

// TestDefaultResumeOffset: two frames below the threshold, so that a packet that leaves does not
// resume what the next packet pauses.
func TestDefaultResumeOffset(t *testing.T) {
	k := newBench(t, lossless34(2, func(c *Config) {
		c.Ports[1].Profile = Profile{Alpha: ratio(1, 8), Headroom: 40_000}
	}))
	require.Equal(t, DefaultResumeOffset, k.s.Config().Ports[1].ResumeOffset)
	in := k.s.Port(1)
	for !in.Paused().Has(3) {
		k.enqueue(0, 1, 3, 1500)
	}
	for range 20 {
		k.send(0)
		k.enqueue(0, 1, 3, 1500)
	}
	require.Equal(t, uint64(1), in.Counters().Class[3].XOffs)

	k = newBench(t, lossless34(2, func(c *Config) {
		c.Ports[1].Profile = Profile{
			Alpha:        ratio(1, 8),
			Headroom:     40_000,
			ResumeOffset: ResumeAtThreshold,
		}
	}))
	require.Equal(t, k.s.Port(1).XOff(3), k.s.Port(1).XOn(3))
}

// TestDSCPToTC and TestDot1pToTC: DSCP_TO_TC_MAP and DOT1P_TO_TC_MAP.
func TestDSCPToTC(t *testing.T) {
	m := ClassSelectors()
	require.Equal(t, sluice.Class(5), m.Class(46<<2|1), "expedited forwarding, ECT(1)")
	require.Equal(t, sluice.Class(0), m.Class(0x03))
	m[8] = 1
	require.Equal(t, sluice.Class(1), m.Class(8<<2))
	require.Equal(t, sluice.Class(1), m.Class(9<<2))
}

func TestDot1pToTC(t *testing.T) {
	m := SameClasses()
	require.Equal(t, sluice.Class(3), m.Class(3<<13|1<<12|100), "priority 3, drop eligible, VLAN 100")
	m[3] = 4
	require.Equal(t, sluice.Class(4), m.Class(3<<13))
}

// TestRefreshSurvivesALostFrame: with a refresh at a third of the pause, one lost refresh lets no
// class go.
func TestRefreshSurvivesALostFrame(t *testing.T) {
	k := newBench(t, twoClasses(PriorityPause, 999, g100, g100))
	peer := newBench(t, HostConfig(sluice.Link{Rate: g100}))
	k.enqueue(0, 0, 3, 1000)
	for n := range 30 {
		for _, f := range k.take() {
			if n%2 == 0 { // every other one is lost
				peer.receive(0, f.Frame)
			}
		}
		require.False(t, peer.s.Port(0).Sendable(3), "refresh %d", n)
		k.at(k.now + 333*5120)
		peer.at(k.now)
	}
}
