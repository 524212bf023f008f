package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// reconfigure changes the switch's configuration.
func (k *bench) reconfigure(change func(*Config)) {
	k.t.Helper()
	c := k.s.Config()
	change(&c)
	w, err := k.s.Reconfigure(k.now, c)
	require.NoError(k.t, err)
	k.poll(w)
}

// TestReconfigureObeys, SAI's PRIORITY_FLOW_CONTROL_RX: a class that obeys no more is released at
// once and its storm is over; a class that comes to obey obeys the next frame.
func TestReconfigureObeys(t *testing.T) {
	k := newBench(t, stormy(WatchdogDrops))
	k.pauseFor(601 * ms)
	k.receive(0, pauseOf(65535, 4))
	k.enqueue(0, 1, 4, 1000)
	require.Zero(t, k.drain(0))
	k.reconfigure(func(c *Config) { c.Ports[0].Obeys = sluice.MakeClassSet(0) })
	require.Zero(t, k.s.Port(0).Held())
	require.Zero(t, k.s.Port(0).Storming())
	require.Equal(t, uint64(1), k.s.Port(0).Counters().Class[3].Restores)
	require.Equal(t, sluice.Append, k.enqueue(0, 1, 3, 1000).Action())
	require.Equal(t, 2, k.drain(0))
	k.receive(0, pauseOf(65535, 0, 3))
	require.Equal(t, sluice.MakeClassSet(0), k.s.Port(0).Held())
}

// TestReconfigureSends, SAI's PRIORITY_FLOW_CONTROL_TX: a peer that is paused in a class which is
// no longer sent is resumed; it is paused again when the class is sent again.
func TestReconfigureSends(t *testing.T) {
	for _, busy := range []bool{false, true} {
		k := newBench(t, lossless34(2, func(*Config) {}))
		k.busy = busy
		for range 5 {
			k.enqueue(0, 1, 3, 1000)
		}
		require.Len(t, k.take(), map[bool]int{false: 1, true: 0}[busy])
		k.reconfigure(func(c *Config) { c.Ports[1].Sends = sluice.MakeClassSet(4) })
		if busy {
			k.free()
			require.Empty(t, k.take(), "the peer knows of no pause")
		} else {
			require.Equal(t, []sent{{1, pauseOf(0, 3)}}, k.take())
		}
		require.Equal(t, sluice.Never, k.s.Deadline(), "nothing is refreshed")
		require.Equal(t, sluice.MakeClassSet(3), k.s.Port(1).Paused(), "it is over its threshold")
		k.reconfigure(func(c *Config) { c.Ports[1].Sends = sluice.AllClasses })
		require.Equal(t, []sent{{1, pauseOf(DefaultPause, 3)}}, k.take())
	}
}

// TestReconfigureClasses: a packet taken in as lossless leaves as such though its class is lossy by
// then, and the other way round; the paused peer is resumed.
func TestReconfigureClasses(t *testing.T) {
	k := newBench(t, lossless34(3, func(c *Config) { c.Ports[2].Classes = sluice.MakeClassSet(4) }))
	size, free := k.s.Pool(), k.s.Free()
	for range 7 {
		k.enqueue(0, 1, 3, 1000) // lossless: 5 of the pool, 2 of the headroom
		k.enqueue(0, 2, 3, 1000) // lossy
	}
	require.Equal(t, []sent{{1, pauseOf(DefaultPause, 3)}}, k.take())
	k.reconfigure(func(c *Config) {
		c.Ports[1].Classes = sluice.MakeClassSet(4)
		c.Ports[2].Classes = sluice.MakeClassSet(3, 4)
		c.Ports[2].Sends = 0 // the same
	})
	require.Equal(t, size, k.s.Pool(), "as many classes have headrooms")
	require.Equal(t, free-14_000, k.s.Free(), "the headroom in use counts to the pool now")
	require.Equal(t, []sent{{1, pauseOf(0, 3)}}, k.take())
	for range 6 {
		k.enqueue(0, 1, 3, 1000)
		k.enqueue(0, 2, 3, 1000)
	}
	require.Equal(t, []sent{{2, pauseOf(DefaultPause, 3)}}, k.take(), "for what came since")
	snapshot := k.s.Snapshot()
	require.Equal(t, sluice.Bytes(7000), snapshot.Ports[1].Class[3].Ingress, "of before")
	require.Equal(t, sluice.Bytes(6000), snapshot.Ports[2].Class[3].Ingress)
	require.Equal(t, sluice.Bytes(13_000), snapshot.Ports[0].Class[3].Lossy)
	_, err := Restore(k.s.Config(), &snapshot)
	require.ErrorContains(t, err, "change of Classes")
	k.reconfigure(func(c *Config) { c.Ports[1].Classes = sluice.MakeClassSet(3) })
	require.Equal(t, []sent{{1, pauseOf(DefaultPause, 3)}}, k.take(), "7,000 bytes are over X_off")
	k.enqueue(0, 1, 3, 1000)
	require.Equal(t, 27, k.drain(0))
	require.Len(t, k.take(), 2, "both peers resume")
	require.NoError(t, k.s.Quiescent())
	for range 20 { // by then all is as if it had always been so
		k.enqueue(0, 1, 3, 1000)
		k.drain(0)
	}
	require.False(t, k.s.Snapshot().Changing)
	require.Zero(t, k.s.accounts[0].flags&mixed)
}

