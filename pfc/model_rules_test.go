package pfc

import (
	"math/big"

	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc/qos"
)

// modelRules is what the model keeps for PortConfig.QoS.
type modelRules struct {
	local      map[portClass]int64 // by queue: bytes of local packets
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

// qos returns the rules of a port, rules that say nothing if it has none.
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

// room is what the alpha of a group is a share of: what the limit of the port leaves, where it is
// shared out.
func (m *model) room(in portClass) int64 {
	rules, pool := m.qos(in.port), m.profile(in).Pool
	if !rules.Shares || pool >= len(rules.Ingress) || rules.Ingress[pool] == (qos.Limit{}) {
		return m.free(pool)
	}
	limit := m.limit(rules.Ingress[pool], max(0, m.free(pool)))
	left := new(big.Int).Div(limit.Num(), limit.Denom()).Int64()
	for c := range sluice.Class(sluice.Classes) {
		if other := (portClass{in.port, c}); m.profile(other).Pool == pool {
			left -= m.shared(other)
		}
	}
	return max(0, left)
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

// last is how long n bytes last at a rate, rounded up.
func last(n int64, rate sluice.Rate) sluice.Time {
	bits := new(big.Int).Mul(big.NewInt(n), big.NewInt(8*int64(sluice.Second)))
	bits.Add(bits, big.NewInt(int64(rate)-1))
	return sluice.Time(bits.Div(bits, big.NewInt(int64(rate))).Int64())
}

// shape takes a packet out of the buckets of its queue and of its port.
func (m *model) shape(now sluice.Time, q portClass, size sluice.Bytes) {
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
