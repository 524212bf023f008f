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

// TestFirstTimeBeforeZero: the ticks of a port are whole periods away from its phase at time 0,
// also before that. Only the first time plans them: every VL is due again a keep-alive later.
func TestFirstTimeBeforeZero(t *testing.T) {
	const period = 4 * us
	for first, want := range map[sluice.Time][2]sluice.Time{
		-10 * us: {-8 * us, -10 * us},
		-9 * us:  {-8 * us, -6 * us},
		-1:       {0, 2 * us},
	} {
		s := twoPorts(t, func(c *Config) {
			for i := range c.Ports {
				c.Ports[i].Period, c.Ports[i].KeepAlive = period, 5*us
			}
		})
		packet := sluice.Packet{Size: 64, Class: 3}
		s.Port(0).Consume(first, &packet)
		require.Equal(t, want, [2]sluice.Time{s.timers.At(0), s.timers.At(1)}, "from %v", first)
		settle(s, want[0])
		s.Expire(want[0] + 1)
		require.Equal(t, want[0]+5*us, s.timers.At(0), "from %v", first)
		s.Port(0).Consume(want[0]+1, &packet)
		require.Equal(t, want[0]+period, s.timers.At(0), "from %v", first)
	}
}

// TestPlannedFromTimeZero: FCPs are planned from time 0 on, or where Rebase puts that. Before a
// first time none moves, and one that is later finds them overdue.
func TestPlannedFromTimeZero(t *testing.T) {
	for _, zero := range []sluice.Time{0, -3600 * sluice.Second} {
		s := twoPorts(t, nil)
		s.Rebase(-zero)
		s.Expire(sluice.Never)
		require.Equal(t, zero, s.Deadline())
		s.Port(0).Consume(zero+20*us, &sluice.Packet{Size: 64, Class: 3})
		require.Equal(t, zero, s.Deadline())
	}
}

// TestRebase: credit, ticks and holds go on, whenever the origin of time moves, and whether forward
// or back.
func TestRebase(t *testing.T) {
	for _, by := range []sluice.Time{-50 * 86_400 * sluice.Second, 3600 * sluice.Second} {
		a, b := twoPorts(t, nil), twoPorts(t, nil)
		moved := sluice.Time(0)
		packet := sluice.Packet{Size: 1500, Class: 3, Ingress: sluice.Local}
		for now := sluice.Time(0); now < 200*us; now += us {
			if now%(100*us) == 0 { // before the first time, and while VL 3 is held
				b.Rebase(by)
				moved += by
			}
			for i, s := range []*Switch{a, b} {
				at := now - sluice.Time(i)*moved
				if now < 50*us {
					s.Port(0).Enqueue(at, &packet)
					s.Port(0).Dequeue(at, 3, &packet)
				}
				s.Expire(at)
			}
			require.Equal(t, a.Deadline(), b.Deadline()+moved)
			require.Equal(t, a.Port(0).Snapshot(), b.Port(0).Snapshot())
		}
		require.Equal(t, a.Counters(), b.Counters())
		require.NotZero(t, a.Counters().VL[3].HeldTime)
	}
}

// TestHooksTellTheTime: every hook moves the clock of the switch to its time, if that is later.
// An earlier time counts as the latest.
func TestHooksTellTheTime(t *testing.T) {
	packet := sluice.Packet{Size: 1500, Class: 3, Ingress: sluice.Local}
	for name, hook := range map[string]func(p *Port, now sluice.Time){
		"Enqueue":  func(p *Port, now sluice.Time) { p.Enqueue(now, &packet) },
		"Dequeue":  func(p *Port, now sluice.Time) { p.Dequeue(now, 3, &packet) },
		"Consume":  func(p *Port, now sluice.Time) { p.Consume(now, &packet) },
		"Receive":  func(p *Port, now sluice.Time) { p.Receive(now, &Frame{VL: 3, FCCL: 960}) },
		"LinkDown": func(p *Port, now sluice.Time) { p.LinkDown(now) },
		"LinkUp":   func(p *Port, now sluice.Time) { p.LinkUp(now) },
	} {
		s := twoPorts(t, func(c *Config) { c.Ports[0].KeepAlive = 13_107_200 })
		p := s.Port(0)
		p.Enqueue(0, &packet)
		settle(s, 50*us)
		for _, now := range []sluice.Time{60 * us, 30 * us} {
			hook(p, now)
			require.Equal(t, 60*us, s.Snapshot().Now, name)
		}
		require.NoError(t, s.Audit())
		if name == "LinkUp" {
			require.Greater(t, s.timers.At(0), 60*us, "its FCPs are planned from then on")
		}
	}
}

// TestAPortIsDownBeforeTheFirstTime: it has no tick when the first time comes.
func TestAPortIsDownBeforeTheFirstTime(t *testing.T) {
	s := twoPorts(t, nil)
	s.Port(0).LinkDown(sluice.Never)
	s.Expire(-us)
	require.NoError(t, s.Audit())
	require.Equal(t, sluice.Never, s.timers.At(0))
}

// The first time of a clock wakes the deadline if FCPs move to it, by a packet too. A port that
// knows no peer announces itself at once.
func TestTheFirstTimeWakes(t *testing.T) {
	card := newSwitch(t, HostConfig(sluice.Link{Rate: 40 * g}))
	card.Expire(-sluice.Second)
	require.True(t, card.Port(0).Owes())

	driver := kit.Wrap[*Switch, *Port, Frame](twoPorts(t, nil))
	require.Zero(t, driver.Deadline())
	packet := sluice.Packet{Size: 1500, Class: 3, Ingress: sluice.Local}
	v := driver.Enqueue(-sluice.Second, 0, &packet)
	require.Equal(t, sluice.Append, v.Action())
	require.True(t, v.Wake().Has(sluice.WakeDeadline))
	require.Less(t, driver.Deadline(), -sluice.Second+10*us)
	require.GreaterOrEqual(t, driver.Deadline(), -sluice.Second)
}
