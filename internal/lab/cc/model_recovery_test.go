package cc

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

// slowDCQCN is a sender of dcqcn or qcn that lives through the end of every timer, one by one.
type slowDCQCN struct {
	config          Config
	line, ai, hai   sluice.Rate
	least           sluice.Rate
	rate, target    sluice.Rate
	alpha           float64
	bytes, times    int64 // stages
	left            int64
	alphaAt, rateAt sluice.Time
	active          bool
}

func (m *slowDCQCN) qcn() bool { return m.config.Kind == QCN }

func (m *slowDCQCN) fast() int64 {
	if m.qcn() {
		return int64(m.config.QCN.FastRecovery)
	}
	return int64(m.config.DCQCN.FastRecovery)
}

// hyper returns the stages of both kinds from which on there is hyper increase.
func (m *slowDCQCN) hyper() int64 {
	if !m.qcn() && m.config.DCQCN.HyperPastF {
		return m.fast() + 1
	}
	return m.fast()
}

// live lives up to an instant.
func (m *slowDCQCN) live(now sluice.Time) {
	for m.active && min(m.alphaAt, m.rateAt) <= now {
		if m.alphaAt <= m.rateAt {
			m.alpha *= 1 - float(m.config.DCQCN.G)
			m.alphaAt += m.config.DCQCN.AlphaTimer
			continue
		}
		period := m.config.DCQCN.RateTimer
		if m.qcn() {
			period = m.config.QCN.Timer
		}
		if m.halved(m.times + 1) {
			period /= 2
		}
		m.times++
		m.raise()
		m.rateAt += period
	}
}

// halved reports whether the period after an event is halved; own is the stage after it.
func (m *slowDCQCN) halved(own int64) bool {
	if m.qcn() {
		return own >= m.fast()
	}
	return m.config.DCQCN.HalveInHyper && min(m.bytes, m.times) >= m.hyper()
}

func (m *slowDCQCN) send(size int64) {
	if !m.active {
		return
	}
	if m.left -= size; m.left >= 0 {
		return
	}
	period := int64(m.config.DCQCN.ByteCounter)
	if m.qcn() {
		period = int64(m.config.QCN.ByteCounter)
	}
	if m.halved(m.bytes + 1) {
		period /= 2
	}
	m.left = period
	m.bytes++
	m.raise()
}

func (m *slowDCQCN) raise() {
	var add sluice.Rate
	switch low := min(m.bytes, m.times); {
	case low >= m.hyper():
		add = m.hai * sluice.Rate(low-m.hyper()+1)
	case max(m.bytes, m.times) >= m.fast():
		add = m.ai
	}
	if (m.bytes == 1 || m.times == 1) && m.target > 10*m.rate {
		m.target /= 8
	} else {
		m.target += add
	}
	if (m.qcn() || m.config.DCQCN.CapTarget) && m.target > m.line {
		m.target = m.line
	}
	sum := m.rate + m.target
	m.rate = min(sum/2+sum%2, m.line)
}

func (m *slowDCQCN) notice(now sluice.Time, n Notice) {
	d := &m.config.DCQCN
	first := !m.active
	if n.Mark == sluice.UE && (first || m.config.Kind != DCQCNTCD) {
		return
	}
	m.active = true
	if first {
		m.alpha, m.left = float(d.Alpha0), int64(d.ByteCounter)
		if m.qcn() {
			m.left = int64(m.config.QCN.ByteCounter)
		}
	}
	if m.qcn() {
		if m.bytes > 0 {
			m.target, m.left = m.rate, int64(m.config.QCN.ByteCounter)
		}
		m.cut(max(float(m.config.QCN.MinDecrease), 1-float(m.config.QCN.Gd)*float64(n.Feedback)))
		m.rateAt, m.alphaAt = now+m.config.QCN.Timer, sluice.Never
	} else {
		if d.Clamp || m.bytes > 0 || d.ClampStages && m.times > 0 {
			m.target, m.left = m.rate, int64(d.ByteCounter)
		}
		old := m.alpha
		if n.Mark == sluice.CE {
			g := float(d.G)
			m.alpha = float64((1-g)*m.alpha) + g
			if d.UpdateFirst {
				old = m.alpha
			}
			m.cut(1 - old/2)
		}
		m.rateAt, m.alphaAt = now+d.RateTimer, now+d.AlphaTimer
	}
	m.bytes, m.times = 0, 0
}

