package pfc

import (
	"math/big"

	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc/qos"
)

// modelRules is what the model keeps for PortConfig.QoS.
type modelRules struct {
	local      map[portClass]int64 // of a queue, what came from no port
	full       map[portClass]sluice.Time
	portFull   map[int]sluice.Time // when a bucket is full again
	slow       map[portClass]sluice.Time
	queueDrops map[portClass]uint64
	wredDrops  map[portClass]uint64
	groupDrops map[portClass]uint64
}

func newModelRules(*Config) modelRules {
	return modelRules{
		local: map[portClass]int64{}, full: map[portClass]sluice.Time{},
		portFull: map[int]sluice.Time{}, slow: map[portClass]sluice.Time{},
		queueDrops: map[portClass]uint64{}, wredDrops: map[portClass]uint64{},
		groupDrops: map[portClass]uint64{},
	}
}

// qos returns the rules of a port, those that say nothing if it has none.
func (m *model) qos(port int) *qos.Port {
	if q := m.config.Ports[port].QoS; q != nil {
		return q
	}
	return &qos.Port{}
}

func (m *model) groups(port int) []Group {
	if own := m.config.Ports[port].Groups; own != nil {
		return own
	}
	return m.config.Groups
}

func (m *model) heldToProfile(in portClass) bool { return m.qos(in.port).Lossy.Has(in.class) }

func (m *model) ingressOf(p *sluice.Packet) portClass {
	in := portClass{int(p.Ingress), p.Class}
	if g := m.qos(in.port).Group; g != nil {
		in.class = g[p.Class]
	}
	return in
}

// limit returns a limit with a pool's free amount, nil for none.
func (m *model) limit(l qos.Limit, free int64) *big.Rat {
	switch {
	case l.Static != 0:
		return big.NewRat(int64(l.Static), 1)
	case l.Alpha != sluice.Ratio{}:
		t := big.NewRat(l.Alpha.Num, l.Alpha.Den)
		return t.Mul(t, big.NewRat(free, 1))
	}
	return nil
}

func exceeds(x int64, limit *big.Rat) bool {
	return limit != nil && big.NewRat(x, 1).Cmp(limit) > 0
}

// length returns the bytes of a queue, and how many of them came from ports.
func (m *model) length(q portClass) (all, fromPorts int64) {
	for _, size := range m.queues[q] {
		all += size
	}
	return all, all - m.rules.local[q]
}

// freeEgress is what no queue has taken of an egress pool.
func (m *model) freeEgress(pool int) int64 {
	free := int64(m.config.EgressPools[pool])
	for port := range m.config.Ports {
		free -= m.takenEgress(port, pool)
	}
	return free
}

func (m *model) takenEgress(port, pool int) (taken int64) {
	for c, l := range m.qos(port).Queues {
		if l != nil && l.Pool == pool {
			_, n := m.length(portClass{port, sluice.Class(c)})
			taken += max(0, n-int64(l.Reserve))
		}
	}
	return taken
}

// refused reports whether the egress refuses a packet from a port.
func (m *model) refused(q portClass, p *sluice.Packet, n int64) bool {
	rules := m.qos(q.port)
	length, fromPorts := m.length(q)
	if l := rules.Queues[q.class]; l != nil {
		after := fromPorts + n - int64(l.Reserve)
		added := max(0, after) - max(0, fromPorts-int64(l.Reserve))
		free := m.freeEgress(l.Pool)
		var ofPort *big.Rat
		if l.Pool < len(rules.Egress) {
			ofPort = m.limit(rules.Egress[l.Pool], free)
		}
		if added > 0 && (added > free || exceeds(after, m.limit(*l, free)) ||
			exceeds(m.takenEgress(q.port, l.Pool)+added, ofPort)) {
			m.rules.queueDrops[q]++
			return true
		}
	}
	w := rules.WRED[q.class]
	if w == nil {
		return false
	}
	color := m.qos(int(p.Ingress)).Colors[p.Class]
	if !w.Drop[color] || w.Mark[color] && p.ECN != sluice.NotECT ||
		length <= int64(w.Curves[color].KMax) {
		return false
	}
	m.rules.wredDrops[q]++
	return true
}

