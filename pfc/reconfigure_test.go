package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
)

// TestReconfigureThresholds: an ingress is judged anew at once.
func TestReconfigureThresholds(t *testing.T) {
	config := lossless34(2, func(*Config) {})
	k := newBench(t, config)
	for range 4 {
		k.enqueue(0, 1, 3, 1000)
	}
	change := func(xOff, xOn sluice.Bytes) {
		c := k.s.Config()
		c.Ports[1].XOff, c.Ports[1].XOn = xOff, xOn
		w, err := k.s.Reconfigure(k.now, c)
		require.NoError(t, err)
		k.poll(w)
	}
	change(4000, 1000)
	require.Equal(t, []sent{{1, pauseOf(DefaultPause, 3)}}, k.take())
	change(9000, 4000)
	require.Equal(t, []sent{{1, pauseOf(0, 3)}}, k.take())
	change(9000, 4000)
	require.Empty(t, k.take())
	require.Equal(t, 4, k.drain(0))
	require.NoError(t, k.s.Quiescent())
}

// TestReconfigureSmaller: bytes beyond the new limits stay, and free amounts are negative until
// enough has left.
func TestReconfigureSmaller(t *testing.T) {
	k := newBench(t, lossless34(2, func(c *Config) { c.HeadroomPool = 20_000 }))
	for range 10 {
		k.enqueue(0, 1, 3, 1000)
	}
	c := k.s.Config()
	c.HeadroomPool, c.Ports[1].Headroom, c.Buffer = 2000, 1000, 6000
	_, err := k.s.Reconfigure(k.now, c)
	require.NoError(t, err)
	require.NoError(t, k.s.Audit())
	require.Equal(t, sluice.Bytes(2000-5000), k.s.FreeHeadroom())
	require.Equal(t, sluice.Bytes(6000-2000-5000), k.s.Free())
	require.Equal(t, sluice.DropBecause(sluice.HeadroomExhausted), k.enqueue(0, 1, 3, 1000))
	require.Equal(t, 10, k.drain(0))
	require.NoError(t, k.s.Quiescent())
	require.Equal(t, sluice.Bytes(4000), k.s.Free())
}

// TestReconfigureECNAndWatchdog: the other things that hardware changes at runtime.
func TestReconfigureECNAndWatchdog(t *testing.T) {
	k := newBench(t, lossless34(2, func(*Config) {}))
	k.enqueue(0, 1, 3, 1000)
	k.enqueue(0, 1, 3, 1000)
	k.receive(0, pauseOf(65535, 3))
	c := k.s.Config()
	c.Ports[0].ECN[3] = sluice.Marking{KMin: 500, KMax: 500}
	c.Watchdog = Watchdog{
		Detection: 100 * sluice.Microsecond,
		Poll:      50 * sluice.Microsecond,
		Action:    WatchdogForwards,
	}
	w, err := k.s.Reconfigure(k.now, c)
	require.NoError(t, err)
	require.True(t, w.Has(sluice.WakeDeadline))
	k.at(99 * sluice.Microsecond)
	require.Zero(t, k.drain(0))
	k.at(100 * sluice.Microsecond)
	require.Equal(t, sluice.MakeClassSet(3), k.s.Port(0).Storming())
	event, ok := k.s.PollStorm()
	require.True(t, ok)
	require.Equal(t, StormEvent{At: 100 * sluice.Microsecond, Class: 3, Began: true}, event)
	p, v, _ := k.send(0)
	require.Equal(t, p.ECN, v.Mark(), "not ECN-capable")
	k.enqueuePacket(0, sluice.Packet{Size: 1000, Class: 3, Ingress: 1, ECN: sluice.ECT0})
	k.enqueue(0, 1, 3, 1000)
	k.send(0)
	_, v, _ = k.send(0)
	require.Equal(t, sluice.CE, v.Mark())

	c.Watchdog = Watchdog{}
	w, err = k.s.Reconfigure(k.now, c)
	require.NoError(t, err)
	require.Equal(t, sluice.WakeDeadline, w)
	require.Zero(t, k.s.Port(0).Storming())
	require.False(t, k.s.Port(0).Sendable(3), "the pause is obeyed again")
}

