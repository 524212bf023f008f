package pfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
	"github.com/sluicefc/sluice/pfc/qos"
)

// rules are what PortConfig.QoS says of a port, worked out. If one port of a switch has some, all
// have: packets of every port meet maps and limits of others.
type rules struct {
	limited sluice.ClassSet // queues with a limit
	limits  [sluice.Classes]queueLimit
	in, out [maxPools]threshold // of the port
	shares  [maxPools]bool      // of the port's groups, in what in leaves: see qos.Port.Shares

	colors   [sluice.Classes]qos.Color
	wred     sluice.ClassSet // queues with droppers
	droppers [sluice.Classes]qos.Dropper
	shaped   bool
	shaper   qos.Bucket
	shapers  [sluice.Classes]qos.Bucket
	local    [sluice.Classes]int64 // bytes of each queue that came from no port
}

// mapped are the maps of a port, worked out: of the same numbers where it has none.
type mapped struct {
	queue    qos.Map // of a class at this egress
	group    qos.Map // of a class at this ingress
	priority qos.Map // of the frames about a priority group
	holds    qos.Map // the queue that a priority holds
	groupOf  qos.Map // of the same priority as a queue
	queueOf  qos.Map // and back
}

type queueLimit struct {
	threshold
	reserve int64
	pool    uint8
}

func (c *Config) ruled() bool {
	for i := range c.Ports {
		if c.Ports[i].QoS != nil {
			return true
		}
	}
	return len(c.EgressPools) > 0
}

// accounted returns the groups that are lossless at an ingress, or held to a profile.
func (c *Config) accounted(port int) sluice.ClassSet {
	if q := c.Ports[port].QoS; q != nil {
		return c.lossless(port) | q.Lossy&sluice.AllClasses
	}
	return c.lossless(port)
}

func (p *PortConfig) sameMaps(other *PortConfig) bool {
	a, b, c, d := p.QoS.Maps()
	e, f, g, h := other.QoS.Maps()
	return a == e && b == f && c == g && d == h
}

func (p *Port) setRules() {
	s, t := p.owner, p.state
	m, of := &t.maps, s.config.Ports[p.id].QoS
	var pauseGroup qos.Map
	m.queue, m.group, m.holds, pauseGroup = of.Maps()
	m.priority = pauseGroup.Inverse()
	for q, priority := range m.holds.Inverse() {
		m.groupOf[q] = pauseGroup[priority]
	}
	m.queueOf = m.groupOf.Inverse()
	if !s.config.ruled() {
		return
	}
	if t.rules == nil {
		t.rules = &rules{}
	}
	r := t.rules
	if of == nil {
		of = &qos.Port{}
	}
	for i := range r.in {
		r.in[i], r.out[i] = limitAt(of.Ingress, i), limitAt(of.Egress, i)
		r.shares[i] = of.Shares && i < len(of.Ingress) && of.Ingress[i] != (qos.Limit{})
	}
	r.colors, r.limited, r.wred = of.Colors, 0, 0
	r.shaped = of.Shaper.Rate != 0
	r.shaper.Set(of.Shaper)
	for i := range sluice.Class(sluice.Classes) {
		if l := of.Queues[i]; l != nil {
			r.limited |= 1 << i
			r.limits[i] = queueLimit{limitOf(l), int64(l.Reserve), uint8(l.Pool)}
		}
		if of.WRED[i] != nil {
			r.wred |= 1 << i
		}
		seed := prng.Mix(s.config.Seed+uint64(p.id)) + uint64(i)
		r.droppers[i] = qos.NewDropper(of.WRED[i], prng.Mix(seed))
		r.shaped = r.shaped || of.Shapers[i].Rate != 0
		r.shapers[i].Set(of.Shapers[i])
	}
	if s.clock.Told() && !p.down {
		p.delay(sluice.AllClasses)
	}
}

func limitAt(limits []qos.Limit, i int) threshold {
	if i >= len(limits) {
		return dynamicThreshold(sluice.Ratio{})
	}
	return limitOf(&limits[i])
}

func limitOf(l *qos.Limit) threshold {
	if l.Static != 0 {
		return staticThreshold(int64(l.Static))
	}
	return dynamicThreshold(l.Alpha)
}

func (p *Port) queueFor(packet *sluice.Packet) sluice.Class {
	class := p.leaving(packet)
	if class < sluice.Classes {
		return p.state.maps.queue[class]
	}
	return class
}

func (p *Port) color(packet *sluice.Packet) qos.Color {
	if int(packet.Ingress) >= len(p.owner.ports) {
		return qos.Green
	}
	return p.owner.ports[packet.Ingress].state.rules.colors[packet.Class%sluice.Classes]
}

// marksAbove returns the length that a queue must exceed for a packet to be marked.
func (p *Port) marksAbove(queue sluice.Class) int64 {
	if r := p.state.rules; r != nil && r.wred.Has(queue) {
		return r.droppers[queue].Above()
	}
	return p.state.marks[queue%sluice.Classes].Above()
}

func (r *rules) shapes() bool { return r != nil && r.shaped }

// shape takes a packet that is sent now out of its buckets.
func (p *Port) shape(queue sluice.Class, size sluice.Bytes) {
	r, now := p.state.rules, p.owner.clock.Now()
	r.shapers[queue].Take(now, size)
	r.shaper.Take(now, size)
	queues := sluice.ClassSet(1) << queue
	if r.shaper.Ready() > now {
		queues = sluice.AllClasses
	}
	p.delay(queues)
	p.reblock()
	p.reschedule()
}

// delay works out which of some queues may not send yet.
func (p *Port) delay(queues sluice.ClassSet) {
	r, t := p.state.rules, p.state
	for rest := queues; rest != 0; rest &= rest - 1 {
		q := lowest(rest)
		t.slow &^= 1 << q
		if t.ready[q] = max(r.shapers[q].Ready(), r.shaper.Ready()); t.ready[q] > p.owner.clock.Now() {
			t.slow |= 1 << q
		}
	}
}

func (s *Switch) rebaseRules(by sluice.Time) {
	for i := range s.ports {
		if r := s.ports[i].state.rules; r != nil {
			r.shaper.Rebase(by)
			for q := range r.shapers {
				r.shapers[q].Rebase(by)
			}
		}
	}
}
