package workload

import (
	"cmp"
	"fmt"
	"math/big"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/prng"
)

// IncastConfig describes many flows that start together and end at one host.
type IncastConfig struct {
	Seed        uint64
	Destination sluice.SwitchID
	Degree      int // flows; at least 1

	// Senders are the hosts that may send; nil: every host. Racks says which senders may, seen from
	// the destination; the published set-ups take other racks. The destination never sends to
	// itself.
	Senders []sluice.SwitchID
	Racks   RackRule
	// Even deals the flows out so that no host has two more than another; otherwise every flow
	// draws its sender, as in the simulators of Pyrrha and of BFC.
	Even bool

	// Sizes are MinPackets to MaxPackets, each equally likely, times PacketBytes of payload. At
	// least 1.
	MinPackets, MaxPackets int
	PacketBytes            sluice.Bytes

	// Start is when flows start, all in the Spread that follows: 0 for the same instant.
	Start, Spread sluice.Time

	Class   sluice.Class
	DstPort uint16 // 0: 100
}

// IncastBurst makes the flows of one incast, in order of start, in the group Incast. An error is a
// *sluice.ConfigError.
func IncastBurst(g *topo.Graph, c IncastConfig) ([]Flow, error) {
	if err := c.validate(g); err != nil {
		return nil, err
	}
	senders, err := c.senders(g, c.Destination)
	if err != nil {
		return nil, err
	}
	flows := c.burst(nil, senders, c.Destination, 0, newIncastStreams(c.Seed))
	AssignPorts(flows)
	return flows, nil
}

// PeriodicIncastConfig describes incasts that come again and again.
type PeriodicIncastConfig struct {
	// Incast is one burst; its Start is the first burst's.
	Incast IncastConfig
	// Destinations, if set, are hosts; every burst draws its destination among them. Then
	// Incast.Destination means nothing, and Incast.Senders may name destinations.
	Destinations []sluice.SwitchID

	// LoadPerMille is the payload offered, in thousandths of Capacity; 1 to 1,000,000. It sets the
	// period, which is a whole number of picoseconds, rounded down.
	LoadPerMille int
	// Capacity is what a load of one fills, in bits per second. 0: the link of the (first)
	// destination, which fits a single victim as in the Pyrrha paper. BFC's set-up counts all
	// uplinks.
	Capacity sluice.Rate
	// Duration is how long bursts come: the last burst starts before Incast.Start + Duration.
	// Positive.
	Duration sluice.Time
}

// PeriodicIncast makes one incast after another, in order of start, in the group Incast. An error
// is a *sluice.ConfigError.
func PeriodicIncast(g *topo.Graph, c PeriodicIncastConfig) ([]Flow, error) {
	destinations := c.Destinations
	if len(destinations) == 0 {
		destinations = []sluice.SwitchID{c.Incast.Destination}
	} else if _, err := hostSet(g, "Destinations", destinations); err != nil {
		return nil, err
	}
	c.Incast.Destination = destinations[0]
	if err := c.Incast.validate(g); err != nil {
		return nil, err
	}
	period, err := c.period(g)
	if err != nil {
		return nil, err
	}
	bursts := (uint64(c.Duration) + uint64(period) - 1) / uint64(period)
	if bursts > uint64(MaxFlows/c.Incast.Degree) {
		return nil, configError("Duration", c.Duration, "makes more than 16777216 flows at this load")
	}
	streams := newIncastStreams(c.Incast.Seed)
	victims := stream(c.Incast.Seed, 6)
	var flows []Flow
	for at := sluice.Time(0); at < c.Duration; at = at.Add(period) {
		destination := destinations[victims.Below(uint64(len(destinations)))]
		senders, err := c.Incast.senders(g, destination)
		if err != nil {
			return nil, err
		}
		flows = c.Incast.burst(flows, senders, destination, at, streams)
	}
	SortByStart(flows) // a burst's spread may exceed the period
	AssignPorts(flows)
	return flows, nil
}

