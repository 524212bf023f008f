package cc

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

func whole(n int64) *big.Rat { return new(big.Rat).SetInt64(n) }

// rounded keeps a fraction from growing: 200 bits after the point.
func rounded(x *big.Rat) *big.Rat {
	n := new(big.Int).Lsh(x.Num(), 200)
	return new(big.Rat).SetFrac(n.Quo(n, x.Denom()), new(big.Int).Lsh(big.NewInt(1), 200))
}

func isNear(t require.TestingT, want *big.Rat, got sluice.Rate, tolerance float64) {
	f, _ := want.Float64()
	require.InDelta(t, f, float64(got), tolerance)
}

// TestHPCCAgainstFractions computes HPCC's rates in exact fractions, from telemetry of any number
// of hops.
func TestHPCCAgainstFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		config := defaults(t, HPCC)
		c, err := New(config)
		require.NoError(t, err)
		law := lawOf[*hpcc](c)
		changed(t, c, func(k *hpcc) {
			k.maxStage = int32(rapid.IntRange(0, 5).Draw(t, "max-stage"))
			k.multiRate = rapid.Bool().Draw(t, "multi-rate")
			k.fastReact = rapid.Bool().Draw(t, "fast-react")
			k.intUnit = rapid.Int32Range(0, 4).Draw(t, "unit")
		})
		const line = 100 * sluice.Gbps
		c.Start(0, 0, line)

		hops := rapid.IntRange(1, MaxINTHops).Draw(t, "hops")
		type hop struct {
			INTHop
			last      INTHop
			u         *big.Rat
			reference *big.Rat
			stage     int32
		}
		path := make([]hop, hops)
		for i := range path {
			path[i].Rate = sluice.Rate(rapid.SampledFrom([]int{100, 400}).Draw(t, "rate")) * sluice.Gbps
			path[i].u, path[i].reference = whole(1), whole(int64(line))
		}
		single := hop{u: whole(1), reference: whole(int64(line))}
		rtt := whole(int64(config.BaseRTT))

		// smooth is U of MeasureInflight, ask the rate and stage of ComputeWind.
		smooth := func(u, sample, tau *big.Rat) *big.Rat {
			if tau.Cmp(rtt) > 0 {
				tau = rtt
			}
			kept := new(big.Rat).Mul(u, new(big.Rat).Sub(rtt, tau))
			sum := kept.Add(kept, new(big.Rat).Mul(sample, tau))
			return rounded(sum.Quo(sum, rtt))
		}
		ask := func(h *hop) (*big.Rat, int32) {
			k := new(big.Rat).Quo(h.u, big.NewRat(95, 100))
			rate, stage := new(big.Rat).Set(h.reference), h.stage+1
			switch {
			case k.Sign() == 0 && h.stage >= law.maxStage:
				rate, stage = whole(int64(line)), 0
			case k.Cmp(whole(1)) >= 0 || h.stage >= law.maxStage:
				rate.Quo(rate, k)
				stage = 0
			}
			rate.Add(rate, whole(40_000_000))
			if rate.Cmp(whole(int64(line))) > 0 {
				rate = whole(int64(line))
			}
			if rate.Cmp(whole(1_000_000_000)) < 0 {
				rate = whole(1_000_000_000)
			}
			return rounded(rate), stage
		}

		rate := whole(int64(line))
		for k := range rapid.IntRange(1, 40).Draw(t, "acknowledgements") {
			full := k == 0 || rapid.Bool().Draw(t, "full")
			var telemetry INT
			for i := range path {
				h := &path[i]
				h.Time += sluice.Time(rapid.IntRange(1_000, 20_000_000).Draw(t, "tau"))
				h.Sent += sluice.Bytes(rapid.IntRange(1, 200_000).Draw(t, "sent"))
				h.Queue = sluice.Bytes(rapid.IntRange(0, 400_000).Draw(t, "queue"))
				telemetry.Stamp(h.INTHop)
			}
			last := law.state[0].lastUpdate
			s := Sample{Acked: last, Sent: last + 10, Telemetry: &telemetry}
			if full {
				s.Acked++
			}
			c.Ack(0, 0, &s)

			sample, tau := new(big.Rat), new(big.Rat)
			least := whole(int64(line))
			for i := range path {
				h := &path[i]
				now := h.INTHop
				if unit := sluice.Bytes(law.intUnit); unit > 0 {
					now.Time -= now.Time % 1000
					now.Sent -= now.Sent % (128 * unit)
					now.Queue -= now.Queue % (80 * unit)
				}
				if k > 0 && (full || law.fastReact) && now.Time > h.last.Time {
					d := whole(int64(now.Time - h.last.Time))
					u := new(big.Rat).Quo(whole(int64(now.Sent-h.last.Sent)*8_000_000_000_000), d)
					u.Quo(u, whole(int64(h.Rate)))
					q := new(big.Rat).Mul(whole(int64(min(now.Queue, h.last.Queue))), whole(int64(line)))
					q.Quo(q, whole(int64(h.Rate)*162_500))
					u.Add(u, q)
					if law.multiRate {
						h.u = smooth(h.u, u, d)
					} else if u.Sign() > 0 && u.Cmp(sample) == 0 && d.Cmp(tau) != 0 {
						return // hops that are used alike over other times: rounding chooses one
					} else if u.Cmp(sample) > 0 {
						sample, tau = u, d
					}
				}
				if k == 0 || (full || law.fastReact) && now.Time > h.last.Time {
					h.last = now
				}
				if law.multiRate && k > 0 {
					r, stage := ask(h)
					if r.Cmp(least) < 0 {
						least = r
					}
					if full {
						h.reference, h.stage = r, stage
					}
				}
			}
			switch {
			case k == 0 || !full && !law.fastReact:
			case law.multiRate:
				rate = least
			default:
				single.u = smooth(single.u, sample, tau)
				var stage int32
				if rate, stage = ask(&single); full {
					single.reference, single.stage = rate, stage
				}
			}
			isNear(t, rate, c.Rate(0, 0), 100+100*float64(k)) // a low utilisation makes errors grow
		}
	})
}

