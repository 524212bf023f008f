package portfc

import (
	"fmt"
	"math"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
)

// wires builds a network as the paper defines it, without arithmetic on numbers: NDC(n,k) is n
// networks NDC(n,k-1) and n^k switches of n ports, and such a switch joins the nodes of one
// position in each of the smaller networks (section III-A). Devices are named by strings; every
// wire has both its ends.
type wires struct {
	nodes    []string            // in order
	switches [][]string          // by layer, in order
	peer     map[string][]string // by device and port
}

func build(n, k int) *wires {
	w := &wires{peer: map[string][]string{}, switches: make([][]string, k+1)}
	if k == 0 {
		w.nodes = make([]string, n)
		for i := range n {
			w.nodes[i] = "n" + string(rune('a'+i))
		}
		w.join(0, "switch0", w.nodes)
		return w
	}
	var units []*wires
	for u := range n {
		unit := build(n, k-1).renamed(string(rune('a' + u)))
		units = append(units, unit)
		w.nodes = append(w.nodes, unit.nodes...)
		for layer := range k {
			w.switches[layer] = append(w.switches[layer], unit.switches[layer]...)
		}
		for device, peers := range unit.peer {
			w.peer[device] = peers
		}
	}
	for i := range units[0].nodes {
		var same []string
		for _, unit := range units {
			same = append(same, unit.nodes[i])
		}
		w.join(k, fmt.Sprint("switch", k, units[0].nodes[i]), same)
	}
	return w
}

// join attaches a new switch of a layer to nodes.
func (w *wires) join(layer int, name string, nodes []string) {
	w.switches[layer] = append(w.switches[layer], name)
	w.peer[name] = nodes
	for _, node := range nodes {
		w.peer[node] = append(w.peer[node], name)
	}
}

func (w *wires) renamed(suffix string) *wires {
	r := &wires{peer: map[string][]string{}, switches: make([][]string, len(w.switches))}
	rename := func(names []string) (out []string) {
		for _, name := range names {
			out = append(out, name+suffix)
		}
		return out
	}
	r.nodes = rename(w.nodes)
	for layer := range w.switches {
		if w.switches[layer] != nil {
			r.switches[layer] = rename(w.switches[layer])
		}
	}
	for device, peers := range w.peer {
		r.peer[device+suffix] = rename(peers)
	}
	return r
}

// numbered returns the peers by the numbers that the package gives to devices: nodes first, then
// switches layer by layer.
func (w *wires) numbered() [][]sluice.SwitchID {
	numbers := map[string]sluice.SwitchID{}
	var names []string
	for _, group := range append([][]string{w.nodes}, w.switches...) {
		for _, name := range group {
			numbers[name] = sluice.SwitchID(len(names))
			names = append(names, name)
		}
	}
	peers := make([][]sluice.SwitchID, len(names))
	for i, name := range names {
		for _, peer := range w.peer[name] {
			peers[i] = append(peers[i], numbers[peer])
		}
	}
	return peers
}

// walker follows routes on wires and finds queues by counting.
type walker struct {
	t     *testing.T
	ndc   NDC
	peers [][]sluice.SwitchID
}

// check follows one route and compares, at each port, three ways to find the queue.
func (w *walker) check(src, dst sluice.SwitchID, order int) {
	path, ok := w.ndc.Path(src, dst, order)
	require.True(w.t, ok)
	hops := path.Hops()
	at := src
	for i, h := range hops {
		if h.Switch != at {
			w.t.Fatalf("%v to %v order %d: hop %d is %v, the walk is at %v", src, dst, order, i, h, at)
		}
		next := w.peers[at][h.Port]
		want, got := w.count(hops[i:], next), w.arithmetic(hops[i:], at, dst)
		if want != got {
			w.t.Fatalf("%v: %v to %v order %d, hop %v: queue %d by the walk, %d by addresses",
				w.ndc, src, dst, order, h, want, got)
		}
		at = next
	}
	if at != dst {
		w.t.Fatalf("%v to %v order %d ends at %v", src, dst, order, at)
	}
}

