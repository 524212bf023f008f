package qos

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/marking"
	"github.com/sluicefc/sluice/internal/prng"
)

// TestBucket compares a bucket with a model that counts tokens, in fractions of a byte: it fills at
// the rate up to the burst, a packet takes its size out, and none may begin while the bucket is in
// debt.
func TestBucket(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shaper := Shaper{
			Rate:  sluice.Rate(rapid.Int64Range(int64(slowest), 800e9).Draw(t, "rate")),
			Burst: sluice.Bytes(rapid.IntRange(0, 100_000).Draw(t, "burst")),
		}
		bucket, now, packets := shaper.Bucket(), sluice.Time(0), int64(1)
		burst := big.NewRat(int64(shaper.Burst), 1)
		tokens := new(big.Rat).Set(burst)
		perTime := big.NewRat(int64(shaper.Rate), 8*int64(sluice.Second))
		for range rapid.IntRange(1, 50).Draw(t, "steps") {
			span := sluice.Time(rapid.Int64Range(0, 1e7).Draw(t, "span"))
			now += span
			tokens.Add(tokens, new(big.Rat).Mul(perTime, big.NewRat(int64(span), 1)))
			if tokens.Cmp(burst) > 0 {
				tokens.Set(burst)
			}
			// A bucket rounds the time of each packet, and of the burst, up by less than a picosecond.
			rounding := new(big.Rat).Mul(perTime, big.NewRat(packets, 1))
			if may := bucket.Ready() <= now; may != (tokens.Sign() >= 0) {
				require.LessOrEqual(t, new(big.Rat).Abs(tokens).Cmp(rounding), 0)
			}
			if bucket.Ready() <= now {
				size := rapid.IntRange(1, 9216).Draw(t, "size")
				bucket.Take(now, sluice.Bytes(size))
				tokens.Sub(tokens, big.NewRat(int64(size), 1))
				packets++
			}
		}
		ready := bucket.Ready()
		bucket.Rebase(sluice.Microsecond)
		if ready != math.MinInt64 {
			require.Equal(t, ready-sluice.Microsecond, bucket.Ready())
		}
	})
	off := Shaper{}.Bucket()
	off.Take(5, 9216)
	require.Equal(t, sluice.Time(math.MinInt64), off.Ready())
}

// TestDropper compares a dropper with the curve of each colour and what may be done to it.
func TestDropper(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := WRED{}
		for c := range w.Curves {
			w.Mark[c], w.Drop[c] = rapid.Bool().Draw(t, "mark"), rapid.Bool().Draw(t, "drop")
			kMin := sluice.Bytes(rapid.IntRange(0, 5000).Draw(t, "KMin"))
			w.Curves[c] = sluice.Marking{
				KMin: kMin, KMax: kMin + 3000, PMax: sluice.Ratio{Num: 1, Den: 2},
			}
		}
		d := NewDropper(&w, 7)
		random := prng.New(7)
		for range 20 {
			c := Color(rapid.IntRange(0, 2).Draw(t, "colour"))
			ecn := sluice.ECN(rapid.IntRange(0, 3).Draw(t, "ECN"))
			q := int64(rapid.IntRange(0, 9000).Draw(t, "queue"))
			curve := marking.New(w.Curves[c])

			drops := false
			if w.Drop[c] && (ecn == sluice.NotECT || !w.Mark[c]) {
				drops = curve.Congested(q, &random)
			}
			require.Equal(t, drops, d.Drops(c, ecn, q))
			mark := ecn
			if w.Mark[c] {
				mark = curve.Mark(ecn, q, &random)
			}
			require.Equal(t, mark, d.Mark(c, ecn, q))
			if mark != ecn {
				require.Greater(t, q, d.Above())
			}
		}
	})
	for _, none := range []Dropper{NewDropper(nil, 1), {}} {
		require.False(t, none.Drops(Green, sluice.NotECT, math.MaxInt64))
		require.Equal(t, sluice.ECT0, none.Mark(Red, sluice.ECT0, math.MaxInt64))
		require.Equal(t, int64(math.MaxInt64), none.Above())
	}
	require.Equal(t, "yellow", Yellow.String())
}

