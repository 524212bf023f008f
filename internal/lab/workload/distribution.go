package workload

import (
	"fmt"
	"math/big"
	"math/bits"
	"slices"
	"sort"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/internal/prng"
)

// Distribution is a distribution of flow sizes. It is immutable, and its draws are integer
// arithmetic: the same on every platform.
type Distribution struct {
	name, source string
	points       []Point
	discrete     bool        // each interval's mass lies at its upper size
	tail         *paretoTail // the rest of the mass, if the last point is not at one million
	mean         *big.Rat    // in bytes
}

// Point is a point of a cumulative distribution.
type Point struct {
	Size       sluice.Bytes
	PerMillion uint32 // flows of at most Size, in a million
}

const million = 1_000_000

// MaxSize is the largest flow size a distribution may have.
const MaxSize sluice.Bytes = 1 << 32

// NewDistribution makes a distribution from points, between which sizes are spread evenly; a first
// point above 0 is a mass at its size. Sizes are 1 to MaxSize; neither sizes nor cumulative numbers
// decrease; the last point has one million. A point that breaks a rule answers a
// *sluice.ConfigError. source says where the points are from.
func NewDistribution(name, source string, points []Point) (*Distribution, error) {
	r := check.Of("workload", "")
	r.That(len(points) > 0, points, "must not be empty", "Points")
	var before Point
	for i, p := range points {
		r.That(1 <= p.Size && p.Size <= MaxSize, p, fmt.Sprintf("the size must be 1 to %d", MaxSize),
			"Points[%d]", i)
		r.That(p.Size >= before.Size, p, "the size must not be below the size of the point before",
			"Points[%d]", i)
		r.That(p.PerMillion >= before.PerMillion, p,
			"the number per million must not be below the number of the point before", "Points[%d]", i)
		before = p
	}
	r.That(before.PerMillion == million, before, "the last point must have 1000000 per million",
		"Points[%d]", len(points)-1)
	if err := r.Err(); err != nil {
		return nil, err
	}
	d := &Distribution{name: name, source: source, points: slices.Clone(points)}
	d.mean = d.meanOfPoints()
	return d, nil
}

// Name returns a short name: "websearch".
func (d *Distribution) Name() string { return d.name }

// Source says where the distribution was published.
func (d *Distribution) Source() string { return d.source }

// Mean returns the mean of Sample in bytes, before sizes are rounded to whole bytes.
func (d *Distribution) Mean() float64 {
	mean, _ := d.mean.Float64()
	return mean
}

// Sample draws a size. It takes one draw from random and O(log points).
func (d *Distribution) Sample(random *prng.Source) sluice.Bytes {
	return d.Quantile(random.Uint64())
}

// Quantile returns the size below which a share u/2^64 of all flows is, rounded to a whole byte, at
// least 1.
func (d *Distribution) Quantile(u uint64) sluice.Bytes {
	whole, fraction := bits.Mul64(u, million) // u in millionths, and the rest in units of 2^-64
	at := uint32(whole)
	i := sort.Search(len(d.points), func(i int) bool { return d.points[i].PerMillion > at })
	before, point := Point{}, Point{PerMillion: million} // of the tail
	if i > 0 {
		before = d.points[i-1]
	}
	if i < len(d.points) {
		if point = d.points[i]; d.discrete || i == 0 {
			return point.Size
		}
	}
	position, _ := bits.Div64(uint64(at-before.PerMillion), fraction,
		uint64(point.PerMillion-before.PerMillion))
	if i == len(d.points) {
		return d.tail.quantile(position)
	}
	size, rest := bits.Mul64(uint64(point.Size-before.Size), position)
	return before.Size + sluice.Bytes(size+rest>>63)
}

// meanOfPoints returns the contribution of the points to the mean.
func (d *Distribution) meanOfPoints() *big.Rat {
	sum := new(big.Int) // in half millionths
	before := Point{Size: d.points[0].Size}
	for _, p := range d.points {
		sizes := before.Size + p.Size
		if d.discrete {
			sizes = 2 * p.Size
		}
		mass := big.NewInt(int64(p.PerMillion - before.PerMillion))
		sum.Add(sum, mass.Mul(mass, big.NewInt(int64(sizes))))
		before = p
	}
	return new(big.Rat).SetFrac(sum, big.NewInt(2*million))
}

// paretoTail is a generalised Pareto distribution: location + scale/shape ((1-u)^-shape - 1), cut
// off at a largest size.
type paretoTail struct {
	location sluice.Bytes
	scale    uint64 // in thousandths of a byte
	shape    uint64 // in millionths
	limit    sluice.Bytes
	mean     *big.Rat // of the tail alone, in bytes
}

// quantile returns the size at position u/2^64 of the tail.
func (t *paretoTail) quantile(u uint64) sluice.Bytes {
	hi, lo := bits.Mul64(negLog(^u), t.shape) // -ln(1-u) shape, in units of 2^-57 millionths
	exponentOf, _ := bits.Div64(hi, lo, million<<5)
	mantissa, exponent := exp(int64(exponentOf))
	// The scale over the shape, in units of 2^-20 bytes, keeps seven digits behind the point.
	ratio := t.scale * (million / 1000) << 20 / t.shape
	excess := scale(ratio, mantissa, exponent) - ratio
	size := sluice.Bytes((excess + 1<<19) >> 20)
	return min(t.location+size, t.limit)
}
