package transport

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

// slowSender is irn's sender with sets and lists: what it knows of each packet in flight.
type slowSender struct {
	config              Config
	packets, next, una  int32
	arrived, lost       map[int32]bool
	reported            map[int32]bool // looked at for a SACK before, or sent again
	ends                map[int32]sluice.Time
	recovery            int32
	resent, sent, timed uint64
}

func newSlowSender(c Config, packets int32) *slowSender {
	return &slowSender{
		config: c, packets: packets, arrived: map[int32]bool{}, lost: map[int32]bool{},
		reported: map[int32]bool{}, ends: map[int32]sluice.Time{},
	}
}

func (m *slowSender) nextPacket() (int32, bool) {
	for s := m.una; s < m.next; s++ {
		if m.lost[s] {
			return s, true
		}
	}
	inFlight, most := m.next-m.una, m.config.Cap
	if m.config.Outstanding {
		inFlight = m.inFlight()
	}
	return m.next, m.next < m.packets && inFlight < most
}

func (m *slowSender) send(now sluice.Time) (int32, bool, bool) {
	s, ok := m.nextPacket()
	if !ok {
		return 0, false, false
	}
	again := s < m.next
	m.next = max(m.next, s+1)
	delete(m.lost, s)
	timeout := m.config.RTOHigh
	if m.next-m.una <= m.config.LowPackets {
		timeout = m.config.RTOLow
	}
	end := now + timeout
	m.ends[s] = (end + 999) / 1000 * 1000
	for m.ends[s]/1000%(1<<31) < 2 {
		m.ends[s] += 1000
	}
	m.sent++
	if again {
		m.resent++
		m.reported[s] = true
	}
	return s, again, true
}

func (m *slowSender) lose(s int32) {
	m.lost[s] = true
	delete(m.ends, s)
	if m.una >= m.recovery {
		m.recovery = m.next
	}
}

func (m *slowSender) answered(a Answer) {
	if a.Expected > m.next {
		return
	}
	if m.config.Single {
		m.answeredSingle(a)
		return
	}
	for ; m.una < a.Expected; m.una++ {
		delete(m.lost, m.una)
		delete(m.ends, m.una)
		delete(m.arrived, m.una)
	}
	if a.Kind != Sack || a.Seen <= m.una || a.Seen >= m.next {
		return
	}
	m.arrived[a.Seen] = true
	delete(m.lost, a.Seen)
	delete(m.ends, a.Seen)
	for s := m.una; s < a.Seen; s++ {
		if !m.reported[s] && !m.arrived[s] && !m.lost[s] {
			m.lose(s)
		}
		m.reported[s] = true
	}
}

// answeredSingle: only the packet that came is acknowledged, and only the gap that a SACK names is
// lost.
func (m *slowSender) answeredSingle(a Answer) {
	if a.Seen < m.una || a.Seen >= m.next {
		return
	}
	m.arrived[a.Seen] = true
	delete(m.lost, a.Seen)
	delete(m.ends, a.Seen)
	for s := max(a.Expected, m.una); a.Kind == Sack && s < a.Seen; s++ {
		if !m.arrived[s] && !m.lost[s] {
			m.lose(s)
		}
	}
	for m.arrived[m.una] {
		delete(m.arrived, m.una)
		m.una++
	}
}

func (m *slowSender) expire(now sluice.Time) {
	for s := m.una; s < m.next; s++ {
		if end, runs := m.ends[s]; runs && end <= now {
			m.lose(s)
			m.timed++
		}
	}
}

func (m *slowSender) inFlight() int32 {
	return m.next - m.una - int32(len(m.lost)) - int32(len(m.arrived))
}

// TestAgainstSlowSender: any sequence of answers, honest or not, and any times.
func TestAgainstSlowSender(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := irnConfig
		c.Cap = int32(rapid.IntRange(1, 20).Draw(t, "cap"))
		c.Outstanding = rapid.Bool().Draw(t, "outstanding")
		c.Single = rapid.Bool().Draw(t, "single")
		c.LowPackets = int32(rapid.IntRange(0, 5).Draw(t, "N"))
		packets := int32(rapid.IntRange(1, 60).Draw(t, "packets"))
		tr, err := New(c)
		require.NoError(t, err)
		// From just below a whole number of 2^32 ns on, where the ticks of the timers wrap.
		now := sluice.Time(1<<32) * sluice.Nanosecond
		now -= sluice.Time(rapid.IntRange(0, 1_000_000_000).Draw(t, "start"))
		tr.Start(now, 0, packets)
		m := newSlowSender(c, packets)
		t.Repeat(map[string]func(*rapid.T){
			"send": func(t *rapid.T) {
				for range rapid.IntRange(1, 8).Draw(t, "n") {
					s, again, ok := tr.Send(now, 0)
					ms, mAgain, mOK := m.send(now)
					require.Equal(t, []any{ms, mAgain, mOK}, []any{s, again, ok})
				}
			},
			"answer": func(t *rapid.T) {
				a := Answer{
					Kind:     rapid.SampledFrom([]AnswerKind{Ack, Sack, Sack}).Draw(t, "kind"),
					Expected: m.una + int32(rapid.IntRange(-3, 3).Draw(t, "expected")),
				}
				a.Seen = a.Expected + int32(rapid.IntRange(-2, 12).Draw(t, "seen"))
				if a.Expected < 0 {
					t.Skip()
				}
				tr.Answered(0, a)
				m.answered(a)
			},
			"wait": func(t *rapid.T) {
				now += sluice.Time(rapid.IntRange(0, 150_000_000).Draw(t, "d"))
				if now >= tr.Deadline(0) {
					tr.Expire(now, 0, false)
				}
				m.expire(now)
			},
			"": func(t *rapid.T) {
				require.Equal(t, m.una, tr.Acked(0))
				require.Equal(t, m.inFlight(), tr.InFlight(0))
				require.Equal(t, m.una < m.recovery, tr.recovering(0))
				require.Equal(t, m.una >= m.packets, tr.Done(0))
				require.Equal(t, m.timed, tr.Counters().Timeouts)
				require.Equal(t, m.sent, tr.Counters().Sent)
				require.Equal(t, m.resent, tr.Counters().Resent)
				earliest := sluice.Never
				for _, end := range m.ends {
					earliest = min(earliest, end)
				}
				if !tr.Done(0) {
					require.LessOrEqual(t, tr.Deadline(0), earliest)
				}
			},
		})
	})
}