// count finds the queue of the first of hops on the wires: DDQ if the next device is the last, else
// the queue of that class whose place, among the ports of the next switch without the port back, is
// the place of the port it leaves by.
func (w *walker) count(hops []sluice.Hop, next sluice.SwitchID) sluice.QueueID {
	n, k := w.ndc.N, w.ndc.K
	if len(hops) == 1 {
		return sluice.QueueID(k * (n - 1))
	}
	left := (len(hops) - 1) / 2 // switches after this one, or relays after the next switch
	egress := hops[1]           // at a node: of the next switch
	back := hops[0].Switch
	if len(hops)%2 == 1 {
		egress = hops[2]
		back = next // the node between
	}
	i := 0
	for port, peer := range w.peers[egress.Switch] {
		if port == int(egress.Port) {
			break
		}
		if peer != back {
			i++
		}
	}
	return sluice.QueueID((k-left)*(n-1) + i)
}

// arithmetic finds the queue by division and modulo.
func (w *walker) arithmetic(hops []sluice.Hop, at, dst sluice.SwitchID) sluice.QueueID {
	if w.ndc.IsNode(at) {
		q, ok := w.ndc.NodeQueue(at, dst, int(hops[0].Port))
		if !ok {
			w.t.Fatalf("no queue at node %v to %v", at, dst)
		}
		return q
	}
	next := -1
	if len(hops) > 1 {
		next = int(hops[1].Port)
	}
	q, ok := w.ndc.SwitchQueue(at, dst, next)
	if !ok || int(hops[0].Port) != w.ndc.Digit(dst, w.ndc.Layer(at)) {
		w.t.Fatalf("no queue at switch %v to %v", at, dst)
	}
	return q
}

func newWalker(t *testing.T, n, k int) *walker {
	ndc := NDC{n, k}
	require.NoError(t, ndc.Check())
	w := &walker{t: t, ndc: ndc, peers: build(n, k).numbered()}
	require.Len(t, w.peers, ndc.Devices())
	return w
}

// NDC(n,k) has n^(k+1) nodes and (k+1)n^k switches. Port l of a node, from 0 to k, leads to a
// switch of layer l (section III-A).
func TestNumbersAreTheWires(t *testing.T) {
	for n := 2; n <= 8; n++ {
		for k := 1; k <= MaxK; k++ {
			w := newWalker(t, n, k)
			nodes, switches := 1, k+1
			for range k {
				nodes *= n
				switches *= n
			}
			nodes *= n
			require.Equal(t, nodes, w.ndc.Nodes())
			require.Equal(t, nodes+switches, w.ndc.Devices())
			for id, peers := range w.peers {
				device := sluice.SwitchID(id)
				require.Equal(t, len(peers), w.ndc.Ports(device))
				for port, peer := range peers {
					h := sluice.Hop{Switch: device, Port: sluice.PortID(port)}
					far, ok := w.ndc.Peer(h)
					require.True(t, ok)
					require.Equal(t, peer, far.Switch)
					back, ok := w.ndc.Peer(far)
					require.True(t, ok)
					require.Equal(t, h, back)
				}
			}
			require.Zero(t, w.ndc.Ports(sluice.SwitchID(len(w.peers))))
			_, ok := w.ndc.Peer(sluice.Hop{Switch: 0, Port: sluice.PortID(k + 1)})
			require.False(t, ok)
		}
	}
}