// TestTimelyAgainstFractions computes both versions in exact fractions.
func TestTimelyAgainstFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pcn := rapid.Bool().Draw(t, "pcn")
		kind, ewma, least, after := Timely, big.NewRat(7, 8), int64(20_000_000), 20*us
		if pcn {
			kind, ewma, after = TimelyPCN, big.NewRat(1, 50), 30*us
		}
		haiAfter := int32(rapid.IntRange(0, 5).Draw(t, "hai-after"))
		c := configured(t, kind, fmt.Sprintf("timely-pcn.every=1,timely.hai-after=%d,"+
			"timely.min-rate=%[2]dbps,timely-pcn.min-rate=%[2]dbps", haiAfter, least))
		const line = 40 * sluice.Gbps
		c.Start(0, 0, line)
		minRTT, beta := whole(int64(after)), big.NewRat(4, 5)
		low, high := whole(int64(50*us)), whole(int64(500*us))
		rate, diff := whole(int64(line)), new(big.Rat)
		var last *big.Rat
		now, updated, inRow, falls := sluice.Time(0), sluice.Time(0), int32(0), 0
		for k := range rapid.IntRange(1, 60).Draw(t, "samples") {
			now += sluice.Time(rapid.IntRange(0, 60_000_000).Draw(t, "since"))
			sample := rapid.OneOf(rapid.IntRange(30, 90), rapid.IntRange(1, 1000)).Draw(t, "RTT")
			rtt := whole(int64(sample) * int64(us))
			c.Ack(now, 0, &Sample{Acked: int32(k + 1), Sent: int32(k + 1), RTT: sluice.Time(sample) * us})
			if last == nil {
				if last = rtt; !pcn {
					continue
				}
			}
			d := new(big.Rat).Sub(rtt, last)
			if d.Sign() < 0 {
				falls++
			} else {
				falls = 0
			}
			last = rtt
			diff.Mul(diff, new(big.Rat).Sub(whole(1), ewma))
			diff = rounded(diff.Add(diff, new(big.Rat).Mul(ewma, d)))
			gradient := new(big.Rat).Quo(diff, minRTT)
			share := whole(1)
			if pcn && now-updated < after {
				share = new(big.Rat).Quo(whole(int64(now-updated)), minRTT)
			}
			updated = now
			step := func(n int64) { rate.Add(rate, new(big.Rat).Mul(share, whole(n*40_000_000))) }
			before := new(big.Rat).Set(rate)
			scale := func(loss *big.Rat) {
				keep := new(big.Rat).Sub(whole(1), loss)
				if keep.Sign() < 0 {
					keep = new(big.Rat)
				}
				rate.Mul(rate, keep)
				inRow = -1
			}
			rises := rtt.Cmp(low) < 0 || rtt.Cmp(high) <= 0 && gradient.Sign() <= 0
			if pcn {
				rises = rtt.Cmp(low) < 0 || rtt.Cmp(high) <= 0 && gradient.Sign() < 0
			}
			switch {
			case rises && !pcn && inRow >= haiAfter:
				step(5)
			case rises && pcn && rtt.Cmp(low) >= 0 && falls >= 5:
				step(5)
			case rises:
				step(1)
			case rtt.Cmp(high) > 0:
				loss := new(big.Rat).Sub(whole(1), new(big.Rat).Quo(high, rtt))
				scale(loss.Mul(loss, new(big.Rat).Mul(share, beta)))
			default:
				scale(gradient.Mul(gradient, beta))
			}
			inRow++
			if pcn && rate.Cmp(new(big.Rat).Quo(before, whole(2))) < 0 {
				rate.Quo(before, whole(2))
			}
			if rate.Cmp(whole(int64(line))) > 0 {
				rate = whole(int64(line))
			}
			if rate.Cmp(whole(least)) < 0 {
				rate = whole(least)
			}
			rate = rounded(rate)
			isNear(t, rate, c.Rate(now, 0), 2+2*float64(k))
		}
	})
}

