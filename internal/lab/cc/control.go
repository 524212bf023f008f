package cc

import (
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/internal/fields"
	"github.com/sluicefc/sluice/internal/lab/params"
)

// MaxRate is the largest rate of a flow and of a parameter, MaxSpan the longest time and MaxAmount
// the most bytes of a [Config].
const (
	MaxRate   = 10 * sluice.Tbps
	MaxSpan   = 1000 * sluice.Second
	MaxAmount = 1000 * sluice.GB
)

type Config struct {
	Kind *Kind // nil: None
	// Values have the constants of the kind, by their names; nil: all have their defaults.
	Values *params.Values
	// Window is the payload that a flow may have unacknowledged, 0 for no limit. VariableWindow
	// shrinks it with the rate, in proportion to the line rate.
	Window         sluice.Bytes
	VariableWindow bool
	// BaseRTT is the round-trip time of the longest path without queues: T of HPCC, unless
	// hpcc.rtt is set. Positive under hpcc.
	BaseRTT sluice.Time
	// Packet is the size of a full data packet on the wire, whose transmission time timely-pcn
	// takes off its samples. Not negative.
	Packet sluice.Bytes
	// RoundsLater ends a round trip of timely, hpcc and dctcp with the acknowledgement of the second
	// packet sent since the last one ended, not of the first. At a rate of a packet a round trip a
	// sender then takes every other sample.
	RoundsLater bool
	// Seed of the jitter of qcn.
	Seed uint64
}

func (c *Config) check() error {
	r := check.Of("cc", "Config")
	r.That(0 <= c.Window && c.Window <= MaxAmount, c.Window, "must be 0 to 1000 GB", "Window")
	r.That(0 <= c.BaseRTT && c.BaseRTT <= MaxSpan, c.BaseRTT, "must be 0 to 1000s", "BaseRTT")
	r.That(0 <= c.Packet && c.Packet <= MaxAmount, c.Packet, "must be 0 to 1000 GB", "Packet")
	return r.Err()
}

// Control is the congestion control of all flows. Its methods take the index of a flow that was
// started; with another one they do nothing, and Rate answers 0.
type Control struct {
	config   Config
	law      law
	signals  Signals // that the law learns from: it is asked about no other
	burst    int64   // bytes sent at once
	classes  []class // by line rate
	flows    []flow
	stream   uint64 // of random numbers, of the flow that starts next
	counters Counters
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
}

// Counters count what happened, over all flows.
type Counters struct {
	Decreases uint64 // of a rate
	Notices   uint64 // that receivers sent
	Ignored   uint64 // inputs of flows not under way, telemetry of too many hops, and the like
}

func (c *Counters) Add(o *Counters) { fields.Add(c, o) }

func New(c Config) (*Control, error) {
	if c.Kind == nil {
		c.Kind = None
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	control := &Control{config: c, law: c.Kind.law(), signals: c.Kind.Signals}
	control.law.bind(control)
	c.Values.Fill(control.law.parameters())
	if err := control.law.prepare(); err != nil {
		return nil, err
	}
	return control, nil
}

func (c *Control) Kind() *Kind { return c.config.Kind }

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
		c.flows = append(c.flows, flow{changes: sluice.Never})
		c.law.grow()
	}
	c.stream++
	c.flows[i] = flow{rate: line, changes: sluice.Never, last: math.MinInt64, class: c.classOf(line)}
	c.law.start(now, i)
}

// Stream names the source of the random numbers of the flow that starts next, so that what a flow
// draws depends on no other flow. Without it a flow has the number after the last flow's.
func (c *Control) Stream(number uint64) { c.stream = number }

// StartFixed begins a flow that keeps a rate of its own, whatever comes.
func (c *Control) StartFixed(now sluice.Time, i int32, rate sluice.Rate) {
	c.Start(now, i, rate)
	if c.known(i) {
		c.flows[i].fixed = true
	}
}

func (c *Control) classOf(line sluice.Rate) uint32 {
	for i := range c.classes {
		if c.classes[i].line == line {
			return uint32(i)
		}
	}
	k := c.law.class(line)
	k.line, k.least = line, max(1, min(k.least, line))
	c.classes = append(c.classes, k)
	return uint32(len(c.classes) - 1)
}

// Finish forgets flow i. Its notices that are still under way may be given to Notice: they are
// ignored until the index is used again.
func (c *Control) Finish(i int32) {
	if c.known(i) {
		c.flows[i] = flow{changes: sluice.Never}
	}
}

func (c *Control) ternary() bool { return c.signals&Ternary != 0 }

// known reports whether i was ever started.
func (c *Control) known(i int32) bool { return uint(i) < uint(len(c.flows)) }

// underWay reports whether flow i was started and not finished.
func (c *Control) underWay(i int32) bool { return c.known(i) && c.flows[i].rate > 0 }

// controlled reports whether the control applies to flow i.
func (c *Control) controlled(i int32) bool {
	if c.underWay(i) {
		return !c.flows[i].fixed
	}
	c.counters.Ignored++
	return false
}

func (c *Control) Counters() Counters { return c.counters }
