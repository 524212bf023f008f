package conformance

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/fields"
	"github.com/sluicefc/sluice/internal/testnet"
	"pgregory.net/rapid"
)

// network is a network of one check: members with links between them.
type network struct {
	*run
	*testnet.Network
	graph    topology
	spec     *Network
	fabric   Fabric
	faulty   bool // what a neighbour says may be late, or lost
	fast     bool // a node may begin anew so fast that no neighbour sees its links fail
	patience sluice.Time
}

// circumstances are what a network is drawn for.
type circumstances struct{ lossy, mishaps bool }

// mostRounds bounds how often the checks are repeated while no machine has sent a frame: few checks
// of a machine that seldom pauses may by chance need none.
const mostRounds = 20

func checkNetwork(tb rapid.TB, spec *Spec, in circumstances) *coverage {
	c := &coverage{}
	for round := 0; round == 0 || round < mostRounds && c.frames == 0 && !spec.Silent; round++ {
		rapid.Check(c.watch(tb), func(t *rapid.T) {
			c.checks++
			n := &network{run: newRun(spec, c), spec: spec.Network}
			n.guard(func() {
				n.draw(t, spec, in)
				n.deliver()
				fields.Add(&c.faults, &n.Counts)
			})
			n.report(t)
		})
	}
	c.judge(tb)
	if c.frames == 0 && c.sent >= fewest && !spec.Silent {
		tb.Errorf("no machine sent a frame, of %d packets that were sent: draw thresholds that these "+
			"reach, or say Silent", c.sent)
	}
	return c
}

func (n *network) draw(t *rapid.T, spec *Spec, in circumstances) {
	n.faulty = in.lossy || in.mishaps
	n.patience = n.spec.Patience
	if n.patience == 0 {
		n.patience = 5 * sluice.Millisecond
	}
	n.graph = drawTopology(t, n.spec)
	if in.lossy {
		n.fabric = n.spec.Lossy(t)
	} else {
		n.fabric = n.spec.New(t)
	}
	n.Network = testnet.New(t, rapid.Uint64().Draw(t, "seed of delays"))
	n.Early, n.Got, n.Every = true, n.got, 32
	n.Look = func(v *testnet.Node) { n.member(v).checkAll() }
	n.scene("%s", n.graph.Name)
	if in.lossy {
		n.Lost = rapid.Uint64Range(0, 10).Draw(t, "percent dropped")
		n.Doubled = rapid.Uint64Range(0, 5).Draw(t, "percent doubled")
		n.Late = rapid.Uint64Range(0, 5).Draw(t, "percent reordered")
		n.scene("control frames: %d %% dropped, %d %% doubled, %d %% reordered", n.Lost, n.Doubled,
			n.Late)
	}
	n.build()
	together := rapid.Bool().Draw(t, "all at once")
	for range rapid.SampledFrom([]int{1, 2, 4, 8, 12}).Draw(t, "flows") {
		n.addFlow(t, together)
	}
	if in.mishaps {
		n.addMishaps(t, in.lossy)
	}
	if in.lossy && spec.Frame != nil {
		for range rapid.SampledFrom([]int{0, 0, 1, 2, 5, 20}).Draw(t, "forged frames") {
			n.addForged(t, spec)
		}
	}
}

// addForged draws a frame that no machine sent, for a moment at which packets are under way,
// mostly.
func (n *network) addForged(t *rapid.T, spec *Spec) {
	id := rapid.IntRange(0, len(n.Nodes)-1).Draw(t, "forged at node")
	port := sluice.PortID(rapid.IntRange(0, len(n.Nodes[id].Links)-1).Draw(t, "and port"))
	frame := spec.Frame(t, n.member(n.Nodes[id]).m, port)
	n.At(drawInstant(t), func() {
		m := n.member(n.Nodes[id])
		_ = m.receive(port, "forged", frame) // the machine may refuse it
		n.Progress()
		m.service()
	})
}

// drawInstant draws when something happens to a network.
func drawInstant(t *rapid.T) sluice.Time {
	return sluice.Time(rapid.IntRange(0, 200).Draw(t, "at")) * 100 * sluice.Nanosecond
}

func (n *network) scene(format string, args ...any) {
	n.journal.scene = append(n.journal.scene, "  "+fmt.Sprintf(format, args...))
}

// build makes the nodes and the links, and a member for each node.
func (n *network) build() {
	for id := range n.graph.Nodes {
		n.Node(sluice.SwitchID(id))
	}
	for id, v := range n.Nodes {
		for _, p := range n.graph.Nodes[id].Ports {
			v.Links = append(v.Links, &testnet.Link{Link: p.Link, Peer: n.Node(p.Peer), Port: p.PeerPort})
		}
	}
	for _, v := range n.Nodes {
		n.Embed(v.ID, func(v *testnet.Node) testnet.Driver { return n.embed(v) })
	}
}

// drawPair draws the ends of a flow. Half of the flows make an incast into host 0; in a ring,
// half of them go two switches on, from every switch in turn. Hosts are numbered from 0, switch by
// switch.
func (n *network) drawPair(t *rapid.T) (src, dst sluice.SwitchID) {
	hosts := len(n.graph.Hosts())
	src = sluice.SwitchID(rapid.IntRange(0, hosts-1).Draw(t, "from"))
	switch {
	case rapid.Bool().Draw(t, "elsewhere"):
		dst = sluice.SwitchID(rapid.IntRange(0, hosts-1).Draw(t, "to"))
	case n.graph.ring:
		switches := len(n.graph.Nodes) - hosts
		each := hosts / switches
		src = sluice.SwitchID(len(n.Flows)%switches*each) + src%sluice.SwitchID(each)
		dst = (src + sluice.SwitchID(2*each)) % sluice.SwitchID(hosts)
	}
	if src == dst {
		src = (src + 1) % sluice.SwitchID(hosts)
	}
	return src, dst
}

// addFlow draws a flow. All flows together start at 0 with all they have.
func (n *network) addFlow(t *rapid.T, together bool) {
	src, dst := n.drawPair(t)
	classes := n.fabric.Classes
	if classes == nil {
		classes = []sluice.Class{0, 1, 2, 3, 4, 5, 6, 7}
	}
	f := &testnet.Flow{
		To:    dst,
		Count: rapid.SampledFrom([]int{1, 4, 16, 60}).Draw(t, "packets"),
		Packet: sluice.Packet{
			Flow:  rapid.OneOf(rapid.Uint64Range(0, 7), rapid.Uint64()).Draw(t, "flow hash"),
			Class: rapid.SampledFrom(classes).Draw(t, "class"),
			Size:  rapid.SampledFrom([]sluice.Bytes{1000, MTU, 64}).Draw(t, "size"),
			ECN:   sluice.ECT1,
		},
		Timed: true,
	}
	if !together {
		f.Start = sluice.Time(rapid.IntRange(0, 20).Draw(t, "start")) * 100 * sluice.Nanosecond
		f.Gap = sluice.Time(rapid.SampledFrom([]int{0, 120, 1000}).Draw(t, "gap")) * sluice.Nanosecond
	}
	f.Packet.Path = n.graph.path(src, dst, f.Packet.Flow)
	if n.fabric.HostRoots && rapid.Bool().Draw(t, "the host may be a root") {
		f.Packet.Path.Append(sluice.Hop{Switch: dst})
	}
	n.scene("flow %d: %d packets, host %d to %d by %v, class %d size %d hash %#x, from %v every %v",
		len(n.Flows), f.Count, src, dst, &f.Packet.Path, f.Packet.Class, f.Packet.Size, f.Packet.Flow,
		f.Start, f.Gap)
	n.Send(f)
}
