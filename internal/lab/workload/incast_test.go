package workload_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// pyrrhaIncast is the incast of the Pyrrha paper, sections II-B and VIII: "The incast degree is
// 720-to-1", "each composed of 30-40 MTUs". Its authors' simulator draws senders from other racks
// and starts within 100 ns.
func pyrrhaIncast() workload.IncastConfig {
	return workload.IncastConfig{
		Seed: 1, Destination: 0, Degree: 720, Racks: workload.OtherRacks, MinPackets: 30, MaxPackets: 40,
		PacketBytes: 1460,
		Start:       100 * sluice.Nanosecond, Spread: 100 * sluice.Nanosecond, Class: 3,
	}
}

// bfcIncast is the incast of BFC's authors: 100 senders of 200 packets of 1,000 B to a host drawn
// anew each time, 5 % of the load of 64 uplinks.
func bfcIncast() workload.PeriodicIncastConfig {
	c := workload.PeriodicIncastConfig{
		Incast: workload.IncastConfig{
			Seed: 1, Degree: 100, MinPackets: 200, MaxPackets: 200, PacketBytes: 1000,
		},
		LoadPerMille: 50, Capacity: 64 * 100 * sluice.Gbps, Duration: 10 * sluice.Millisecond,
	}
	for h := range sluice.SwitchID(128) {
		c.Destinations = append(c.Destinations, h)
	}
	return c
}

func manyToOne() workload.ManyToOneConfig {
	return workload.ManyToOneConfig{
		M: 5, FlowsPerHost: 40, Bytes: 63_625, Later: 5 * sluice.Microsecond, Class: 3,
	}
}

func TestIncastOfThePyrrhaPaper(t *testing.T) {
	g := pyrrhaNetwork(t)
	c := pyrrhaIncast()
	flows, err := workload.IncastBurst(g, c)
	require.NoError(t, err)
	require.NoError(t, workload.CheckFlows(g, flows))
	require.Len(t, flows, 720)
	senders := map[sluice.SwitchID]int{}
	sizes := map[sluice.Bytes]int{}
	for _, f := range flows {
		require.Zero(t, f.Dst)
		require.NotZero(t, g.Nodes[f.Src].Rack)
		require.Zero(t, f.Bytes%1460)
		require.Equal(t, workload.Incast, f.Group)
		require.GreaterOrEqual(t, f.Start, c.Start)
		require.Less(t, f.Start, c.Start+c.Spread)
		senders[f.Src]++
		sizes[f.Bytes/1460]++
	}
	require.True(
		t, slices.IsSortedFunc(flows, func(a, b workload.Flow) int { return int(a.Start - b.Start) }),
	)
	require.Greater(t, len(senders), 130, "144 hosts of which e^-5 draw nothing")
	require.Len(t, sizes, 11)
	for packets, count := range sizes {
		require.InDelta(t, 720.0/11, count, 35, "%d packets", packets)
		require.True(t, packets >= 30 && packets <= 40)
	}
}

func TestIncastEven(t *testing.T) {
	g := pyrrhaNetwork(t)
	c := pyrrhaIncast()
	c.Even, c.Spread = true, 0
	c.Degree = 725
	flows, err := workload.IncastBurst(g, c)
	require.NoError(t, err)
	senders := map[sluice.SwitchID]int{}
	for _, f := range flows {
		senders[f.Src]++
		require.Equal(t, c.Start, f.Start)
	}
	require.Len(t, senders, 144)
	six := 0
	for _, n := range senders {
		require.True(t, n == 5 || n == 6)
		six += n - 5
	}
	require.Equal(t, 5, six)
}

func TestIncastSenders(t *testing.T) {
	g := pyrrhaNetwork(t)
	c := pyrrhaIncast()
	c.Senders, c.Racks, c.Even, c.Degree = []sluice.SwitchID{0, 1, 17, 33}, workload.AnyRack, true, 3
	flows, err := workload.IncastBurst(g, c)
	require.NoError(t, err)
	var from []sluice.SwitchID
	for _, f := range flows {
		from = append(from, f.Src)
	}
	slices.Sort(from)
	require.Equal(t, []sluice.SwitchID{1, 17, 33}, from, "all but the destination itself")
	c.Racks, c.Degree = workload.SameRack, 1
	flows, err = workload.IncastBurst(g, c)
	require.NoError(t, err)
	require.Equal(t, sluice.SwitchID(1), flows[0].Src)
}

