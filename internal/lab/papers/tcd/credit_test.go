package tcd

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/golden"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
	"github.com/sluicefc/sluice/tcd/cbfc"
)

// creditModel predicts what a flow gets, packet by packet from the definition of the limit. Packet
// n goes over a link when it is there, the one before it is gone, and an FCP said that the packet
// which is a buffer's worth before it had left that buffer: at the first multiple of T_c after it
// did.
func creditModel(
	links int, link sluice.Link, period sluice.Time, buffer sluice.Bytes, from, until sluice.Time,
) float64 {
	const size, perPacket = 1030, 17
	window := int(min(buffer/cbfc.Block, 2048) / perPacket)
	frame, fcp := link.Rate.TimeOf(size), link.Rate.TimeOf(cbfc.WireLength)
	// when packet n goes over link i; behind the last, when it is there
	goes := make([][]sluice.Time, links+1)
	arrived := 0
	for n := 0; ; n++ {
		for i := range links {
			at := sluice.Time(0)
			if i > 0 {
				at = goes[i-1][n] + frame + link.Delay
			}
			if n > 0 {
				at = max(at, goes[i][n-1]+frame)
			}
			if n >= window {
				left := goes[i+1][n-window]
				if buffer > cbfc.MaxAnnounced { // arrivals alone move the limit
					left = goes[i][n-window] + frame + link.Delay
				}
				at = max(at, (left+period-1)/period*period+fcp+link.Delay)
			}
			goes[i] = append(goes[i], at)
		}
		there := goes[links-1][n] + frame + link.Delay
		goes[links] = append(goes[links], there)
		if there > until {
			return float64(arrived) * size * 8 * float64(sluice.Second) / float64(until-from) / 1e9
		}
		if there > from {
			arrived++
		}
	}
}

// TestCreditRates: a flow through one switch and through three, by the rate of the links, T_c and
// the buffer: within 3 % of the definition's. That is a buffer's worth in T_c and a round trip, the
// least of cbfc.RateFor, or the rate of the links; or more where FCPs happen to come when a link
// has made room, to the most of it.
func TestCreditRates(t *testing.T) {
	var b strings.Builder
	fmt.Fprintf(&b, "One flow of 1,030-byte packets over links of 4 us, Gb/s.\n"+
		"RateFor: least in a row, and alone; predicted: from the definition, and measured,\n"+
		"through 1 and 3 switches; *: within 3 %% of the least.\n\n"+
		"%7s %4s %8s %7s %7s   %8s %8s   %8s %8s\n", "links", "T_c", "buffer", "least", "alone",
		"1: pred.", "measured", "3: pred.", "measured")
	near, all := 0, 0
	for _, rate := range []sluice.Rate{10, 40, 100, 400} {
		for _, period := range []sluice.Time{1, 4, 10, 30, 100} {
			for _, buffer := range []sluice.Bytes{4 * 1088, 20_000, 64_000, 128_000, 1_000_000} {
				if depth.Now() < depth.Thorough && (rate == 100 || period%10 > 0 || buffer == 20_000) {
					continue
				}
				link := sluice.Link{Rate: rate * sluice.Gbps, Delay: 4 * sluice.Microsecond}
				tc := period * sluice.Microsecond
				least, alone := 0.0, 0.0
				columns := ""
				for _, links := range []int{2, 4} {
					s := runtest.Prepared(t, Library, "tcd/credit", fmt.Sprintf(
						"host.rate=%dGbps,cbfc.period=%dus,cbfc.buffer=%dB,cbfc.keepalive=1s,credit.links=%d",
						rate, period, buffer, links))
					s.SampleEvery = tc + 10*sluice.Microsecond
					s.Until = 120 * s.SampleEvery
					o := runtest.OutcomeOf(t, s, "cbfc")
					require.Zero(t, o.Result.Dropped)
					got := creditRate(o)
					most, inARow, err := creditBounds(o.Subject)
					require.NoError(t, err)
					least, alone = inARow, most
					want := creditModel(links, link, tc, buffer, s.Until/6, s.Until)
					what := fmt.Sprintf("%v, T_c %v, buffer %d, %d links", link.Rate, tc, buffer, links)
					require.InEpsilon(t, want, got, 0.03, what)
					require.LessOrEqual(t, got, 1.03*alone, what)
					require.GreaterOrEqual(t, got, 0.97*least, what)
					star := " "
					if all++; got < 1.03*least {
						star = "*"
						near++
					}
					columns += fmt.Sprintf("   %8.2f %7.2f%s", want, got, star)
				}
				fmt.Fprintf(&b, "%7v %4d %8d %7.2f %7.2f%s\n", link.Rate, period, buffer, least, alone, columns)
			}
		}
	}
	fmt.Fprintf(&b, "\n%d of %d within 3 %% of the least\n", near, all)
	if depth.Now() >= depth.Thorough {
		golden.Require(t, "credit.txt", b.String())
	}
	t.Log("\n" + b.String())
}
