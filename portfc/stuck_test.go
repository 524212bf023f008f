package portfc

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/explore"
)

// flowOf is packets from a node of NDC(2,1) to another, which correct digits in that order.
type flowOf struct {
	src, dst sluice.SwitchID
	layers   []int
	packets  int
}

// ringFlows are the four loop flows, each round half of the ring, and four two-hop flows, all the
// same way round: 00, 01, 11, 10 (Figure 19's topology).
func ringFlows(loop, direct int) (flows []flowOf) {
	for _, f := range []flowOf{
		{0, 3, []int{0, 1}, loop}, {1, 2, []int{1, 0}, loop},
		{3, 0, []int{0, 1}, loop}, {2, 1, []int{1, 0}, loop},
		{0, 1, []int{0}, direct}, {1, 3, []int{1}, direct},
		{3, 2, []int{0}, direct}, {2, 0, []int{1}, direct},
	} {
		if f.packets > 0 {
			flows = append(flows, f)
		}
	}
	return flows
}

// crossing is flows both ways through node 1, and its own to both sides.
func crossing() []flowOf {
	return []flowOf{
		{0, 3, []int{0, 1}, 1}, {3, 0, []int{1, 0}, 1}, {1, 3, []int{1}, 1}, {1, 0, []int{0}, 1},
	}
}

// networkOf is NDC(2,1) of a kind of machine, for package explore. Its links have room for some
// packets or frames each way, or, if for none, take no time. No pause runs out.
func networkOf(t testing.TB, kind kindOfMachine, room int, flows []flowOf) *explore.Network {
	network := NDC{2, 1}
	n := &explore.Network{Timers: explore.TimersNever, Room: room, Instant: room == 0}
	for id := range sluice.SwitchID(network.Devices()) {
		n.Nodes = append(n.Nodes, explore.Node{New: func() (kit.Machine, error) {
			return kind(t, network, id), nil
		}})
		for port := range sluice.PortID(network.Ports(id)) {
			near := sluice.Hop{Switch: id, Port: port}
			if far, _ := network.Peer(near); network.IsNode(id) {
				n.Links = append(n.Links, explore.Link{A: near, B: far})
			}
		}
	}
	for _, f := range flows {
		path, ok := network.Through(f.src, f.dst, f.layers...)
		require.True(t, ok)
		n.Flows = append(n.Flows, explore.Flow{
			Packet: sluice.Packet{Size: testPacket}, Way: path.Hops(), Packets: f.packets,
		})
	}
	return n
}

// equal is the rule that when frames are at rest Equations 1 and 2 hold, both ways: what they say
// is held, and nothing else.
func equal(network NDC) func(machines []kit.Machine) error {
	paper := equations(network)
	return func(machines []kit.Machine) error {
		over := func(full spot) bool { // its detector pauses
			class := uint8(1)
			if full.queue == network.DDQ() {
				class = 0
			}
			return kit.Unwrap(machines[full.Switch]).(*Switch).ports[full.Port].over>>class&1 != 0
		}
		for device, m := range machines {
			for port := range sluice.PortID(m.Ports()) {
				for q := range sluice.QueueID(m.Queues()) {
					at := spot{sluice.Hop{Switch: sluice.SwitchID(device), Port: port}, q}
					want := false
					for full := range paper[at] {
						want = want || over(full)
					}
					if held := !m.Sendable(port, q); held != want {
						return fmt.Errorf("%v: held %t, by Equations 1 and 2 %t", at, held, want)
					}
				}
			}
		}
		return nil
	}
}

// holds visits every state of a network of PortFC whose detectors pause for one packet.
func holds(t *testing.T, room int, flows []flowOf) {
	n := networkOf(t, onePacket, room, flows)
	n.CheckAll = equal(NDC{2, 1})
	r, err := n.Explore(explore.Options{States: 1 << 28, Memory: 8 << 30})
	require.NoError(t, err)
	if v := r.Violation; v != nil {
		t.Fatalf("%v\n%s", v, v.Timeline())
	}
	require.True(t, r.Whole, "%s ended it after %d states", r.Bound, r.States)
	t.Logf("%v, room for %d: %d states", flows, room, r.States)
}

// NDC(2,1), X_off one packet: no deadlock (section V-F). In whatever order all round the ring send,
// all packets arrive in order, and no pause stays; and so it is with fewer flows where packets and
// frames take any time on their links. Whenever no frame is on its way, what is held is what
// Equations 1 and 2 say. docs/explored.csv has other flows, and faults.
func TestNoStuckState(t *testing.T) {
	holds(t, 0, ringFlows(1, 0))
	holds(t, 1, crossing()[:2])
	holds(t, 2, ringFlows(2, 0)[:1])
	if depth.Now() >= depth.Thorough {
		holds(t, 0, ringFlows(2, 0))
		holds(t, 0, ringFlows(1, 1))
		holds(t, 2, ringFlows(1, 0)[:2])
		holds(t, 1, crossing())
	}
}

// The same search finds the deadlock of PFC, and what is wrong with mutants of PortFC: one flag for
// both detectors of a port, as Algorithms 1 and 2 have it if read literally; no relay of DDQ state;
// a relayed Resume that is lost to another layer's pause. Mutants have the fewest flows that show
// it, and without the fault nothing is wrong with these.
func TestSearchFindsFaults(t *testing.T) {
	relayedAndNot := []flowOf{ringFlows(1, 1)[0], ringFlows(1, 1)[4]} // by one port of a switch
	for name, c := range map[string]struct {
		kind  kindOfMachine
		flows []flowOf
	}{
		"one flag":    {oneFlag, relayedAndNot},
		"no relay":    {noRelay, crossing()[2:]},
		"lost resume": {lostResume, crossing()[2:]},
	} {
		t.Run(name, func(t *testing.T) {
			holds(t, 1, c.flows)
			n := networkOf(t, c.kind, 1, c.flows)
			n.CheckAll = equal(NDC{2, 1})
			requireFault(t, n, "check")
		})
	}
	t.Run("pfc", func(t *testing.T) {
		requireFault(t, networkOf(t, plainPFC, 0, ringFlows(2, 0)), "no deadlock")
	})
}

func requireFault(t *testing.T, n *explore.Network, property string) {
	r, err := n.Explore(explore.Options{})
	require.NoError(t, err)
	require.NotNil(t, r.Violation, "%d states", r.States)
	require.Equal(t, property, r.Violation.Property)
	t.Logf("%d states\n%s", r.States, r.Violation.Timeline())
}