// TestMaps: QueuesOf goes from groups to priorities, and from priorities to queues.
func TestMaps(t *testing.T) {
	var none *Port
	require.Equal(t, sluice.MakeClassSet(3), none.QueuesOf(sluice.MakeClassSet(3)))
	require.Nil(t, none.Clone())
	m := Map{1, 2, 3, 4, 5, 6, 7, 0}
	p := &Port{PauseQueue: &m, PauseGroup: &m}
	require.Equal(t, m, m.Inverse().Inverse())
	require.Equal(t, sluice.MakeClassSet(3, 5), p.QueuesOf(sluice.MakeClassSet(3, 5)))
	p.PauseGroup = nil
	require.Equal(t, sluice.MakeClassSet(4, 0), p.QueuesOf(sluice.MakeClassSet(3, 7)))
	c := p.Clone()
	require.Equal(t, p, c)
	c.PauseQueue[0] = 7
	require.NotEqual(t, p, c, "a copy shares nothing")
}

// TestZeroAlloc: nothing that a packet meets allocates.
func TestZeroAlloc(t *testing.T) {
	b := Shaper{Rate: sluice.Gbps}.Bucket()
	d := NewDropper(&WRED{Drop: [Colors]bool{true}}, 1)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		b.Take(b.Ready(), 1000)
		d.Drops(Green, sluice.NotECT, 5)
		d.Mark(Green, sluice.ECT0, 5)
		d.Above()
	}))
}

// BenchmarkBucket is a packet through a shaper.
func BenchmarkBucket(b *testing.B) {
	b.ReportAllocs()
	bucket := Shaper{Rate: 10 * sluice.Gbps, Burst: 3000}.Bucket()
	now := sluice.Time(0)
	for b.Loop() {
		bucket.Take(now, 1500)
		now = bucket.Ready()
	}
}

// TestCheck: each rule, by the field that it names, and the value that just keeps it.
func TestCheck(t *testing.T) {
	require.NoError(t, (&Port{}).Check(1, 1))
	limit := func(l Limit) func(p *Port) { return func(p *Port) { p.Queues[2] = &l } }
	for want, changes := range map[string][2]func(p *Port){ // what breaks it, what keeps it
		"Queues[2].Alpha": {
			limit(Limit{Alpha: sluice.Ratio{Num: 1}}), limit(Limit{Alpha: sluice.Ratio{Num: 1, Den: 1}}),
		},
		"Queues[2].Static":  {limit(Limit{Static: -1}), limit(Limit{Static: 1})},
		"Queues[2].Reserve": {limit(Limit{Reserve: -1}), limit(Limit{Reserve: most})},
		"Queues[2].Pool":    {limit(Limit{Pool: -1}), limit(Limit{Pool: 0})},
		"Shaper.Rate": {
			func(p *Port) { p.Shaper.Rate = slowest - 1 }, func(p *Port) { p.Shaper.Rate = slowest },
		},
		"Shaper.Burst": {
			func(p *Port) { p.Shaper = Shaper{sluice.Gbps, -1} },
			func(p *Port) { p.Shaper = Shaper{sluice.Gbps, most} },
		},
		"Ingress": {
			func(p *Port) { p.Ingress = make([]Limit, 2) }, func(p *Port) { p.Ingress = make([]Limit, 1) },
		},
		"Egress[0].Reserve": {
			func(p *Port) { p.Egress = []Limit{{Reserve: 1}} },
			func(p *Port) { p.Egress = []Limit{{Static: 1}} },
		},
	} {
		bad, good := &Port{}, &Port{}
		changes[0](bad)
		changes[1](good)
		var fault *sluice.ConfigError
		require.ErrorAs(t, bad.Check(1, 1), &fault, want)
		require.Equal(t, want, fault.Field)
		require.NoError(t, good.Check(1, 1), want)
	}
}
