package cc

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

// slowDCQCN is a sender of dcqcn or qcn that lives through the end of every timer, one by one.
type slowDCQCN struct {
	kind            *Kind
	d               *dcqcn
	q               *qcn
	line, ai, hai   sluice.Rate
	least           sluice.Rate
	rate, target    sluice.Rate
	alpha           float64
	bytes, times    int64 // stages
	left            int64
	alphaAt, rateAt sluice.Time
	active          bool
}

func (m *slowDCQCN) qcn() bool { return m.q != nil }

func (m *slowDCQCN) fast() int64 {
	if m.qcn() {
		return int64(m.q.fastRecovery)
	}
	return int64(m.d.fastRecovery)
}

// hyper returns the stages of both kinds from which on there is hyper increase.
func (m *slowDCQCN) hyper() int64 {
	if !m.qcn() && m.d.past {
		return m.fast() + 1
	}
	return m.fast()
}

// live lives up to an instant.
func (m *slowDCQCN) live(now sluice.Time) {
	for m.active && min(m.alphaAt, m.rateAt) <= now {
		if m.alphaAt <= m.rateAt {
			m.alpha *= 1 - float(m.d.g)
			m.alphaAt += m.d.alphaTimer
			continue
		}
		var period sluice.Time
		if m.qcn() {
			period = m.q.timer
		} else {
			period = m.d.rateTimer
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
	return m.d.halve && min(m.bytes, m.times) >= m.hyper()
}

func (m *slowDCQCN) send(size int64) {
	if !m.active {
		return
	}
	if m.left -= size; m.left >= 0 {
		return
	}
	var period int64
	if m.qcn() {
		period = int64(m.q.byteCounter)
	} else {
		period = int64(m.d.byteCounter)
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
	if (m.qcn() || m.d.capTarget) && m.target > m.line {
		m.target = m.line
	}
	sum := m.rate + m.target
	m.rate = min(sum/2+sum%2, m.line)
}

func (m *slowDCQCN) notice(now sluice.Time, n Notice) {
	d := m.d
	first := !m.active
	if n.Mark == sluice.UE && (first || m.kind != DCQCNTCD) {
		return
	}
	m.active = true
	if first {
		if m.qcn() {
			m.left = int64(m.q.byteCounter)
		} else {
			m.alpha, m.left = float(d.alpha0), int64(d.byteCounter)
		}
	}
	if m.qcn() {
		if m.bytes > 0 {
			m.target, m.left = m.rate, int64(m.q.byteCounter)
		}
		m.cut(max(float(m.q.minDecrease), 1-float(m.q.gd)*float64(n.Feedback)))
		m.rateAt, m.alphaAt = now+m.q.timer, sluice.Never
	} else {
		if d.clamp == "always" || m.bytes > 0 || d.clamp == "any-stage" && m.times > 0 {
			m.target, m.left = m.rate, int64(d.byteCounter)
		}
		old := m.alpha
		if n.Mark == sluice.CE {
			g := float(d.g)
			m.alpha = float64((1-g)*m.alpha) + g
			if d.updateFirst {
				old = m.alpha
			}
			m.cut(1 - old/2)
		}
		m.rateAt, m.alphaAt = now+d.rateTimer, now+d.alphaTimer
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
		kind := rapid.SampledFrom([]*Kind{DCQCN, DCQCNTCD, QCN}).Draw(t, "kind")
		c, err := New(defaults(t, kind))
		require.NoError(t, err)
		m := &slowDCQCN{kind: kind}
		if kind != QCN {
			changed(t, c, func(d *dcqcn) {
				d.clamp = rapid.SampledFrom([]string{"always", "byte-stage", "any-stage"}).Draw(t, "clamp")
				d.updateFirst = rapid.Bool().Draw(t, "update first")
				d.capTarget, d.halve = rapid.Bool().Draw(t, "cap"), rapid.Bool().Draw(t, "halve")
				d.past = rapid.Bool().Draw(t, "past F")
				d.fastRecovery = int32(rapid.IntRange(0, 5).Draw(t, "F"))
				d.byteCounter = sluice.Bytes(rapid.IntRange(1, 200_000).Draw(t, "B"))
				d.ai, d.hai = 400*sluice.Mbps, 3*sluice.Gbps
				d.alpha0 = sluice.Ratio{Num: rapid.Int64Range(0, 2).Draw(t, "alpha0"), Den: 2}
				m.d = d
			})
		} else {
			changed(t, c, func(q *qcn) {
				q.timer, q.jitter = 55*us, sluice.Ratio{Den: 1}
				q.fastRecovery = int32(rapid.IntRange(0, 5).Draw(t, "F"))
				q.ai, q.hai = 400*sluice.Mbps, 3*sluice.Gbps
				m.q = q
			})
		}
		const line = 40 * sluice.Gbps
		c.Start(0, 0, line)
		k := c.classes[0]
		m.line, m.ai, m.hai, m.least, m.rate, m.target = line, k.ai, k.hai, k.least, line, line
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
					lawOf[*dcqcn](c).state[0].decay(now, m.d)
					require.Equal(t, m.alpha, lawOf[*dcqcn](c).state[0].alpha)
				}
			},
		})
	})
}

