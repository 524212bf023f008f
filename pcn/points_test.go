package pcn

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
)

// naiveNP is the receiver with all its packets kept.
type naiveNP struct {
	period   sluice.Time
	window   []naivePacket
	previous []sluice.Time // arrivals of all packets
	deadline sluice.Time
}

type naivePacket struct {
	size sluice.Bytes
	ecn  sluice.ECN
}

func (n *naiveNP) arrive(now sluice.Time, size sluice.Bytes, ecn sluice.ECN) {
	if n.deadline == sluice.Never {
		n.deadline = now + n.period
	}
	n.window = append(n.window, naivePacket{size, ecn})
	n.previous = append(n.previous, now)
	if len(n.previous) > 2 {
		n.previous = n.previous[1:]
	}
}

func (n *naiveNP) expire() (CNP, bool) {
	now := n.deadline
	if len(n.window) == 0 {
		n.deadline = sluice.Never
		return CNP{}, false
	}
	bytes, marked := int64(0), 0
	for _, p := range n.window {
		bytes += int64(p.size)
		if p.ecn == sluice.CE {
			marked++
		}
	}
	span := n.period
	if len(n.window) == 1 && len(n.previous) == 2 {
		span = max(span, n.previous[1]-n.previous[0])
	}
	// (2*bits + span/us) / (2*span/us), rounded down, is the nearest number of Mb/s.
	twice := new(big.Int).Mul(big.NewInt(2*8*bytes), big.NewInt(int64(us)))
	rate := twice.Add(twice, big.NewInt(int64(span)))
	rate.Div(rate, big.NewInt(2*int64(span)))
	c := CNP{Congested: 20*marked >= 19*len(n.window), RecRate: uint32(max(rate.Int64(), 1))}
	n.window = nil
	n.deadline = now + n.period
	return c, true
}

// TestNPAgainstModel: over a million arrivals of flows of all rates.
func TestNPAgainstModel(t *testing.T) {
	arrivals := 1_000_000
	if testing.Short() {
		arrivals /= 10
	}
	random := prng.New(5)
	const flows = 20
	congested, notices := 0, 0
	for flow := range flows {
		period := DefaultPeriod + sluice.Time(random.Below(3))*77_777_777
		n, err := NewNotificationPoint(NPConfig{Period: period})
		require.NoError(t, err)
		m := &naiveNP{period: period, deadline: sluice.Never}
		now := sluice.Time(0)
		for range arrivals / flows {
			now += sluice.Time(random.Below(1 << (20 + flow%10)))
			if random.Below(400) == 0 {
				now += sluice.Time(random.Below(10)) * period / 2
			}
			for m.deadline < now {
				deadline := m.deadline
				want, wantOK := m.expire()
				got, ok := n.Expire(deadline)
				if want != got || wantOK != ok {
					require.Equal(t, want, got)
					require.Equal(t, wantOK, ok)
				}
				if ok {
					notices++
				}
				if got.Congested {
					congested++
				}
			}
			size, ecn := sluice.Bytes(1+random.Below(9216)), sluice.CE
			if random.Below(uint64(1+flow*4)) == 0 {
				ecn = sluice.ECT0
			}
			started := m.deadline == sluice.Never
			m.arrive(now, size, ecn)
			if n.Arrive(now, size, ecn) != started || n.Deadline() != m.deadline {
				require.Equal(t, m.deadline, n.Deadline())
				require.Fail(t, "Arrive is wrong about the timer")
			}
		}
	}
	require.Greater(t, notices, arrivals/40)
	require.Greater(t, congested, 50)
	require.Less(t, congested, notices)
}

// TestNPMisuse: spurious expiries do nothing, late ones measure the time that passed, time may
// step back, and sizes that cannot be are counted.
func TestNPMisuse(t *testing.T) {
	var n NotificationPoint
	_, ok := n.Expire(math.MaxInt64 - 1)
	require.False(t, ok, "no timer runs")
	require.False(t, n.Arrive(0, 0, sluice.CE))
	require.False(t, n.Arrive(0, -5, sluice.CE))
	require.False(t, n.Arrive(0, sluice.MaxPacket+1, sluice.CE))
	require.EqualValues(t, 3, n.Ignored())
	require.Equal(t, sluice.Never, n.Deadline())

	require.True(t, n.Arrive(1000*us, 1250, sluice.CE))
	_, ok = n.Expire(1050*us - 1)
	require.False(t, ok, "too early")
	require.False(t, n.Arrive(900*us, 1250, sluice.CE), "time steps back")
	c, ok := n.Expire(1100 * us)
	require.True(t, ok)
	require.EqualValues(t, 200, c.RecRate, "2,500 bytes in 100 us")
	require.Equal(t, 1150*us, n.Deadline())

	n.Expire(1150 * us) // without packets: the timer stops
	n.Arrive(1130*us, 1250, sluice.CE)
	c, _ = n.Expire(n.Deadline())
	require.EqualValues(
		t, 77, c.RecRate, "130 us after the latest packet, not after the one that claimed to be earlier",
	)

	n.packets = uint32(math.MaxUint32)
	require.False(t, n.Arrive(1101*us, 1250, sluice.CE), "more packets than the counter holds")
	require.EqualValues(t, 4, n.Ignored())
	n = NotificationPoint{}
	require.True(t, n.Arrive(0, sluice.MaxPacket, sluice.CE), "the largest packet")
}

