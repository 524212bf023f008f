package pfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
	"github.com/sluicefc/sluice/internal/fields"
	"github.com/sluicefc/sluice/pfc/qos"
)

// ClassCounters is what happened to one class of one port since New.
type ClassCounters struct {
	// As an egress.

	Enqueued         uint64                    // packets appended to the queue
	Transmitted      uint64                    // packets sent from it
	EnqueuedBytes    sluice.Bytes              // their sizes
	TransmittedBytes sluice.Bytes              // and bytes of packets sent
	Dropped          [sluice.NumReasons]uint64 // packets discarded, by reason: see StormCounters
	DroppedBytes     sluice.Bytes              // and their sizes
	QueueDrops       uint64                    // of them by limits of queue, port or egress pool
	WREDDrops        [qos.Colors]uint64        // of them by WRED, by colour
	Marked           uint64                    // packets marked CE
	MarkedBytes      sluice.Bytes              // and their sizes
	BacklogPeak      sluice.Bytes              `sum:"max"` // longest the queue has been

	PausesReceived  uint64      // pauses obeyed: frames with a time above zero
	ResumesReceived uint64      // resumes obeyed: frames with time zero
	PausesIgnored   uint64      // frames for the class, which is not lossless here
	Holds           uint64      // times the class went from sending to held
	Expiries        uint64      // times a pause ran out without a resume
	HeldTime        sluice.Time // how long it was held, a hold under way included; at most Never
	Storms          uint64      // pause storms the watchdog found
	Restores        uint64      // and ended

	Storm     StormCounters // packets passed and lost in all storms of the class
	LastStorm StormCounters // in the storm under way, or in the last one

	// As an ingress.

	Received        uint64       // packets taken in from this port, to whatever queue
	ReceivedBytes   sluice.Bytes // their sizes
	XOffs           uint64       // times the ingress went over its threshold
	XOns            uint64       // times it came down again
	Refreshes       uint64       // pauses sent anew because a third of their time had passed
	PausesSent      uint64       // frames sent that pause it; classic ones while it needs that
	ResumesSent     uint64       // frames sent that speak of the class and do not pause it
	PausedTime      sluice.Time  // how long it was to be paused, until now; at most Never
	IngressPeak     sluice.Bytes `sum:"max"` // most bytes the ingress has held
	SharedPeak      sluice.Bytes `sum:"max"` // most of them in its pool, with Config.Watermarks
	HeadroomPeak    sluice.Bytes `sum:"max"` // most of them in headroom
	HeadroomMissing sluice.Bytes `sum:"max"` // most by which a packet had no room
	HeadroomDrops   uint64       // lossless packets lost to that
	GroupDrops      uint64       // lossy packets lost to limits of the group, the port or its pool
	// XOffMargin is the least distance to a pause so far: how many more bytes of an arriving
	// packet's account would have been X_off. 0 or less once the ingress has been paused. It is
	// MaxBuffer before the first packet.
	XOffMargin sluice.Bytes `sum:"min"`
}

// StormCounters counts the packets passed and lost at a (port, class) while it was in a pause
// storm: SONiC's counters TX OK/DROP and RX OK/DROP, and LAST. A packet that the watchdog drops
// because of its egress counts in Dropped of the egress port, a packet that it drops because of its
// ingress in Dropped of the ingress port: each at the port of the storm.
type StormCounters struct {
	TxOK, TxDrop uint64 // packets sent from the queue, and discarded from it or for it
	RxOK, RxDrop uint64 // packets taken in from the port, and discarded because they came in by it
}

func (c *StormCounters) add(o *StormCounters) {
	c.TxOK += o.TxOK
	c.TxDrop += o.TxDrop
	c.RxOK += o.RxOK
	c.RxDrop += o.RxDrop
}

func (c StormCounters) since(begin *StormCounters) StormCounters {
	return StormCounters{
		c.TxOK - begin.TxOK, c.TxDrop - begin.TxDrop, c.RxOK - begin.RxOK, c.RxDrop - begin.RxDrop,
	}
}

// stormCounters returns what StormCounters are differences of.
func (p *Port) stormCounters(class sluice.Class) StormCounters {
	w := &p.state.watch[class]
	return StormCounters{
		p.queues[class].transmitted, w.txDrop, p.account(p.state.maps.groupOf[class]).packets, w.rxDrop,
	}
}

// PortCounters is what happened at one port since New.
type PortCounters struct {
	sluice.Counters
	PausesSent  uint64 // frames sent that pause a class
	ResumesSent uint64 // frames sent that pause none
	Class       [sluice.Classes]ClassCounters
}

// Counters is what happened at a switch since New: the sums over its ports, with maxima for peaks
// and minima for margins.
type Counters struct {
	PortCounters
	BufferPeak sluice.Bytes // most bytes held in all queues
	// Most taken of each pool, with Config.Watermarks; and most bytes in all headrooms together, of a
	// shared headroom pool or not.
	PoolPeak         [maxPools]sluice.Bytes
	HeadroomPoolPeak sluice.Bytes
	EgressPoolPeak   [maxPools]sluice.Bytes // most taken of each of Config.EgressPools
	StormEventsLost  uint64                 // events that PollStorm was not asked for in time
}

