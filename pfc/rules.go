package pfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
	"github.com/sluicefc/sluice/pfc/qos"
)

// rules are what PortConfig.QoS says of a port, worked out. If one port of a switch has some, all
// have: packets of every port meet maps and limits of others.
type rules struct {
	queue    qos.Map         // of a class at this egress
	group    qos.Map         // of a class at this ingress
	priority qos.Map         // of the frames about a priority group
	holds    qos.Map         // the queue that a priority holds
	groupOf  qos.Map         // of the same priority as a queue
	queueOf  qos.Map         // and back
	limited  sluice.ClassSet // queues with a limit
	limits   [sluice.Classes]queueLimit
	in, out  [maxPools]threshold // of the port
	colors   [sluice.Classes]qos.Color
	wred     sluice.ClassSet // queues with droppers
	droppers [sluice.Classes]qos.Dropper
	shaped   bool
	shaper   qos.Bucket
	shapers  [sluice.Classes]qos.Bucket
	local    [sluice.Classes]int64 // bytes of each queue that came from no port
}

type queueLimit struct {
	threshold
	reserve int64
	pool    uint8
}

// ruled reports whether a port has rules.
func (c *Config) ruled() bool {
	for i := range c.Ports {
		if c.Ports[i].QoS != nil {
			return true
		}
	}
	return len(c.EgressPools) > 0
}

// accounted returns the priority groups that are accounted at an ingress: those that are lossless,
// and those that are held to a profile.
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

// setRules takes over the rules of the configuration.
func (p *Port) setRules() {
	s, t := p.owner, p.state
	if !s.config.ruled() {
		t.rules, t.slow = nil, 0
		return
	}
	r, of := t.rules, s.config.Ports[p.id].QoS
	if r == nil {
		r = &rules{}
		t.rules = r
	}
	var pauseGroup qos.Map
	r.queue, r.group, r.holds, pauseGroup = of.Maps()
	r.priority = pauseGroup.Inverse()
	for q, priority := range r.holds.Inverse() {
		r.groupOf[q] = pauseGroup[priority]
	}
	r.queueOf = r.groupOf.Inverse()
	if of == nil {
		of = &qos.Port{}
	}
	for i := range r.in {
		r.in[i], r.out[i] = limitAt(of.Ingress, i), limitAt(of.Egress, i)
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
	t.slow = 0
	if s.clock.Told() {
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

// groupFor returns the priority group of a class at this ingress.
func (p *Port) groupFor(class sluice.Class) sluice.Class {
	if r := p.state.rules; r != nil {
		return r.group[class%sluice.Classes]
	}
	return class
}

// queueFor returns the queue of a packet at this egress.
func (p *Port) queueFor(packet *sluice.Packet) sluice.Class {
	class := p.leaving(packet)
	if r := p.state.rules; r != nil && class < sluice.Classes {
		return r.queue[class]
	}
	return class
}

// priorityOf returns the priority in frames about a group, heldBy the queue that a priority holds.
func (p *Port) priorityOf(group sluice.Class) sluice.Class {
	if r := p.state.rules; r != nil {
		return r.priority[group]
	}
	return group
}

func (p *Port) heldBy(priority sluice.Class) sluice.Class {
	if r := p.state.rules; r != nil {
		return r.holds[priority]
	}
	return priority
}

// groupOf returns the priority group that has the priority of a queue; queueOf is its inverse.
func (p *Port) groupOf(queue sluice.Class) sluice.Class {
	if r := p.state.rules; r != nil {
		return r.groupOf[queue]
	}
	return queue
}

func (p *Port) queueOf(group sluice.Class) sluice.Class {
	if r := p.state.rules; r != nil {
		return r.queueOf[group]
	}
	return group
}

func (p *Port) queuesOf(groups sluice.ClassSet) sluice.ClassSet {
	if r := p.state.rules; r != nil {
		return r.queueOf.Of(groups)
	}
	return groups
}

// color returns the colour of a packet.
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
	return p.state.marking[queue%sluice.Classes].Above()
}
