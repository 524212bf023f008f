package sim_test

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/lab/fabric/ideal"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/internal/prng"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pfc"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func init() { depth.CollectSeldom() }

// numbers are what the simulator and the model must agree on.
type numbers struct {
	fct                                         []sluice.Time
	completed                                   int
	hops, dropped, expired, timeouts, reordered int64
	maxPort, maxSwitch                          sluice.Bytes
	control                                     map[string]int64
}

func (m *model) numbers() numbers {
	n := numbers{
		nil, m.ends, m.hops, m.dropped, m.expired, m.timeouts, m.reordered, m.maxPort, m.maxSwitch,
		m.control,
	}
	for _, f := range m.flows {
		n.fct = append(n.fct, f.fct)
	}
	return n
}

func numbersOf(r *sim.Result) numbers {
	n := numbers{
		nil, r.Completed, r.PacketHops, r.Dropped, r.Expired, r.Timeouts, r.Reordered, r.MaxPortBytes,
		r.MaxSwitchBytes, r.ControlFrames,
	}
	for i := range r.Flows {
		n.fct = append(n.fct, r.Flows[i].FCT)
	}
	return n
}

// coverage counts runs by what happened in them.
type coverage struct{ checks, ambiguous, different, dropped, paused, timeouts, expired int }

// The simulator and the model agree on every number, whatever the network, the traffic, the losses
// and the pauses. Where two things happen to a node at one instant either order is right: a packet
// may come to a full queue just before or just after another has left it. So they may differ there,
// but seldom do.
func TestAgainstTheModel(t *testing.T) {
	var seen coverage
	for attempt := range 10 {
		depth.OtherSeed(t, attempt)
		rapid.Check(t, func(t *rapid.T) { seen.compare(t, drawRun(t)) })
	}
	t.Logf("%+v", seen)
	require.LessOrEqual(t, seen.different, seen.checks/25)
	for what, n := range map[string]int{
		"losses": seen.dropped, "pauses": seen.paused, "timeouts": seen.timeouts,
		"expired packets": seen.expired,
	} {
		require.Positive(t, n, "%s in %d runs", what, seen.checks)
	}
}

func (seen *coverage) compare(t *rapid.T, c sim.Config) {
	m := newModel(c)
	m.run()
	s, err := sim.New(c)
	require.NoError(t, err)
	result, err := s.Run()
	require.NoError(t, err)
	want, got := m.numbers(), numbersOf(result)
	if m.now >= livelock {
		require.NotEmpty(t, result.Notes)
		want = numbers{fct: want.fct, completed: want.completed}
		got = numbers{fct: got.fct, completed: got.completed}
	}
	seen.checks++
	if m.ambiguous {
		seen.ambiguous++
		if !assert.ObjectsAreEqual(want, got) {
			seen.different++
			return
		}
	}
	require.Equal(t, want, got)
	seen.dropped += int(min(m.dropped, 1))
	seen.paused += int(min(m.control["pause"], 1))
	seen.timeouts += int(min(m.timeouts, 1))
	seen.expired += int(min(m.expired, 1))
}

// drawRun draws a small run. Instants and rates come from a generator of their own, so that few
// things happen at once.
func drawRun(t *rapid.T) sim.Config {
	random := prng.New(rapid.Uint64().Draw(t, "seed"))
	g := drawTree(t, &random)
	hosts := g.Hosts()
	c := sim.Config{
		Topology: g, Network: network(g), VerifyPaths: rapid.Bool().Draw(t, "verify"),
		Payload: 1460, Header: 66, AckSize: 60, HopLimit: 64,
		AckClass: sluice.Class(rapid.SampledFrom([]int{2, sluice.Classes}).Draw(
			t, "class of acknowledgements",
		)),
		Window: sluice.Bytes(rapid.SampledFrom([]int{1, 1460, 5000, 20000}).Draw(t, "window")),
	}
	for range rapid.IntRange(1, 6).Draw(t, "flows") {
		src := rapid.IntRange(0, len(hosts)-1).Draw(t, "from")
		dst := rapid.IntRange(0, len(hosts)-2).Draw(t, "to")
		if dst >= src {
			dst++
		}
		c.Flows = append(c.Flows, workload.Flow{
			Src: hosts[src], Dst: hosts[dst], Class: sluice.Class(rapid.IntRange(1, 2).Draw(t, "class")),
			Bytes: sluice.Bytes(rapid.SampledFrom([]int{1, 1460, 1461, 10000, 60000}).Draw(t, "bytes")),
			Start: sluice.Time(random.Below(uint64(20 * sluice.Microsecond))),
		})
	}
	drawProtocol(t, &c)
	return c
}

