package pfc

import (
	"fmt"

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

// egressPools are the amounts of Config.EgressPools.
type egressPools struct {
	size, free, peak [maxPools]int64
	overdrawn        [maxPools]int64 // below zero when a smaller configuration was taken over
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

// groupOf returns the priority group whose priority is that of a queue; queueOf is its inverse.
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

// refuses reports whether the rules of this egress refuse a packet from a port, which takes n bytes,
// and counts why.
func (p *Port) refuses(packet *sluice.Packet, queue sluice.Class, n int64) bool {
	r, c := p.state.rules, &p.state.counters.Class[queue]
	if r == nil {
		return false
	}
	if r.limited.Has(queue) {
		l := &r.limits[queue]
		free := p.owner.egress.free[l.pool]
		if beyond := p.used(queue) + n - l.reserve; beyond > 0 {
			take := min(n, beyond)
			if take > free || l.exceededBy(beyond, free) ||
				r.out[l.pool].exceededBy(p.sharedOut(l.pool)+take, free) {
				c.QueueDrops++
				return true
			}
		}
	}
	if r.wred.Has(queue) {
		color := p.color(packet)
		if r.droppers[queue].Drops(color, packet.ECN, p.queues[queue].bytes) {
			c.WREDDrops[color]++
			return true
		}
	}
	return false
}

// used returns what packets from ports take of the buffer in a queue.
func (p *Port) used(queue sluice.Class) int64 {
	return p.queues[queue].bytes - p.state.rules.local[queue]
}

// holds reports whether a queue holds n bytes of packets from ports.
func (p *Port) holds(queue sluice.Class, n int64) bool {
	return p.state.rules == nil || n <= p.used(queue)
}

// sharedOut returns what the queues of this egress have taken of an egress pool.
func (p *Port) sharedOut(pool uint8) (sum int64) {
	r := p.state.rules
	for i := range sluice.Class(sluice.Classes) {
		if r.limited.Has(i) && r.limits[i].pool == pool {
			sum += max(0, p.used(i)-r.limits[i].reserve)
		}
	}
	return sum
}

// overLimit reports whether n bytes more in an account of this ingress exceed what the port may take
// of its pool.
func (p *Port) overLimit(a *account, n int64) bool {
	beyond := a.beyond(n)
	if beyond <= 0 || p.state.rules == nil {
		return false
	}
	taken := min(n, beyond)
	for i := range sluice.Class(sluice.Classes) {
		if other := p.account(i); other.pool == a.pool {
			taken += other.shared()
		}
	}
	return p.state.rules.in[a.pool].exceededBy(taken, p.owner.free[a.pool])
}

// occupy takes n bytes of a packet from a port, which comes into a queue, of the queue's egress
// pool; -n bytes of one that leaves are given back. The queue's bytes are those before.
func (p *Port) occupy(queue sluice.Class, n int64) {
	if p.state.rules == nil || !p.state.rules.limited.Has(queue) {
		return
	}
	l, e, used := &p.state.rules.limits[queue], &p.owner.egress, p.used(queue)
	e.free[l.pool] -= max(0, used+n-l.reserve) - max(0, used-l.reserve)
	e.peak[l.pool] = max(e.peak[l.pool], e.size[l.pool]-e.free[l.pool])
}

// shapes reports whether the port has a shaper.
func (r *rules) shapes() bool { return r != nil && r.shaped }

// shape takes a packet that is sent now out of its buckets.
func (p *Port) shape(queue sluice.Class, size sluice.Bytes) sluice.Wake {
	r, now := p.state.rules, p.owner.clock.Now()
	r.shapers[queue].Take(now, size)
	r.shaper.Take(now, size)
	queues := sluice.ClassSet(1) << queue
	if r.shaper.Ready() > now {
		queues = sluice.AllClasses
	}
	p.delay(queues)
	return p.reblock() | p.reschedule()
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

// setEgressPools sets the sizes of the egress pools, and works out what is free of each.
func (s *Switch) setEgressPools() {
	e := &s.egress
	e.size = [maxPools]int64{}
	for i, size := range s.config.EgressPools {
		e.size[i] = int64(size)
	}
	e.free = e.size
	for pool, taken := range s.takenOfEgress() {
		e.free[pool] -= taken
		e.overdrawn[pool] = min(0, e.free[pool])
	}
}

func (s *Switch) takenOfEgress() (taken [maxPools]int64) {
	for i := range s.ports {
		p := &s.ports[i]
		for pool := range s.config.EgressPools {
			taken[pool] += p.sharedOut(uint8(pool))
		}
	}
	return taken
}

func (e *egressPools) clearPeaks() {
	for i := range e.peak {
		e.peak[i] = e.size[i] - e.free[i]
	}
}

// auditEgress checks invariant 2 of the egress pools, and 3 of what queues hold from no port.
func (s *Switch) auditEgress() error {
	for pool, taken := range s.takenOfEgress() {
		if e := &s.egress; e.free[pool] < e.overdrawn[pool] || e.free[pool]+taken != e.size[pool] {
			return fmt.Errorf("pfc: invariant 2: %d bytes free and %d taken of egress pool %d of %d",
				e.free[pool], taken, pool, e.size[pool])
		}
	}
	for i := range s.ports {
		r := s.ports[i].state.rules
		for q := range sluice.Class(sluice.Classes) {
			if r != nil && (r.local[q] < 0 || s.ports[i].used(q) < 0) {
				return fmt.Errorf("pfc: port %d: invariant 3: queue %d holds %d bytes, %d from no port",
					i, q, s.ports[i].queues[q].bytes, r.local[q])
			}
		}
	}
	return nil
}
