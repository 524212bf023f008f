package cbfc

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// Expire returns, and plans the rest for later, however far two times lie apart, and if the first
// of them is none (package sluice, Time).
func TestExpireReturnsAtAnyTime(t *testing.T) {
	for _, first := range []sluice.Time{sluice.Never, math.MinInt64, -1 << 61, -1, 0} {
		for _, then := range []sluice.Time{0, 1 << 62, 1<<62 + 1<<61 + 1<<60, sluice.Never - 1} {
			s := twoPorts(t, nil)
			s.Port(0).LinkUp(first)
			require.NoError(t, s.Audit(), "LinkUp(%d)", int64(first))
			s.Expire(then)
			require.Greater(t, s.Deadline(), then)
			require.NoError(t, s.Audit(), "LinkUp(%d), Expire(%d)", int64(first), int64(then))
		}
	}
}

// TestCardsOfAnyOrigin: the origin of time is anywhere (package sluice, Time): two cards announce
// credit to each other at once, whatever their clocks show, and 100 packets pass. A card without a
// time yet has its first deadline at time 0: the first packet or FCP gives it one.
func TestCardsOfAnyOrigin(t *testing.T) {
	for _, origin := range []sluice.Time{-1 << 61, -3600 * sluice.Second, -1, 0, 1 << 62} {
		var cards [2]*Switch
		for i := range cards {
			cards[i] = newSwitch(t, HostConfig(sluice.Link{Rate: 40 * g, Delay: us}))
		}
		packet := sluice.Packet{Size: 1500, Ingress: sluice.Local}
		for range 100 {
			v := cards[0].Port(0).Enqueue(origin, &packet)
			require.Equal(t, sluice.Append, v.Action())
		}
		passed := 0
		for now := origin; now < origin+sluice.Millisecond; now += us {
			for i, card := range cards {
				if card.Deadline() <= now {
					card.Expire(now)
				}
				from, to := card.Port(0), cards[1-i].Port(0)
				for f := (Frame{}); from.PollFrame(now, &f); {
					to.Receive(now, &f)
				}
				if q, ok := from.Next(now); ok {
					require.Equal(t, sluice.Transmit, from.Dequeue(now, q, &packet).Action())
					to.Consume(now, &packet)
					passed++
				}
			}
		}
		require.Equal(t, 100, passed, "from %v", origin)
		require.NoError(t, cards[0].Audit())
	}
}

// The first time of a clock wakes the deadline if FCPs move to it, by a packet too.
func TestTheFirstTimeWakes(t *testing.T) {
	driver := kit.Wrap[*Switch, *Port, Frame](twoPorts(t, nil))
	require.Zero(t, driver.Deadline())
	packet := sluice.Packet{Size: 1500, Class: 3, Ingress: sluice.Local}
	v := driver.Enqueue(-sluice.Second, 0, &packet)
	require.Equal(t, sluice.Append, v.Action())
	require.True(t, v.Wake().Has(sluice.WakeDeadline))
	require.Less(t, driver.Deadline(), -sluice.Second+10*us)
	require.GreaterOrEqual(t, driver.Deadline(), -sluice.Second)
}