// tally is the part of PortCounters that a port counts itself, without the counters of its queues,
// accounts and watchdog: a port is smaller without the rest.
type tally struct {
	sluice.Counters
	PausesSent, ResumesSent uint64
	Class                   [sluice.Classes]classTally
}

type classTally struct {
	Dropped                                         [sluice.NumReasons]uint64
	DroppedBytes, MarkedBytes                       sluice.Bytes
	QueueDrops, Marked                              uint64
	WREDDrops                                       [qos.Colors]uint64
	PausesReceived, ResumesReceived, PausesIgnored  uint64
	Holds, Expiries, Storms, Restores               uint64
	XOffs, XOns, Refreshes, PausesSent, ResumesSent uint64
	HeldTime, PausedTime                            sluice.Time
	HeadroomPeak, HeadroomMissing                   sluice.Bytes
	HeadroomDrops, GroupDrops                       uint64
}

// Counters returns a copy of the port's counters.
func (p *Port) Counters() PortCounters {
	t := &p.state.counters
	counters := PortCounters{
		Counters: p.common(), PausesSent: t.PausesSent, ResumesSent: t.ResumesSent,
	}
	for i := range counters.Class {
		p.countersOf(i, &t.Class[i], &counters.Class[i])
	}
	return counters
}

func (p *Port) countersOf(i int, t *classTally, c *ClassCounters) {
	s, now := p.state, p.owner.clock.Now()
	a, q, w := p.account(sluice.Class(i)), &p.queues[i], &s.watch[i]
	*c = ClassCounters{
		Enqueued: q.enqueued, Transmitted: q.transmitted, BacklogPeak: sluice.Bytes(q.peak),
		EnqueuedBytes: sluice.Bytes(q.bytesIn), TransmittedBytes: sluice.Bytes(q.bytesOut),
		Dropped: t.Dropped, DroppedBytes: t.DroppedBytes, QueueDrops: t.QueueDrops,
		WREDDrops: t.WREDDrops, Marked: t.Marked, MarkedBytes: t.MarkedBytes,
		PausesReceived: t.PausesReceived, ResumesReceived: t.ResumesReceived,
		PausesIgnored: t.PausesIgnored, Holds: t.Holds, Expiries: t.Expiries, HeldTime: t.HeldTime,
		Storms: t.Storms, Restores: t.Restores, Storm: w.all, LastStorm: w.last,
		Received: a.packets, ReceivedBytes: sluice.Bytes(a.received),
		XOffs: t.XOffs, XOns: t.XOns, Refreshes: t.Refreshes,
		PausesSent: t.PausesSent, ResumesSent: t.ResumesSent, PausedTime: t.PausedTime,
		IngressPeak: sluice.Bytes(a.peak), SharedPeak: sluice.Bytes(a.sharedPeak),
		HeadroomPeak: t.HeadroomPeak, HeadroomMissing: t.HeadroomMissing,
		HeadroomDrops: t.HeadroomDrops, GroupDrops: t.GroupDrops, XOffMargin: a.leastMargin(),
	}
	if s.storming>>i&1 != 0 {
		c.LastStorm = p.stormCounters(sluice.Class(i)).since(&w.begin)
		c.Storm.add(&c.LastStorm)
	}
	if s.held>>i&1 != 0 {
		c.HeldTime = c.HeldTime.Add(chassis.Span(s.heldSince[i], now))
	}
	if p.paused>>i&1 != 0 {
		c.PausedTime = c.PausedTime.Add(chassis.Span(s.pausedSince[i], now))
	}
}

// common returns what every protocol counts.
func (p *Port) common() sluice.Counters {
	c := p.state.counters.Counters
	for i := range p.queues {
		c.Enqueued += p.queues[i].enqueued
		c.Transmitted += p.queues[i].transmitted
	}
	return c
}

// XOffMargin returns the counter of this name of a class, without a look at the others; MaxBuffer
// for a class that does not exist. O(1).
func (p *Port) XOffMargin(class sluice.Class) sluice.Bytes {
	if class >= sluice.Classes {
		return MaxBuffer
	}
	return p.account(class).leastMargin()
}

// Untroubled reports whether XOffs and HeadroomDrops are zero at all ports. O(1).
func (s *Switch) Untroubled() bool { return !s.troubled }

// Counters returns the sums over all ports, of peaks the highest, of margins the least. A now of
// Never is counted here and at no port. It allocates. O(ports).
func (s *Switch) Counters() Counters {
	total := Counters{
		PortCounters: fields.Total(s.ports, (*Port).Counters),
		BufferPeak:   sluice.Bytes(s.peak), HeadroomPoolPeak: sluice.Bytes(s.headroomPeak),
		StormEventsLost: s.watchdog.events.lost,
	}
	for i, peak := range s.poolPeak {
		total.PoolPeak[i], total.EgressPoolPeak[i] = sluice.Bytes(peak), sluice.Bytes(s.egress.peak[i])
	}
	total.Misuse += s.clock.Misuses
	return total
}