// slowGoBackN is gbn as the rules say it.
type slowGoBackN struct {
	packets, next, acked, sentUpTo, progress, expected int32
	complained                                         bool
	timeouts                                           uint64
}

func (m *slowGoBackN) receive(s int32) (a Answer, kept bool) {
	switch {
	case s == m.expected:
		m.expected++
		m.complained = false
		return Answer{Kind: Ack, Expected: m.expected}, true
	case s < m.expected:
		return Answer{Kind: Ack, Again: true, Expected: m.expected}, false
	case !m.complained:
		m.complained = true
		return Answer{Kind: Nack, Expected: m.expected}, false
	}
	return Answer{}, false
}

// TestAgainstSlowGoBackN: any packets and answers, in any order.
func TestAgainstSlowGoBackN(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const rto = sluice.Millisecond
		tr, err := New(Config{Timeout: rto})
		require.NoError(t, err)
		packets := int32(rapid.IntRange(1, 30).Draw(t, "packets"))
		tr.Start(0, 0, packets)
		m := &slowGoBackN{packets: packets}
		now := sluice.Time(0)
		t.Repeat(map[string]func(*rapid.T){
			"send": func(t *rapid.T) {
				s, again, ok := tr.Send(now, 0)
				require.Equal(t, m.next < m.packets, ok)
				if ok {
					require.Equal(t, m.next, s)
					require.Equal(t, m.next < m.sentUpTo, again)
					m.next++
					m.sentUpTo = max(m.sentUpTo, m.next)
				}
			},
			"arrive": func(t *rapid.T) {
				s := int32(rapid.IntRange(0, int(packets)-1).Draw(t, "sequence"))
				if rapid.Bool().Draw(t, "expected") && m.expected < packets {
					s = m.expected
				}
				a, kept := tr.Arrive(now, 0, s)
				want, wantKept := m.receive(s)
				require.Equal(t, want, a)
				require.Equal(t, wantKept, kept)
			},
			"answer": func(t *rapid.T) {
				e := int32(rapid.IntRange(0, int(m.sentUpTo)).Draw(t, "expected"))
				gap := rapid.Bool().Draw(t, "gap")
				tr.Answered(0, Answer{Kind: map[bool]AnswerKind{true: Nack, false: Ack}[gap], Expected: e})
				m.acked = max(m.acked, e)
				m.next = max(m.next, m.acked)
				if gap && e == m.acked {
					m.next = m.acked
				}
			},
			"timer": func(t *rapid.T) {
				now += rto
				waiting := rapid.Bool().Draw(t, "waiting")
				tr.Expire(now, 0, waiting)
				if m.acked < m.packets {
					if m.progress == m.acked && m.next > m.acked && !waiting {
						m.next = m.acked
						m.timeouts++
					}
					m.progress = m.acked
				}
			},
			"": func(t *rapid.T) {
				require.Equal(t, m.next-m.acked, tr.InFlight(0))
				require.Equal(t, m.acked, tr.Acked(0))
				require.Equal(t, m.timeouts, tr.Counters().Timeouts)
				require.Equal(t, m.expected >= m.packets, tr.Complete(0))
			},
		})
	})
}

// TestSlots: flows that start and finish at the same indexes share rings and do not see each other.
func TestSlots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := irnConfig
		c.Cap = 64
		tr, err := New(c)
		require.NoError(t, err)
		sizes := map[int32]int32{}
		came := map[int32][]int32{}
		t.Repeat(map[string]func(*rapid.T){
			"start": func(t *rapid.T) {
				i := int32(rapid.IntRange(0, 5).Draw(t, "slot"))
				sizes[i] = int32(rapid.IntRange(1, 100).Draw(t, "packets"))
				tr.Start(0, i, sizes[i])
				came[i] = nil
			},
			"finish": func(t *rapid.T) {
				i := int32(rapid.IntRange(0, 5).Draw(t, "slot"))
				tr.Finish(i)
				delete(sizes, i)
				delete(came, i)
			},
			"send and arrive": func(t *rapid.T) {
				i := int32(rapid.IntRange(0, 5).Draw(t, "slot"))
				n := rapid.IntRange(1, 80).Draw(t, "n")
				for k := range n {
					s, _, ok := tr.Send(0, i)
					if !ok {
						break
					}
					if k%3 == 1 {
						continue // lost
					}
					a, kept := tr.Arrive(0, i, s)
					if kept {
						came[i] = append(came[i], s)
					}
					tr.Answered(i, a)
				}
			},
			"": func(t *rapid.T) {
				for i := range int32(6) {
					n := int32(len(came[i]))
					require.Equal(t, n, int32(len(slices.Compact(slices.Sorted(slices.Values(came[i]))))))
					require.Equal(t, n >= sizes[i], tr.Complete(i), "slot %d", i)
				}
				require.Zero(t, tr.Counters().Ignored)
			},
		})
	})
}
