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
		{"packets of before", func(k *bench) { offer(k, 3); lossy(k); offer(k, 1) },
			func(k *bench) { // as many packets and bytes of either kind, and one more of after
				offer(k, 1)
				k.enqueue(0, 1, 3, 200)
				lossy(k)
				k.enqueue(0, 1, 3, 50)
				k.enqueue(0, 1, 3, 50)
			}, false},
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
	counting.Watchdog = Watchdog{Detection: 1, Restoration: 1, Poll: 200 * ms, CountPolls: true}
	const quantum, ends = 512 * sluice.Microsecond, 60_000 * 512 * sluice.Microsecond
	// frame pauses class 3 at a time, a number of quanta, until the end that all have.
	frame := func(k *bench, at sluice.Time) {
		k.at(at)
		k.receive(0, pauseOf(sluice.Quanta((ends-at)/quantum), 3))
	}
	held := func(until sluice.Time, frames ...sluice.Time) func(*bench) {
		return func(k *bench) {
			for _, at := range frames {
				frame(k, at*quantum)
			}
			k.at(until)
			k.s.Expire(until)
		}
	}
	ended := func(at sluice.Time, times int) func(*bench) {
		return func(k *bench) {
			for range times {
				frame(k, at*quantum)
				k.receive(0, pauseOf(0, 3))
			}
			k.at(10 * ms)
			k.s.Expire(10 * ms)
		}
	}
	for _, test := range []struct {
		config Config
		sharedPast
	}{
		{long, sharedPast{"since when", held(ms, 0), held(ms, 1), true}},
		{long, sharedPast{"ended", ended(0, 3), nothing, true}},
		{watched, sharedPast{"ended", ended(0, 1), ended(1, 3), true}},
		{watched, sharedPast{"young", held(50*ms, 0), held(50*ms, 40), false}},
		{watched, sharedPast{"storms", held(2000*ms, 0), held(2000*ms, 200), true}},
		{counting, sharedPast{"a frame or more", held(ms, 0), held(ms, 0, 0, 0), true}},
		{counting, sharedPast{"seen", held(201*ms, 0), held(201*ms, 0, 0, 0), true}},
		{counting, sharedPast{"a frame since", held(210*ms, 0), held(210*ms, 0, 400), false}},
		{counting, sharedPast{"an end or more", ended(0, 1), ended(0, 4), true}},
		{counting, sharedPast{"an end since", held(210*ms, 0, 400), func(k *bench) {
			frame(k, 0)
			k.at(400 * quantum)
			k.receive(0, pauseOf(0, 3))
			held(210*ms, 400)(k)
		}, false}},
	} {
		test.check(t, test.config)
	}
}
