package workload

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/internal/enum"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/prng"
)

// TrafficConfig describes flows that arrive at random between hosts drawn at random. A list is a
// function of the configuration and the network's hosts, racks and host links: the same on
// every platform and with every Go version.
type TrafficConfig struct {
	// Seed chooses the list. Arrivals, sizes and hosts are drawn from separate streams, so that
	// with another distribution of sizes and a load to match, the same hosts talk.
	Seed uint64

	Sizes *Distribution // of the payload

	// LoadPerMille is the payload offered, in thousandths of Capacity; 1 to 1,000,000. 800 is the
	// papers' load of 0.8.
	LoadPerMille int
	// Capacity is what a load of one fills, in bits per second. 0: the links of all sources
	// together, so that the load is the mean share of a source's link.
	Capacity sluice.Rate

	// Sources and Destinations are the hosts at either end; nil: every host. A flow draws its
	// source, then its destination among the hosts that Racks allows that source; each is equally
	// likely.
	Sources, Destinations []sluice.SwitchID
	// Exclude takes hosts out of both lists: the victim of an incast that no other flow may touch.
	Exclude []sluice.SwitchID
	// Racks says which destinations a source may draw.
	Racks RackRule

	// Start is when the first gap begins: the first flow starts one gap later.
	Start sluice.Time
	// Duration is how long flows arrive, Flows is how many; 0: no such bound. At least one is set.
	Duration sluice.Time
	Flows    int

	Class   sluice.Class
	DstPort uint16 // 0: 100, as in the field's flow files
	Group   Group
}

// RackRule says which hosts may talk to each other.
type RackRule uint8

const (
	AnyRack    RackRule = iota // any other host
	OtherRacks                 // hosts of other racks
	SameRack                   // other hosts of one's own rack
)

func (r RackRule) String() string {
	return enum.Name(r, "RackRule", "any rack", "other racks", "same rack")
}

func (r RackRule) check(c *check.Config) {
	c.That(r <= SameRack, uint8(r), "must be AnyRack, OtherRacks or SameRack", "Racks")
}

// Poisson makes flows that arrive as a Poisson process over the whole network: gaps are
// exponential. The list is in order of start. An error is a *sluice.ConfigError.
func Poisson(g *topo.Graph, c TrafficConfig) ([]Flow, error) {
	return arrivals(g, &c, func(mean uint64, random *prng.Source) uint64 {
		return scale(mean, negLog(random.Uint64()), 63-57)
	})
}

// LogNormal makes flows as Poisson does, with log-normal gaps of the same mean, which come in
// bursts: the logarithm of a gap has the standard deviation sigma, in thousandths from 1 to 5,000.
// BFC's set-up has 2 (Goyal et al., Backpressure Flow Control, NSDI 2022).
func LogNormal(g *topo.Graph, c TrafficConfig, sigmaPerMille int) ([]Flow, error) {
	if sigmaPerMille < 1 || sigmaPerMille > 5000 {
		return nil, configError("sigma", sigmaPerMille, "must be 1 to 5000 thousandths")
	}
	sigma := uint64(sigmaPerMille)
	// A log-normal variable's mean is e^(mu + sigma^2 / 2): half the variance is taken off.
	halfVariance := int64(mulDiv(sigma*sigma, 1<<52, 2*million))
	return arrivals(g, &c, func(mean uint64, random *prng.Source) uint64 {
		z := normal(random)
		spread := int64(mulDiv(uint64(max(z, -z)), sigma, 1000))
		if z < 0 {
			spread = -spread
		}
		mantissa, exponent := exp(spread - halfVariance)
		return scale(mean, mantissa, exponent)
	})
}

