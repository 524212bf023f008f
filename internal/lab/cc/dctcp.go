package cc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
)

// DCTCP is DCTCP (SIGCOMM 2010) with a rate, as in the ns-3 code of HPCC.
var DCTCP = &Kind{
	Name: "dctcp", Signals: Marks | Echoes, Detector: "ecn", Windowed: true,
	law: func() law { return new(dctcp) },
}

type dctcp struct {
	each[dctcpFlow]
	g, alpha0   sluice.Ratio
	ai, minRate sluice.Rate

	gain, decay float64
}

func (k *dctcp) parameters() []params.Field {
	return []params.Field{
		share("dctcp.g", &k.g, "1/16", "gain of alpha"),
		shareOrZero("dctcp.alpha0", &k.alpha0, "1", "alpha at the start"),
		rate("dctcp.ai", &k.ai, "",
			"increase a window; unset: 615Mb/s at 100Gb/s, a packet of 1kB in 13us"),
		rate("dctcp.min-rate", &k.minRate, "", "least rate; unset: 1/100 of the line rate"),
	}
}

func (k *dctcp) prepare() error {
	k.gain = float(k.g)
	k.decay = 1 - k.gain
	return nil
}

func (k *dctcp) class(line sluice.Rate) class {
	return class{ai: or(k.ai, line/100_000*615), least: or(k.minRate, line/100)}
}

func (k *dctcp) start(_ sluice.Time, i int32) { k.state[i] = dctcpFlow{alpha: float(k.alpha0)} }

// dctcpFlow is DCTCP's sender (SIGCOMM 2010, section 3.1) with a rate in the place of a window.
type dctcpFlow struct {
	alpha      float64
	lastUpdate int32 // packets sent at the last update of alpha
	batch      int32 // packets whose marked fraction alpha takes next
	marked     int32 // packets of the batch that were marked
	reduced    bool  // until a packet sent after high is acknowledged
	high       int32
}

func (k *dctcp) ack(_ sluice.Time, i int32, s *Sample) {
	f, d := &k.flows[i], &k.state[i]
	marked := s.Mark == sluice.CE
	if marked {
		d.marked++
	}
	window := s.Acked > d.lastUpdate
	if window {
		if d.lastUpdate != 0 {
			fraction := min(1, float64(d.marked)/float64(d.batch))
			d.alpha = float64(k.decay*d.alpha) + float64(k.gain*fraction)
			d.marked = 0
			d.batch = max(0, s.Sent-s.Acked) + 1
		} else {
			d.batch = s.Sent + 1
		}
		d.lastUpdate = s.Sent
	}
	if s.Acked > d.high {
		d.reduced = false
	}
	if marked && !d.reduced {
		k.cut(f, 1-d.alpha/2)
		d.reduced, d.high = true, s.Sent
	}
	if window && !d.reduced {
		class := &k.classes[f.class]
		f.rate = min(class.line, f.rate+class.ai)
	}
}
