package pyrrha

import (
	"fmt"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
)

func TestConfigErrorsNameTheField(t *testing.T) {
	for field, spoil := range map[string]func(*Config){
		"Ports":               func(c *Config) { c.Ports = nil },
		"Ports[1].Link.Rate":  func(c *Config) { c.Ports[1].Link.Rate = 0 },
		"Ports[1].Link.Delay": func(c *Config) { c.Ports[1].Link.Delay = -1 },
		"Ports[1].Role":       func(c *Config) { c.Ports[1].Role = 5 },
		"Ports[1].Levels":     func(c *Config) { c.Ports[1].Levels = 8 },
		"Pause":               func(c *Config) { c.Pause = sluice.Ratio{Num: 1, Den: 2} },
		"Resume":              func(c *Config) { c.Resume = sluice.Ratio{Num: 1, Den: 0} },
		"Imbalance":           func(c *Config) { c.Imbalance = sluice.Ratio{Num: -1, Den: 1} },
		"Organisation":        func(c *Config) { c.Organisation = 2 },
		"Child":               func(c *Config) { c.Child = 2 },
		"UpPorts":             func(c *Config) { c.UpPorts = 3 },
		"Roots":               func(c *Config) { c.Roots = 4095 },
		"Buffer":              func(c *Config) { c.Buffer = -1 },
		"Refresh":             func(c *Config) { c.Refresh = -1 },
		"Expiry":              func(c *Config) { c.Refresh, c.Expiry = 10, 10 },
		"Levels":              func(c *Config) { c.Levels = 8 },
		"IQs":                 func(c *Config) { c.IQs = 3 },
		"MTU":                 func(c *Config) { c.MTU = -1 },
		"Speedup":             func(c *Config) { c.Speedup = -1 },
		"Scheduler":           func(c *Config) { c.Scheduler = 9 },
	} {
		c := Config{Ports: ports(Down, Up)}
		spoil(&c)
		_, err := New(c)
		var e *sluice.ConfigError
		require.ErrorAs(t, err, &e, field)
		require.Equal(t, "pyrrha", e.Package)
		require.Equal(t, field, e.Field)
	}
	_, err := New(Config{Ports: make([]PortConfig, MaxPorts+1)})
	require.Error(t, err)
}

// Bounds are themselves allowed, and nothing beyond them.
func TestBoundsOfConfig(t *testing.T) {
	for _, c := range []struct {
		good   bool
		change func(*Config)
	}{
		{true, func(c *Config) { c.Roots = 4078 }}, // with two ports 4,080
		{false, func(c *Config) { c.Roots = 4079 }},
		{true, func(c *Config) { c.Roots = 1 }},
		{false, func(c *Config) { c.Roots = -1 }},
		{true, func(c *Config) { c.Levels = 1 }},
		{false, func(c *Config) { c.Levels = -1 }},
		{true, func(c *Config) { c.Ports[1].Levels = 1 }},
		{false, func(c *Config) { c.Ports[1].Levels = -1 }},
		{true, func(c *Config) { c.Ports = c.Ports[:1] }},
		{true, func(c *Config) { c.Pause = sluice.Ratio{Num: 1, Den: 1} }}, // Resume
		{true, func(c *Config) { c.Pause = sluice.Ratio{Num: 2048, Den: 2} }},
		{false, func(c *Config) { c.Pause = sluice.Ratio{Num: 2049, Den: 2} }},
		{true, func(c *Config) { c.Refresh, c.Expiry = 10, 11 }},
		{true, func(c *Config) { c.Expiry = 1 }},
		{false, func(c *Config) { c.Expiry = -1 }},
		{true, func(c *Config) { c.Ports[1].Role = Legacy }},
		{false, func(c *Config) { c.Merge = MergeNever + 1 }},
	} {
		config := Config{Ports: ports(Down, Up)}
		c.change(&config)
		_, err := New(config)
		require.Equal(t, c.good, err == nil, "%+v: %v", config, err)
	}
}

// Config says what the zeros of a configuration mean.
func TestDefaults(t *testing.T) {
	all := ports(Down, Up)
	all[0].Levels, all[1].Levels = 7, 3
	given := Config{Ports: ports(Down, Up), Refresh: 10}
	given.Ports[1].Levels = 3
	require.Equal(t, Config{
		Ports: all, Classes: sluice.AllClasses, Pause: sluice.Ratio{Num: 2, Den: 1},
		Resume: sluice.Ratio{Num: 1, Den: 1}, Imbalance: sluice.Ratio{Num: 2, Den: 1},
		Levels: 7, IQs: 100, Roots: 256, Speedup: 1, Refresh: 10, Expiry: 40,
	}, mustNew(given).Config())
}