func TestPeriodicIncastOfBFC(t *testing.T) {
	g := bfcNetwork(t)
	c := bfcIncast()
	flows, err := workload.PeriodicIncast(g, c)
	require.NoError(t, err)
	require.NoError(t, workload.CheckFlows(g, flows))
	// 20 MB a burst at 0.05 x 6.4 Tb/s: one every 500 us.
	require.Len(t, flows, 20*100)
	destinations := map[sluice.SwitchID]bool{}
	for i, f := range flows {
		require.Equal(t, sluice.Time(i/100)*500*sluice.Microsecond, f.Start)
		require.Equal(t, flows[i/100*100].Dst, f.Dst, "one destination a burst")
		require.Equal(t, sluice.Bytes(200_000), f.Bytes)
		destinations[f.Dst] = true
	}
	require.Greater(t, len(destinations), 12)
}

// Periodic incasts of flows of 30 to 40 MTUs have half of the load (Pyrrha paper, section VIII), of
// the victim's own link.
func TestPeriodicIncastOfPyrrha(t *testing.T) {
	g := pyrrhaNetwork(t)
	c := workload.PeriodicIncastConfig{
		Incast: pyrrhaIncast(), LoadPerMille: 500, Duration: 20 * sluice.Millisecond,
	}
	flows, err := workload.PeriodicIncast(g, c)
	require.NoError(t, err)
	// 720 x 35 x 1,460 B at 50 Gb/s: 5,886.72 us.
	require.Len(t, flows, 4*720)
	period := 5886720 * sluice.Nanosecond
	require.Less(t, flows[719].Start, c.Incast.Start+c.Incast.Spread)
	require.GreaterOrEqual(t, flows[720].Start, c.Incast.Start+period)
	require.Less(t, flows[720].Start, c.Incast.Start+period+c.Incast.Spread)
	require.NotEqual(t, flows[0].Src, flows[720].Src, "bursts draw anew")
	single, err := workload.IncastBurst(g, pyrrhaIncast())
	require.NoError(t, err)
	require.Equal(t, single, flows[:720])
}

func TestPeriodicIncastSortsOverlappingBursts(t *testing.T) {
	c := workload.PeriodicIncastConfig{
		Incast: pyrrhaIncast(), LoadPerMille: 500, Duration: 20 * sluice.Millisecond,
	}
	c.Incast.Spread = 10 * sluice.Millisecond
	flows, err := workload.PeriodicIncast(pyrrhaNetwork(t), c)
	require.NoError(t, err)
	require.True(
		t, slices.IsSortedFunc(flows, func(a, b workload.Flow) int { return int(a.Start - b.Start) }),
	)
}

// Of 10 racks the first two receive with m = 5, each from four others, host from host in the same
// place of its rack; flows of a host start one after another (section IV-E).
func TestManyToOneByRack(t *testing.T) {
	g := pyrrhaNetwork(t)
	flows, err := workload.ManyToOne(g, manyToOne())
	require.NoError(t, err)
	require.NoError(t, workload.CheckFlows(g, flows))
	require.Len(t, flows, 128*40)
	for i, f := range flows {
		sender := sluice.SwitchID(32 + i%128)
		require.Equal(t, sender, f.Src)
		require.Equal(t, (sender/16-2)/4*16+sender%16, f.Dst)
		require.Equal(t, workload.Incast, f.Group)
		require.Equal(t, sluice.Time(i/128)*5*sluice.Microsecond, f.Start)
	}
	c := manyToOne()
	c.M = 11 // more than racks
	requireConfigError(t, "M", second(workload.ManyToOne(g, c)))
}

// With hosts for racks, as in the authors' ns-3, the first 32 of 160 hosts receive with m = 5, and
// all flows of a host but the first start together.
func TestManyToOneByHost(t *testing.T) {
	g := pyrrhaNetwork(t)
	c := manyToOne()
	c.ByHost, c.Together = true, true
	flows, err := workload.ManyToOne(g, c)
	require.NoError(t, err)
	require.NoError(t, workload.CheckFlows(g, flows))
	require.Len(t, flows, 128*40)
	for i, f := range flows {
		sender := sluice.SwitchID(32 + i%128)
		require.Equal(t, sender, f.Src)
		require.Equal(t, (sender-32)/4, f.Dst)
		require.Equal(t, workload.Incast, f.Group)
		if i < 128 {
			require.Zero(t, f.Start)
		} else {
			require.Equal(t, 5*sluice.Microsecond, f.Start)
		}
	}
	c.M, c.Start = 7, sluice.Millisecond // which does not divide 160: the last receiver takes the rest
	flows, err = workload.ManyToOne(g, c)
	require.NoError(t, err)
	require.Len(t, flows, (160-22)*40)
	require.Equal(t, sluice.SwitchID(21), flows[len(flows)-1].Dst)
	require.Equal(t, sluice.Millisecond+5*sluice.Microsecond, flows[len(flows)-1].Start)
}

