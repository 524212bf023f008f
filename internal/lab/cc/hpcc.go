package cc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
)

var HPCC = &Kind{
	Name: "hpcc", Signals: Telemetry, Windowed: true, law: func() law { return new(hpcc) },
}

type hpcc struct {
	each[hpccFlow]
	hops                 []hopRates // of each flow, with multiRate
	eta                  sluice.Ratio
	ai, minRate          sluice.Rate
	maxStage, intUnit    int32
	rtt                  sluice.Time
	fastReact, multiRate bool

	perEta    float64   // 1 over eta
	t, perRTT float64   // T in ps, and 1 over it
	drain     []float64 // by class: b/s that a byte of queue counts, line rate over W
}

func (k *hpcc) parameters() []params.Field {
	return []params.Field{
		share("hpcc.eta", &k.eta, "95%", "target utilisation"),
		rate("hpcc.ai", &k.ai, "",
			"additive increase (W_AI); unset: 1/2500 of the line rate, 40Mb/s at 100Gb/s"),
		count("hpcc.max-stage", &k.maxStage, "5",
			"additive increases in a row; 0 in the authors' run script: none"),
		rate("hpcc.min-rate", &k.minRate, "", "least rate; unset: 1/100 of the line rate"),
		span("hpcc.rtt", &k.rtt, "",
			"base round-trip time (T); unset: the round-trip time of the longest path"),
		params.Bind("hpcc.fast-react", &k.fastReact, "on",
			"every acknowledgement changes the rate, not one a round trip"),
		params.Bind("hpcc.multi-rate", &k.multiRate, "off",
			"a rate for each hop; the least counts"),
		count("hpcc.int-unit", &k.intUnit, "0",
			"telemetry in units of 80B of queue, 128B sent, times this; 0: exact"),
	}
}

func (k *hpcc) prepare() error {
	if k.rtt == 0 {
		k.rtt = k.config.BaseRTT
	}
	if k.rtt == 0 {
		return &sluice.ConfigError{
			Package: "cc", Type: "Config", Field: "BaseRTT", Value: k.rtt,
			Rule: "must be positive under hpcc",
		}
	}
	k.t, k.perEta = float64(k.rtt), 1/float(k.eta)
	k.perRTT = 1 / k.t
	return nil
}

func (k *hpcc) class(line sluice.Rate) class {
	k.drain = append(k.drain, float64(line)/float64(or(k.config.Window, line.BDP(k.rtt))))
	return class{ai: or(k.ai, line/2500), least: or(k.minRate, line/100)}
}

func (k *hpcc) grow() {
	k.each.grow()
	if k.multiRate {
		k.hops = append(k.hops, hopRates{})
	}
}

func (k *hpcc) start(_ sluice.Time, i int32) {
	line := k.flows[i].rate
	k.state[i] = hpccFlow{reference: line, u: 1}
	if k.multiRate {
		k.hops[i] = newHopRates(line)
	}
}

// hpccFlow is HPCC's sender (SIGCOMM 2019, algorithm 1).
type hpccFlow struct {
	reference  sluice.Rate // W_c as a rate: of the last full update
	u          float64     // smoothed utilisation
	lastUpdate int32       // packets sent at the last full update
	stage      int32
	hops       [MaxINTHops]hpccHop
}

// hpccHop is the part of a hop's last telemetry that its next telemetry is compared with.
type hpccHop struct {
	time        sluice.Time
	sent, queue sluice.Bytes
}

type hopRates struct {
	reference [MaxINTHops]sluice.Rate
	u         [MaxINTHops]float64
	stage     [MaxINTHops]int32
}

func newHopRates(line sluice.Rate) (h hopRates) {
	for i := range h.u {
		h.reference[i], h.u[i] = line, 1
	}
	return h
}

