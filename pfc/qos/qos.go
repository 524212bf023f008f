// Package qos is what the port of a switch does beside flow control, under the names that SONiC and
// SAI have for it: maps from classes to queues and priority groups, limits of egress queues and of
// ports, WRED in three colours, and shapers. A pfc.PortConfig takes a [Port]. [Dropper] and
// [Bucket] are the two parts with a state, for machines of an embedder's own too. Nothing allocates
// but what makes a Port.
//
//	there                                  here
//	-------------------------------------  -------------------------------------------
//	TC_TO_QUEUE_MAP                        Port.Queue
//	TC_TO_PRIORITY_GROUP_MAP               Port.Group
//	MAP_PFC_PRIORITY_TO_QUEUE              Port.PauseQueue
//	PFC_PRIORITY_TO_PRIORITY_GROUP_MAP     Port.PauseGroup
//	BUFFER_QUEUE, its BUFFER_PROFILE       Port.Queues, a Limit
//	BUFFER_PORT_INGRESS_PROFILE_LIST       Port.Ingress, on Spectrum-4 with Port.Shares
//	BUFFER_PORT_EGRESS_PROFILE_LIST        Port.Egress
//	BUFFER_PG of a lossy priority group    Port.Lossy
//	WRED_PROFILE (QUEUE)                   Port.WRED
//	DSCP_TO_COLOR                          Port.Colors, by class
//	SCHEDULER pir, pbs (QUEUE)             Port.Shapers
//	SCHEDULER pir, pbs (PORT_QOS_MAP)      Port.Shaper
//
// # Deviations
//
//   - A chip's WRED looks at a mean of the queue's length, whose weight is SAI's WRED weight. Here
//     it is the length itself, as with the weight 0.
//   - A chip marks at the tail. Here what may be marked is marked as it leaves, by the queue that
//     it leaves behind, and what may not is dropped as it arrives, by the queue that it finds.
//   - A packet has the colour of its class at its ingress: a [sluice.Packet] has none, so a meter
//     or a map of code points cannot colour packets of one class apart.
//   - A guaranteed rate (SAI's minimum bandwidth, SONiC's cir) is not there.
package qos

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
)

// Map says which queue, priority group or class goes with each class or pause priority.
type Map [sluice.Classes]sluice.Class

// Same returns the map that a nil Map stands for: each number goes with itself.
func Same() (m Map) {
	for i := range m {
		m[i] = sluice.Class(i)
	}
	return m
}

// Inverse returns the map back, of a map in which no number comes twice.
func (m Map) Inverse() (back Map) {
	for from, to := range m {
		back[to%sluice.Classes] = sluice.Class(from)
	}
	return back
}

// Of returns what the classes of a set go with.
func (m Map) Of(set sluice.ClassSet) (of sluice.ClassSet) {
	for from, to := range m {
		if set.Has(sluice.Class(from)) {
			of |= 1 << to
		}
	}
	return of
}

func (m *Map) orSame() Map {
	if m == nil {
		return Same()
	}
	return *m
}

// Port is what one port does. The zero Port does nothing.
type Port struct {
	// Queue is the queue at this egress of the packets of each class, Group the priority group at
	// this ingress. Nil: the queue or group of the same number.
	Queue, Group *Map
	// PauseQueue is the queue of this egress that a pause frame received for a priority holds,
	// PauseGroup the priority group of this ingress for which a frame of that priority is sent. No
	// number comes twice. Nil: the queue and group of the same number.
	PauseQueue, PauseGroup *Map

	// Lossy are priority groups that are not lossless, and are held to their profile all the same:
	// their bytes are counted to the profile's pool, and a packet above the threshold is dropped.
	// Zero: none. Their profiles have no Headroom. The others of the lossy groups have no limit at
	// the ingress.
	Lossy sluice.ClassSet
	// Ingress and Egress limit the bytes that this port takes of a pool beyond reserves: of the
	// ingress pool or the egress pool whose number is the index. A packet of a lossless group that
	// an ingress limit refuses goes to the group's headroom.
	Ingress, Egress []Limit
	// Shares: the threshold of a priority group is its alpha times the rest of the port's Ingress
	// limit, beside the bytes that the port's groups have taken of the pool, and not times the free
	// bytes of the pool. So groups that fill share the port's part, as Spectrum-4 has it. Pools
	// without such a limit, and groups whose threshold is static, are as without it.
	Shares bool
	// Queues limits each queue of this egress. Nil: no limit.
	Queues [sluice.Classes]*Limit

	// Colors are the colours of the packets of each class that come in by this port.
	Colors [sluice.Classes]Color
	// WRED of each queue of this egress. Nil: none.
	WRED [sluice.Classes]*WRED

	// Shaper limits the rate of this egress, Shapers the rate of each queue.
	Shaper  Shaper
	Shapers [sluice.Classes]Shaper
}

// Limit is the profile of an egress queue, or a port's limit on a pool. Packets that come from no
// port are neither limited nor counted.
type Limit struct {
	// Alpha limits by the dynamic threshold Alpha times the free bytes of the pool, SONiC's
	// dynamic_th as a power of two.
	Alpha sluice.Ratio
	// Static is a limit in bytes, SONiC's static_th. At most one of both is given; none: the pool
	// is the limit.
	Static sluice.Bytes
	// Reserve is set apart for the queue, SONiC's size, in bytes. 0 for a port.
	Reserve sluice.Bytes
	// Pool of a queue is the egress pool that it shares, counted from 0. 0 for a port.
	Pool int
}

