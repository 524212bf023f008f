package pfc

import (
	"fmt"

	"github.com/sluicefc/sluice"
)

type egressPools struct {
	size, free, peak [maxPools]int64
	overdrawn        [maxPools]int64 // below zero when a smaller configuration was taken over
}

// refuses reports whether rules of this egress refuse a packet of n bytes, and counts why.
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

// overLimit reports whether n bytes more in an account exceed what the port may take of its pool.
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

// room returns the base of an account's dynamic threshold: the free bytes of its pool, or the bytes
// that the port's own limit leaves of them where the port shares its limit out.
func (p *Port) room(a *account) int64 {
	free := p.owner.free[a.pool%maxPools]
	if p.state.rules == nil || !p.state.rules.shares[a.pool%maxPools] {
		return free
	}
	taken := int64(0)
	for i := range sluice.Class(sluice.Classes) {
		if other := p.account(i); other.pool == a.pool {
			taken += other.shared()
		}
	}
	return max(0, min(p.state.rules.in[a.pool].bytes(free)-taken, int64(MaxBuffer)))
}

// occupy takes n bytes of a packet from a port, which comes into a queue, of the queue's egress
// pool; when a packet leaves, -n gives its bytes back. The queue's own bytes do not count the
// packet yet.
func (p *Port) occupy(queue sluice.Class, n int64) {
	if p.state.rules == nil || !p.state.rules.limited.Has(queue) {
		return
	}
	l, e, used := &p.state.rules.limits[queue], &p.owner.egress, p.used(queue)
	e.free[l.pool] -= max(0, used+n-l.reserve) - max(0, used-l.reserve)
	e.peak[l.pool] = max(e.peak[l.pool], e.size[l.pool]-e.free[l.pool])
}

func (s *Switch) setEgressPools() {
	e := &s.egress
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
