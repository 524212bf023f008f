package tcd

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// Rules of sections 3.1 and 3.2 of the paper, each above its assertions.

// TestUndetermined: a pause, or missing credit, makes a port undetermined (section 3.2.1). It has
// left the ON-OFF style when it was on for longer than max(T_on).
func TestUndetermined(t *testing.T) {
	config := shipped()
	d, err := New(config)
	require.NoError(t, err)
	for resume := sluice.Time(0); resume < 20*config.MaxTon; resume += config.MaxTon {
		d.Resumed(resume, 300_000)
		for _, after := range []sluice.Time{0, 1, config.MaxTon / 2, config.MaxTon - 1} {
			require.Equal(t, sluice.UE, d.Dequeue(resume+after, 1030, 300_000, sluice.ECT1))
			require.Equal(t, Undetermined, d.State())
		}
	}
}

// TestLeafOfOneTree: the leaf of a congestion tree becomes non-congested when the tree ends
// (section 3.2.2, case 1). The backlog of the tree drains, however long the queue is, and no packet
// of it is marked.
func TestLeafOfOneTree(t *testing.T) {
	config := shipped()
	d, err := New(config)
	require.NoError(t, err)
	const step = 2 * us
	d.Resumed(0, 500_000)
	states := ""
	q := sluice.Bytes(500_000)
	for now := step; q > 0; now += step {
		q -= 4000
		mark := d.Dequeue(now, 1030, q, sluice.ECT1)
		require.NotEqual(t, sluice.CE, mark)
		require.Equal(t, now <= config.MaxTon, mark == sluice.UE)
		if s := d.State().String(); len(states) == 0 || states[len(states)-1:] != s {
			states += s
		}
	}
	require.Equal(t, "/D0", states)
}

// TestCoveredRoot: a root that another congestion tree covers becomes a congestion port when that
// tree ends (section 3.2.2, case 3), at the latest two max(T_on) after the last resume; from then
// on every packet is marked.
func TestCoveredRoot(t *testing.T) {
	config := shipped()
	for _, fallsAtFirst := range []bool{false, true} {
		d, err := New(config)
		require.NoError(t, err)
		d.Resumed(0, 500_000)
		q := sluice.Bytes(500_000)
		if fallsAtFirst {
			q -= 1030 // and is pinned by its own upstream ports being held
		}
		first := sluice.Never
		for now := sluice.Time(0); now < 5*config.MaxTon; now += us / 4 {
			if d.Dequeue(now, 1030, q, sluice.ECT1) == sluice.CE {
				first = min(first, now)
			}
			require.Equal(t, first < sluice.Never, d.State() == Congestion)
		}
		switch {
		case fallsAtFirst:
			require.Greater(t, first, 2*config.MaxTon-us)
			require.LessOrEqual(t, first, 2*config.MaxTon+us/2)
		default:
			require.Greater(t, first, config.MaxTon)
			require.LessOrEqual(t, first, config.MaxTon+us/4)
		}
	}
}

// TestPinnedQueue: a queue that is constant to the byte, as all its upstream ports are held at
// their thresholds, never leaves the helper state with the authors' slack, and is congested
// without.
func TestPinnedQueue(t *testing.T) {
	for slack, want := range map[sluice.Bytes]State{
		0: Congestion, 1: Draining, AuthorsSlack: Draining,
	} {
		config := shipped()
		config.Slack = slack
		d, err := New(config)
		require.NoError(t, err)
		d.Resumed(0, 601_000)
		for now := sluice.Time(0); now < 1000*config.MaxTon; now += config.MaxTon / 3 {
			d.Dequeue(now, 1030, 600_000, sluice.ECT1)
		}
		require.Equal(t, want, d.State(), "slack %d", slack)
	}
}

// TestRoot: a congestion port is always on (section 3.2.1, state 1). A port that flow control never
// holds marks as ECN does, and never UE.
func TestRoot(t *testing.T) {
	config := shipped()
	d, err := New(config)
	require.NoError(t, err)
	e, err := NewECN(ECNConfig{Marking: config.Marking})
	require.NoError(t, err)
	marked := 0
	for i := range 100_000 {
		now, q := sluice.Time(i)*us, sluice.Bytes(i%230_000)
		mark := d.Dequeue(now, 1030, q, sluice.ECT1)
		require.Equal(t, e.Dequeue(now, 1030, q, sluice.ECT1), mark)
		require.Equal(t, mark == sluice.CE, d.State() == Congestion)
		require.NotEqual(t, sluice.UE, mark)
		if mark == sluice.CE {
			marked++
		}
	}
	require.NotZero(t, marked)
	require.Equal(t, Counters{CE: uint64(marked)}, d.Counters())
	require.EqualValues(t, marked, e.Marked())
}

// TestECNConfuses: ECN takes the backlog of a pause for congestion, and therefore marks packets of
// an uncongested port (section 3.1.2).
func TestECNConfuses(t *testing.T) {
	e, err := NewECN(ECNConfig{Marking: shipped().Marking})
	require.NoError(t, err)
	e.Resumed(0, 500_000)
	require.Equal(t, sluice.CE, e.Dequeue(1, 1030, 499_000, sluice.ECT1))
}

// TestFECN: FECN marks by queue length, above 50 KB, and exempts packets that waited for credit. It
// marks packets that arrive after the credit, although the port is not congested (section 3.1.2).
func TestFECN(t *testing.T) {
	for _, test := range []struct {
		headOnly bool
		exempt   int
	}{{false, 100}, {true, 1}} {
		f, err := NewFECN(FECNConfig{Threshold: 50_000, HeadOnly: test.headOnly})
		require.NoError(t, err)
		require.Equal(
			t, sluice.CE, f.Dequeue(0, 1000, 100_000, sluice.ECT1), "not delayed, over the threshold",
		)
		require.Equal(t, sluice.ECT1, f.Dequeue(0, 1000, 50_000, sluice.ECT1), "not over the threshold")
		require.Equal(t, sluice.NotECT, f.Dequeue(0, 1000, 100_000, sluice.NotECT))
		f.Resumed(0, 100_000) // a hundred packets waited for credit; as many arrive as leave
		for i := range 200 {
			mark := f.Dequeue(1, 1000, 100_000, sluice.UE)
			require.Equal(t, i >= test.exempt, mark == sluice.CE, "packet %d", i)
		}
		require.EqualValues(t, 1+200-test.exempt, f.Marked())
		f.Resumed(2, 0)
		require.Equal(t, sluice.CE, f.Dequeue(2, 1000, 100_000, sluice.ECT1), "none waited")
		require.Equal(t, sluice.ECN(9), f.Dequeue(2, 1000, 100_000, 9), "no code point")
	}
}
