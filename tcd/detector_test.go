package tcd

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
)

// TestTrace walks testdata/trace.txt, with both slacks.
func TestTrace(t *testing.T) {
	text, err := os.ReadFile("testdata/trace.txt")
	require.NoError(t, err)
	for _, slack := range []sluice.Bytes{0, AuthorsSlack} {
		config := shipped()
		config.Slack = slack
		d, err := New(config)
		require.NoError(t, err)
		events := 0
		for line := range strings.Lines(string(text)) {
			field := strings.Fields(line)
			if len(field) == 0 || field[0] == "#" {
				continue
			}
			events++
			now := sluice.Time(number(t, field[0])) * sluice.Nanosecond
			if field[1] == "resume" {
				d.Resumed(now, sluice.Bytes(number(t, field[2])))
				continue
			}
			if _, other, found := strings.Cut(line, "with a slack of 900 bytes: "); found && slack != 0 {
				copy(field[2:5], strings.Fields(other))
			}
			got := d.Dequeue(now, 1030, sluice.Bytes(number(t, field[1])), codePoint(t, field[2]))
			require.Equal(t, codePoint(t, field[3]), got, "slack %d: %s", slack, line)
			require.Equal(t, field[4], d.State().String(), "slack %d: %s", slack, line)
		}
		require.Equal(t, 21, events)
		want := Counters{Resumes: 3, UE: 3, CE: 4}
		if slack != 0 {
			want.CE--
		}
		require.Equal(t, want, d.Counters())
		require.Equal(t, prng.New(0), d.random, "no queue is on the ramp, so nothing is drawn")
	}
}

func number(t *testing.T, s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	require.NoError(t, err)
	return n
}

func codePoint(t *testing.T, bits string) sluice.ECN {
	n, err := strconv.ParseUint(bits, 2, 2)
	require.NoError(t, err)
	return sluice.ECN(n)
}

// TestAgainstModel compares the detector with the rules over random events, times within a
// picosecond of every boundary and lengths within a byte of each among them.
func TestAgainstModel(t *testing.T) {
	events := 1_000_000
	if testing.Short() {
		events /= 10
	}
	random := prng.New(14)
	const runs = 50
	var entered [numStates][numStates]int
	var atBoundary int
	for run := range uint64(runs) {
		config := shipped()
		config.Seed = run
		config.Slack = sluice.Bytes(run%3) * 450
		config.MaxTon = 1 + sluice.Time(random.Below(100_000))
		config.Marking.PMax = sluice.Ratio{Num: 1, Den: 2}
		d, err := New(config)
		require.NoError(t, err)
		m := newModel(config)
		now := sluice.Time(0)
		for range events / runs {
			now = nextTime(&random, now, m, &atBoundary)
			q := nextLength(&random, m)
			if random.Below(16) == 0 {
				d.Resumed(now, q)
				m.resume(now, q)
				continue
			}
			ecn := sluice.ECN(random.Below(4))
			before := m.state
			want, got := m.dequeue(now, q, ecn), d.Dequeue(now, 1030, q, ecn)
			if want != got || m.state != d.State() || m.random != d.random {
				require.Equal(t, want, got)
				require.Equal(t, m.state, d.State())
				require.Equal(t, m.random, d.random, "one of them drew a random number, the other did not")
			}
			entered[before][m.state]++
		}
	}
	require.Greater(t, atBoundary, events/30)
	for from := range numStates {
		for to := range numStates {
			// Nothing leads to Draining but Undetermined.
			if impossible := to == Draining && from < Undetermined; impossible {
				require.Zero(t, entered[from][to], "%v to %v", from, to)
			} else if from != Undetermined || to != NonCongestion {
				require.NotZero(t, entered[from][to], "%v to %v did not happen", from, to)
			} else {
				require.Zero(t, entered[from][to], "what was undetermined is not empty at once")
			}
		}
	}
}

// nextTime is often within a picosecond of where a rule changes.
func nextTime(random *prng.Source, now sluice.Time, m *model, hits *int) sluice.Time {
	near := sluice.Time(random.Below(3)) - 1 + m.MaxTon
	next := now
	switch random.Below(8) {
	case 0:
		next = m.tResume + near
	case 1:
		next = m.tCheck + near
	case 2:
		next = now + sluice.Time(random.Below(uint64(3*m.MaxTon)))
	default:
		next = now + sluice.Time(random.Below(uint64(m.MaxTon/4+1)))
	}
	if next < now {
		return now
	}
	for _, t := range [...]sluice.Time{m.tResume, m.tCheck} {
		if off := next - t - m.MaxTon; -1 <= off && off <= 1 {
			*hits++
		}
	}
	return next
}

// nextLength is often within a byte of where a rule changes.
func nextLength(random *prng.Source, m *model) sluice.Bytes {
	near := sluice.Bytes(random.Below(3)) - 1
	limits := [...]sluice.Bytes{
		m.qResume, m.qCheck, m.qCheck + m.Slack, m.Drained, m.Marking.KMin, m.Marking.KMax,
	}
	if i := random.Below(2 * uint64(len(limits))); i < uint64(len(limits)) {
		return max(limits[i]+near, 0)
	}
	return sluice.Bytes(random.Below(250_000))
}

