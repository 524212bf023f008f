package cc

import "github.com/sluicefc/sluice"

// MaxINTHops is the most hops whose telemetry a packet carries, and INTBytes what it adds to a
// packet and to its acknowledgement: 2 bytes, and 8 a hop.
const (
	MaxINTHops = 5
	INTBytes   = 2 + 8*MaxINTHops
)

// INTHop is what a switch writes when it dequeues a packet.
type INTHop struct {
	Time  sluice.Time
	Sent  sluice.Bytes // by that port, ever, this packet included
	Queue sluice.Bytes // that the packet leaves behind
	Rate  sluice.Rate  // of the link
}

// INT is the telemetry of a packet, in the order of its hops.
type INT struct {
	Hops [MaxINTHops]INTHop
	N    int8 // how many; more than MaxINTHops: it is of no use
}

// Stamp adds a hop.
func (t *INT) Stamp(h INTHop) {
	if t.N >= 0 && t.N < MaxINTHops {
		t.Hops[t.N] = h
	}
	if t.N <= MaxINTHops {
		t.N++
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

// hpccHop is the part of a hop's last telemetry that the next one is compared with.
type hpccHop struct {
	time        sluice.Time
	sent, queue sluice.Bytes
}

// hopRates are what MultiRate has of each hop.
type hopRates struct {
	reference [MaxINTHops]sluice.Rate
	u         [MaxINTHops]float64
	stage     [MaxINTHops]int32
}

func newHPCCFlow(line sluice.Rate) hpccFlow { return hpccFlow{reference: line, u: 1} }

func newHopRates(line sluice.Rate) (h hopRates) {
	for i := range h.u {
		h.reference[i], h.u[i] = line, 1
	}
	return h
}

// ackHPCC takes the telemetry of a packet: it measures, and changes the rate; once a round trip it
// takes the new rate as the reference.
func (c *Control) ackHPCC(i int32, s *Sample) {
	h := &c.hpcc[i]
	if s.Telemetry == nil || s.Telemetry.N < 0 || s.Telemetry.N > MaxINTHops {
		c.counters.Ignored++
		return
	}
	full := s.Acked > h.lastUpdate
	switch {
	case h.lastUpdate == 0:
		for n := range s.Telemetry.N {
			h.hops[n] = c.seen(&s.Telemetry.Hops[n])
		}
	case !full && !c.config.HPCC.FastReact:
		return
	case c.config.HPCC.MultiRate:
		c.updateHops(&c.flows[i], h, &c.hops[i], s.Telemetry, full)
	default:
		c.updateHPCC(&c.flows[i], h, s.Telemetry, full)
	}
	if full {
		h.lastUpdate = max(h.lastUpdate, s.Sent)
	}
}

// seen returns what a hop wrote, in the units of telemetry.
func (c *Control) seen(hop *INTHop) hpccHop {
	if unit := sluice.Bytes(c.config.HPCC.INTUnit); unit > 0 {
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
func (c *Control) measure(last *hpccHop, hop *INTHop, class *class) (u float64, tau sluice.Time) {
	now := c.seen(hop)
	tau = now.time - last.time
	if tau <= 0 || hop.Rate <= 0 { // not of a later packet
		return 0, 0
	}
	// Bits sent, and those that the queue stands for, over what the link carries in tau.
	sent := float64(float64(now.sent-last.sent) * float64(8*sluice.Second))
	queue := float64(float64(min(now.queue, last.queue)) * class.drain * float64(tau))
	*last = now
	return (sent + queue) / (float64(tau) * float64(hop.Rate)), tau
}

// smooth weighs a new utilisation by the time over which it was measured (U of MeasureInflight).
func (c *Control) smooth(old, u float64, tau sluice.Time) float64 {
	t := c.constant.rtt
	share := min(t, float64(tau))
	return (float64(old*(t-share)) + float64(u*share)) * c.constant.perRTT
}

// next returns the rate that a utilisation asks for, and the stage (ComputeWind).
func (c *Control) next(
	reference sluice.Rate, u float64, stage int32, class *class,
) (sluice.Rate, int32) {
	rate := reference
	if k := u * c.constant.perEta; k >= 1 || stage >= c.config.HPCC.MaxStage {
		rate = sluice.Rate(min(float64(reference)/k, float64(class.line))) // k may be 0
		stage = 0
	} else {
		stage++
	}
	return max(class.least, min(class.line, rate+class.ai)), stage
}

func (c *Control) updateHPCC(f *flow, h *hpccFlow, t *INT, full bool) {
	class := &c.classes[f.class]
	var largest float64
	var tau sluice.Time
	for n := range t.N {
		if u, d := c.measure(&h.hops[n], &t.Hops[n], class); u > largest {
			largest, tau = u, d
		}
	}
	h.u = c.smooth(h.u, largest, tau)
	rate, stage := c.next(h.reference, h.u, h.stage, class)
	c.set(f, rate)
	if full {
		h.reference, h.stage = rate, stage
	}
}

// updateHops has a utilisation and a rate of each hop.
func (c *Control) updateHops(f *flow, h *hpccFlow, hops *hopRates, t *INT, full bool) {
	class := &c.classes[f.class]
	least := class.line
	for n := range t.N {
		u, tau := c.measure(&h.hops[n], &t.Hops[n], class)
		hops.u[n] = c.smooth(hops.u[n], u, tau)
		rate, stage := c.next(hops.reference[n], hops.u[n], hops.stage[n], class)
		least = min(least, rate)
		if full {
			hops.reference[n], hops.stage[n] = rate, stage
		}
	}
	c.set(f, least)
}
