package portfc

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/kit"
)

// spot is a queue of a port.
type spot struct {
	sluice.Hop
	queue sluice.QueueID
}

func (s spot) String() string { return fmt.Sprintf("%v queue %d", s.Hop, s.queue) }

// waits says for each queue that can be held for which queues that fill.
type waits map[spot]map[spot]bool

// bench is a network of real machines that is empty between experiments.
type bench struct {
	testing.TB
	network  NDC
	machines []kit.Machine
	told     map[sluice.SwitchID]bool // devices that got a frame
}

// findWaits fills each queue of each port over its threshold in turn, by packets of every route
// that leads there, delivers the frames, and reads with Sendable what is held anywhere.
func findWaits(t testing.TB, network NDC, kind kindOfMachine) waits {
	return findWaitsOf(t, network, kind, func(int) sluice.Class { return 0 })
}

// findWaitsOf is findWaits for packets whose class depends on the queues that they have passed.
func findWaitsOf(
	t testing.TB, network NDC, kind kindOfMachine, classAfter func(queues int) sluice.Class,
) waits {
	found := waits{}
	eachWait(t, network, kind, classAfter, func(_ *bench, from, full spot, _ sluice.Packet) {
		if found[from] == nil {
			found[from] = map[spot]bool{}
		}
		found[from][full] = true
	})
	return found
}

// eachWait does findWaitsOf's experiments, and calls visit for every queue that is held while
// another is full, of a packet.
func eachWait(
	t testing.TB, network NDC, kind kindOfMachine, classAfter func(queues int) sluice.Class,
	visit func(b *bench, from, full spot, p sluice.Packet),
) {
	b := &bench{TB: t, network: network}
	for device := range network.Devices() {
		b.machines = append(b.machines, kind(t, network, sluice.SwitchID(device)))
	}
	seen := map[[4]sluice.Hop]bool{}
	for src := range sluice.SwitchID(network.Nodes()) {
		for dst := range sluice.SwitchID(network.Nodes()) {
			for order := range network.Orders(src, dst) {
				path, ok := network.Path(src, dst, order)
				if !ok {
					continue
				}
				ingress := sluice.Local
				for hops := path.Len(); path.Len() > 0; {
					passed := hops - path.Len()
					left := sluice.Hop{Switch: sluice.SwitchID(path.Len() + 16*passed), Port: ingress}
					key := [4]sluice.Hop{path.At(0), path.At(1), path.At(2), left}
					if !seen[key] {
						seen[key] = true
						p := sluice.Packet{Size: testPacket, Ingress: ingress, Class: classAfter(passed), Path: path}
						b.experiment(p, visit)
					}
					far, _ := network.Peer(path.At(0))
					ingress = far.Port
					path.Advance()
				}
			}
		}
	}
}

// experiment fills one queue and visits what is held then.
func (b *bench) experiment(
	p sluice.Packet, visit func(b *bench, from, full spot, p sluice.Packet),
) {
	at := p.Path.At(0)
	m := b.machines[at.Switch]
	b.told = map[sluice.SwitchID]bool{}
	v := m.Enqueue(0, at.Port, &p)
	require.Equal(b, sluice.Append, v.Action(), "%v", v)
	b.deliver()
	for device := range b.told {
		for port := range b.network.Ports(device) {
			for q := range b.machines[device].Queues() {
				id, queue := sluice.PortID(port), sluice.QueueID(q)
				if !b.machines[device].Sendable(id, queue) {
					from := spot{sluice.Hop{Switch: device, Port: id}, queue}
					visit(b, from, spot{at, v.Queue()}, p)
				}
			}
		}
	}
	require.Equal(b, sluice.Transmit, m.Dequeue(0, at.Port, v.Queue(), &p).Action())
	b.deliver()
	for device := range b.told {
		require.NoError(b, b.machines[device].Quiescent())
	}
}

// deliver delivers frames until there is none.
func (b *bench) deliver() {
	for again := true; again; {
		again = false
		for device, m := range b.machines {
			for _, ok := m.PollPort(); ok; _, ok = m.PollPort() {
			}
			for port := range b.network.Ports(sluice.SwitchID(device)) {
				id := sluice.PortID(port)
				for frame, _, ok := m.PollFrame(0, id, nil); ok; frame, _, ok = m.PollFrame(0, id, nil) {
					far, _ := b.network.Peer(sluice.Hop{Switch: sluice.SwitchID(device), Port: id})
					_, err := b.machines[far.Switch].Receive(0, far.Port, frame)
					require.NoError(b, err)
					b.told[far.Switch] = true
					again = true
				}
			}
		}
	}
}

