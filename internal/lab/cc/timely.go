package cc

import (
	"github.com/sluicefc/sluice"
)

// timelyFlow is TIMELY's rate computation engine (SIGCOMM 2015, algorithm 1), in both versions.
type timelyFlow struct {
	difference float64     // smoothed, in ps
	rate       float64     // of timely-pcn, in b/s: its steps are small
	lastRTT    sluice.Time // 0: none yet
	updated    sluice.Time // of timely-pcn: when the rate was
	lastUpdate int32       // of timely: packets sent at the last update
	stage      int32       // increases, or falling samples, in a row
	count      int32       // of timely-pcn: acknowledgements since the last sample
	mark       sluice.ECN  // of timely+tcd: the strongest since the last update
}

// gradient smooths a new difference and returns it in units of the least round-trip time.
func (t *timelyFlow) gradient(rtt sluice.Time, k *constants) float64 {
	difference := float64(rtt - t.lastRTT)
	t.difference = float64(k.keep*t.difference) + float64(k.weight*difference)
	return t.difference / k.minRTT
}

// ackTimely takes one sample a round trip: of the first packet sent after the last update.
func (c *Control) ackTimely(i int32, s *Sample) {
	t := &c.timely[i]
	t.mark = max(t.mark, s.Mark)
	if s.Acked <= t.lastUpdate {
		return
	}
	if t.lastUpdate != 0 {
		c.updateTimely(&c.flows[i], t, s.RTT)
	}
	if s.Sent > t.lastUpdate {
		t.lastUpdate, t.lastRTT, t.mark = s.Sent, s.RTT, sluice.NotECT
	}
}

func (c *Control) updateTimely(f *flow, t *timelyFlow, rtt sluice.Time) {
	k, config := &c.constant, &c.config.Timely
	gradient := t.gradient(rtt, k)
	increases := rtt < config.Low || rtt <= config.High && gradient <= 0
	switch {
	case c.ternary && (t.mark == sluice.UE || t.mark != sluice.CE && !increases):
		// The port that delays the flow is not congested, or not known to be: the rate stays.
	case increases:
		class := &c.classes[f.class]
		add := class.ai
		if t.stage >= config.HAIAfter {
			add = class.hai
		}
		t.stage = min(t.stage+1, config.HAIAfter)
		f.rate = min(class.line, f.rate+add)
		return
	case rtt > config.High:
		c.cut(f, 1-float64(k.beta*(1-float64(config.High)/float64(rtt))))
	default:
		c.cut(f, 1-float64(k.beta*gradient))
	}
	t.stage = 0
}

// ackTimelyPCN takes a sample of every so many acknowledgements.
func (c *Control) ackTimelyPCN(now sluice.Time, i int32, s *Sample) {
	f, t, k, config := &c.flows[i], &c.timely[i], &c.constant, &c.config.TimelyPCN
	if t.count++; t.count < config.Every {
		return
	}
	t.count = 0
	class := &c.classes[f.class]
	rtt := s.RTT - class.packet
	if t.lastRTT == 0 {
		t.lastRTT = rtt
	}
	t.stage = min(t.stage+1, config.HAIAfter)
	if rtt >= t.lastRTT {
		t.stage = 0
	}
	gradient := t.gradient(rtt, k)
	share := min(1, float64(now-t.updated)/k.minRTT)
	rate := t.rate
	switch {
	case rtt < config.Low:
		rate += float64(float64(class.ai) * share)
	case rtt > config.High:
		rate *= 1 - float64(float64(share*k.beta)*(1-float64(config.High)/float64(rtt)))
	case gradient < 0 && t.stage >= config.HAIAfter:
		rate += float64(float64(class.hai) * share)
	case gradient < 0:
		rate += float64(float64(class.ai) * share)
	default:
		rate *= 1 - float64(k.beta*gradient)
	}
	rate = max(rate, t.rate/2)
	t.rate = max(float64(class.least), min(float64(class.line), rate))
	c.set(f, sluice.Rate(t.rate))
	t.lastRTT, t.updated = rtt, now
}