// TestReconfigureUnderLoad: random changes amid traffic. After each, the invariants hold and the
// switch makes the decisions of the slow model, which gets the same changes. Packets that arrive
// within the bounds of both configurations are not lost, and in the end all accepted packets leave.
func TestReconfigureUnderLoad(t *testing.T) {
	depth.Fewer(t, 15)
	changes := 0
	rapid.Check(t, func(t *rapid.T) {
		config := drawConfig(t)
		config.Watchdog = Watchdog{}
		c := newComparison(t, config)
		for i := range config.Ports {
			config.Ports[i].ECN = [sluice.Classes]sluice.Marking{}
		}
		c.reconfigure(t, config)
		for range 100 {
			c.reconfigure(t, redraw(t, c.s.Config()))
			c.compare(t)
			changes++
			c.some(t, 3)
			c.compare(t)
		}
		for at := range c.fifo { // the peers let go
			var f Frame
			f = Frame{Opcode: OpcodePFC, Enabled: sluice.AllClasses}
			c.s.Port(sluice.PortID(at.port)).Receive(c.now, &f)
			c.m.receive(c.now, at.port, &f)
			f = Frame{Opcode: OpcodePause}
			c.s.Port(sluice.PortID(at.port)).Receive(c.now, &f)
			c.m.receive(c.now, at.port, &f)
			for c.pop(t, at.port) {
			}
		}
		for i := range config.Ports {
			c.poll(t, c.s.Port(sluice.PortID(i)).LinkUp(c.now))
		}
		if err := c.s.Quiescent(); err != nil {
			t.Fatal(err)
		}
	})
	t.Logf("%d changes", changes)
}

// redraw draws other thresholds, limits and sizes for a configuration.
func redraw(t *rapid.T, c Config) Config {
	for i := range c.Ports {
		p := &c.Ports[i]
		for class := range sluice.Class(sluice.Classes) {
			if rapid.IntRange(0, 2).Draw(t, "change") != 0 {
				continue
			}
			profile := drawProfile(t)
			p.Profiles[class] = &profile
		}
		if rapid.IntRange(0, 2).Draw(t, "other classes") == 0 {
			p.Classes, p.Obeys, p.Sends = drawClasses(t), drawClasses(t), drawClasses(t)
		}
		p.LossyReserve = sluice.Bytes(rapid.SampledFrom([]int{0, 2000}).Draw(t, "lossy reserve"))
		p.LossyAlpha = drawRatio(t, "lossy alpha")
	}
	for i := range c.Pools {
		c.Pools[i] = sluice.Bytes(rapid.IntRange(1, 30_000).Draw(t, "other pool"))
	}
	if c.HeadroomPool != 0 {
		c.HeadroomPool = sluice.Bytes(rapid.IntRange(1, 30_000).Draw(t, "headroom pool"))
	}
	c.Buffer = c.SetApart() + sluice.Bytes(rapid.IntRange(0, 60_000).Draw(t, "pool"))
	return c
}

// reconfigure changes both.
func (c *comparison) reconfigure(t *rapid.T, config Config) {
	w, err := c.s.Reconfigure(c.now, config)
	if err != nil {
		t.Fatal(err)
	}
	c.m.reconfigure(c.now, c.s.Config())
	c.poll(t, w)
}

// reconfigure counts anew the bytes taken of the pools, and judges every ingress anew.
func (m *model) reconfigure(now sluice.Time, config Config) {
	for i := range config.Ports {
		for class := range sluice.Class(sluice.Classes) {
			m.change(now, portClass{i, class}, &config.Ports[i])
		}
	}
	fresh := newModel(config)
	m.config, m.sizes, m.used = config, fresh.sizes, fresh.used
	for i := range config.Ports {
		for class := range sluice.Class(sluice.Classes) {
			in := portClass{i, class}
			m.used[m.profile(in).Pool] += m.shared(in)
			m.used[config.LossyPool] += m.beyond(m.lossy[in], config.Ports[i].LossyReserve)
		}
	}
	for i := range config.Ports {
		switch _, running := m.refresh[i]; {
		case !m.anyPaused(i):
			delete(m.refresh, i)
		case !running && config.Ports[i].Mode != ClassicObey:
			m.refresh[i] = now + m.third(i)
		}
		for class := range sluice.Class(sluice.Classes) {
			m.judge(now, portClass{i, class})
		}
	}
}

// change applies a new configuration to an ingress and an egress, whose class may stop to be sent,
// obeyed or lossless. The configuration is still the old one.
func (m *model) change(now sluice.Time, at portClass, to *PortConfig) {
	if !to.Classes.Has(at.class) {
		if m.paused[at] {
			delete(m.paused, at)
			m.changed(now, at)
		}
		m.ingress[at] += m.hdrm[at]
		m.hdrm[at] = 0
	}
	if !to.Obeys.Has(at.class) && to.Mode == PriorityPause {
		delete(m.held, at)
	}
}

func (m *model) judge(now sluice.Time, in portClass) {
	if !m.config.Ports[in.port].Classes.Has(in.class) {
		return
	}
	held := m.ingress[in] + m.hdrm[in]
	over := m.hdrm[in] > 0 ||
		m.ingress[in] >= int64(m.profile(in).Reserve) && !m.atMost(m.shared(in)+1, m.threshold(in))
	switch {
	case m.paused[in] && m.under(in):
		delete(m.paused, in)
		m.changed(now, in)
	case !m.paused[in] && held > 0 && over:
		m.paused[in] = true
		m.changed(now, in)
	}
}