// TestDCTCPAgainstFractions counts marks packet by packet.
func TestDCTCPAgainstFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, err := New(defaults(t, DCTCP))
		require.NoError(t, err)
		const line = 100 * sluice.Gbps
		c.Start(0, 0, line)
		alpha, rate := whole(1), whole(int64(line))
		var acked, sent, update, high, marks, batch int64
		reduced := false
		for k := range rapid.IntRange(1, 300).Draw(t, "acknowledgements") {
			sent = max(sent, acked+1) + rapid.Int64Range(0, 20).Draw(t, "sent")
			acked = min(sent, acked+rapid.Int64Range(0, 10).Draw(t, "acked"))
			marked := rapid.Bool().Draw(t, "marked")
			s := Sample{Acked: int32(acked), Sent: int32(sent)}
			if marked {
				s.Mark = sluice.CE
				marks++
			}
			c.Ack(0, 0, &s)
			window := acked > update
			if window && update > 0 {
				f := big.NewRat(min(marks, batch), batch)
				alpha.Mul(alpha, big.NewRat(15, 16))
				alpha = rounded(alpha.Add(alpha, f.Mul(f, big.NewRat(1, 16))))
				marks, batch, update = 0, sent-acked+1, sent
			} else if window {
				batch, update = sent+1, sent
			}
			reduced = reduced && acked <= high
			switch {
			case marked && !reduced:
				keep := new(big.Rat).Sub(whole(1), new(big.Rat).Quo(alpha, whole(2)))
				rate.Mul(rate, keep)
				reduced, high = true, sent
			case window && !reduced:
				rate.Add(rate, whole(615_000_000))
			}
			if rate.Cmp(whole(int64(line))) > 0 {
				rate = whole(int64(line))
			}
			if rate.Cmp(whole(1_000_000_000)) < 0 {
				rate = whole(1_000_000_000)
			}
			rate = rounded(rate)
			isNear(t, rate, c.Rate(0, 0), 3+float64(k))
		}
	})
}