// New copies the configuration.
func TestConfigIsCopied(t *testing.T) {
	c := Config{Ports: ports(Down, Up)}
	s, err := New(c)
	require.NoError(t, err)
	require.Equal(t, Config{Ports: ports(Down, Up)}, c)
	c.Ports[0].Link.Rate = 1
	require.EqualValues(t, 30_000, s.Port(0).pause[1])
	require.Nil(t, s.Port(2))
	require.Equal(t, 2, s.Ports())
	require.Equal(t, 101, s.Queues())
	require.EqualValues(t, 1024*8, s.Memory(), "274 roots, of them 16 to be answered and 2 our own")
	require.EqualValues(t, 512*8, mustNew(Config{Ports: ports(Down, Up), Roots: 238}).Memory())
}

// A network card is a switch of one port.
func TestHostConfig(t *testing.T) {
	c := HostConfig(labLink)
	c.Switch = 3
	s := mustNew(c)
	require.Equal(t, 1, s.Ports())
	path, _ := sluice.MakePath(at(3, 0), at(10, 1), at(20, 1))
	s.Port(0).Receive(0, &Frame{Type: Pause, Root: at(20, 1), Hop: 2, Sequence: 1})
	root, blocked := s.Port(0).Blocked(&path)
	require.True(t, blocked)
	require.Equal(t, at(20, 1), root)
	p := sluice.Packet{Size: 1000, Ingress: sluice.Local, Path: path}
	require.NotEqual(t, sluice.AppendToQueue(0), s.Port(0).Enqueue(0, &p), "it waits in an IQ")
	require.Equal(t, sluice.WakePort(0), s.Port(0).Congested(0, true), "what only a card does")
}

// A link without delay: both thresholds are 0, every packet pauses, and an empty queue resumes.
func TestNoDelay(t *testing.T) {
	c := Config{Ports: ports(Down, Down)}
	c.Ports[0].Link.Delay, c.Ports[1].Link.Delay = 0, 0
	l := newLab(t, c)
	l.enqueue(0, 1)
	l.serve(0, 1)
	require.Equal(t, []string{"port 1: pause 10:0 hop 1", "port 1: resume 10:0"}, l.sent())
	pause, resume := l.s.Port(0).Thresholds(1)
	require.Equal(t, []sluice.Bytes{0, 1}, []sluice.Bytes{pause, resume}, "a byte is not empty")
}

// Thresholds do not overflow, whatever the link.
func TestThresholdSaturates(t *testing.T) {
	link := sluice.Link{Rate: 1 << 62, Delay: sluice.Second}
	require.Positive(t, threshold(sluice.Ratio{Num: 1024, Den: 1}, link, link))
	require.Zero(t, threshold(sluice.Ratio{Num: 0, Den: 1}, link, link))
}

// Packets of other classes have queues of their own, classes above the highest class under Pyrrha
// are served first, the others last; none of them is held or counted.
func TestOtherClasses(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down), Classes: 0x0c})
	require.Equal(t, 101+6, l.s.Queues())
	p := l.s.Port(0)
	queues := map[sluice.Class]sluice.QueueID{}
	for class := range sluice.Class(sluice.Classes) {
		pkt := sluice.Packet{Size: 1000, Ingress: 1, Class: class}
		v := p.Enqueue(0, &pkt)
		queues[class] = v.Queue()
	}
	require.Equal(
		t, map[sluice.Class]sluice.QueueID{0: 101, 1: 102, 2: 0, 3: 0, 4: 103, 5: 104, 6: 105, 7: 106},
		queues,
	)
	p.Hold(0, true)
	var order []sluice.QueueID
	for range 8 {
		q, ok := p.Next(0)
		if !ok {
			p.Hold(0, false)
			q, ok = p.Next(0)
		}
		require.True(t, ok)
		order = append(order, q)
		pkt := sluice.Packet{Size: 1000, Ingress: 1}
		require.True(t, p.Sendable(q))
		require.Equal(t, sluice.Transmit, p.Dequeue(0, q, &pkt).Action())
		require.NoError(t, l.s.Audit())
	}
	require.Equal(
		t, []sluice.QueueID{106, 105, 104, 103, 102, 101, 0, 0}, order, "held: the OQ's go last",
	)
	require.EqualValues(t, 6, l.s.Counters().Outside)
	require.Zero(t, p.Backlog(200))
	require.False(t, p.Sendable(200))
	require.NoError(t, l.s.Quiescent())
}

