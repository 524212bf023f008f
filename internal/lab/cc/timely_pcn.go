package cc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
)

// TimelyPCN is TIMELY as in the code of PCN: bursts, and steps by the time since the last step.
var TimelyPCN = &Kind{
	Name: "timely-pcn", Signals: RTT, law: func() law { return new(timelyPCN) },
}

type timelyPCN struct {
	each[timelyPCNFlow]
	gradient
	delta, minRate   sluice.Rate
	factor, haiAfter int32
	every            int32 // acknowledgements of a sample
	burstSize        sluice.Bytes

	packet []sluice.Time // by class: the time of a full packet
}

type timelyPCNFlow struct {
	smoothed
	rate    float64     // in b/s: its steps are small
	updated sluice.Time // when the rate was
	stage   int32       // falling samples in a row
	count   int32       // acknowledgements since the last sample
}

func (k *timelyPCN) parameters() []params.Field {
	return append(
		k.gradient.parameters("timely-pcn", "1/50", "30us", ", and time of a full step"),
		rate("timely-pcn.delta", &k.delta, "",
			"increase; unset: 1/1000 of the line rate, 40Mb/s at 40Gb/s"),
		count("timely-pcn.n", &k.factor, "5",
			"increases at once after timely-pcn.n-after falling samples in a row (N)"),
		count("timely-pcn.n-after", &k.haiAfter, "5", "falling samples in a row before timely-pcn.n"),
		rate("timely-pcn.min-rate", &k.minRate, "", "least rate; unset: 1/100 of the line rate"),
		count("timely-pcn.every", &k.every, "64", "acknowledgements of a sample"),
		amount("timely-pcn.burst", &k.burstSize, "64kB", "bytes sent at once"),
	)
}

func (k *timelyPCN) prepare() error {
	k.burst = int64(k.burstSize)
	return k.gradient.prepare("timely-pcn")
}

func (k *timelyPCN) class(line sluice.Rate) class {
	k.packet = append(k.packet, line.TimeOf(k.config.Packet))
	ai := or(k.delta, line/1000)
	return class{ai: ai, hai: ai * sluice.Rate(k.factor), least: or(k.minRate, line/100)}
}

func (k *timelyPCN) start(now sluice.Time, i int32) {
	k.state[i] = timelyPCNFlow{updated: now, rate: float64(k.flows[i].rate)}
}

// ack takes a sample of each timely-pcn.every acknowledgements.
func (k *timelyPCN) ack(now sluice.Time, i int32, s *Sample) {
	f, t := &k.flows[i], &k.state[i]
	if t.count++; t.count < k.every {
		return
	}
	t.count = 0
	class := &k.classes[f.class]
	rtt := s.RTT - k.packet[f.class]
	if t.lastRTT == 0 {
		t.lastRTT = rtt
	}
	t.stage = min(t.stage+1, k.haiAfter)
	if rtt >= t.lastRTT {
		t.stage = 0
	}
	gradient := k.of(&t.smoothed, rtt)
	share := min(1, float64(now-t.updated)/k.unit)
	rate := t.rate
	switch {
	case rtt < k.low:
		rate += float64(float64(class.ai) * share)
	case rtt > k.high:
		rate *= 1 - float64(float64(share*k.share)*(1-float64(k.high)/float64(rtt)))
	case gradient < 0 && t.stage >= k.haiAfter:
		rate += float64(float64(class.hai) * share)
	case gradient < 0:
		rate += float64(float64(class.ai) * share)
	default:
		rate *= 1 - float64(k.share*gradient)
	}
	rate = max(rate, t.rate/2)
	t.rate = max(float64(class.least), min(float64(class.line), rate))
	k.set(f, sluice.Rate(t.rate))
	t.lastRTT, t.updated = rtt, now
}