func (m *slowDCQCN) cut(factor float64) {
	m.rate = max(m.least, sluice.Rate(float64(m.rate)*factor))
}

// TestLazyRecovery: timers that are caught up when a rate is read give the same, to the last bit,
// as timers that end one by one.
func TestLazyRecovery(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]Kind{DCQCN, DCQCNTCD, QCN}).Draw(t, "kind")
		config := defaults(t, kind)
		d, q := &config.DCQCN, &config.QCN
		if kind != QCN {
			d.Clamp, d.ClampStages = rapid.Bool().Draw(t, "clamp"), rapid.Bool().Draw(t, "clamp stages")
			d.UpdateFirst, d.CapTarget = rapid.Bool().Draw(t, "update first"), rapid.Bool().Draw(t, "cap")
			d.HalveInHyper = rapid.Bool().Draw(t, "halve")
			d.HyperPastF = rapid.Bool().Draw(t, "past F")
			d.FastRecovery = int32(rapid.IntRange(0, 5).Draw(t, "F"))
			d.ByteCounter = sluice.Bytes(rapid.IntRange(1, 200_000).Draw(t, "B"))
			d.AI, d.HAI = 400*sluice.Mbps, 3*sluice.Gbps
			d.Alpha0 = sluice.Ratio{Num: rapid.Int64Range(0, 2).Draw(t, "alpha0"), Den: 2}
		} else {
			q.Timer, q.Jitter = 55*us, sluice.Ratio{Den: 1}
			q.FastRecovery = int32(rapid.IntRange(0, 5).Draw(t, "F"))
			q.AI, q.HAI = 400*sluice.Mbps, 3*sluice.Gbps
		}
		c, err := New(config)
		require.NoError(t, err)
		const line = 40 * sluice.Gbps
		c.Start(0, 0, line)
		k := c.classes[0]
		m := &slowDCQCN{
			config: config, line: line, ai: k.ai, hai: k.hai, least: k.least, rate: line, target: line,
		}
		now := sluice.Time(0)
		t.Repeat(map[string]func(*rapid.T){
			"wait": func(t *rapid.T) {
				longest := rapid.SampledFrom([]sluice.Time{us, 100 * us, 10_000 * us}).Draw(t, "scale")
				now += sluice.Time(rapid.Int64Range(0, int64(longest)).Draw(t, "d"))
			},
			"wait for a timer": func(t *rapid.T) {
				if m.live(now); m.active {
					now = m.rateAt + sluice.Time(rapid.IntRange(-1, 1).Draw(t, "d"))
				}
			},
			"send": func(t *rapid.T) {
				size := rapid.Int64Range(1, 9000).Draw(t, "size")
				m.live(now)
				m.send(size)
				c.Sent(now, 0, sluice.Bytes(size))
			},
			"notice": func(t *rapid.T) {
				marks := []sluice.ECN{sluice.CE, sluice.CE, sluice.UE}
				n := Notice{Mark: rapid.SampledFrom(marks).Draw(t, "mark")}
				if kind == QCN {
					n = Notice{Feedback: uint8(rapid.IntRange(1, 63).Draw(t, "feedback"))}
				}
				m.live(now)
				m.notice(now, n)
				c.Notice(now, 0, n)
			},
			"read": func(t *rapid.T) {
				m.live(now)
				require.Equal(t, m.rate, c.Rate(now, 0))
				changes := c.Changes(0)
				require.Greater(t, changes, now)
				if m.active && changes != sluice.Never {
					require.Equal(t, m.rateAt, changes)
				}
				require.True(t, m.least <= m.rate && m.rate <= line)
				if kind != QCN && m.active {
					c.dcqcn[0].decay(now, c)
					require.Equal(t, m.alpha, c.dcqcn[0].alpha)
				}
			},
		})
	})
}

// slowHPCCNIC is a sender of dcqcn-hpcc that lives through the end of every timer, one by one.
type slowHPCCNIC struct {
	config                          DCQCNHPCCConfig
	line, ai, hai, least            sluice.Rate
	rate, target                    sluice.Rate
	alpha                           float64
	stage                           int
	active, alphaMark, decreaseMark bool
	alphaAt, decreaseAt, increaseAt sluice.Time
}