// TestReconfigurePool: bytes held of a pool count to the pool that the profile names now, whose
// free bytes may be negative until they have left.
func TestReconfigurePool(t *testing.T) {
	k := newBench(t, lossless34(2, func(c *Config) { c.Pools = []sluice.Bytes{3000} }))
	for range 4 {
		k.enqueue(0, 1, 3, 1000)
		k.enqueue(0, 1, 0, 500)
	}
	all := k.s.Pool()
	k.reconfigure(func(c *Config) { c.Ports[1].Pool, c.LossyPool = 1, 1 })
	require.Equal(t, sluice.Bytes(3000-4000-2000), k.s.FreeOf(1))
	require.Equal(t, all, k.s.Free())
	require.Equal(t, sluice.DropBecause(sluice.BufferFull), k.enqueue(0, 1, 0, 500))
	require.Equal(t, 8, k.drain(0))
	require.Equal(t, sluice.Bytes(3000), k.s.FreeOf(1))
	require.NoError(t, k.s.Quiescent())
}

// TestReconfigureClassesUnderTheBigRedSwitch: packets of classes that are lossless now are
// discarded, and no others.
func TestReconfigureClassesUnderTheBigRedSwitch(t *testing.T) {
	k := newBench(t, lossless34(2, func(*Config) {}))
	k.s.BigRedSwitch(0, true)
	k.reconfigure(func(c *Config) {
		for i := range c.Ports {
			c.Ports[i].Classes = sluice.MakeClassSet(4, 5)
		}
	})
	for class, discarded := range map[sluice.Class]bool{3: false, 4: true, 5: true, 6: false} {
		v := k.enqueue(0, 1, class, 100)
		require.Equal(t, discarded, v.Action() == sluice.Drop, "class %d", class)
	}
}

// TestNoteOfAnEarlierDevice: what another device left in Packet.Note says nothing here.
func TestNoteOfAnEarlierDevice(t *testing.T) {
	k := newBench(t, lossless34(2, func(c *Config) { c.Classes = sluice.MakeClassSet(4) }))
	k.enqueue(0, 1, 3, 1000)
	k.reconfigure(func(c *Config) {
		for i := range c.Ports {
			c.Ports[i].Classes, c.Ports[i].Sends = sluice.MakeClassSet(3, 4), 0
		}
	})
	k.enqueuePacket(0, sluice.Packet{Size: 1000, Class: 3, Ingress: 1, Note: noteLossy})
	require.EqualValues(t, 1000, k.s.Port(1).IngressBytes(3))
	require.Equal(t, 2, k.drain(0))
	require.NoError(t, k.s.Quiescent())
}

// TestReconfigureClassesOfAFailedLink: what it flushes leaves the accounts that took it in.
func TestReconfigureClassesOfAFailedLink(t *testing.T) {
	k := newBench(t, lossless34(2, func(*Config) {}))
	k.enqueue(0, 1, 3, 1000)
	k.enqueue(0, 1, 3, 1000)
	k.reconfigure(func(c *Config) {
		for i := range c.Ports {
			c.Ports[i].Classes = sluice.MakeClassSet(4)
		}
	})
	k.s.Port(0).LinkDown(0)
	k.enqueue(0, 1, 3, 700)
	require.Equal(t, 3, k.drain(0))
	require.EqualValues(t, 3, k.s.Counters().Dropped[sluice.LinkDown])
	require.Zero(t, k.s.Counters().Misuse)
	require.NoError(t, k.s.Quiescent())
}