// overPort reports whether n bytes more are more than an ingress port may take of a pool.
func (m *model) overPort(in portClass, n int64) bool {
	rules, pool := m.qos(in.port), m.profile(in).Pool
	if pool >= len(rules.Ingress) {
		return false
	}
	added := max(0, min(n, m.ingress[in]+n-int64(m.profile(in).Reserve)))
	taken := added
	for c := range sluice.Class(sluice.Classes) {
		if other := (portClass{in.port, c}); m.profile(other).Pool == pool {
			taken += m.shared(other)
		}
	}
	return added > 0 && exceeds(taken, m.limit(rules.Ingress[pool], m.free(pool)))
}

// mark returns the code point of a packet that has left a queue, by a step.
func (m *model) mark(q portClass, p *sluice.Packet) sluice.ECN {
	w := m.qos(q.port).WRED[q.class]
	if w == nil || p.ECN == sluice.NotECT {
		return p.ECN
	}
	color := qos.Green
	if p.Ingress != sluice.Local {
		color = m.qos(int(p.Ingress)).Colors[p.Class]
	}
	if length, _ := m.length(q); w.Mark[color] && length > int64(w.Curves[color].KMax) {
		return sluice.CE
	}
	return p.ECN
}

// last is how long so many bytes last at a rate, rounded up.
func last(n int64, rate sluice.Rate) sluice.Time {
	bits := new(big.Int).Mul(big.NewInt(n), big.NewInt(8*int64(sluice.Second)))
	bits.Add(bits, big.NewInt(int64(rate)-1))
	return sluice.Time(bits.Div(bits, big.NewInt(int64(rate))).Int64())
}

// shape takes a packet out of the buckets of its queue and of its port.
func (m *model) shape(now sluice.Time, q portClass, size int32) {
	rules := m.qos(q.port)
	if own := rules.Shapers[q.class]; own.Rate != 0 {
		m.rules.full[q] = max(m.rules.full[q], now) + last(int64(size), own.Rate)
	}
	if rules.Shaper.Rate != 0 {
		m.rules.portFull[q.port] = max(m.rules.portFull[q.port], now) +
			last(int64(size), rules.Shaper.Rate)
	}
	for c := range sluice.Class(sluice.Classes) {
		at, until := portClass{q.port, c}, sluice.Time(0)
		if own := rules.Shapers[c]; own.Rate != 0 {
			until = max(until, m.rules.full[at]-last(int64(own.Burst), own.Rate))
		}
		if own := rules.Shaper; own.Rate != 0 {
			until = max(until, m.rules.portFull[q.port]-last(int64(own.Burst), own.Rate))
		}
		if until > now {
			m.rules.slow[at] = until
		}
	}
}

// unshaped reports whether a Dequeue has no reason to move the deadline.
func (m *model) unshaped(q portClass, resumes bool) bool {
	rules := m.qos(q.port)
	return !resumes && rules.Shaper.Rate == 0 && rules.Shapers[q.class].Rate == 0
}

func (c *comparison) compareRules(t *rapid.T, at portClass) {
	counters := c.s.Port(sluice.PortID(at.port)).Counters().Class[at.class]
	dropped := uint64(0)
	for _, n := range counters.WREDDrops {
		dropped += n
	}
	for what, pair := range map[string][2]uint64{
		"QueueDrops": {counters.QueueDrops, c.m.rules.queueDrops[at]},
		"WREDDrops":  {dropped, c.m.rules.wredDrops[at]},
		"GroupDrops": {counters.GroupDrops, c.m.rules.groupDrops[at]},
	} {
		if pair[0] != pair[1] {
			t.Fatalf("port %d class %d: %s %d, the model's %d", at.port, at.class, what, pair[0], pair[1])
		}
	}
	for pool := range c.m.config.EgressPools {
		if got, want := int64(c.s.FreeOfEgress(pool)), c.m.freeEgress(pool); got != want {
			t.Fatalf("FreeOfEgress(%d) %d, the model's %d", pool, got, want)
		}
	}
}

// drawRuledConfig draws a configuration, as often as not with rules.
func drawRuledConfig(t *rapid.T) Config {
	c := drawConfig(t)
	if rapid.Bool().Draw(t, "rules") {
		for i := range c.Ports {
			c.Ports[i].ECN = [sluice.Classes]sluice.Marking{}
		}
		drawRules(t, &c)
	}
	return c
}

