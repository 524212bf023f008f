package cc

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

// TestNoticesAtOnce: SIGCOMM 2015, section 3.1, notification point: a marked packet brings a CNP at
// once, unless its flow got a CNP in the last N microseconds.
func TestNoticesAtOnce(t *testing.T) {
	c := configured(t, DCQCNTCD, "")
	c.Start(0, 0, sluice.Gbps)
	for _, s := range []struct {
		at     sluice.Time
		ecn    sluice.ECN
		notice sluice.ECN
	}{
		{5, sluice.ECT1, 0}, {7, sluice.CE, sluice.CE}, {8, sluice.CE, 0}, {56, sluice.UE, 0},
		{57, sluice.UE, sluice.UE}, {100, sluice.CE, 0}, {400, sluice.NotECT, 0},
		{401, sluice.CE, sluice.CE},
	} {
		a := c.Arrive(s.at*us, 0, 1048, s.ecn)
		require.Equal(t, Notice{Mark: s.notice}, a.Notice, "at %d us", s.at)
		require.Equal(t, sluice.Never, c.NoticeDue(0))
	}
	require.EqualValues(t, 3, c.Counters().Notices)
}

// TestNoticesPerInterval: at the ends of intervals of 50 us from the first packet on, with the
// largest mark of the interval, if there was one, or if as large a share of its packets was marked
// as asked for. Against a list of all marks.
func TestNoticesPerInterval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		share := rapid.SampledFrom([]sluice.Ratio{
			{Num: 0, Den: 1}, {Num: 1, Den: 2}, {Num: 19, Den: 20}, {Num: 1, Den: 1},
		}).Draw(t, "share")
		c := configured(t, DCQCNTCD, fmt.Sprintf("dcqcn.np=interval,dcqcn.np-share=%v", share))
		c.Start(0, 0, sluice.Gbps)
		const interval = 50 * us
		first, now := sluice.Never, sluice.Time(0)
		marks := map[sluice.Time]sluice.ECN{} // by the end of the interval
		packets, marked := map[sluice.Time]int64{}, map[sluice.Time]int64{}
		got := map[sluice.Time]sluice.ECN{}
		for range rapid.IntRange(1, 50).Draw(t, "packets") {
			now += sluice.Time(rapid.SampledFrom([]int64{0, 10, 25, 50, 120}).Draw(t, "since")) * us
			for c.NoticeDue(0) <= now {
				at := c.NoticeDue(0)
				if n, ok := c.TakeNotice(at, 0); ok {
					got[at] = n.Mark
				}
			}
			first = min(first, now)
			ecn := rapid.SampledFrom([]sluice.ECN{sluice.ECT1, sluice.UE, sluice.CE}).Draw(t, "ecn")
			require.Zero(t, c.Arrive(now, 0, 1048, ecn).Notice)
			end := first
			for end <= now {
				end += interval
			}
			packets[end]++
			if ecn != sluice.ECT1 {
				marks[end] = max(marks[end], ecn)
				marked[end]++
			}
			_, ok := c.TakeNotice(now, 0)
			require.False(t, ok)
		}
		for at := c.NoticeDue(0); at != sluice.Never; at = c.NoticeDue(0) {
			if n, ok := c.TakeNotice(at, 0); ok {
				got[at] = n.Mark
			}
		}
		for end := range marks {
			if share.Num > 0 && marked[end]*share.Den < packets[end]*share.Num {
				delete(marks, end)
			}
		}
		require.Equal(t, marks, got)
	})
}

// TestEchoes: the receivers of most controls send no notices at once; marks go back in
// acknowledgements. ECT0 is a mark, UE, only under the controls with TCD.
func TestEchoes(t *testing.T) {
	for _, kind := range kinds {
		c, err := New(defaults(t, kind))
		require.NoError(t, err)
		c.Start(0, 0, sluice.Gbps)
		ternary := map[*Kind]bool{DCQCNTCD: true, TimelyTCD: true, IBCCTCD: true}[kind]
		atOnce := map[*Kind]bool{DCQCN: true, DCQCNTCD: true, IBCC: true, IBCCTCD: true}[kind]
		for k, ecn := range []sluice.ECN{sluice.NotECT, sluice.ECT1, sluice.ECT0, sluice.CE} {
			want := sluice.NotECT
			if ecn == sluice.CE || ternary && ecn == sluice.UE {
				want = ecn
			}
			a := c.Arrive(sluice.Time(k)*100*us, 0, 1048, ecn)
			require.Equal(t, want, a.Echo)
			if !atOnce {
				want = sluice.NotECT
			}
			require.Equal(t, Notice{Mark: want}, a.Notice, "%v, %v", kind, ecn)
			require.Equal(t, kind == PCN, c.NoticeDue(0) != sluice.Never)
		}
	}
}
