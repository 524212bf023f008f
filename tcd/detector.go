package tcd

import (
	"math"
	"strconv"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
	"github.com/sluicefc/sluice/internal/marking"
	"github.com/sluicefc/sluice/internal/prng"
)

// Detector detects congestion at one egress queue and marks its packets. Make it with New. It is
// not safe for concurrent use. Every hook takes constant time and allocates nothing.
type Detector struct {
	red     marking.RED
	random  prng.Source
	maxTon  sluice.Time
	drained sluice.Bytes
	slack   sluice.Bytes

	now      sluice.Time
	stableAt sluice.Time  // from this instant on the last resume lies more than max(T_on) back
	resumed  sluice.Bytes // what the queue held at the last resume
	checkAt  sluice.Time  // draining: when to look at its length again, max(T_on) after the last look
	checked  sluice.Bytes // draining: bytes in the queue at the last look
	state    State

	counters Counters
}

// Counters of a detector. Each of them wraps after 2^64.
type Counters struct {
	// Resumes counts how often flow control let the queue go on.
	Resumes uint64
	// UE and CE count the packets whose code point became that one here.
	UE, CE uint64
}

// New returns the detector of a queue that was never held and is not congested. The error is a
// [*sluice.ConfigError].
func New(c Config) (*Detector, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	return &Detector{
		red:      marking.New(c.Marking),
		random:   prng.New(c.Seed),
		maxTon:   c.MaxTon,
		drained:  c.Drained,
		slack:    c.Slack,
		now:      math.MinInt64,
		stableAt: math.MinInt64,
	}, nil
}

// Resumed says that flow control held the queue until now and that it may send again, by a resume,
// the expiry of a pause, or credit. The queue holds backlog bytes.
func (d *Detector) Resumed(now sluice.Time, backlog sluice.Bytes) {
	d.now = chassis.Later(d.now, now)
	d.stableAt = chassis.After(chassis.After(d.now, d.maxTon), sluice.Picosecond)
	d.resumed = backlog
	d.counters.Resumes++
}

// Dequeue returns the code point of a packet that leaves with the code point ecn: see Events in the
// package documentation. NotECT and CE stay as they are, UE may become CE.
func (d *Detector) Dequeue(
	now sluice.Time, _, backlog sluice.Bytes, ecn sluice.ECN,
) sluice.ECN {
	d.now = chassis.Later(d.now, now)
	switch {
	case d.now < d.stableAt:
		d.state = Undetermined
		return d.mark(ecn, sluice.UE, &d.counters.UE)
	case d.state < Undetermined:
		d.state = NonCongestion
		if int64(backlog) <= d.red.Above() || !d.red.Congested(int64(backlog), &d.random) {
			return ecn
		}
		d.state = Congestion
		return d.mark(ecn, sluice.CE, &d.counters.CE)
	}
	d.state = d.decide(backlog)
	if d.state != Congestion || !d.red.Congested(int64(backlog), &d.random) {
		return ecn
	}
	return d.mark(ecn, sluice.CE, &d.counters.CE)
}

// decide returns the state that follows Undetermined or Draining once the port is persistently on.
// A packet that it returns Congestion for is congested whether marked or not.
func (d *Detector) decide(backlog sluice.Bytes) State {
	switch {
	case d.state == Undetermined && backlog >= d.resumed:
		return Congestion
	case d.state == Undetermined:
		d.look(backlog)
		return Draining // an empty queue too: the next packet finds it drained
	case d.now >= d.checkAt && backlog >= d.checked+d.slack:
		return Congestion
	case d.now >= d.checkAt:
		d.look(backlog)
	}
	if backlog <= d.drained {
		return NonCongestion
	}
	return Draining
}

func (d *Detector) look(backlog sluice.Bytes) {
	d.checkAt = chassis.After(d.now, d.maxTon)
	d.checked = backlog
}

// mark returns the stronger of ecn and to, counting a change; a packet that is not ECN-capable
// keeps its code point.
func (d *Detector) mark(ecn, to sluice.ECN, count *uint64) sluice.ECN {
	if ecn == sluice.NotECT || ecn >= to {
		return ecn
	}
	*count++
	return to
}

// State returns the state that the last packet to leave found the queue in, or left it in;
// NonCongestion before the first. That a queue went off is seen when it next sends.
func (d *Detector) State() State { return d.state }

// Counters returns the counters.
func (d *Detector) Counters() Counters { return d.counters }

// Combine returns the stronger of two marks, CE over UE over ECT(1) over NotECT: receivers sum up
// by it what the packets of an interval were marked with.
func Combine(a, b sluice.ECN) sluice.ECN { return max(a, b) }

// State is the state of an egress queue (section 3.2.1).
type State uint8

// States.
const (
	// NonCongestion, 0: flow control holds the queue at no time, and the queue does not build up.
	NonCongestion State = iota
	// Congestion, 1: the queue sends at full rate without a hold, and builds up by its own load.
	Congestion
	// Undetermined, /: flow control stops and resumes the queue in turns.
	Undetermined
	// Draining is the helper state of a queue that was undetermined, is so no more, and empties of
	// its held backlog.
	Draining
	numStates
)

// String gives the paper's sign of the state, and "D" for Draining.
func (s State) String() string {
	if s < numStates {
		return "01/D"[s : s+1]
	}
	return "State(" + strconv.Itoa(int(s)) + ")"
}