// Every flow, every order of digits, every port: one queue, and the same by an independent walk on
// the wires and by arithmetic on addresses (section IV-A has it in place of static tables). For the
// largest networks only flows of some nodes; of all with SLUICE_DEPTH=exhaustive, which takes some
// minutes.
func TestQueueOfEveryFlow(t *testing.T) {
	budget := depth.Choose(1_500, 1_500, 12_000, math.MaxInt) // flows per network
	for n := 2; n <= 8; n++ {
		for k := 1; k <= MaxK; k++ {
			w := newWalker(t, n, k)
			nodes := w.ndc.Nodes()
			step := max(1, nodes*nodes/budget)
			for src := 0; src < nodes; src++ {
				for dst := src % step; dst < nodes; dst += step {
					if src == dst {
						continue
					}
					a, b := sluice.SwitchID(src), sluice.SwitchID(dst)
					for order := range w.ndc.Orders(a, b) {
						w.check(a, b, order)
					}
				}
			}
		}
	}
}

// The orders of a flow are different routes, and Through finds each by its layers.
func TestOrdersAreAllRoutes(t *testing.T) {
	ndc := NDC{3, 3}
	for _, dst := range []sluice.SwitchID{1, 4, 40, 80} {
		routes := map[sluice.Path]bool{}
		for order := range ndc.Orders(0, dst) {
			path, ok := ndc.Path(0, dst, order)
			require.True(t, ok)
			routes[path] = true
			var layers []int
			for i := 0; i < path.Len(); i += 2 {
				layers = append(layers, int(path.At(i).Port))
			}
			again, ok := ndc.Through(0, dst, layers...)
			require.True(t, ok)
			require.Equal(t, path, again)
		}
		require.Len(t, routes, []int{1, 1, 2, 6, 24}[ndc.Differing(0, dst)])
		_, ok := ndc.Path(0, dst, ndc.Orders(0, dst))
		require.False(t, ok)
	}
	for _, layers := range [][]int{{0}, {0, 0}, {1, 0, 1}, {-1, 0}, {-1, 1}, {0, 4}} {
		_, ok := ndc.Through(0, 4, layers...)
		require.False(t, ok, "%v", layers)
	}
	_, ok := ndc.Path(3, 3, 0)
	require.False(t, ok)
	_, ok = ndc.Through(3, 3)
	require.False(t, ok)
	_, ok = NDC{4, 1}.Through(0, 5, 0, 64)
	require.False(t, ok)
	_, ok = ndc.Path(0, 40, -1)
	require.False(t, ok)
	for _, wrong := range [][2]sluice.SwitchID{{0, 81}, {81, 0}, {82, 81}} { // switches from 81 on
		_, ok = ndc.Path(wrong[0], wrong[1], 0)
		require.False(t, ok)
		_, ok = ndc.Through(wrong[0], wrong[1], 0)
		require.False(t, ok)
	}
}

// A port of a switch has n+1 queues, a port of a node (k+1)(n-1)+2 (section III-B): 16 with
// switches of 8 ports (IV-C), 4 in NDC(2,1) (IV-B).
func TestQueueCounts(t *testing.T) {
	for n := 2; n <= 128; n++ {
		require.Equal(t, n+1, NDC{n, 1}.SwitchQueues())
		require.Equal(t, 2*(n-1)+2, NDC{n, 1}.NodeQueues())
	}
	require.Equal(t, 9, NDC{8, 1}.SwitchQueues())
	require.Equal(t, 16, NDC{8, 1}.NodeQueues())
	require.Equal(t, 4, NDC{2, 1}.NodeQueues())
	require.Equal(t, 4*7+2, NDC{8, 3}.NodeQueues())
}