func (m *slowHPCCNIC) live(now sluice.Time) {
	for m.active {
		at := min(m.alphaAt, m.decreaseAt, m.increaseAt)
		if at > now {
			return
		}
		switch at {
		case m.alphaAt:
			m.alpha *= 1 - float(m.config.G)
			if m.alphaMark {
				m.alpha += float(m.config.G)
			}
			m.alphaMark = false
			m.alphaAt += m.config.AlphaTimer
		case m.increaseAt:
			if m.stage == int(m.config.FastRecovery) {
				m.target += m.ai
			} else if m.stage > int(m.config.FastRecovery) {
				m.target += m.hai
			}
			m.target = min(m.target, m.line)
			sum := m.rate + m.target
			m.rate = sum/2 + sum%2
			m.stage++
			m.increaseAt += m.config.IncreaseTimer
		default:
			if m.decreaseMark {
				if m.config.Clamp || m.stage > 0 {
					m.target = m.rate
				}
				m.rate = max(m.least, sluice.Rate(float64(m.rate)*(1-m.alpha/2)))
				m.stage, m.decreaseMark = 0, false
				m.increaseAt = m.decreaseAt + m.config.IncreaseTimer
			}
			m.decreaseAt += m.config.DecreaseTimer
		}
	}
}

func (m *slowHPCCNIC) mark(now sluice.Time) {
	if !m.active {
		m.active, m.decreaseMark = true, true
		m.alpha = 1
		m.rate = sluice.Rate(float64(m.rate) * float(m.config.FirstRate))
		m.target = m.rate
		m.alphaAt = now + m.config.AlphaTimer
		m.decreaseAt = now + m.config.DecreaseTimer + sluice.Nanosecond
		m.increaseAt = sluice.Never
		return
	}
	m.alphaMark, m.decreaseMark = true, true
}

// TestLazyDCQCNHPCC: as TestLazyRecovery.
func TestLazyDCQCNHPCC(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		config := defaults(t, DCQCNHPCC)
		d := &config.DCQCNHPCC
		d.Clamp = rapid.Bool().Draw(t, "clamp")
		d.FastRecovery = int32(rapid.IntRange(0, 3).Draw(t, "F"))
		d.FirstRate = sluice.Ratio{Num: rapid.Int64Range(1, 4).Draw(t, "first rate"), Den: 4}
		span := func(name string) sluice.Time {
			return sluice.Time(rapid.SampledFrom([]int{1, 4, 50, 55, 300}).Draw(t, name)) * us
		}
		d.AlphaTimer, d.DecreaseTimer, d.IncreaseTimer = span("alpha"), span("decrease"), span("increase")
		d.HAI = sluice.Gbps
		c, err := New(config)
		require.NoError(t, err)
		const line = 100 * sluice.Gbps
		c.Start(0, 0, line)
		k := c.classes[0]
		m := &slowHPCCNIC{
			config: *d, line: line, ai: k.ai, hai: k.hai, least: k.least, rate: line, target: line,
		}
		now := sluice.Time(0)
		t.Repeat(map[string]func(*rapid.T){
			"wait": func(t *rapid.T) {
				longest := rapid.SampledFrom([]sluice.Time{us, 100 * us, 3000 * us}).Draw(t, "scale")
				now += sluice.Time(rapid.Int64Range(0, int64(longest)).Draw(t, "d"))
			},
			"wait for a timer": func(t *rapid.T) {
				if m.live(now); m.active {
					ends := []sluice.Time{m.decreaseAt, min(m.decreaseAt, m.increaseAt)}
					at := rapid.SampledFrom(ends).Draw(t, "at")
					now = at + sluice.Time(rapid.IntRange(-1, 1).Draw(t, "d"))
				}
			},
			"mark": func(t *rapid.T) {
				m.live(now)
				m.mark(now)
				c.Ack(now, 0, &Sample{Mark: sluice.CE})
			},
			"no mark": func(t *rapid.T) { c.Ack(now, 0, &Sample{Mark: sluice.UE}) },
			"read": func(t *rapid.T) {
				m.live(now)
				require.Equal(t, m.rate, c.Rate(now, 0))
				require.Greater(t, c.Changes(0), now)
				require.True(t, m.least <= m.rate && m.rate <= line)
				if m.active {
					c.dcqcnHPCC[0].decay(now, c)
					require.Equal(t, m.alpha, c.dcqcnHPCC[0].alpha)
				}
			},
		})
	})
}
