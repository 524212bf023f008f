package cc

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/internal/prng"
)

// MaxFeedback is the most congested feedback of a notice.
const MaxFeedback = 63

// PointConfig has the constants of a [CongestionPoint], with the names of the standard in
// parentheses.
type PointConfig struct {
	Setpoint sluice.Bytes // Q_eq (cpQSp)
	Weight   sluice.Ratio // of the change of the queue (w)
	Base     sluice.Bytes // between two samples at least congestion (cpSampleBase)
	Jitter   sluice.Ratio
}

func (c *PointConfig) check() error {
	const amount = "must be positive and at most 1000 GB"
	r, w, j := check.Of("cc", "PointConfig"), c.Weight, c.Jitter
	r.That(0 < c.Setpoint && c.Setpoint <= MaxAmount, c.Setpoint, amount, "Setpoint")
	r.That(0 < w.Den && 0 <= w.Num && w.Num <= min(64*w.Den, sluice.MaxRatio), w,
		"must be 0 to 64, with a numerator of at most 2^20", "Weight")
	r.That(0 < c.Base && c.Base <= MaxAmount, c.Base, amount, "Base")
	r.That(0 < j.Den && 0 <= j.Num && j.Num < j.Den, j, "must be at least 0 and below 1", "Jitter")
	return r.Err()
}

// CongestionPoint samples the packets that come to a queue of a switch and says which of them a
// notice answers (IEEE 802.1Q, clause 30.2). Make one for each queue.
type CongestionPoint struct {
	config PointConfig
	jitter uint64 // of 2^32
	random prng.Source
	left   int64        // bytes to the next sample
	last   sluice.Bytes // queue at the last sample
}

// NewCongestionPoint returns the congestion point of an empty queue. The seed should differ between
// queues.
func NewCongestionPoint(c PointConfig, seed uint64) (CongestionPoint, error) {
	if err := c.check(); err != nil {
		return CongestionPoint{}, err
	}
	p := CongestionPoint{config: c, jitter: fixed32(c.Jitter), random: prng.New(prng.Mix(seed))}
	p.left = p.interval(0)
	return p, nil
}

// CongestionPoint returns the congestion point of a queue of a switch that sends notices of
// [Feedback], by the constants of the control.
func (c *Control) CongestionPoint(seed uint64) (CongestionPoint, error) {
	k, ok := c.law.(*qcn)
	if !ok {
		return CongestionPoint{}, fmt.Errorf("cc: %v has no congestion points", c.config.Kind)
	}
	return NewCongestionPoint(k.point, seed)
}

// Arrive counts a packet of size bytes that comes to a queue, which then holds queue bytes, the
// packet included. notify says that a notice with this feedback goes to the packet's source. The
// public simulator of PCN's authors samples packets that leave, by the bytes that they leave
// behind: call it then. O(1).
func (p *CongestionPoint) Arrive(size, queue sluice.Bytes) (feedback uint8, notify bool) {
	p.left -= int64(size)
	if p.left >= 0 {
		return 0, false
	}
	feedback = p.quantise(p.congestion(queue))
	p.last = queue
	p.left = p.interval(feedback)
	return feedback, feedback > 0
}

// congestion returns F_b with its sign turned: how far the queue is above its setpoint, and how
// much it has grown, weighed; from 0 to its largest.
func (p *CongestionPoint) congestion(queue sluice.Bytes) int64 {
	c := &p.config
	grown := int64(queue-p.last) * c.Weight.Num / c.Weight.Den
	return max(0, min(int64(queue-c.Setpoint)+grown, p.largest()))
}

// largest returns the largest F_b: Q_eq*(2w+1).
func (p *CongestionPoint) largest() int64 {
	c := &p.config
	return int64(c.Setpoint) + int64(c.Setpoint)*2*c.Weight.Num/c.Weight.Den
}

// quantise returns F_b in 6 bits.
func (p *CongestionPoint) quantise(congestion int64) uint8 {
	return uint8(min(congestion*64/p.largest(), MaxFeedback))
}

// interval returns the bytes to the next sample: fewer, the more congested the queue is.
func (p *CongestionPoint) interval(feedback uint8) int64 {
	return jittered(p.base(feedback), p.jitter, p.random.Uint64())
}

func (p *CongestionPoint) base(feedback uint8) int64 {
	return int64(p.config.Base) * sampling[feedback/8] / sampling[0]
}

// sampling is the interval by the upper three bits of the feedback, in half kilobytes: 150 kB at
// least congestion, 18.5 kB at most.
var sampling = [8]int64{300, 150, 100, 75, 60, 50, 43, 37}