// arrivals makes the list; gap draws the time between two arrivals, which has the given mean, in
// units of 2^-16 ps.
func arrivals(
	g *topo.Graph, c *TrafficConfig, gap func(mean uint64, random *prng.Source) uint64,
) ([]Flow, error) {
	if err := c.validate(g); err != nil {
		return nil, err
	}
	ends, err := newEndpoints(g, c.Sources, c.Destinations, c.Exclude, c.Racks)
	if err != nil {
		return nil, err
	}
	capacity := c.Capacity
	if capacity == 0 {
		capacity = ends.capacity(g)
	}
	mean, ok := meanGap(c.Sizes.mean, c.LoadPerMille, capacity)
	if !ok {
		return nil, configError(
			"LoadPerMille", c.LoadPerMille,
			"makes gaps outside 1 ps to 10 s at a capacity of "+capacity.String(),
		)
	}

	tooMany := configError("Duration", c.Duration, "makes more than 16777216 flows at this load")
	if uint64(c.Duration)<<16/mean > 2*MaxFlows && c.Flows == 0 {
		return nil, tooMany // for certain; the loop finds the closer cases
	}
	times, sizes, hosts := stream(c.Seed, 1), stream(c.Seed, 2), stream(c.Seed, 3)
	var flows []Flow
	for at := gap(mean, &times); ; at = addGap(at, gap(mean, &times)) {
		elapsed := sluice.Time(at >> 16)
		if c.Duration > 0 && elapsed >= c.Duration || c.Flows > 0 && len(flows) == c.Flows {
			break
		}
		if elapsed >= maxDuration {
			return nil, configError("Flows", c.Flows,
				"takes longer than "+maxDuration.String()+" at this load")
		}
		if len(flows) == MaxFlows {
			return nil, tooMany
		}
		flow := Flow{
			Class: c.Class, DstPort: cmp.Or(c.DstPort, defaultPort), Group: c.Group,
			Bytes: c.Sizes.Sample(&sizes), Start: c.Start + elapsed,
		}
		flow.Src, flow.Dst = ends.draw(&hosts)
		flows = append(flows, flow)
	}
	AssignPorts(flows)
	return flows, nil
}

// maxDuration is how long arrivals may go on. Times since Start are in units of 2^-16 ps: 64 bits
// hold 281 s of them.
const maxDuration = 100 * sluice.Second

func (c *TrafficConfig) validate(g *topo.Graph) error {
	r := check.Of("workload", "TrafficConfig")
	r.That(c.Sizes != nil, c.Sizes, "must be set", "Sizes")
	check.Within(r, c.LoadPerMille, 1, million, "LoadPerMille")
	r.That(c.Capacity >= 0, c.Capacity, "must not be negative", "Capacity")
	c.Racks.check(r)
	check.Within(r, c.Start, 0, maxDuration, "Start")
	check.Within(r, c.Duration, 0, maxDuration, "Duration")
	check.Within(r, c.Flows, 0, MaxFlows, "Flows")
	r.That(c.Duration > 0 || c.Flows > 0, c.Duration, "must be set if Flows is not", "Duration")
	check.Within(r, c.Class, 0, sluice.Classes-1, "Class")
	r.That(g != nil, g, "must be set", "Graph")
	return r.Err()
}

// meanGap returns the mean time between flows of a mean size at a load, in units of 2^-16 ps,
// rounded down.
func meanGap(size *big.Rat, loadPerMille int, capacity sluice.Rate) (gap uint64, ok bool) {
	if capacity <= 0 {
		return 0, false
	}
	bits := new(big.Rat).Mul(size, big.NewRat(8*1000, int64(loadPerMille)))
	seconds := bits.Quo(bits, new(big.Rat).SetInt64(int64(capacity)))
	units := seconds.Mul(seconds, new(big.Rat).SetInt64(int64(sluice.Second)<<16))
	whole := new(big.Int).Quo(units.Num(), units.Denom())
	if !whole.IsUint64() {
		return 0, false
	}
	gap = whole.Uint64()
	return gap, gap >= 1<<16 && gap <= uint64(10*sluice.Second)<<16
}

func addGap(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry > 0 {
		return math.MaxUint64
	}
	return sum
}

// mulDiv returns a*b/c, rounded down; the quotient must fit.
func mulDiv(a, b, c uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	quotient, _ := bits.Div64(hi, lo, c)
	return quotient
}

// stream returns the i-th generator of a seed; generators of other seeds or numbers are unrelated.
func stream(seed, i uint64) prng.Source { return prng.New(prng.Mix(prng.Mix(seed) + i)) }

// defaultPort is the destination port in the field's flow files.
const defaultPort = 100

func configError(field string, value any, rule string) error {
	return &sluice.ConfigError{Package: "workload", Field: field, Value: value, Rule: rule}
}
