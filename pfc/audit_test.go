package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc/qos"
	"github.com/sluicefc/sluice/pfc/trigger"
)

// TestAuditSees every number that was tampered with.
func TestAuditSees(t *testing.T) {
	for name, tamper := range map[string]func(*Switch){
		"1":  func(s *Switch) { s.ports[0].queues[3].bytes++ },
		"1b": func(s *Switch) { s.buffered++ },
		"1c": func(s *Switch) { s.local[0]-- },
		"2":  func(s *Switch) { s.free[0]++ },
		"3":  func(s *Switch) { s.ports[0].queues[5].bytes, s.ports[1].queues[5].bytes = -1, 1 },
		"3b": func(s *Switch) { s.ports[0].backlog = 0 },
		"3c": func(s *Switch) { s.ports[0].blocked = 1 },
		"4": func(s *Switch) {
			s.accounts[4].flags |= pausing
			s.ports[0].paused = sluice.MakeClassSet(4)
			s.ports[0].state.refreshAt = 5
		},
		"5":  func(s *Switch) { s.ports[1].state.told = 0 },
		"5b": func(s *Switch) { s.ports[1].down = true },
		"6":  func(s *Switch) { s.ports[1].state.refreshAt = sluice.Never },
		"7":  func(s *Switch) { s.ports[0].state.expiresAt[3] = 9 },
		"7b": func(s *Switch) { s.timers.Put(1, 1) },
	} {
		k := newBench(t, twoClasses(PriorityPause, 0, g100, g100))
		k.enqueue(0, 1, 3, 1000)
		tamper(k.s)
		require.ErrorContains(t, k.s.Audit(), "invariant "+name[:1], name)
	}
}

// TestAuditNames what is wrong, also where amounts make up for each other: of a switch with rules,
// or without.
func TestAuditNames(t *testing.T) {
	for _, test := range []struct {
		rules  bool
		want   string
		tamper func(s *Switch, p *Port)
	}{
		{true, "invariant 1: class 0: 0 bytes queued, 0 accounted and -1 local",
			func(s *Switch, _ *Port) { s.local[0]--; s.local[1]++ }},
		{false, "invariant 1: class 0: 1 bytes queued",
			func(_ *Switch, p *Port) { p.queues[0].bytes++; p.queues[3].bytes-- }},
		{true, "invariant 1: 1000 bytes queued, 1000 buffered, 1001 accounted",
			func(s *Switch, p *Port) { p.account(3).bytes++; s.free[0]-- }},
		{false, "invariant 2: -1 bytes free and 1000 taken of pool 0 of 999",
			func(s *Switch, _ *Port) { s.free[0], s.pool[0] = -1, 999 }},
		{false, "of a headroom pool of", func(s *Switch, _ *Port) { s.freeHeadroom-- }},
		{false, "of a headroom pool of -1",
			func(s *Switch, _ *Port) { s.freeHeadroom, s.headroomPool = -1, -1 }},
		{true, "of egress pool 0 of 10000", func(s *Switch, _ *Port) { s.egress.free[0]-- }},
		{true, "of egress pool 0 of -1",
			func(s *Switch, _ *Port) { s.egress.free[0], s.egress.size[0] = -1, -1 }},
		{true, "port 0: invariant 3: queue 5 holds 0 bytes, -1 from no port",
			func(_ *Switch, p *Port) { p.state.rules.local[5]-- }},
		{true, "port 0: invariant 3: queue 3 holds 1000 bytes, 1001 from no port",
			func(_ *Switch, p *Port) { p.state.rules.local[3] = 1001 }},
		{false, "port 0: invariant 3: class 5: queue -1",
			func(s *Switch, p *Port) { p.queues[5].bytes--; s.ports[1].queues[5].bytes++ }},
		{false, "port 0: invariant 3: class 5: queue 0, of it lossy -1", func(s *Switch, p *Port) {
			p.queues[5].lossy--
			s.ports[1].queues[5].lossy++
			s.free[0]--
		}},
		{false, "port 0: invariant 3: class 3: headroom 0, flags",
			func(_ *Switch, p *Port) { p.account(3).flags |= spilled }},
		{false, "port 1: invariant 4: class 4 is paused and holds nothing",
			func(s *Switch, _ *Port) { s.ports[1].account(4).flags |= pausing }},
		{false, "port 0: invariant 7: class 3: held false",
			func(_ *Switch, p *Port) { p.state.expiresAt[3] = 9 }},
		{false, "paused {} as {5}", func(_ *Switch, p *Port) { p.paused = 1 << 5 }},
		{false, "told {3}", func(_ *Switch, p *Port) { p.down, p.state.told = true, 1<<3 }},
		{false, "pending {3}", func(_ *Switch, p *Port) { p.down, p.pending = true, 1<<3 }},
		{false, "link is down, told {}, pending {}, held {3}", func(_ *Switch, p *Port) {
			p.down, p.blocked, p.state.held, p.state.expiresAt[3] = true, 1<<3, 1<<3, 9
			p.setOpen()
		}},
		{false, "blocked {}, open {5}", func(_ *Switch, p *Port) { p.open = 1 << 5 }},
		{false, "plain false", func(_ *Switch, p *Port) { p.plain = false }},
		{false, "link is down", func(_ *Switch, p *Port) { p.down, p.state.refreshAt = true, 9 }},
		{false, "pfc: invariant 4 of the contract", func(s *Switch, _ *Port) { s.woken.Deadline() }},
	} {
		config := twoClasses(PriorityPause, 0, g100, g100)
		if test.rules {
			config = ruled(func(*qos.Port) {})
		}
		k := newBench(t, config)
		k.enqueue(0, 1, 3, 1000)
		test.tamper(k.s, k.s.Port(0))
		require.ErrorContains(t, k.s.Audit(), test.want)
	}
}