// drawTree draws hosts at a row of switches.
func drawTree(t *rapid.T, random *prng.Source) *topo.Graph {
	hosts := rapid.IntRange(2, 5).Draw(t, "hosts")
	switches := rapid.IntRange(1, 3).Draw(t, "switches")
	g := &topo.Graph{Name: "tree", Nodes: make([]topo.Node, hosts+switches)}
	link := func() sluice.Link {
		rate := rapid.SampledFrom([]sluice.Rate{
			10 * sluice.Gbps, 25 * sluice.Gbps, 100 * sluice.Gbps,
		}).Draw(t, "rate")
		return sluice.Link{
			Rate:  rate + sluice.Rate(random.Below(uint64(sluice.Gbps))),
			Delay: sluice.Time(1 + random.Below(uint64(sluice.Microsecond))),
		}
	}
	for i := range switches {
		g.Nodes[hosts+i].Tier = 1
		if i > 0 {
			g.Connect(sluice.SwitchID(hosts+i-1), sluice.SwitchID(hosts+i), link())
		}
	}
	for host := range hosts {
		g.Connect(
			sluice.SwitchID(host), sluice.SwitchID(hosts+rapid.IntRange(0, switches-1).Draw(t, "switch")),
			link(),
		)
	}
	return g
}

// drawProtocol draws what machines do: nothing, drop, or pause.
func drawProtocol(t *rapid.T, c *sim.Config) {
	g := c.Topology
	switch rapid.SampledFrom([]string{
		"ideal", "ideal with a hop limit", "lossy", "lossy", "pfc", "pfc",
	}).Draw(t, "protocol") {
	case "ideal":
		c.NewMachine = func(node sluice.SwitchID) (kit.Machine, error) {
			return ideal.New(len(g.Nodes[node].Ports), 1600), nil
		}
	case "ideal with a hop limit":
		c.HopLimit = 2
		c.NewMachine = func(node sluice.SwitchID) (kit.Machine, error) {
			return ideal.New(len(g.Nodes[node].Ports), 1600), nil
		}
	case "lossy":
		buffer := sluice.Bytes(rapid.SampledFrom([]int{1600, 4000, 9000}).Draw(t, "buffer"))
		c.RetransmitAfter = sluice.Time(rapid.SampledFrom([]int64{
			5_123_457, 40_234_561,
		}).Draw(t, "timer"))
		c.NewMachine = func(node sluice.SwitchID) (kit.Machine, error) {
			return small(g, node, sluice.NoClasses, buffer)
		}
	case "pfc":
		c.NewMachine = func(node sluice.SwitchID) (kit.Machine, error) {
			return small(g, node, sluice.AllClasses, sluice.MiB)
		}
	}
}

// small is pfc with thresholds of a packet or two, lossless or not. A card has all the memory that
// it needs.
func small(
	g *topo.Graph, node sluice.SwitchID, lossless sluice.ClassSet, buffer sluice.Bytes,
) (kit.Machine, error) {
	c := pfc.Config{Classes: lossless, Buffer: buffer}
	if g.IsHost(node) {
		c.Buffer = pfc.MaxBuffer / 2
	}
	for _, end := range g.Nodes[node].Ports {
		p := pfc.PortConfig{Link: end.Link, Pause: 300}
		if lossless != sluice.NoClasses {
			p.XOff, p.XOn = 3000, 1500
			p.Headroom = (&pfc.PortConfig{Link: end.Link}).HeadroomFor(1526, 0).Total + 20*pfc.WireLength
			c.Buffer += sluice.Classes * p.Headroom
		}
		c.Ports = append(c.Ports, p)
	}
	s, err := pfc.New(c)
	if err != nil {
		return nil, err
	}
	return kit.Wrap(s), nil
}