// slowHPCCNIC is a sender of dcqcn-hpcc that lives through the end of every timer, one by one.
type slowHPCCNIC struct {
	config                          *dcqcnHPCC
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
			m.alpha *= 1 - float(m.config.g)
			if m.alphaMark {
				m.alpha += float(m.config.g)
			}
			m.alphaMark = false
			m.alphaAt += m.config.alphaTimer
		case m.increaseAt:
			if m.stage == int(m.config.fastRecovery) {
				m.target += m.ai
			} else if m.stage > int(m.config.fastRecovery) {
				m.target += m.hai
			}
			m.target = min(m.target, m.line)
			sum := m.rate + m.target
			m.rate = sum/2 + sum%2
			m.stage++
			m.increaseAt += m.config.increaseTimer
		default:
			if m.decreaseMark {
				if m.config.clamp || m.stage > 0 {
					m.target = m.rate
				}
				m.rate = max(m.least, sluice.Rate(float64(m.rate)*(1-m.alpha/2)))
				m.stage, m.decreaseMark = 0, false
				m.increaseAt = m.decreaseAt + m.config.increaseTimer
			}
			m.decreaseAt += m.config.decreaseTimer
		}
	}
}

func (m *slowHPCCNIC) mark(now sluice.Time) {
	if !m.active {
		m.active, m.decreaseMark = true, true
		m.alpha = 1
		m.rate = sluice.Rate(float64(m.rate) * float(m.config.firstRate))
		m.target = m.rate
		m.alphaAt = now + m.config.alphaTimer
		m.decreaseAt = now + m.config.decreaseTimer + sluice.Nanosecond
		m.increaseAt = sluice.Never
		return
	}
	m.alphaMark, m.decreaseMark = true, true
}

// TestLazyDCQCNHPCC: as TestLazyRecovery.
func TestLazyDCQCNHPCC(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, err := New(defaults(t, DCQCNHPCC))
		require.NoError(t, err)
		span := func(name string) sluice.Time {
			return sluice.Time(rapid.SampledFrom([]int{1, 4, 50, 55, 300}).Draw(t, name)) * us
		}
		changed(t, c, func(d *dcqcnHPCC) {
			d.clamp = rapid.Bool().Draw(t, "clamp")
			d.fastRecovery = int32(rapid.IntRange(0, 3).Draw(t, "F"))
			d.firstRate = sluice.Ratio{Num: rapid.Int64Range(1, 4).Draw(t, "first rate"), Den: 4}
			d.alphaTimer, d.decreaseTimer = span("alpha"), span("decrease")
			d.increaseTimer, d.hai = span("increase"), sluice.Gbps
		})
		const line = 100 * sluice.Gbps
		c.Start(0, 0, line)
		k := c.classes[0]
		m := &slowHPCCNIC{
			config: lawOf[*dcqcnHPCC](c), line: line, ai: k.ai, hai: k.hai, least: k.least, rate: line,
			target: line,
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
					lawOf[*dcqcnHPCC](c).state[0].decay(now, m.config)
					require.Equal(t, m.alpha, lawOf[*dcqcnHPCC](c).state[0].alpha)
				}
			},
		})
	})
}