// inState returns a detector that is in the state, at time 0 and with a queue that keeps it there.
func inState(t testing.TB, s State) (*Detector, sluice.Bytes) {
	config := shipped()
	d, err := New(config)
	require.NoError(t, err)
	before := -4 * config.MaxTon
	q := sluice.Bytes(300_000)
	if s == NonCongestion {
		q = 1000
	}
	switch s {
	case Undetermined:
		d.Resumed(-us, q)
	case Draining:
		d.Resumed(before, q+1000)
		d.Dequeue(before, 1030, q, sluice.ECT1)
		d.Dequeue(-us, 1030, q, sluice.ECT1)
	}
	d.Dequeue(-us, 1030, q, sluice.ECT1)
	require.Equal(t, s, d.State())
	return d, q
}

// TestMaximumAlongAPath: over all sequences of the states of four ports, and all code points that
// a packet can start with, it arrives with the strongest mark that any port gave it.
func TestMaximumAlongAPath(t *testing.T) {
	mark := map[State]sluice.ECN{Congestion: sluice.CE, Undetermined: sluice.UE} // the others do not
	paths := 0
	for path := range 4 * 4 * 4 * 4 {
		for start := sluice.NotECT; start <= sluice.CE; start++ {
			ecn, want := start, start
			for hop := range 4 {
				d, q := inState(t, State(path>>(2*hop)&3))
				ecn = d.Dequeue(0, 1030, q, ecn)
				want = max(want, mark[d.State()])
			}
			if start == sluice.NotECT {
				want = sluice.NotECT
			}
			require.Equal(t, want, ecn, "ports %04o, start %v", path, start)
		}
		paths++
	}
	require.Equal(t, 256, paths)
}

// TestMaximumAtTheReceiver: over all sequences of four code points. A bitwise or would report CE
// where none was put.
func TestMaximumAtTheReceiver(t *testing.T) {
	wrongByOr := 0
	for sequence := range 4 * 4 * 4 * 4 {
		sum, or, strongest := sluice.NotECT, sluice.NotECT, sluice.NotECT
		for i := range 4 {
			ecn := sluice.ECN(sequence >> (2 * i) & 3)
			sum = Combine(sum, ecn)
			or |= ecn
			strongest = max(strongest, ecn)
		}
		require.Equal(t, strongest, sum)
		if or != sum {
			wrongByOr++
			require.Equal(t, sluice.UE, sum)
			require.Equal(t, sluice.CE, or)
		}
	}
	require.Equal(
		t, 50, wrongByOr, "sequences without CE that have both ECT(1) and UE: 3^4 - 2*2^4 + 1",
	)
}

// TestFirstResumeIsFarBack: "tResume at minus infinity". Whatever the origin of time, a queue that
// was never resumed is not undetermined.
func TestFirstResumeIsFarBack(t *testing.T) {
	for _, now := range []sluice.Time{math.MinInt64, -1, 0, 1, sluice.Never} {
		d, err := New(shipped())
		require.NoError(t, err)
		require.Equal(t, sluice.ECT1, d.Dequeue(now, 1030, 0, sluice.ECT1))
		require.Equal(t, NonCongestion, d.State())
	}
}

// TestTimeStepsBack: a detector that gets an earlier time uses the latest one before.
func TestTimeStepsBack(t *testing.T) {
	config := shipped()
	d, err := New(config)
	require.NoError(t, err)
	d.Dequeue(10*config.MaxTon, 1030, 0, sluice.ECT1)
	d.Resumed(0, 300_000)
	require.Equal(t, sluice.UE, d.Dequeue(11*config.MaxTon, 1030, 300_000, sluice.ECT1),
		"the resume was at 10 max(T_on)")
	require.Equal(t, sluice.CE, d.Dequeue(11*config.MaxTon+1, 1030, 300_000, sluice.ECT1))
}

// TestMarksAreCountedOnce: a packet that comes with the mark is not marked again.
func TestMarksAreCountedOnce(t *testing.T) {
	for state, mark := range map[State]sluice.ECN{Undetermined: sluice.UE, Congestion: sluice.CE} {
		d, q := inState(t, state)
		before := d.Counters()
		require.Equal(t, mark, d.Dequeue(0, 1030, q, mark))
		require.Equal(t, before, d.Counters())
		d.Dequeue(0, 1030, q, sluice.ECT1)
		require.NotEqual(t, before, d.Counters())
	}
}

// TestImpossibleCodePoints stay as they are, in every state.
func TestImpossibleCodePoints(t *testing.T) {
	for s := range numStates {
		d, q := inState(t, s)
		require.Equal(t, sluice.ECN(7), d.Dequeue(0, 1030, q, 7))
	}
}

func TestStateNames(t *testing.T) {
	for s, name := range map[State]string{
		NonCongestion: "0", Congestion: "1", Undetermined: "/", Draining: "D", 4: "State(4)",
		255: "State(255)",
	} {
		require.Equal(t, name, s.String())
	}
}