// TestAuditAfterReconfigure: headroom in use may exceed its limit by no more than it did then.
func TestAuditAfterReconfigure(t *testing.T) {
	k := newBench(t, lossless34(2, func(*Config) {}))
	k.enqueue(0, 1, 3, 4000)
	k.enqueue(0, 1, 3, 2000)
	k.reconfigure(func(c *Config) { c.Ports[1].Headroom = 1500 }) // and k audits
	k.reconfigure(func(c *Config) { c.Ports[1].Headroom = 2000 })
	k.s.ports[1].account(3).maxHeadroom--
	require.ErrorContains(t, k.s.Audit(), "invariant 3: class 3: queue 0, of it lossy 0, account 4000")
}

// TestAuditOfGPFC: a class is paused for what all classes hold, so that it may hold nothing itself,
// unless all hold nothing.
func TestAuditOfGPFC(t *testing.T) {
	s := variantOf(t, trigger.GPFC)
	load(t, s, 0, 1, 5, 60_000)
	require.True(t, load(t, s, 0, 1, 3, 8_000))
	unload(t, s, 0, 1, 3, 8_000)
	require.Equal(t, sluice.MakeClassSet(3), s.Port(1).Paused())
	s = variantOf(t, trigger.GPFC)
	s.ports[1].account(3).flags |= pausing
	require.ErrorContains(t, s.Audit(), "invariant 4: class 3 is paused and holds nothing")
}

// TestAuditOfAnEndlessPause: at a bit a second the longest pause lasts 388 days, beyond any Time.
func TestAuditOfAnEndlessPause(t *testing.T) {
	k := newBench(t, twoClasses(PriorityPause, 0, 1))
	k.receive(0, pauseOf(65535, 3)) // and k audits
	require.Equal(t, sluice.Never, k.s.Port(0).HeldUntil(3))
	require.Equal(t, sluice.MakeClassSet(3), k.s.Port(0).Held())
}

// TestQuiescentSays names the rest.
func TestQuiescentSays(t *testing.T) {
	for want, leave := range map[string]func(*bench){
		"hold packets": func(k *bench) { k.enqueue(0, 0, 0, 1) },
		"are held":     func(k *bench) { k.receive(0, pauseOf(1, 3)) },
		"pause storm":  func(k *bench) { k.s.Port(0).storm(3) },
		"of pools":     func(k *bench) { k.s.free[0]-- },
		"1 bytes buff": func(k *bench) { k.s.buffered++ },
		"is paused":    func(k *bench) { k.s.Port(0).paused = 1 },
		"is pending":   func(k *bench) { k.s.Port(0).pending = 1 },
	} {
		k := newBench(t, twoClasses(PriorityPause, 0, g100))
		require.NoError(t, k.s.Quiescent())
		leave(k)
		require.ErrorContains(t, k.s.Quiescent(), want)
	}
}