// A packet is dropped that the buffer has no room for to the last byte.
func TestBufferLimit(t *testing.T) {
	for _, size := range []sluice.Bytes{1, 1000} {
		for packets := range 3 {
			limit := sluice.Bytes(packets) * size
			s := mustNew(Config{Ports: ports(Down, Down), Buffer: max(limit, 1)})
			for range packets {
				v := s.Port(0).Enqueue(0, &sluice.Packet{Size: size, Ingress: 1})
				require.Equal(t, sluice.Append, v.Action())
			}
			v := s.Port(0).Enqueue(0, &sluice.Packet{Size: max(size, 2-limit), Ingress: 1})
			require.Equal(t, sluice.DropBecause(sluice.BufferFull), v)
			require.EqualValues(t, 1, s.Counters().Dropped[sluice.BufferFull])
			require.Equal(t, limit, s.Buffered())
		}
	}
}

// A Dequeue of a packet that is not there changes nothing but counters.
func TestMisuse(t *testing.T) {
	for _, o := range []Organisation{Hierarchical, SingleTier} {
		l := newLab(t, Config{Ports: ports(Down, Down), Organisation: o, Classes: 0x7f})
		l.pause(0, at(20, 1), 1)
		q := l.enqueue(0, 1, at(20, 1))
		held, misused := l.fifo[0][q][0], uint64(0)
		for _, c := range []struct {
			q     sluice.QueueID
			spoil func(*sluice.Packet)
		}{
			{0, func(*sluice.Packet) {}},
			{q + 1, func(*sluice.Packet) {}},
			{102, func(*sluice.Packet) {}},
			{0xffff, func(*sluice.Packet) {}},
			{q, func(p *sluice.Packet) { p.Size = 999 }},
			{q, func(p *sluice.Packet) { p.Size = -1000 }},
			{q, func(p *sluice.Packet) { p.Ingress = 0 }},
			{q, func(p *sluice.Packet) { p.Ingress = 77 }},
			{q, func(p *sluice.Packet) { p.Note ^= 1 }},
			{q, func(p *sluice.Packet) { p.Note = 1<<64 - 1 }},
			{q, func(p *sluice.Packet) { p.Note = 1<<32 - 1 }},
			{q, func(p *sluice.Packet) { p.Note = uint64(len(l.s.roots)) }},
			{q, func(p *sluice.Packet) { p.Note = 1<<31 | uint64(len(l.s.roots)) }},
			{q, func(p *sluice.Packet) { p.Note |= 1 << 31 }},
			{q, func(p *sluice.Packet) { p.Note ^= 1 << 32 }},
		} {
			pkt := held
			c.spoil(&pkt)
			if pkt == held && c.q == q {
				t.Fatal("a case without a fault")
			}
			if !l.s.single && pkt.Note&noteRoot == held.Note&noteRoot && pkt.Note != held.Note {
				continue // what stands above the root is checked against the era
			}
			v := l.s.Port(0).Dequeue(0, c.q, &pkt)
			require.Equal(t, sluice.DropBecause(sluice.BadQueue), v)
			misused++
			require.EqualValues(t, 1000, l.s.Buffered())
			require.NoError(t, l.s.Audit())
		}
		counted := l.s.Counters()
		require.Equal(t, misused, counted.Misuse)
		require.Equal(t, misused, counted.Dropped[sluice.BadQueue])
	}
}

// Every choice has a name, by which errors and package capi speak of it.
func TestChoicesHaveNames(t *testing.T) {
	for want, choice := range map[string]fmt.Stringer{
		"hierarchical": Hierarchical, "single tier": SingleTier, "Organisation(2)": SingleTier + 1,
		"by ingress": ByIngress, "by queue": ByQueue, "ChildRule(2)": ByQueue + 1,
		"if imbalanced": UpImbalanced, "UpRule(3)": UpNever + 1,
		"if calm": MergeIfCalm, "MergeRule(3)": MergeNever + 1,
		"nic": NIC, "legacy": Legacy, "Role(9)": Role(9),
		"resumed": ResumedUpstream, "UpstreamState(7)": UpstreamState(7),
	} {
		require.Equal(t, want, choice.String())
	}
}