// circle returns a circle of queues that wait for one another, nil if there is none, and the most
// hops that a chain of waiting queues spans.
func (w waits) circle(network NDC) (circle []spot, longest int) {
	const fresh, open, done = 0, 1, 2
	state, length := map[spot]int{}, map[spot]int{}
	var stack []spot
	var visit func(at spot) bool
	visit = func(at spot) bool {
		state[at] = open
		stack = append(stack, at)
		far, _ := network.Peer(at.Hop)
		for next := range w[at] {
			if state[next] == open {
				for i, s := range stack {
					if s == next {
						circle = append([]spot(nil), stack[i:]...)
					}
				}
				return true
			}
			if state[next] == fresh && visit(next) {
				return true
			}
			hops := 2
			if next.Switch == far.Switch {
				hops = 1
			}
			length[at] = max(length[at], hops+length[next])
		}
		stack = stack[:len(stack)-1]
		state[at] = done
		longest = max(longest, length[at])
		return false
	}
	for at := range w {
		if state[at] == fresh && visit(at) {
			return circle, 0
		}
	}
	return nil, longest
}

// A signal of congestion ends after at most three hops, and queues never wait in a circle (section
// III-D), found from the machines; with HopClasses, which is ours, after 2k+1 hops.
func TestNoCircleOfWaitingQueues(t *testing.T) {
	networks := []NDC{{2, 1}, {3, 1}, {4, 1}, {2, 2}, {3, 2}}
	if depth.Now() >= depth.Thorough {
		networks = append(networks, NDC{4, 2}, NDC{2, 3})
	}
	for _, network := range networks {
		found := findWaits(t, network, onePacket)
		circle, longest := found.circle(network)
		require.Empty(t, circle, "%v", network)
		require.Equal(t, 2*network.K+1, longest, "%v: hops of the longest chain", network)
		if network.K == 1 {
			require.Equal(t, equations(network), found, "%v", network)
		}
	}
}

// equations are Equations 1 and 2 for k = 1, as a graph: a queue that is paused waits for the queue
// that is not shorter than its threshold.
//
//	switch_i Q_B >= X_off  ==>  Pause(node_(i-1) Q_b), Pause(switch_(i-2) Q_A)
//	switch_i Q_A >= X_off  ==>  Pause(node_(i-1) Q_a)
func equations(network NDC) waits {
	w := waits{}
	add := func(held spot, full spot) {
		if w[held] == nil {
			w[held] = map[spot]bool{}
		}
		w[held][full] = true
	}
	m := sluice.QueueID(network.N - 1)
	for id := sluice.SwitchID(network.Nodes()); int(id) < network.Devices(); id++ {
		layer := network.Layer(id)
		for e := range network.N {
			at := sluice.Hop{Switch: id, Port: sluice.PortID(e)}
			for p := range network.N {
				if p == e {
					continue
				}
				node := network.NodeAt(id, p)
				i := sluice.QueueID(compact(e, p))
				up := sluice.Hop{Switch: node, Port: sluice.PortID(layer)}
				far, _ := network.Peer(sluice.Hop{Switch: node, Port: sluice.PortID(1 - layer)})
				add(spot{up, m + i}, spot{at, m})
				add(spot{far, i}, spot{at, m})
				for q := range m {
					add(spot{up, i}, spot{at, q})
				}
			}
		}
	}
	return w
}

// PFC* has no circle either: a class waits for the next one only, so that its chains are as long as
// the longest way.
func TestNoCircleOfPFCStar(t *testing.T) {
	classAfter := func(queues int) sluice.Class { return sluice.Class(max(queues-1, 0)) }
	for _, network := range []NDC{{2, 1}, {3, 1}, {4, 1}, {2, 2}} {
		circle, longest := findWaitsOf(t, network, starPFC, classAfter).circle(network)
		require.Empty(t, circle, "%v", network)
		require.Equal(t, 2*network.Layers()-1, longest, "%v", network)
	}
}

// The same program finds the circles of others: of PFC, of PortFC with A and B in one, and of
// PortFC whose nodes pass on every frame.
func TestCirclesOfOthers(t *testing.T) {
	for name, kind := range map[string]kindOfMachine{
		"pfc": plainPFC, "merged": merged, "blind": blind,
	} {
		t.Run(name, func(t *testing.T) {
			for _, network := range []NDC{{2, 1}, {3, 1}} {
				circle, _ := findWaits(t, network, kind).circle(network)
				require.NotEmpty(t, circle, "%v", network)
				t.Logf("%v: %v", network, circle)
			}
		})
	}
}
