package pfc

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc/trigger"
)

// sharedPast is a pair of pasts after which switches of a configuration are in one state, as they
// answer alike from then on, or in two.
type sharedPast struct {
	name string
	a, b func(*bench)
	same bool
}

func (p *sharedPast) check(t *testing.T, config Config) {
	t.Helper()
	state := func(past func(*bench)) []byte {
		k := newBench(t, config)
		past(k)
		return k.s.appendState(nil, k.now)
	}
	require.Equal(t, p.same, bytes.Equal(state(p.a), state(p.b)), p.name)
}

func nothing(*bench) {}

// offer enqueues packets of 100 bytes of class 3 from port 1 to port 0.
func offer(k *bench, packets int) {
	for range packets {
		k.enqueue(0, 1, 3, 100)
	}
}

// TestPastsOfPackets: which have left, by the wire or not, and where a restart found them, decides
// nothing; but how many wait from before a change of Classes does.
func TestPastsOfPackets(t *testing.T) {
	lossy := func(k *bench) {
		k.reconfigure(func(c *Config) {
			for i := range c.Ports {
				c.Ports[i].Classes = sluice.MakeClassSet(4)
			}
		})
	}
	flush := func(k *bench) {
		k.s.Port(0).LinkDown(k.now)
		k.drain(0)
		k.s.Port(0).LinkUp(k.now)
	}
	for _, past := range []sharedPast{
		{"sent", func(k *bench) { offer(k, 3); k.send(0); k.send(0) }, func(k *bench) { offer(k, 1) },
			true},
		{"flushed", func(k *bench) { offer(k, 3); flush(k); offer(k, 1) },
			func(k *bench) { offer(k, 1) }, true},
		{"restored", func(k *bench) {
			offer(k, 2)
			k.s = k.restored(k.s.Config()).s
			k.send(0)
		}, func(k *bench) { offer(k, 1) }, true},
		{"changed", func(k *bench) { offer(k, 5); k.send(0); k.send(0); lossy(k) },
			func(k *bench) { offer(k, 3); lossy(k) }, true},
		{"sent of before", func(k *bench) { offer(k, 5); lossy(k); k.send(0); k.send(0) },
			func(k *bench) { offer(k, 4); lossy(k); k.send(0) }, true},
		{"waits of before", func(k *bench) { offer(k, 3); lossy(k) },
			func(k *bench) { offer(k, 2); lossy(k); offer(k, 1) }, false},
		{"twice", func(k *bench) { offer(k, 3); lossy(k); offer(k, 1); lossless(k) },
			func(k *bench) { offer(k, 3); lossy(k); lossless(k); offer(k, 1) }, false},
		{"all of before has left", func(k *bench) { offer(k, 5); lossy(k); settle(k) },
			func(k *bench) { offer(k, 1); lossy(k); settle(k) }, true},
	} {
		past.check(t, lossless34(2, func(*Config) {}))
	}
}

func lossless(k *bench) {
	k.reconfigure(func(c *Config) {
		for i := range c.Ports {
			c.Ports[i].Classes = sluice.MakeClassSet(3, 4)
		}
	})
}

// settle sends what waits, and as many packets more as it takes to see that all of it has left.
func settle(k *bench) {
	k.drain(0)
	for range 20 {
		offer(k, 1)
		k.drain(0)
	}
	require.False(k.t, k.s.Snapshot().Changing)
}

// TestPastsOfShapers: a bucket that is full again is as new; until then, when a queue may send
// counts.
func TestPastsOfShapers(t *testing.T) {
	for _, by := range shapedBy {
		send := func(size int) func(*bench) {
			return func(k *bench) {
				k.enqueue(0, sluice.Local, 0, size)
				k.send(0)
				k.at(sluice.Microsecond)
				k.s.Expire(k.now)
			}
		}
		for _, past := range []sharedPast{
			{"full", send(1250), func(k *bench) { k.at(ms) }, true},
			{"not full", send(2500), send(2501), false},
		} {
			past.check(t, ruled(by))
		}
	}
	card := HostConfig(g40)
	card.Trigger = trigger.GFC
	sent := func(k *bench) {
		k.enqueue(0, sluice.Local, 3, 1500)
		k.send(0)
	}
	(&sharedPast{"rested", func(k *bench) { sent(k); k.at(5 * 86_400 * sluice.Second) },
		func(k *bench) { k.at(ms) }, true}).check(t, card)
	(&sharedPast{"paced", func(k *bench) { sent(k); k.at(100) }, func(k *bench) { sent(k); k.at(200) },
		false}).check(t, card)
}

// TestPastsOfTriggers: only the derivative looks at what an ingress held some time ago.
func TestPastsOfTriggers(t *testing.T) {
	config := variantOf(t, trigger.PPFCDerivative).Config()
	past := func(at sluice.Time) func(*bench) {
		return func(k *bench) {
			k.at(at)
			offer(k, 1)
			k.at(2 * sluice.Microsecond)
		}
	}
	(&sharedPast{"sampled", past(0), past(1900 * sluice.Nanosecond), false}).check(t, config)
}

// TestPastsOfHolds: without a watchdog, since when a class is held decides nothing. With one, it
// does while the hold is younger than the detection time. Where looks are counted, whether a frame
// came in or a pause ended since the last look matters, and how many did does not.
func TestPastsOfHolds(t *testing.T) {
	long := twoClasses(PriorityPause, 0, sluice.Mbps, sluice.Mbps) // 65,535 quanta last 33 s
	watched, counting := long, long
	watched.Watchdog = Watchdog{
		Detection: 400 * ms, Restoration: 600 * ms, Poll: 200 * ms, Action: WatchdogForwards,
	}
	counting.Watchdog = watched.Watchdog
	counting.Watchdog.CountPolls = true
	// hold holds class 3 from begin on, with a last frame that is of the same instant in all pasts.
	hold := func(begin, last, until sluice.Time, frames int) func(*bench) {
		return func(k *bench) {
			k.at(begin)
			k.receive(0, pauseOf(1, 3))
			k.at(last)
			for range frames {
				k.receive(0, pauseOf(60_000, 3))
			}
			k.at(until)
			k.s.Expire(until)
		}
	}
	brief := func(frames int) func(*bench) { // holds that have ended
		return func(k *bench) {
			for range frames {
				k.receive(0, pauseOf(9, 3))
				k.receive(0, pauseOf(0, 3))
			}
			k.at(ms)
			k.s.Expire(ms)
		}
	}
	for _, test := range []struct {
		config Config
		sharedPast
	}{
		{long, sharedPast{"since when", hold(0, 0, 2, 1), hold(1, 1, 3, 1), true}},
		{long, sharedPast{"ended", brief(3), nothing, true}},
		{watched, sharedPast{"ended", brief(1), brief(3), true}},
		{watched, sharedPast{"young", hold(0, 0, 50*ms, 1), hold(20*ms, 20*ms, 50*ms, 1), false}},
		{counting, sharedPast{"a frame or more", hold(0, 0, ms, 1), hold(0, 0, ms, 4), true}},
		{counting, sharedPast{"looked at", hold(0, 0, 201*ms, 1), hold(0, 0, 201*ms, 4), true}},
		{counting, sharedPast{"releases or more", brief(1), brief(4), true}},
		{counting, sharedPast{"a frame or none", brief(1), func(k *bench) { k.at(ms); k.s.Expire(ms) },
			false}},
	} {
		test.check(t, test.config)
	}
}