// drawRules draws rules for a configuration: WRED by steps, so that nothing is left to chance.
func drawRules(t *rapid.T, c *Config) {
	c.EgressPools = []sluice.Bytes{
		sluice.Bytes(rapid.IntRange(1, 60_000).Draw(t, "egress pool")), 20_000,
	}
	for i := range c.Ports {
		p := &c.Ports[i]
		if rapid.IntRange(0, 3).Draw(t, "no rules") == 0 {
			continue
		}
		p.QoS = drawQoS(t)
		p.QoS.Lossy &^= c.lossless(i)
		for rest := p.QoS.Lossy; rest != 0; rest &= rest - 1 {
			profile := *p.profile(lowest(rest))
			profile.Headroom = 0
			p.Profiles[lowest(rest)] = &profile
		}
		if rapid.Bool().Draw(t, "own groups") {
			p.Groups = drawGroups(t)
		}
	}
	c.Buffer = c.SetApart() + sluice.Bytes(rapid.IntRange(1, 60_000).Draw(t, "pool beside"))
}

func drawQoS(t *rapid.T) *qos.Port {
	q := &qos.Port{}
	often := func(what string) bool { return rapid.IntRange(0, 2).Draw(t, what) == 0 }
	anyMap := func(what string) *qos.Map {
		m := qos.Same()
		if often(what) {
			m[3], m[0] = sluice.Class(rapid.IntRange(0, 7).Draw(t, what)), 3
		}
		return &m
	}
	swap := func(what string) *qos.Map {
		m, c := qos.Same(), rapid.IntRange(0, 7).Draw(t, what)
		m[3], m[c] = m[c], m[3]
		return &m
	}
	q.Queue, q.Group = anyMap("queue map"), anyMap("group map")
	q.PauseQueue, q.PauseGroup = swap("pause queue map"), swap("pause group map")
	q.Lossy = sluice.ClassSet(rapid.IntRange(0, 0xff).Draw(t, "lossy groups"))
	limit := func(what string) (l qos.Limit) {
		switch rapid.IntRange(0, 2).Draw(t, what) {
		case 0:
			l.Static = sluice.Bytes(rapid.IntRange(1, 30_000).Draw(t, what))
		case 1:
			l.Alpha = drawRatio(t, what)
		}
		return l
	}
	if often("ingress limit") {
		q.Ingress = []qos.Limit{limit("ingress"), limit("ingress")}
	}
	if often("egress limit") {
		q.Egress = []qos.Limit{limit("egress")}
	}
	shaper := func(what string) (s qos.Shaper) {
		if often(what) {
			s.Rate = rapid.SampledFrom([]sluice.Rate{1 * sluice.Gbps, 7_777_777_777}).Draw(t, what)
			s.Burst = sluice.Bytes(rapid.SampledFrom([]int{0, 1500, 20_000}).Draw(t, what))
		}
		return s
	}
	q.Shaper = shaper("port shaper")
	for i := range sluice.Classes {
		if often("queue limit") {
			l := limit("queue")
			l.Pool = rapid.IntRange(0, 1).Draw(t, "egress pool of a queue")
			l.Reserve = sluice.Bytes(rapid.SampledFrom([]int{0, 2000}).Draw(t, "queue reserve"))
			q.Queues[i] = &l
		}
		q.Colors[i] = qos.Color(rapid.IntRange(0, 2).Draw(t, "colour"))
		if often("WRED") {
			q.WRED[i] = drawWRED(t)
		}
		q.Shapers[i] = shaper("queue shaper")
	}
	return q
}

func drawWRED(t *rapid.T) *qos.WRED {
	w := &qos.WRED{}
	for c := range w.Curves {
		at := sluice.Bytes(rapid.IntRange(1, 9000).Draw(t, "WRED step"))
		w.Curves[c] = sluice.Marking{KMin: at, KMax: at}
		w.Mark[c], w.Drop[c] = rapid.Bool().Draw(t, "mark"), rapid.Bool().Draw(t, "drop")
	}
	return w
}
