package fabric_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/hol"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/internal/prng"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/stretchr/testify/require"
)

// Theorem 1 (section VI-C): Pyrrha blocks no head of line. Here of the running machines, not only
// on paper: in random networks, after each control frame, every held packet waits for roots on its
// own way, and the machines hold the queues that the model of package hol names. Nothing is lost,
// flows keep their order, and in the end every isolation queue is free.
func TestTheorem1(t *testing.T) {
	networks := depth.Choose[uint64](4, 4, 50, 100)
	for protocol, model := range map[string]hol.Strategy{
		"pyrrha": hol.PyrrhaHIQ, "pyrrha-single": hol.PyrrhaSingleTier,
	} {
		t.Run(protocol, func(t *testing.T) {
			total := witness{}
			for seed := range networks {
				w := witness{model: model}
				r := randomRun(t, protocol, seed)
				var last *sim.Simulator
				r.Inspect = func(s *sim.Simulator) error {
					last = s
					return w.look(s, r.Topology)
				}
				result := do(t, r)
				name := fmt.Sprintf("seed %d, %s, failures %v", seed, r.Topology.Name, r.Failures)
				require.Equal(t, len(r.Flows), result.Completed, "%s: %v", name, result.Notes)
				if r.Failures == nil {
					require.Zero(t, result.Dropped, name)
					require.Zero(t, result.Reordered, name)
				}
				for node := range r.Topology.Nodes {
					require.NoError(t, last.Machine(sluice.SwitchID(node)).Quiescent(), "node %d, %s", node, name)
				}
				total.add(w)
			}
			t.Logf("%d networks: looked %d times, %d packets held, %d of them by several roots; the "+
				"model was asked of %d ways, %d of them stopped",
				networks, total.looks, total.held, total.tangled, total.asked, total.stopped)
			require.Greater(
				t, total.held, int(networks)*500, "too few packets were held for this to say anything",
			)
			require.Equal(
				t, protocol == "pyrrha-single", total.tangled > 0, "in a hierarchy an IQ is one root's",
			)
			require.Positive(t, total.stopped)
		})
	}
}

// randomRun draws a network, incasts into a few hosts of it amid other flows, and for every fourth
// network links that fail and are repaired.
func randomRun(t *testing.T, protocol string, seed uint64) fabric.Run {
	random := prng.New(prng.Mix(seed))
	g := randomNetwork(t, &random, seed)
	r := fabric.Run{
		Protocol: protocol, Topology: g, Flows: randomFlows(g, &random), Seed: seed,
		RunOn:  100 * sluice.Microsecond,
		Values: values(t, "buffer=64MiB,pyrrha.roots=256"),
	}
	if seed%4 == 3 {
		r.Failures = failures(&random, &r, 4)
	}
	return r
}

// randomNetwork draws a fat-tree of 4- to 8-port switches, a leaf-spine network or a ring; with
// more hosts than its core can carry, fewer, or as many; and slows some of its links down.
func randomNetwork(t *testing.T, random *prng.Source, seed uint64) *topo.Graph {
	below := func(n int) int { return int(random.Below(uint64(n))) }
	host, between := link, link
	between.Rate *= sluice.Rate(1 + 3*below(2))
	var g *topo.Graph
	var err error
	switch seed % 5 {
	case 0, 1, 2:
		k := 4 + 2*int(seed%5)
		g, err = topo.FatTree(topo.FatTreeConfig{
			K: k, HostsPerToR: 1 + below(12/k), Link: host, Fabric: &between,
		})
	case 3:
		g, err = topo.LeafSpine(topo.LeafSpineConfig{
			Racks: 3 + below(4), HostsPerRack: 2 + below(5), Spines: 1 + below(3), HostLink: host,
			Uplink: between,
		})
	default:
		g, err = topo.Ring(topo.RingConfig{
			Switches: 3 + below(5), HostsPerSwitch: 2 + below(3), HostLink: host, RingLink: between,
		})
	}
	require.NoError(t, err)
	for node := range g.Nodes {
		for i := range g.Nodes[node].Ports {
			if end := &g.Nodes[node].Ports[i]; below(6) == 0 {
				end.Link.Rate /= sluice.Rate(2 + 2*below(2))
				g.Nodes[end.Peer].Ports[end.PeerPort].Link.Rate = end.Link.Rate
			}
		}
	}
	return g
}

// randomFlows has groups of hosts send to three to six receivers, so that their trees tangle, and
// other hosts send to random hosts.
func randomFlows(g *topo.Graph, random *prng.Source) []workload.Flow {
	hosts := g.Hosts()
	pick := func() sluice.SwitchID { return hosts[random.Below(uint64(len(hosts)))] }
	var flows []workload.Flow
	send := func(dst sluice.SwitchID, most uint64) {
		if src := pick(); src != dst {
			flows = append(flows, workload.Flow{
				Src: src, Dst: dst, Class: 3, Bytes: sluice.Bytes(1 + random.Below(most)),
				Start: sluice.Time(random.Below(uint64(15 * sluice.Microsecond))),
			})
		}
	}
	for range 3 + random.Below(4) {
		dst := pick()
		for range 9 {
			send(dst, 80_000)
		}
	}
	for range 16 {
		send(pick(), 60_000)
	}
	workload.AssignPorts(flows)
	return flows
}