// TestMegabits: to the nearest, at least 1, saturating, against fractions.
func TestMegabits(t *testing.T) {
	require.EqualValues(t, uint32(math.MaxUint32), megabits(math.MaxInt64, 1))
	require.EqualValues(t, uint32(math.MaxUint32), megabits(1<<33, 8*us), "2^33 Mb/s do not fit")
	require.EqualValues(t, uint32(math.MaxUint32), megabits(1<<42, 1), "nor 2^64")
	require.EqualValues(t, 1, megabits(1, math.MaxInt64))
	require.EqualValues(t, 2, megabits(math.MaxUint64/8_000_000, math.MaxInt64), "just under 2")
	rapid.Check(t, func(t *rapid.T) {
		anything := rapid.Int64Range(1, math.MaxInt64)
		bytes := rapid.OneOf(rapid.Int64Range(1, 1<<20), anything).Draw(t, "bytes")
		span := rapid.OneOf(rapid.Int64Range(1, int64(sluice.Second)), anything).Draw(t, "span")
		rate := new(big.Int).Mul(big.NewInt(bytes), big.NewInt(16*int64(us)))
		rate.Add(rate, big.NewInt(span))
		rate.Div(rate, new(big.Int).Mul(big.NewInt(2), big.NewInt(span)))
		want := uint32(math.MaxUint32)
		if rate.IsUint64() && rate.Uint64() < math.MaxUint32 {
			want = uint32(max(rate.Uint64(), 1))
		}
		require.Equal(t, want, megabits(bytes, sluice.Time(span)))
	})
}

// TestRPAgainstFractions: Algorithm 1 in fractions of any precision, rounded down after each line
// as the integers are.
func TestRPAgainstFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := sluice.Rate(rapid.Int64Range(1, int64(MaxLineRate)).Draw(t, "line"))
		least := sluice.Rate(rapid.Int64Range(1, int64(line)).Draw(t, "least"))
		den := rapid.Int64Range(1, sluice.MaxRatio).Draw(t, "den")
		wMax := sluice.Ratio{Num: rapid.Int64Range(1, den).Draw(t, "wMax"), Den: den}
		wMin := sluice.Ratio{Num: rapid.Int64Range(1, wMax.Num).Draw(t, "wMin"), Den: den}
		r, err := NewReactionPoint(RPConfig{LineRate: line, MinRate: least, WMin: wMin, WMax: wMax})
		require.NoError(t, err)

		q32 := new(big.Int).Lsh(big.NewInt(1), 32)
		scaled := func(x, w *big.Int) *big.Int { return new(big.Int).Rsh(new(big.Int).Mul(x, w), 32) }
		weightOf := func(r sluice.Ratio) *big.Int {
			return new(big.Int).Div(new(big.Int).Lsh(big.NewInt(r.Num), 32), big.NewInt(r.Den))
		}
		rate, c := big.NewInt(int64(line)), big.NewInt(int64(line))
		w, low, high := weightOf(wMin), weightOf(wMin), weightOf(wMax)
		ignored := uint64(0)
		for range rapid.IntRange(1, 60).Draw(t, "CNPs") {
			cnp := CNP{
				Congested: rapid.Bool().Draw(t, "congested"),
				RecRate:   rapid.Uint32().Draw(t, "recRate") >> rapid.IntRange(0, 31).Draw(t, "shift"),
			}
			r.Receive(&cnp)
			switch {
			case cnp.Congested && cnp.RecRate == 0:
				ignored++
			case cnp.Congested:
				received := new(big.Int).Mul(big.NewInt(int64(cnp.RecRate)), big.NewInt(1_000_000))
				if d := scaled(received, new(big.Int).Sub(q32, low)); d.Cmp(rate) < 0 {
					rate = d
				}
				if rate.Cmp(big.NewInt(int64(least))) < 0 {
					rate = big.NewInt(int64(least))
				}
				w = low
			default:
				rate = new(big.Int).Add(rate, scaled(new(big.Int).Sub(c, rate), w))
				w = new(big.Int).Add(w, scaled(new(big.Int).Sub(high, w), w))
			}
			require.Equal(t, rate.Int64(), int64(r.Rate()))
			require.Equal(t, w.Uint64(), r.Weight())
			require.Equal(t, ignored, r.Ignored())
			require.True(t, least <= r.Rate() && r.Rate() <= line)
		}
	})
}