// ack takes the telemetry of a packet: it measures, and changes the rate; once a round trip it
// takes the new rate as the reference.
func (k *hpcc) ack(_ sluice.Time, i int32, s *Sample) {
	h := &k.state[i]
	if s.Telemetry == nil || s.Telemetry.N < 0 || s.Telemetry.N > MaxINTHops {
		k.counters.Ignored++
		return
	}
	full := s.Acked > h.lastUpdate
	switch {
	case h.lastUpdate == 0:
		for n := range s.Telemetry.N {
			h.hops[n] = k.seen(&s.Telemetry.Hops[n])
		}
	case !full && !k.fastReact:
		return
	case k.multiRate:
		k.updateHops(&k.flows[i], h, &k.hops[i], s.Telemetry, full)
	default:
		k.update(&k.flows[i], h, s.Telemetry, full)
	}
	if full {
		h.lastUpdate = max(h.lastUpdate, s.Sent)
	}
}

// seen returns what a hop wrote, in the units of telemetry.
func (k *hpcc) seen(hop *INTHop) hpccHop {
	if unit := sluice.Bytes(k.intUnit); unit > 0 {
		return hpccHop{
			time:  hop.Time / sluice.Nanosecond * sluice.Nanosecond,
			sent:  hop.Sent / (128 * unit) * (128 * unit),
			queue: hop.Queue / (80 * unit) * (80 * unit),
		}
	}
	return hpccHop{hop.Time, hop.Sent, hop.Queue}
}

// measure returns the utilisation of a hop since the last telemetry (u' of MeasureInflight), and
// the time between.
func (k *hpcc) measure(last *hpccHop, hop *INTHop, drain float64) (u float64, tau sluice.Time) {
	now := k.seen(hop)
	tau = now.time - last.time
	if tau <= 0 || hop.Rate <= 0 { // not of a later packet
		return 0, 0
	}
	// Bits sent, and bits that the queue stands for, over the bits that the link carries in tau.
	sent := float64(float64(now.sent-last.sent) * float64(8*sluice.Second))
	queue := float64(float64(min(now.queue, last.queue)) * drain * float64(tau))
	*last = now
	return (sent + queue) / (float64(tau) * float64(hop.Rate)), tau
}

// smooth weighs a new utilisation by the time over which it was measured (U of MeasureInflight).
func (k *hpcc) smooth(old, u float64, tau sluice.Time) float64 {
	t := k.t
	share := min(t, float64(tau))
	return (float64(old*(t-share)) + float64(u*share)) * k.perRTT
}

// next returns the rate that a utilisation asks for, and the stage (ComputeWind).
func (k *hpcc) next(
	reference sluice.Rate, u float64, stage int32, class *class,
) (sluice.Rate, int32) {
	rate := reference
	if load := u * k.perEta; load >= 1 || stage >= k.maxStage {
		rate = sluice.Rate(min(float64(reference)/load, float64(class.line))) // load may be 0
		stage = 0
	} else {
		stage++
	}
	return max(class.least, min(class.line, rate+class.ai)), stage
}

func (k *hpcc) update(f *flow, h *hpccFlow, t *INT, full bool) {
	class, drain := &k.classes[f.class], k.drain[f.class]
	var largest float64
	var tau sluice.Time
	for n := range t.N {
		if u, d := k.measure(&h.hops[n], &t.Hops[n], drain); u > largest {
			largest, tau = u, d
		}
	}
	h.u = k.smooth(h.u, largest, tau)
	rate, stage := k.next(h.reference, h.u, h.stage, class)
	k.set(f, rate)
	if full {
		h.reference, h.stage = rate, stage
	}
}

// updateHops has a utilisation and a rate of each hop.
func (k *hpcc) updateHops(f *flow, h *hpccFlow, hops *hopRates, t *INT, full bool) {
	class, drain := &k.classes[f.class], k.drain[f.class]
	least := class.line
	for n := range t.N {
		u, tau := k.measure(&h.hops[n], &t.Hops[n], drain)
		hops.u[n] = k.smooth(hops.u[n], u, tau)
		rate, stage := k.next(hops.reference[n], hops.u[n], hops.stage[n], class)
		least = min(least, rate)
		if full {
			hops.reference[n], hops.stage[n] = rate, stage
		}
	}
	k.set(f, least)
}
