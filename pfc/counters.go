package pfc

import "github.com/sluicefc/sluice"

// ClassCounters is what happened to one class of one port since New.
type ClassCounters struct {
	// As an egress.

	Enqueued    uint64       // packets appended to the queue
	Transmitted uint64       // packets sent from it
	Dropped     uint64       // packets discarded, for any reason, at this egress
	Marked      uint64       // packets marked CE
	BacklogPeak sluice.Bytes // longest the queue has been

	PausesReceived  uint64      // pauses obeyed: frames with a time above zero
	ResumesReceived uint64      // resumes obeyed: frames with time zero
	PausesIgnored   uint64      // frames for the class, which is not lossless here
	Holds           uint64      // times the class went from sending to held
	Expiries        uint64      // times a pause ran out without a resume
	HeldTime        sluice.Time // how long it was held, a hold under way included
	Storms          uint64      // pause storms the watchdog found
	Restores        uint64      // and ended

	// As an ingress.

	XOffs           uint64       // times the ingress went over its threshold
	XOns            uint64       // times it came down again
	Refreshes       uint64       // pauses sent anew because half of their time had passed
	PausesSent      uint64       // frames sent that pause the class
	ResumesSent     uint64       // frames sent that resume it
	PausedTime      sluice.Time  // how long the upstream was to be paused, a pause under way included
	IngressPeak     sluice.Bytes // most bytes the ingress has held
	HeadroomPeak    sluice.Bytes // most of them in headroom
	HeadroomMissing sluice.Bytes // most by which a lossless packet exceeded the headroom
	HeadroomDrops   uint64       // lossless packets lost to that
	// XOffMargin is the least distance to a pause so far: how many more bytes in the pool, of
	// an arriving packet's account, would have been X_off. 0 or less once the ingress has been paused. It is
	// MaxBuffer before the first packet.
	XOffMargin sluice.Bytes
}

// PortCounters is what happened at one port since New.
type PortCounters struct {
	Class [sluice.Classes]ClassCounters

	Dropped        [sluice.NumReasons]uint64 // packets, by reason, routed to this egress
	FramesSent     uint64
	FramesReceived uint64
	FramesIgnored  uint64 // received of another mode than the port's, or of an unknown opcode
	Misuse         uint64 // calls of Dequeue for a packet that was not there
}

// Counters is what happened at a switch since New: the sums over its ports, with maxima for peaks and
// minima for margins.
type Counters struct {
	PortCounters
	BufferPeak sluice.Bytes // most bytes held in all queues
}

// Counters returns a copy of the port's counters.
func (p *Port) Counters() PortCounters {
	counters := p.counters
	for i := range counters.Class {
		c, a, q := &counters.Class[i], p.account(sluice.Class(i)), &p.queues[i]
		c.Enqueued, c.Transmitted, c.BacklogPeak = q.enqueued, q.transmitted, sluice.Bytes(q.peak)
		c.IngressPeak, c.XOffMargin = sluice.Bytes(a.peak), a.leastMargin()
		if p.held>>i&1 != 0 {
			c.HeldTime += p.owner.now - p.heldSince[i]
		}
		if p.paused>>i&1 != 0 {
			c.PausedTime += p.owner.now - p.pausedSince[i]
		}
	}
	return counters
}

// Counters returns the sums over all ports, as a copy. O(ports).
func (s *Switch) Counters() Counters {
	total := Counters{BufferPeak: sluice.Bytes(s.peak)}
	for i := range total.Class {
		total.Class[i].XOffMargin = MaxBuffer
	}
	for i := range s.ports {
		counters := s.ports[i].Counters()
		total.add(&counters)
	}
	return total
}

func (t *PortCounters) add(o *PortCounters) {
	for i := range t.Class {
		t.Class[i].add(&o.Class[i])
	}
	for i := range t.Dropped {
		t.Dropped[i] += o.Dropped[i]
	}
	t.FramesSent += o.FramesSent
	t.FramesReceived += o.FramesReceived
	t.FramesIgnored += o.FramesIgnored
	t.Misuse += o.Misuse
}

func (t *ClassCounters) add(o *ClassCounters) {
	t.Enqueued += o.Enqueued
	t.Transmitted += o.Transmitted
	t.Dropped += o.Dropped
	t.Marked += o.Marked
	t.BacklogPeak = max(t.BacklogPeak, o.BacklogPeak)
	t.PausesReceived += o.PausesReceived
	t.ResumesReceived += o.ResumesReceived
	t.PausesIgnored += o.PausesIgnored
	t.Holds += o.Holds
	t.Expiries += o.Expiries
	t.HeldTime += o.HeldTime
	t.Storms += o.Storms
	t.Restores += o.Restores
	t.XOffs += o.XOffs
	t.XOns += o.XOns
	t.Refreshes += o.Refreshes
	t.PausesSent += o.PausesSent
	t.ResumesSent += o.ResumesSent
	t.PausedTime += o.PausedTime
	t.IngressPeak = max(t.IngressPeak, o.IngressPeak)
	t.HeadroomPeak = max(t.HeadroomPeak, o.HeadroomPeak)
	t.HeadroomMissing = max(t.HeadroomMissing, o.HeadroomMissing)
	t.HeadroomDrops += o.HeadroomDrops
	t.XOffMargin = min(t.XOffMargin, o.XOffMargin)
}
