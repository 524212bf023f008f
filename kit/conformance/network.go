package conformance

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/agenda"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/prng"
	"pgregory.net/rapid"
)

type network struct {
	*run
	graph    topology
	spec     *Network
	fabric   Fabric
	nodes    []*embedder
	links    [][]link // by node and port: the direction away from it
	events   agenda.Agenda[event]
	now      sluice.Time
	random   prng.Source
	faults   faults
	mishaps  mishaps
	faulty   bool // what a neighbour says may be late, or lost
	patience sluice.Time

	flows     []transfer
	expected  int // packets that have to arrive
	arrived   int
	lost      int
	moved     sluice.Time // when a packet last moved
	idleSteps int         // events since
	checked   int         // events after which a node was looked at
}

// link is one direction of a link and its transmitter.
type link struct {
	topo.Port
	downs   int         // reasons why it is down
	life    int         // of the transmitter: it sends nothing of a life before
	carries int         // of the link: what it carried in a life before is lost
	arrival sluice.Time // of the last frame or packet
	sent    int64       // packets and frames, in this direction
	turn    int64       // of what arrived, the latest, in the other
}

// faults are the faults of a link with control frames, in percent.
type faults struct{ drop, double, reorder uint64 }

type transfer struct {
	src, dst sluice.SwitchID
	packet   sluice.Packet
	count    int
	start    sluice.Time
	gap      sluice.Time
	received int64
}

type eventKind uint8

const (
	packetArrives eventKind = iota
	frameArrives
	frameForged
	transmitterFree
	hostSends

	// mishaps
	linkFails
	linkMends
	nodeRestarts
	clockSteps
	originMoves
	operated
)

type event struct {
	at     sluice.Time
	kind   eventKind
	node   sluice.SwitchID
	port   sluice.PortID
	flow   int
	number int64
	packet sluice.Packet
	frame  []byte
	label  string
	turn   int64 // when it was sent, among all that its link carried
	late   bool  // it was held back on purpose
	life   int   // of the transmitter, or of what the link carries

	span sluice.Time // of a mishap
	salt uint64
}

// circumstances are what a network is drawn for.
type circumstances struct{ lossy, mishaps bool }

// mostRounds bounds how often the checks are repeated while no machine has sent a frame: few checks
// of a machine that seldom pauses may by chance need none.
const mostRounds = 20

func checkNetwork(tb rapid.TB, spec *Spec, in circumstances) {
	c := &coverage{}
	for round := 0; round == 0 || round < mostRounds && c.frames == 0 && !spec.Silent; round++ {
		rapid.Check(c.watch(tb), func(t *rapid.T) {
			c.checks++
			n := &network{run: newRun(spec, c), spec: spec.Network}
			n.guard(func() {
				n.draw(t, spec, in)
				n.deliver()
				n.calmDown()
			})
			n.report(t)
		})
	}
	c.judge(tb)
	if c.frames == 0 && c.sent >= fewest && !spec.Silent {
		tb.Errorf("no machine sent a frame, of %d packets that were sent: draw thresholds that these "+
			"reach, or say Silent", c.sent)
	}
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
	n.random = prng.New(rapid.Uint64().Draw(t, "seed of delays"))
	n.scene("%s", n.graph.Name)
	if in.lossy {
		n.faults = faults{
			drop:    rapid.Uint64Range(0, 10).Draw(t, "percent dropped"),
			double:  rapid.Uint64Range(0, 5).Draw(t, "percent doubled"),
			reorder: rapid.Uint64Range(0, 5).Draw(t, "percent reordered"),
		}
		n.scene("control frames: %d %% dropped, %d %% doubled, %d %% reordered", n.faults.drop,
			n.faults.double, n.faults.reorder)
	}
	for id := range n.graph.Nodes {
		n.addNode(sluice.SwitchID(id))
	}
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
	id := sluice.SwitchID(rapid.IntRange(0, len(n.nodes)-1).Draw(t, "forged at node"))
	port := sluice.PortID(rapid.IntRange(0, len(n.nodes[id].ports)-1).Draw(t, "and port"))
	n.schedule(event{
		at:   sluice.Time(rapid.IntRange(0, 200).Draw(t, "at")) * 100 * sluice.Nanosecond,
		kind: frameForged, node: id, port: port, frame: spec.Frame(t, n.nodes[id].m, port),
	})
}

