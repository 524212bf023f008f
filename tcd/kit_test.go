package tcd

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
)

const us = sluice.Microsecond

// shipped is the configuration of the first author's ns-3 files: 40 Gb/s, 4 us, frames of 1,030
// bytes.
func shipped() Config {
	return Config{
		MaxTon: MaxTonCEE(
			sluice.Link{Rate: 40 * sluice.Gbps, Delay: 4 * us}, 2060, 1030, DefaultEpsilon(),
		),
		Marking: sluice.Marking{KMin: 5 * 1030, KMax: 200 * 1030, PMax: sluice.Ratio{Num: 1, Den: 100}},
		Drained: 2 * 1030,
	}
}

// model is the detector rule by rule, with nothing worked out in advance.
type model struct {
	Config
	random  prng.Source
	state   State
	resumed bool
	tResume sluice.Time
	qResume sluice.Bytes
	tCheck  sluice.Time
	qCheck  sluice.Bytes
}

func newModel(c Config) *model { return &model{Config: c, random: prng.New(c.Seed)} }

func (m *model) resume(now sluice.Time, q sluice.Bytes) {
	m.resumed, m.tResume, m.qResume = true, now, q
}

// red is the marking by K_min, K_max and P_max, one draw on the ramp.
func (m *model) red(q sluice.Bytes) bool {
	switch {
	case q <= m.Marking.KMin:
		return false
	case q > m.Marking.KMax:
		return true
	}
	span := uint64(m.Marking.KMax-m.Marking.KMin) * uint64(m.Marking.PMax.Den)
	return m.random.Below(span) < uint64(q-m.Marking.KMin)*uint64(m.Marking.PMax.Num)
}

func (m *model) dequeue(now sluice.Time, q sluice.Bytes, ecn sluice.ECN) sluice.ECN {
	const none = sluice.NotECT
	put := none
	switch {
	case m.resumed && now-m.tResume <= m.MaxTon:
		put, m.state = sluice.UE, Undetermined
	case m.state == Undetermined && q >= m.qResume:
		if m.red(q) {
			put = sluice.CE
		}
		m.state = Congestion
	case m.state == Undetermined && q < m.qResume:
		m.state, m.tCheck, m.qCheck = Draining, now, q
	case m.state == Draining && now-m.tCheck >= m.MaxTon && q < m.qCheck+m.Slack:
		m.tCheck, m.qCheck = now, q
		if q <= m.Drained {
			m.state = NonCongestion
		}
	case m.state == Draining && now-m.tCheck >= m.MaxTon:
		if m.red(q) {
			put = sluice.CE
		}
		m.state = Congestion
	case m.state == Draining:
		if q <= m.Drained {
			m.state = NonCongestion
		}
	case m.red(q):
		put, m.state = sluice.CE, Congestion
	default:
		m.state = NonCongestion
	}
	if ecn == sluice.NotECT {
		return ecn
	}
	return max(ecn, put)
}
