package pcn

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

// Rules of the paper, each above its assertions.

const (
	us = sluice.Microsecond
	g  = sluice.Gbps
)

// TestNPECN: when a port resumes, its counter PN becomes the number of packets that wait. Each
// packet that leaves counts it down, unmarked. Once PN is 0, ECN with a threshold of zero marks
// (section 5.1, Figure 7).
func TestNPECN(t *testing.T) {
	var p CongestionPoint
	require.Equal(t, sluice.CE, p.Dequeue(0, 1000, 1, sluice.ECT0), "never held")
	require.Equal(t, sluice.ECT0, p.Dequeue(0, 1000, 0, sluice.ECT0), "an empty queue stays behind")
	p.Resumed(0, 3500)
	for packet, size := range []sluice.Bytes{1000, 1500, 1000} {
		require.Equal(t, sluice.ECT0, p.Dequeue(0, size, 9000, sluice.ECT0), "packet %d waited", packet)
	}
	require.Zero(t, p.Waiting())
	require.Equal(t, sluice.CE, p.Dequeue(0, 1000, 9000, sluice.ECT0))
	require.Equal(t, sluice.CE, p.Dequeue(0, 1000, 9000, sluice.CE))
	require.Equal(
		t, sluice.NotECT, p.Dequeue(0, 1000, 9000, sluice.NotECT), "RFC 3168: not ECN-capable",
	)
	require.EqualValues(t, 2, p.Marked())
}

// TestQuasiCongestion: a quasi-congestion port marks a part of its packets (section 5.1).
func TestQuasiCongestion(t *testing.T) {
	p, err := NewCongestionPoint(CPConfig{Threshold: 5000})
	require.NoError(t, err)
	p.Resumed(0, 10_000)
	marked := 0
	for range 20 { // as many arrive as leave
		if p.Dequeue(0, 1000, 10_000, sluice.ECT0) == sluice.CE {
			marked++
		}
	}
	require.Equal(t, 10, marked)
	require.Equal(
		t, sluice.ECT0, p.Dequeue(0, 1000, 5000, sluice.ECT0),
		"with a threshold, what does not exceed it",
	)
	require.Equal(t, sluice.CE, p.Dequeue(0, 1000, 5001, sluice.ECT0))
}

// TestRateOfAPeriod: the receiving rate is the bytes of a period over its length, and the CNP has
// it as 32 bits in Mb/s (section 5.2): 242 packets of 1,030 bytes in 50 us are 39,881.6 Mb/s.
func TestRateOfAPeriod(t *testing.T) {
	var n NotificationPoint
	for i := range 242 {
		n.Arrive(sluice.Time(i)*206*sluice.Nanosecond, 1030, sluice.CE)
	}
	require.Equal(t, DefaultPeriod, n.Deadline())
	c, ok := n.Expire(DefaultPeriod)
	require.True(t, ok)
	require.Equal(t, CNP{Congested: true, RecRate: 39_882}, c)
}

// TestNinetyFivePercent: a flow is congested if at least 95 % of its packets in a period T are
// marked (section 5.2).
func TestNinetyFivePercent(t *testing.T) {
	for packets := 1; packets <= 200; packets++ {
		for marked := range packets + 1 {
			var n NotificationPoint
			for i := range packets {
				ecn := sluice.ECT0
				if i < marked {
					ecn = sluice.CE
				}
				n.Arrive(0, 1000, ecn)
			}
			c, ok := n.Expire(DefaultPeriod)
			require.True(t, ok)
			require.Equal(t, 100*marked >= 95*packets, c.Congested, "%d of %d", marked, packets)
			require.False(t, packets < 20 && c.Congested && marked < packets)
		}
	}
}

// TestSlowFlow: packets of a slow flow can be several periods apart. Then the rate is the packet's
// size over the time since the one before, and a period without a packet has no CNP (section 5.2).
func TestSlowFlow(t *testing.T) {
	const gap = 824 * us // 1,030 bytes at 10 Mb/s
	var n NotificationPoint
	now := sluice.Time(0)
	for packet := range 10 {
		require.True(t, n.Arrive(now, 1030, sluice.CE), "the timer had stopped")
		c, ok := n.Expire(n.Deadline())
		require.True(t, ok)
		if packet == 0 {
			require.EqualValues(t, 165, c.RecRate, "nothing before it: over T")
		} else {
			require.EqualValues(t, 10, c.RecRate)
		}
		_, ok = n.Expire(n.Deadline())
		require.False(t, ok, "no packet, no CNP")
		require.Equal(t, sluice.Never, n.Deadline())
		now += gap
	}
}