// period returns the time between bursts at which they make up the load.
func (c *PeriodicIncastConfig) period(g *topo.Graph) (sluice.Time, error) {
	capacity := c.Capacity
	if capacity == 0 {
		capacity = g.Nodes[c.Incast.Destination].Ports[0].Link.Rate
	}
	r := check.Of("workload", "PeriodicIncastConfig")
	check.Within(r, c.LoadPerMille, 1, million, "LoadPerMille")
	r.That(capacity >= 0, c.Capacity, "must not be negative", "Capacity")
	r.That(0 < c.Duration && c.Duration <= maxDuration, c.Duration,
		"must be positive and at most "+maxDuration.String(), "Duration")
	if err := r.Err(); err != nil {
		return 0, err
	}
	// twice the mean
	packets := int64(c.Incast.Degree) * (int64(c.Incast.MinPackets) + int64(c.Incast.MaxPackets))
	n := big.NewInt(packets)
	for _, factor := range [...]int64{int64(c.Incast.PacketBytes), 8 * 1000, int64(sluice.Second)} {
		n.Mul(n, big.NewInt(factor))
	}
	n.Quo(n, big.NewInt(2*int64(c.LoadPerMille)))
	n.Quo(n, big.NewInt(int64(capacity)))
	if !n.IsInt64() || n.Sign() == 0 {
		return 0, configError("LoadPerMille", c.LoadPerMille, "makes a period that is out of range")
	}
	return sluice.Time(n.Int64()), nil
}

func (c *IncastConfig) validate(g *topo.Graph) error {
	if g == nil {
		return configError("Graph", g, "must be set")
	}
	r := check.Of("workload", "IncastConfig")
	r.That(isHost(g, c.Destination), c.Destination, "must be a host of "+g.Name, "Destination")
	check.Within(r, c.Degree, 1, MaxFlows, "Degree")
	c.Racks.check(r)
	r.That(1 <= c.MinPackets && c.MinPackets <= c.MaxPackets, c.MinPackets,
		"must be 1 to MaxPackets", "MinPackets")
	r.That(c.MaxPackets <= 1<<30, c.MaxPackets, "must be at most 1073741824", "MaxPackets")
	check.Within(r, c.PacketBytes, 1, MaxSize, "PacketBytes")
	check.Within(r, c.Start, 0, maxDuration, "Start")
	check.Within(r, c.Spread, 0, maxDuration, "Spread")
	check.Within(r, c.Class, 0, sluice.Classes-1, "Class")
	return r.Err()
}

func (c *IncastConfig) senders(
	g *topo.Graph, destination sluice.SwitchID,
) ([]sluice.SwitchID, error) {
	all, err := hostList(g, "Senders", c.Senders, nil)
	if err != nil {
		return nil, err
	}
	var senders []sluice.SwitchID
	for _, h := range all {
		sameRack := g.Nodes[h].Rack == g.Nodes[destination].Rack
		if h != destination && (c.Racks == AnyRack || sameRack == (c.Racks == SameRack)) {
			senders = append(senders, h)
		}
	}
	if len(senders) == 0 {
		return nil, configError("Senders", c.Senders,
			fmt.Sprintf("leave host %d no sender (%v)", destination, c.Racks))
	}
	return senders, nil
}

type incastStreams struct{ senders, sizes, starts prng.Source }

func newIncastStreams(seed uint64) *incastStreams {
	return &incastStreams{stream(seed, 7), stream(seed, 8), stream(seed, 9)}
}

func (c *IncastConfig) burst(
	flows []Flow, senders []sluice.SwitchID, destination sluice.SwitchID, after sluice.Time,
	s *incastStreams,
) []Flow {
	first := len(flows)
	for i := range c.Degree {
		if c.Even && i%len(senders) == 0 {
			prng.Shuffle(&s.senders, senders) // the last, shorter round is dealt at random too
		}
		sender := senders[i%len(senders)]
		if !c.Even {
			sender = senders[s.senders.Below(uint64(len(senders)))]
		}
		packets := c.MinPackets + int(s.sizes.Below(uint64(c.MaxPackets-c.MinPackets+1)))
		start := c.Start + after
		if c.Spread > 0 {
			start += sluice.Time(s.starts.Below(uint64(c.Spread)))
		}
		flows = append(flows, Flow{
			Src: sender, Dst: destination, Class: c.Class, DstPort: cmp.Or(c.DstPort, defaultPort),
			Bytes: sluice.Bytes(packets) * c.PacketBytes, Start: start, Group: Incast,
		})
	}
	SortByStart(flows[first:])
	return flows
}