func (n *network) scene(format string, args ...any) {
	n.journal.scene = append(n.journal.scene, "  "+fmt.Sprintf(format, args...))
}

func (n *network) addNode(id sluice.SwitchID) {
	links := make([]link, len(n.graph.Nodes[id].Ports))
	for i := range links {
		links[i].Port = n.graph.Nodes[id].Ports[i]
	}
	n.links = append(n.links, links)
	n.nodes = append(n.nodes, n.embed(id))
}

// embed makes the machine of a node.
func (n *network) embed(id sluice.SwitchID) *embedder {
	node := n.graph.node(id)
	e := newEmbedder(n.run, fmt.Sprintf("node %d ", id), n.fabric.Node(node), nil)
	if len(e.ports) != len(node.Ports) {
		n.fail(bounded, "Fabric.Node", "node %d has %d ports, its machine %d", id, len(node.Ports),
			len(e.ports))
	}
	e.now, e.mayDrop = n.now, n.fabric.MayDrop
	switch {
	case n.faulty:
		e.mayDrop = func(_ *sluice.Packet, r sluice.Reason) bool {
			return r == sluice.BufferFull || r == sluice.HeadroomExhausted ||
				r == sluice.WatchdogDrop && n.fabric.Operate != nil
		}
	case e.mayDrop == nil:
		e.mayDrop = func(*sluice.Packet, sluice.Reason) bool { return false }
	}
	e.sent = func(port sluice.PortID, packet int, q sluice.QueueID, v sluice.Verdict) {
		n.sent(id, port, packet, q, v)
	}
	e.frame = func(port sluice.PortID, kind string, frame []byte) {
		n.sendFrame(id, port, kind, frame)
	}
	return e
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
		src = sluice.SwitchID(len(n.flows)%switches*each) + src%sluice.SwitchID(each)
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
	f := transfer{
		src:   src,
		dst:   dst,
		count: rapid.SampledFrom([]int{1, 4, 16, 60}).Draw(t, "packets"),
		packet: sluice.Packet{
			Flow:    rapid.OneOf(rapid.Uint64Range(0, 7), rapid.Uint64()).Draw(t, "flow hash"),
			Class:   rapid.SampledFrom(classes).Draw(t, "class"),
			Size:    rapid.SampledFrom([]sluice.Bytes{1000, MTU, 64}).Draw(t, "size"),
			ECN:     sluice.ECT1,
			Ingress: sluice.Local,
		},
	}
	if !together {
		f.start = sluice.Time(rapid.IntRange(0, 20).Draw(t, "start")) * 100 * sluice.Nanosecond
		f.gap = sluice.Time(rapid.SampledFrom([]int{0, 120, 1000}).Draw(t, "gap")) * sluice.Nanosecond
	}
	f.packet.Path = n.graph.path(src, dst, f.packet.Flow)
	if n.fabric.HostRoots && rapid.Bool().Draw(t, "the host may be a root") {
		f.packet.Path.Append(sluice.Hop{Switch: dst})
	}
	n.expected += f.count
	for i := range f.count {
		n.schedule(event{
			at: f.start + sluice.Time(i)*f.gap, kind: hostSends, node: src, flow: len(n.flows),
			number: int64(i + 1), packet: f.packet,
		})
	}
	n.scene("flow %d: %d packets, host %d to %d by %v, class %d size %d hash %#x, from %v every %v",
		len(n.flows), f.count, src, dst, &f.packet.Path, f.packet.Class, f.packet.Size, f.packet.Flow,
		f.start, f.gap)
	n.flows = append(n.flows, f)
}

func (n *network) schedule(e event) { n.events.Plan(e.at, e) }