// TestAlgorithm1 holds the values of Algorithm 1 in 32 fractional bits, C 40 Gb/s, from 10 Gb/s.
func TestAlgorithm1(t *testing.T) {
	r, err := NewReactionPoint(RPConfig{LineRate: 40 * g})
	require.NoError(t, err)
	require.Equal(t, 40*g, r.Rate(), "line 1: sendRate <- lineRate")
	require.EqualValues(t, 1<<25, r.Weight(), "line 2: w <- w_min")

	r.rate = 10 * g
	for i, want := range []struct {
		rate sluice.Rate
		w    uint64
	}{
		{10234375000, 50069504}, {10581374168, 74520560}, {11091807035, 110487858},
		{11835469116, 162889491},
		{12903627680, 238156544}, {14406125357, 344029001}, {16456207352, 488486608},
		{19133952400, 677172057},
		{22423827130, 908990801}, {26143664408, 1171106558},
	} {
		r.Receive(&CNP{RecRate: 1})
		require.Equal(t, want.rate, r.Rate(), "increase %d", i)
		require.Equal(t, want.w, r.Weight(), "increase %d", i)
	}

	r.rate = 20 * g
	r.Receive(&CNP{Congested: true, RecRate: 9500})
	require.Equal(t, sluice.Rate(9_425_781_250), r.Rate(), "line 6: min{sendRate, recRate*(1-w_min)}")
	require.EqualValues(t, 1<<25, r.Weight(), "line 7: w <- w_min")
	r.Receive(&CNP{Congested: true, RecRate: 9600})
	require.Equal(
		t, sluice.Rate(9_425_781_250), r.Rate(), "the sending rate should be non-increasing in line 6",
	)
}

// TestFigure10: from 0, the rate is at most 10 % of the line rate after 5 CNPs, and 95 % of it
// after 15 (section 5.3).
func TestFigure10(t *testing.T) {
	r, err := NewReactionPoint(RPConfig{LineRate: 40 * g})
	require.NoError(t, err)
	r.rate = 0
	for i, want := range []float64{
		.007812, .019379, .036394, .061182, .096788, .146871, .215207, .304465, .414128, .538122, .664062,
		.776486, .863654, .922677, .958396,
	} {
		r.Receive(&CNP{})
		share := float64(r.Rate()) / float64(40*g)
		require.InDelta(t, want, share, 1e-6, "after %d CNPs", i+1)
		require.Equal(t, i+1 <= 5, share < 0.10)
		require.Equal(t, i+1 >= 15, share > 0.95)
	}
}

// TestRateIncrease: an increase moves the rate towards the line rate and not beyond; the weight is
// the same for all flows, so that a slow flow gains more; and the weight grows from w_min to w_max
// (section 5.3, points 1 to 3).
func TestRateIncrease(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := sluice.Rate(rapid.Int64Range(1, 400).Draw(t, "Gb/s")) * g
		slow, err := NewReactionPoint(RPConfig{LineRate: line})
		require.NoError(t, err)
		fast := slow
		// A receiver's share of each congested flow's rate.
		share := rapid.Int64Range(2, int64(line/sluice.Mbps)).Draw(t, "Mb/s")
		slow.Receive(&CNP{Congested: true, RecRate: uint32(share / 2)})
		fast.Receive(&CNP{Congested: true, RecRate: uint32(share)})
		for range rapid.IntRange(1, 40).Draw(t, "CNPs") {
			before, faster, w := slow.Rate(), fast.Rate(), slow.Weight()
			slow.Receive(&CNP{RecRate: 1})
			fast.Receive(&CNP{RecRate: 1})
			require.True(t, before <= slow.Rate() && slow.Rate() <= line)
			require.GreaterOrEqual(t, slow.Rate()-before, fast.Rate()-faster)
			require.True(t, w <= slow.Weight() && slow.Weight() <= 1<<31)
			require.Equal(t, slow.Weight(), fast.Weight(), "equally many increases")
		}
	})
}