// Figure 6. At node 15's port to switch 19 the four-hop flows F1 and F4, which leave switch 19 by
// port 0, take Q0, F2 takes Q1, and F3 Q2; the two-hop flows F6, F7, F8 take Q3, Q4, Q5; the relay
// queue has F9 and F10. At switch 23 F12 takes Q0, F13 Q1, F14 and F15 share Q2, F11 and F16 Q3.
func TestFigure6(t *testing.T) {
	ndc := NDC{4, 1}
	require.Equal(t, 16, ndc.Nodes())
	require.EqualValues(t, 19, ndc.SwitchOf(15, 0))
	require.EqualValues(t, 23, ndc.SwitchOf(15, 1))
	f1, ok := ndc.Path(15, 0, 0)
	require.True(t, ok)
	require.Equal(t, "15:0 19:0 12:1 20:0", f1.String())
	for _, row := range []struct {
		flow  string
		dst   sluice.SwitchID
		queue sluice.QueueID
	}{
		{"F1", 0, 0}, {"F4", 4, 0}, {"F2", 1, 1}, {"F3", 2, 2},
		{"F6", 12, 3}, {"F7", 13, 4}, {"F8", 14, 5},
	} {
		q, ok := ndc.NodeQueue(15, row.dst, 0)
		require.True(t, ok)
		require.Equal(t, row.queue, q, row.flow)
	}
	require.EqualValues(t, 6, ndc.RelayQueue(), "F9, F10")
	require.EqualValues(t, 7, ndc.HQ(15))
	for _, row := range []struct {
		flow     string
		src, dst sluice.SwitchID
		queue    sluice.QueueID
	}{
		{"F12", 11, 12, 0}, {"F13", 11, 13, 1}, {"F14", 11, 14, 2}, {"F15", 3, 14, 2},
		{"F11", 11, 15, 3}, {"F16", 7, 15, 3},
	} {
		require.EqualValues(t, 23, ndc.SwitchOf(row.src, 1), row.flow)
		q, ok := ndc.SwitchQueue(23, row.dst, 0)
		require.True(t, ok)
		require.Equal(t, row.queue, q, row.flow)
	}
	require.EqualValues(t, 4, ndc.HQ(23))
}

// Addresses name nodes one after the other, whatever the base.
func TestAddresses(t *testing.T) {
	ndc := NDC{4, 1}
	base := netip.MustParseAddr("10.1.0.250")
	a, ok := ndc.Address(base, 15)
	require.True(t, ok)
	require.Equal(t, "10.1.1.9", a.String())
	node, ok := ndc.Node(base, a)
	require.True(t, ok)
	require.EqualValues(t, 15, node)
	for _, bad := range []struct{ base, address string }{
		{"10.1.0.250", "10.1.0.249"}, {"10.1.0.250", "10.1.1.10"}, {"10.1.0.250", "::1"},
		{"255.255.255.250", "0.0.0.3"},
	} {
		node, ok = ndc.Node(netip.MustParseAddr(bad.base), netip.MustParseAddr(bad.address))
		require.False(t, ok, "%+v", bad)
		require.Zero(t, node)
	}
	_, ok = ndc.Node(netip.Addr{}, base)
	require.False(t, ok)
	_, ok = ndc.Address(base, 16)
	require.False(t, ok)
	_, ok = ndc.Address(netip.MustParseAddr("255.255.255.250"), 15)
	require.False(t, ok)
	_, ok = ndc.Address(netip.MustParseAddr("::1"), 1)
	require.False(t, ok)
}

// A network that cannot be is refused by the field that says so.
func TestNDCCheck(t *testing.T) {
	for _, good := range []NDC{{2, 1}, {128, 1}, {1024, 1}, {1024, 2}, {214, 3}} {
		require.NoError(t, good.Check(), "%v", good)
	}
	for _, bad := range []struct {
		NDC
		field string
	}{
		{NDC{1, 1}, "N"}, {NDC{1025, 1}, "N"}, {NDC{4, 0}, "K"}, {NDC{4, 4}, "K"}, {NDC{1024, 3}, "N"},
		{NDC{215, 3}, "N"}, {NDC{4, math.MaxInt}, "K"},
		{NDC{}, "N"},
	} {
		var fault *sluice.ConfigError
		require.ErrorAs(t, bad.Check(), &fault, "%v", bad.NDC)
		require.Equal(t, bad.field, fault.Field)
	}
	require.Equal(t, "NDC(4,1)", NDC{4, 1}.String())
}