func TestIncastConfigErrors(t *testing.T) {
	g := pyrrhaNetwork(t)
	for want, breakIt := range map[string]func(*workload.IncastConfig){
		"Destination": func(c *workload.IncastConfig) { c.Destination = 160 },
		"Degree":      func(c *workload.IncastConfig) { c.Degree = 0 },
		"Racks":       func(c *workload.IncastConfig) { c.Racks = 7 },
		"MinPackets":  func(c *workload.IncastConfig) { c.MinPackets = 41 },
		"MaxPackets":  func(c *workload.IncastConfig) { c.MinPackets, c.MaxPackets = 1, math.MaxInt },
		"PacketBytes": func(c *workload.IncastConfig) { c.PacketBytes = 0 },
		"Start":       func(c *workload.IncastConfig) { c.Start = -1 },
		"Spread":      func(c *workload.IncastConfig) { c.Spread = -1 },
		"Class":       func(c *workload.IncastConfig) { c.Class = 9 },
		"Senders":     func(c *workload.IncastConfig) { c.Senders = []sluice.SwitchID{1, 2} },
		"Senders[0]":  func(c *workload.IncastConfig) { c.Senders = []sluice.SwitchID{170} },
	} {
		c := pyrrhaIncast()
		breakIt(&c)
		requireConfigError(t, want, second(workload.IncastBurst(g, c)))
		requireConfigError(t, want, second(workload.PeriodicIncast(g, workload.PeriodicIncastConfig{
			Incast: c, LoadPerMille: 1, Duration: sluice.Second,
		})))
	}
	requireConfigError(t, "Graph", second(workload.IncastBurst(nil, pyrrhaIncast())))

	for want, breakIt := range map[string]func(*workload.PeriodicIncastConfig){
		"Destinations[0]": func(c *workload.PeriodicIncastConfig) {
			c.Destinations = []sluice.SwitchID{500}
		},
		"LoadPerMille": func(c *workload.PeriodicIncastConfig) { c.LoadPerMille = 0 },
		"Capacity":     func(c *workload.PeriodicIncastConfig) { c.Capacity = -1 },
		"Duration":     func(c *workload.PeriodicIncastConfig) { c.Duration = 0 },
	} {
		c := bfcIncast()
		breakIt(&c)
		requireConfigError(t, want, second(workload.PeriodicIncast(g, c)))
	}
	c := bfcIncast()
	c.Incast.Degree, c.LoadPerMille, c.Duration = 1<<20, 1_000_000, 100*sluice.Second
	requireConfigError(t, "Duration", second(workload.PeriodicIncast(g, c)), "too many flows")
	c.Incast.Degree, c.Capacity, c.Incast.PacketBytes = 1, 1<<62, 1
	c.Incast.MinPackets, c.Incast.MaxPackets = 1, 1
	requireConfigError(t, "LoadPerMille", second(workload.PeriodicIncast(g, c)), "a period of no time")

	for want, breakIt := range map[string]func(*workload.ManyToOneConfig){
		"M":            func(c *workload.ManyToOneConfig) { c.M = 161 },
		"FlowsPerHost": func(c *workload.ManyToOneConfig) { c.FlowsPerHost = 0 },
		"Bytes":        func(c *workload.ManyToOneConfig) { c.Bytes = 0 },
		"Start":        func(c *workload.ManyToOneConfig) { c.Start = -1 },
		"Later":        func(c *workload.ManyToOneConfig) { c.Later = 101 * sluice.Second },
		"Class":        func(c *workload.ManyToOneConfig) { c.Class = 8 },
	} {
		c := manyToOne()
		breakIt(&c)
		requireConfigError(t, want, second(workload.ManyToOne(g, c)))
	}
	requireConfigError(t, "Graph", second(workload.ManyToOne(nil, manyToOne())))
}