// TestEveryLineRate: the parameters serve links from 1 to 400 Gb/s (section 5.3, point 4). The
// share of the line rate is the same.
func TestEveryLineRate(t *testing.T) {
	for _, line := range []sluice.Rate{g, 10 * g, 100 * g, 400 * g, 1600 * g, MaxLineRate} {
		r, err := NewReactionPoint(RPConfig{LineRate: line})
		require.NoError(t, err)
		r.Receive(&CNP{Congested: true, RecRate: 1})
		for range 15 {
			r.Receive(&CNP{RecRate: 1})
		}
		require.InDelta(t, 0.958396, float64(r.Rate())/float64(line), 1e-3, "%v", line)
		for range 200 {
			r.Receive(&CNP{RecRate: math.MaxUint32})
		}
		require.LessOrEqual(t, r.Rate(), line)
		require.Greater(t, float64(r.Rate()), 0.999999*float64(line))
		require.InDelta(t, float64(1<<31), r.Weight(), 4, "w tends to w_max")
	}
}

// TestFigure8 is every transition of the NP: its state, the input, and the next state.
func TestFigure8(t *testing.T) {
	type packet struct {
		at   sluice.Time
		size sluice.Bytes
		ecn  sluice.ECN
	}
	const ce, not = sluice.CE, sluice.ECT0
	for _, test := range []struct {
		name    string
		before  []packet // an earlier period, which ends with Expire
		packets []packet
		started bool // the timer, by the first of packets
		want    string
	}{
		{"first of a flow, marked", nil, []packet{{0, 1250, ce}}, true, "congested 200"},
		{"first of a flow, not marked", nil, []packet{{0, 1250, not}}, true, "free 200"},
		{"several, all marked", nil, []packet{{0, 1250, ce}, {49 * us, 1250, ce}}, true, "congested 400"},
		{"several, one not marked", nil, []packet{{0, 1250, ce}, {1, 1250, not}}, true, "free 400"},
		{"several, none marked", nil, []packet{{0, 1250, not}, {1, 1250, not}}, true, "free 400"},
		{
			"at the deadline counts", nil, []packet{{0, 1250, ce}, {50 * us, 1250, ce}}, true,
			"congested 400",
		},
		{"none", []packet{{0, 1250, ce}}, nil, false, "none"},
		{
			"one, at once", []packet{{0, 1250, ce}}, []packet{{50*us + 1, 1250, ce}}, false, "congested 200",
		},
		{
			"one, long after", []packet{{0, 1250, ce}}, []packet{{99 * us, 1250, ce}}, false,
			"congested 101",
		},
		{
			"two, the first long after another", []packet{{0, 1250, ce}},
			[]packet{{99 * us, 1250, ce}, {100 * us, 1250, ce}}, false, "congested 400",
		},
		{
			"counters start again", []packet{{0, 9000, not}, {1, 9000, not}},
			[]packet{{50 * us, 1250, ce}}, false, "congested 200",
		},
		{"UE is not CE", nil, []packet{{0, 1250, sluice.UE}}, true, "free 200"},
		{"64 bytes, to the nearest", nil, []packet{{0, 64, ce}}, true, "congested 10"},
		{"at least 1", nil, []packet{{0, 1, ce}}, true, "congested 1"},
	} {
		var n NotificationPoint
		for _, p := range test.before {
			n.Arrive(p.at, p.size, p.ecn)
		}
		n.Expire(n.Deadline())
		for i, p := range test.packets {
			require.Equal(t, test.started && i == 0, n.Arrive(p.at, p.size, p.ecn), test.name)
		}
		got := "none"
		if c, ok := n.Expire(n.Deadline()); ok {
			got = fmt.Sprintf(
				"%s %d", map[bool]string{true: "congested", false: "free"}[c.Congested], c.RecRate,
			)
			require.NotEqual(t, sluice.Never, n.Deadline(), test.name)
		} else {
			require.Equal(t, sluice.Never, n.Deadline(), test.name)
		}
		require.Equal(t, test.want, got, test.name)
	}
}