// Shaper is a token bucket: a packet goes while the bucket is not in debt, and the debt of the last
// one is paid at Rate. The zero Shaper is off.
type Shaper struct {
	Rate  sluice.Rate  // SONiC's pir, in bits per second
	Burst sluice.Bytes // SONiC's pbs: what goes at once after a pause, before the packet that owes
}

// Clone returns a copy that shares nothing.
func (p *Port) Clone() *Port {
	if p == nil {
		return nil
	}
	c := *p
	for _, m := range []**Map{&c.Queue, &c.Group, &c.PauseQueue, &c.PauseGroup} {
		*m = clone(*m)
	}
	c.Ingress, c.Egress = append([]Limit(nil), p.Ingress...), append([]Limit(nil), p.Egress...)
	for i := range c.Queues {
		c.Queues[i], c.WRED[i] = clone(c.Queues[i]), clone(c.WRED[i])
	}
	return &c
}

func clone[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}

// Maps returns the four maps, each as it is meant. For a nil Port each number goes with itself.
func (p *Port) Maps() (queue, group, pauseQueue, pauseGroup Map) {
	if p == nil {
		return Same(), Same(), Same(), Same()
	}
	return p.Queue.orSame(), p.Group.orSame(), p.PauseQueue.orSame(), p.PauseGroup.orSame()
}

// QueuesOf returns the queues that pauses for some priority groups hold at the other end, if that
// has the same maps.
func (p *Port) QueuesOf(groups sluice.ClassSet) sluice.ClassSet {
	_, _, pauseQueue, pauseGroup := p.Maps()
	return pauseQueue.Of(pauseGroup.Inverse().Of(groups))
}

const (
	slowest   = 8 * sluice.Kbps // at which the debt of the largest packet is paid within a month
	most      = 1<<31 - 1
	ruleBytes = "must be 0 to 2^31-1"
)

// Check returns nil if the port keeps the rules in a switch with the given numbers of ingress and
// egress pools, otherwise a [*sluice.ConfigError] with the field that does not.
func (p *Port) Check(ingress, egress int) error {
	k := check.Of("qos", "Port")
	checkMap(k, "Queue", p.Queue, false)
	checkMap(k, "Group", p.Group, false)
	checkMap(k, "PauseQueue", p.PauseQueue, true)
	checkMap(k, "PauseGroup", p.PauseGroup, true)
	k.That(p.Lossy <= sluice.AllClasses|sluice.NoClasses, uint16(p.Lossy),
		"must be groups of 0 to 7, or NoClasses", "Lossy")
	k.That(len(p.Ingress) <= ingress, len(p.Ingress), "must have a pool for each", "Ingress")
	k.That(len(p.Egress) <= egress, len(p.Egress), "must have a pool for each", "Egress")
	for i := range p.Ingress {
		p.Ingress[i].check(k, "Ingress[%d].", i, 0)
	}
	for i := range p.Egress {
		p.Egress[i].check(k, "Egress[%d].", i, 0)
	}
	p.Shaper.check(k, "Shaper.")
	for i := range sluice.Classes {
		if l := p.Queues[i]; l != nil {
			l.check(k, "Queues[%d].", i, egress)
		}
		if w := p.WRED[i]; w != nil {
			w.check(k, i)
		}
		k.That(p.Colors[i] < Colors, p.Colors[i], "must be green, yellow or red", "Colors[%d]", i)
		p.Shapers[i].check(k, "Shapers[%d].", i)
	}
	return k.Err()
}

func checkMap(k *check.Config, field string, m *Map, once bool) {
	var seen sluice.ClassSet
	for from, to := range m.orSame() {
		k.That(to < sluice.Classes, to, "must be 0 to 7", field+"[%d]", from)
		k.That(!once || !seen.Has(to), to, "must not come twice", field+"[%d]", from)
		seen |= 1 << (to % sluice.Classes)
	}
}

// check checks the limit of a queue, which may share one of the given number of pools, or of a
// port, if there are 0.
func (l *Limit) check(k *check.Config, prefix string, at, pools int) {
	k.That(l.Alpha == sluice.Ratio{} || l.Alpha.Valid(), l.Alpha, "both terms must be 1 to 2^20",
		prefix+"Alpha", at)
	k.That(l.Static >= 0 && l.Static <= sluice.MaxMarking, l.Static, "must be 0 to 4 TiB",
		prefix+"Static", at)
	k.That(l.Static == 0 || l.Alpha == sluice.Ratio{}, l.Static, "must be zero where Alpha is given",
		prefix+"Static", at)
	if pools == 0 {
		k.That(l.Reserve == 0, l.Reserve, "must be zero: a port has no reserve", prefix+"Reserve", at)
		k.That(l.Pool == 0, l.Pool, "must be zero: the pool is the index", prefix+"Pool", at)
		return
	}
	k.That(l.Reserve >= 0 && l.Reserve <= most, l.Reserve, ruleBytes, prefix+"Reserve", at)
	k.That(l.Pool >= 0 && l.Pool < pools, l.Pool, "must be an egress pool, from 0 on",
		prefix+"Pool", at)
}

func (s *Shaper) check(k *check.Config, prefix string, at ...any) {
	k.That(s.Rate == 0 || s.Rate >= slowest, s.Rate, "must be at least 8 kb/s, or 0 for off",
		prefix+"Rate", at...)
	k.That(s.Burst >= 0 && s.Burst <= most, s.Burst, ruleBytes, prefix+"Burst", at...)
	k.That(s.Burst == 0 || s.Rate > 0, s.Burst, "must be zero where Rate is", prefix+"Burst", at...)
}
