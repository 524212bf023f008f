package cc

import (
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pcn"
)

// Control is the congestion control of all flows. Its methods take the index of a flow that was
// started; with another one they do nothing, and Rate answers 0.
type Control struct {
	config   Config
	family   Kind // without TCD
	ternary  bool // UE is a mark
	constant constants
	classes  []class // by line rate
	flows    []flow
	starts   uint64
	counters Counters

	// State of the kind: one of these.
	dcqcn     []dcqcnFlow
	dcqcnHPCC []dcqcnHPCCFlow
	timely    []timelyFlow
	hpcc      []hpccFlow
	hops      []hopRates // of hpcc with MultiRate
	qcn       []recovery
	dctcp     []dctcpFlow
	ibcc      []ibccFlow
	pcn       []pcnFlow
}

// flow is what every control has of a flow: 40 bytes.
type flow struct {
	rate     sluice.Rate // as of the last change
	changes  sluice.Time // when the rate changes next by itself; Never
	last     sluice.Time // when the last packet began, or the first of a burst
	size     int64       // bytes sent since then
	class    uint32
	cuts     uint16
	fixed    bool // the control does not apply
	notified bool // a notice came: timers run
}

// class is the constants that depend on a flow's line rate.
type class struct {
	line, ai, hai, least sluice.Rate
	packet               sluice.Time // of one full packet
	drain                float64     // of HPCC: b/s that a byte of queue counts, line rate over W
	reaction             pcn.ReactionPoint
}

// constants is a Config in the form in which it is used.
type constants struct {
	decay, gain  float64 // alpha *= decay; alpha += gain
	alpha0       float64
	keep, weight float64 // TIMELY: difference = keep*difference + weight*sample
	beta         float64
	minRTT       float64
	perEta       float64 // of HPCC: 1 over eta
	rtt, perRTT  float64 // of HPCC: T in ps, and 1 over it
	cut, least   float64 // QCN: share a unit of feedback takes; share that is left at least
	burst        int64
	recovery     recoveryConstants
	notification pcn.NotificationPoint
}

// Counters count what happened, over all flows.
type Counters struct {
	Decreases uint64 // of a rate
	Notices   uint64 // that receivers sent
	Ignored   uint64 // of flows that are not under way, telemetry of too many hops, and the like
}

// New returns a control without flows.
func New(c Config) (*Control, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	ternary := c.Kind.Signals()&Ternary != 0
	return &Control{
		config: c, family: c.Kind.family(), ternary: ternary, constant: c.constants(),
	}, nil
}

// Kind returns the kind of control.
func (c *Control) Kind() Kind { return c.config.Kind }

// Start begins a flow at index i whose sender has a network card of rate line, above 0 and at most
// MaxRate; the flow begins at that rate. Indexes should be small: the state of all up to the
// largest is kept. It allocates when more flows are under way than ever before, and for a new line
// rate.
func (c *Control) Start(now sluice.Time, i int32, line sluice.Rate) {
	if i < 0 || line <= 0 || line > MaxRate {
		c.counters.Ignored++
		return
	}
	for int(i) >= len(c.flows) {
		c.grow()
	}
	c.starts++
	c.flows[i] = flow{rate: line, changes: sluice.Never, last: math.MinInt64, class: c.classOf(line)}
	switch c.family {
	case DCQCN:
		c.dcqcn[i] = dcqcnFlow{recovery: newRecovery(line, c.starts), receiver: newReceiver()}
	case DCQCNHPCC:
		c.dcqcnHPCC[i] = dcqcnHPCCFlow{target: line}
	case Timely, TimelyPCN:
		c.timely[i] = timelyFlow{updated: now, rate: float64(line)}
	case HPCC:
		c.hpcc[i] = newHPCCFlow(line)
		if c.config.HPCC.MultiRate {
			c.hops[i] = newHopRates(line)
		}
	case QCN:
		c.qcn[i] = newRecovery(line, c.starts)
	case DCTCP:
		c.dctcp[i] = dctcpFlow{alpha: c.constant.alpha0}
	case IBCC:
		c.startIBCC(i)
	case PCN:
		c.pcn[i] = pcnFlow{
			reaction: c.classes[c.flows[i].class].reaction, notification: c.constant.notification,
		}
	}
}

// StartFixed begins a flow that keeps a rate of its own, whatever comes.
func (c *Control) StartFixed(now sluice.Time, i int32, rate sluice.Rate) {
	c.Start(now, i, rate)
	if c.known(i) {
		c.flows[i].fixed = true
	}
}

// Finish forgets flow i. Its notices that are still under way may be given to Notice: they are
// ignored until the index is used again.
func (c *Control) Finish(i int32) {
	if c.known(i) {
		c.flows[i] = flow{changes: sluice.Never}
		switch c.family {
		case DCQCN:
			c.dcqcn[i].receiver = newReceiver()
		case PCN:
			c.pcn[i].notification = pcn.NotificationPoint{}
		}
	}
}

func (c *Control) grow() {
	c.flows = append(c.flows, flow{changes: sluice.Never})
	switch c.family {
	case DCQCN:
		c.dcqcn = append(c.dcqcn, dcqcnFlow{receiver: newReceiver()})
	case DCQCNHPCC:
		c.dcqcnHPCC = append(c.dcqcnHPCC, dcqcnHPCCFlow{})
	case Timely, TimelyPCN:
		c.timely = append(c.timely, timelyFlow{})
	case HPCC:
		c.hpcc = append(c.hpcc, hpccFlow{})
		if c.config.HPCC.MultiRate {
			c.hops = append(c.hops, hopRates{})
		}
	case QCN:
		c.qcn = append(c.qcn, recovery{})
	case DCTCP:
		c.dctcp = append(c.dctcp, dctcpFlow{})
	case IBCC:
		c.ibcc = append(c.ibcc, ibccFlow{})
	case PCN:
		c.pcn = append(c.pcn, pcnFlow{})
	}
}

// known reports whether i was ever started.
func (c *Control) known(i int32) bool { return uint(i) < uint(len(c.flows)) }

// controlled reports whether the control applies to flow i.
func (c *Control) controlled(i int32) bool {
	if c.known(i) && c.flows[i].rate > 0 {
		return !c.flows[i].fixed
	}
	c.counters.Ignored++
	return false
}

// Counters returns what was counted.
func (c *Control) Counters() Counters { return c.counters }