// witness looks at a running network, and counts what it saw.
type witness struct {
	model                                hol.Strategy
	frames                               int64
	looks, held, tangled, asked, stopped int
}

func (w *witness) add(other witness) {
	w.looks += other.looks
	w.held += other.held
	w.tangled += other.tangled
	w.asked += other.asked
	w.stopped += other.stopped
}

// look returns an error if a packet is held by a root that is not on its way, or a machine would
// hold other flows than the model does. It looks when frames were sent.
func (w *witness) look(s *sim.Simulator, g *topo.Graph) error {
	if s.FramesSent() == w.frames {
		return nil
	}
	w.frames = s.FramesSent()
	w.looks++
	for node := range g.Nodes {
		id := sluice.SwitchID(node)
		if s.Machine(id).Buffered() == 0 {
			continue
		}
		machine := kit.Unwrap(s.Machine(id)).(*pyrrha.Switch)
		snapshot := machine.Snapshot()
		if len(snapshot.Roots) == 0 {
			continue
		}
		if err := w.lookAt(s, machine, &snapshot); err != nil {
			return err
		}
	}
	return nil
}

// lookAt looks at a node.
func (w *witness) lookAt(
	s *sim.Simulator, machine *pyrrha.Switch, snapshot *pyrrha.Snapshot,
) (err error) {
	places := placesOf(snapshot)
	ways := map[sluice.PortID][]sluice.Path{}
	s.Buffered(snapshot.Switch, func(port sluice.PortID, q sluice.QueueID, p *sluice.Packet) {
		at := places[port]
		if at == nil {
			return
		}
		if !slices.Contains(ways[port], p.Path) {
			ways[port] = append(ways[port], p.Path)
		}
		if q == 0 || machine.Port(port).Sendable(q) || err != nil {
			return
		}
		roots := at.roots[q]
		w.held++
		if len(roots) > 1 {
			w.tangled++
		}
		for _, root := range roots {
			if !slices.Contains(p.Path.Hops()[1:], root) {
				err = fmt.Errorf(
					"node %d port %d queue %d: held for roots %v, not all on the path %s", snapshot.Switch, port,
					q, roots, p.Path.String(),
				)
			}
		}
	})
	for port, paths := range ways {
		if err == nil {
			err = w.compare(machine.Port(port), places[port], paths)
		}
	}
	return err
}

// place is what a port knows of roots: the roots that it isolates, the paused roots, and the roots
// of each queue.
type place struct {
	at            sluice.Hop
	known, paused []sluice.Hop
	roots         map[sluice.QueueID][]sluice.Hop
}

// placesOf returns the ports of a switch that know roots.
func placesOf(snapshot *pyrrha.Snapshot) map[sluice.PortID]*place {
	places := map[sluice.PortID]*place{}
	for _, root := range snapshot.Roots {
		for _, iq := range root.IQs {
			p := places[iq.Port]
			if p == nil {
				p = &place{
					at:    sluice.Hop{Switch: snapshot.Switch, Port: iq.Port},
					roots: map[sluice.QueueID][]sluice.Hop{},
				}
				places[iq.Port] = p
			}
			p.known = append(p.known, root.Root)
			if iq.State == hiq.Paused {
				p.paused = append(p.paused, root.Root)
			}
			p.roots[iq.Queue] = append(p.roots[iq.Queue], root.Root)
		}
	}
	for _, port := range snapshot.Ports {
		for _, set := range port.Sets {
			if p := places[port.Port]; p != nil {
				p.roots[set.Queue] = set.Roots
			}
		}
	}
	return places
}

// compare asks the model, with the roots that the port isolates, which of the ways that packets
// have from here the paused roots stop, and the port which it would hold.
func (w *witness) compare(port *pyrrha.Port, at *place, ways []sluice.Path) error {
	flows := make([]hol.Flow, len(ways))
	for i := range ways {
		flows[i] = hol.Flow{ID: uint64(i), Path: ways[i].Hops()}
	}
	scenario, err := hol.New(flows, at.known)
	if err != nil {
		return err
	}
	model := w.model(scenario)
	stopped := make([]bool, len(ways))
	for _, root := range at.paused {
		for _, q := range model.Paused(root) {
			if q.At == at.at {
				for _, f := range model.FlowsIn(q) {
					stopped[f] = true
				}
			}
		}
	}
	for i := range ways {
		w.asked++
		if stopped[i] {
			w.stopped++
		}
		if _, held := port.Blocked(&ways[i]); held != stopped[i] {
			return fmt.Errorf("port %v: the way %s is held: %v; the model says %v, roots %v, of which %v "+
				"are paused",
				at.at, ways[i].String(), held, stopped[i], at.known, at.paused)
		}
	}
	return nil
}
