package cc

import (
	"math"
	"math/bits"

	"github.com/sluicefc/sluice"
)

// Sample is what an acknowledgement tells a sender.
type Sample struct {
	Acked int32       // packets up to the one that is acknowledged, itself included
	Sent  int32       // packets sent so far
	RTT   sluice.Time // since that packet was sent
	Mark  sluice.ECN  // its mark, echoed
	// Telemetry of its hops, nil if there is none. It is not kept.
	Telemetry *INT
}

// Notice is what a receiver or a switch tells a sender. The zero value is nothing.
type Notice struct {
	Mark     sluice.ECN // CE or UE, by a receiver; NotECT by pcn's if the flow is not congested
	Feedback uint8      // 1 to 63, by a switch
	RecRate  uint32     // by pcn's receiver, in Mb/s
}

// Rate returns the rate of flow i, at most its line rate, with all that has fallen due applied.
// O(1) unless timers have ended since the last call.
func (c *Control) Rate(now sluice.Time, i int32) sluice.Rate {
	if !c.known(i) {
		return 0
	}
	f := &c.flows[i]
	if now >= f.changes {
		c.law.advance(now, i)
	}
	return f.rate
}

// Cuts returns how often the rate of flow i decreased, 65,535 if more often.
func (c *Control) Cuts(i int32) int {
	if !c.known(i) {
		return 0
	}
	return int(c.flows[i].cuts)
}

// Changes returns when the rate of flow i next changes by itself, if nothing comes in before; Never
// if the rate stays.
func (c *Control) Changes(i int32) sluice.Time {
	if !c.known(i) {
		return sluice.Never
	}
	return c.flows[i].changes
}

// Sent says that a packet of flow i begins, with size bytes on the wire.
func (c *Control) Sent(now sluice.Time, i int32, size sluice.Bytes) {
	if !c.known(i) {
		return
	}
	f := &c.flows[i]
	if f.size == 0 || f.size >= c.burst {
		f.last, f.size = now, 0
	}
	f.size += int64(size)
	if !f.notified {
		return
	}
	c.law.sent(now, i, int64(size))
}

// Ready returns the instant from which the rate lets flow i send its next packet: when its last
// packet, sent at the present rate, would end. A rate that changes moves it.
func (c *Control) Ready(now sluice.Time, i int32) sluice.Time {
	if !c.known(i) {
		return sluice.Never
	}
	f := &c.flows[i]
	if f.size < c.burst || f.size == 0 {
		return f.last
	}
	return f.last.Add(c.Rate(now, i).TimeOf(sluice.Bytes(f.size)))
}

// Window returns the payload that flow i may have unacknowledged, the largest Bytes if there is no
// limit.
func (c *Control) Window(now sluice.Time, i int32) sluice.Bytes {
	switch {
	case c.config.Window == 0:
		return math.MaxInt64
	case !c.config.VariableWindow || !c.known(i) || c.flows[i].fixed:
		return c.config.Window
	}
	hi, lo := bits.Mul64(uint64(c.config.Window), uint64(c.Rate(now, i)))
	line := uint64(c.classes[c.flows[i].class].line)
	if hi == 0 {
		return max(1, sluice.Bytes(lo/line))
	}
	window, _ := bits.Div64(hi, lo, line) // the rate is at most line, so hi is less
	return sluice.Bytes(window)
}

// Ack takes an acknowledgement that came to the sender of flow i. O(1).
func (c *Control) Ack(now sluice.Time, i int32, s *Sample) {
	if !c.controlled(i) || c.signals&(Echoes|RTT|Telemetry) == 0 {
		return
	}
	if c.config.RoundsLater {
		earlier := *s
		earlier.Acked--
		s = &earlier
	}
	c.law.ack(now, i, s)
}

// Notice takes a notice that came to the sender of flow i. O(1) unless timers have ended since the
// last call.
func (c *Control) Notice(now sluice.Time, i int32, n Notice) {
	if c.controlled(i) && !c.law.notice(now, i, n) {
		c.counters.Ignored++
	}
}

// cut multiplies the rate of a flow, which does not fall below the least.
func (c *Control) cut(f *flow, factor float64) {
	c.set(f, max(c.classes[f.class].least, sluice.Rate(float64(f.rate)*factor)))
}

func (c *Control) set(f *flow, rate sluice.Rate) {
	if rate < f.rate {
		c.counters.Decreases++
		if f.cuts < math.MaxUint16 {
			f.cuts++
		}
	}
	f.rate = rate
}

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
	Queue sluice.Bytes // bytes that the packet leaves behind
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
