package run

import (
	"math"
	"slices"

	"golang.org/x/exp/stats"
)

// Summary is the distribution of a quantity over flows. Its numbers are rounded to six digits
// behind the point, so that the last bit of a sum does not show.
type Summary struct {
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p999"`
	Max  float64 `json:"max"`
}

// summarise sorts values and describes them; nil if there are none. Quantiles between two values
// are interpolated.
func summarise(values []float64) *Summary {
	if len(values) == 0 {
		return nil
	}
	slices.Sort(values)
	q := stats.Quantiles(values, 0.50, 0.95, 0.99, 0.999, 1)
	return &Summary{
		Mean: Round6(stats.Mean(values)), P50: Round6(q[0]), P95: Round6(q[1]), P99: Round6(q[2]),
		P999: Round6(q[3]), Max: Round6(q[4]),
	}
}

// Wilson returns the interval in which a probability is with a confidence of 95 %, if k of n runs
// were so (Wilson's score interval).
func Wilson(k, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959964 // quantile of the normal distribution at 0.975
	p, m := float64(k)/float64(n), float64(n)
	middle := p + z*z/(2*m)
	half := z * math.Sqrt(float64(p*(1-p))/m+z*z/(4*m*m))
	scale := 1 + z*z/m
	low, high = max(0, float64(middle-half)/scale), min(1, float64(middle+half)/scale)
	if k == 0 {
		low = 0
	}
	if k == n {
		high = 1
	}
	return Round6(low), Round6(high)
}

// studentQuantiles are Student's t at 0.975 for 1, 2, … degrees of freedom; above, the normal
// distribution is at most 4 % off.
var studentQuantiles = [...]float64{
	12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
	2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048,
	2.045, 2.042,
}

// Student returns half of the interval in which the mean is with a confidence of 95 %, if n values
// have the standard deviation (Student's t). n is at least 2.
func Student(deviation float64, n int) float64 {
	t := 1.96
	if n-2 < len(studentQuantiles) {
		t = studentQuantiles[n-2]
	}
	return t * deviation / math.Sqrt(float64(n))
}

func Round6(x float64) float64 { return math.Round(x*1e6) / 1e6 }
