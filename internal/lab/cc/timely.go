package cc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
)

// Timely is TIMELY (SIGCOMM 2015) as in the ns-3 code of HPCC, TimelyTCD is Timely on ternary
// marks.
var (
	Timely = &Kind{Name: "timely", Signals: RTT, law: func() law { return new(timely) }}

	TimelyTCD = &Kind{
		Name: "timely+tcd", Signals: Marks | Echoes | RTT | Ternary, Detector: "tcd", base: Timely,
		law: Timely.law,
	}
)

type timely struct {
	each[timelyFlow]
	gradient
	ai, hai, minRate sluice.Rate
	haiAfter         int32
}

// timelyFlow is TIMELY's rate computation engine (algorithm 1).
type timelyFlow struct {
	smoothed
	lastUpdate int32      // packets sent at the last update
	stage      int32      // increases in a row
	mark       sluice.ECN // the strongest mark since the last update, for timely+tcd
}

// gradient is what both versions of TIMELY reckon with.
type gradient struct {
	ewma, beta        sluice.Ratio
	low, high, minRTT sluice.Time

	keep, weight float64 // difference = keep*difference + weight*sample
	share, unit  float64
}

// smoothed is the difference of samples, in ps.
type smoothed struct {
	difference float64
	lastRTT    sluice.Time // 0: none yet
}

func (g *gradient) parameters(section, ewma, minRTT, of string) []params.Field {
	return []params.Field{
		share(section+".ewma", &g.ewma, ewma, "weight of a new difference of samples (alpha)"),
		share(section+".beta", &g.beta, "4/5", "share of the rate that a gradient of 1 takes"),
		span(section+".tlow", &g.low, "50us", "sample below which the rate rises (T_low)"),
		span(section+".thigh", &g.high, "500us", "sample above which the rate falls (T_high)"),
		span(section+".min-rtt", &g.minRTT, minRTT, "unit of the gradient"+of),
	}
}

func (g *gradient) prepare(section string) error {
	g.weight, g.share, g.unit = float(g.ewma), float(g.beta), float64(g.minRTT)
	g.keep = 1 - g.weight
	return inOrder(g.low, g.high, section+".thigh", section+".tlow")
}

// of smooths a new difference and returns it in units of the least round-trip time.
func (g *gradient) of(s *smoothed, rtt sluice.Time) float64 {
	difference := float64(rtt - s.lastRTT)
	s.difference = float64(g.keep*s.difference) + float64(g.weight*difference)
	return s.difference / g.unit
}

func (k *timely) parameters() []params.Field {
	return append(k.gradient.parameters("timely", "7/8", "20us", ""),
		rate("timely.ai", &k.ai, "",
			"increase (delta); unset: 1/1000 of the line rate, 100Mb/s at 100Gb/s"),
		rate("timely.hai", &k.hai, "",
			"increase after timely.hai-after in a row; unset: 1/200 of the line rate"),
		count("timely.hai-after", &k.haiAfter, "5", "increases in a row before timely.hai"),
		rate("timely.min-rate", &k.minRate, "", "least rate; unset: 1/100 of the line rate"),
	)
}

func (k *timely) prepare() error { return k.gradient.prepare("timely") }

func (k *timely) class(line sluice.Rate) class {
	return class{ai: or(k.ai, line/1000), hai: or(k.hai, line/200), least: or(k.minRate, line/100)}
}

func (k *timely) start(_ sluice.Time, i int32) { k.state[i] = timelyFlow{} }

// ack takes one sample a round trip: of the first packet sent after the last update.
func (k *timely) ack(_ sluice.Time, i int32, s *Sample) {
	t := &k.state[i]
	t.mark = max(t.mark, s.Mark)
	if s.Acked <= t.lastUpdate {
		return
	}
	if t.lastUpdate != 0 {
		k.update(&k.flows[i], t, s.RTT)
	}
	if s.Sent > t.lastUpdate {
		t.lastUpdate, t.lastRTT, t.mark = s.Sent, s.RTT, sluice.NotECT
	}
}

func (k *timely) update(f *flow, t *timelyFlow, rtt sluice.Time) {
	gradient := k.of(&t.smoothed, rtt)
	increases := rtt < k.low || rtt <= k.high && gradient <= 0
	switch {
	case k.ternary() && (t.mark == sluice.UE || t.mark != sluice.CE && !increases):
		// The port that delays the flow is not congested, or not known to be: the rate stays.
	case increases:
		class := &k.classes[f.class]
		add := class.ai
		if t.stage >= k.haiAfter {
			add = class.hai
		}
		t.stage = min(t.stage+1, k.haiAfter)
		f.rate = min(class.line, f.rate+add)
		return
	case rtt > k.high:
		k.cut(f, 1-float64(k.share*(1-float64(k.high)/float64(rtt))))
	default:
		k.cut(f, 1-float64(k.share*gradient))
	}
	t.stage = 0
}
