package hashpath

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// A fatTree is the names in a fat-tree of k-port switches: hosts from 0, then the switches of each
// pod, ToRs before aggregation switches, then the cores.
type fatTree struct{ k int }

func (n fatTree) hosts() int { return n.k * n.k * n.k / 4 }
func (n fatTree) half() int  { return n.k / 2 }

func (n fatTree) host(pod, rack, i int) sluice.SwitchID {
	return sluice.SwitchID((pod*n.half()+rack)*n.half() + i)
}

func (n fatTree) tor(pod, i int) sluice.SwitchID {
	return sluice.SwitchID(n.hosts() + pod*n.k + i)
}

func (n fatTree) agg(pod, i int) sluice.SwitchID { return n.tor(pod, n.half()+i) }

func (n fatTree) core(group, i int) sluice.SwitchID {
	return sluice.SwitchID(n.hosts() + n.k*n.k + group*n.half() + i)
}

func (n fatTree) torOf(host sluice.SwitchID) sluice.SwitchID {
	rack := int(host) / n.half()
	return n.tor(rack/n.half(), rack%n.half())
}

// dotted returns 10.pod.rack.host, the addresses of the fat-tree paper (Al-Fares et al., SIGCOMM
// 2008).
func (n fatTree) dotted(pod, rack, i int) netip.Addr {
	return netip.AddrFrom4([4]byte{10, byte(pod), byte(rack), byte(2 + i)})
}

// declare declares the fat-tree: down-ports first, then up-ports. address may be nil.
func (n fatTree) declare(address func(pod, rack, i int) netip.Addr) *Builder {
	b := NewBuilder()
	half := n.half()
	for pod := range n.k {
		for i := range n.k {
			b.AddSwitch(n.tor(pod, i))
		}
	}
	for group := range half {
		for i := range half {
			b.AddSwitch(n.core(group, i))
		}
	}
	for pod := range n.k {
		for rack := range half {
			for i := range half {
				if h := n.host(pod, rack, i); address != nil {
					b.AddHost(h, address(pod, rack, i))
				} else {
					b.AddHost(h)
				}
				b.Connect(hop(n.host(pod, rack, i), 0), hop(n.tor(pod, rack), sluice.PortID(i)))
			}
			for i := range half {
				b.Connect(hop(n.tor(pod, rack), sluice.PortID(half+i)), hop(n.agg(pod, i), sluice.PortID(rack)))
			}
		}
		for group := range half {
			for i := range half {
				b.Connect(
					hop(n.agg(pod, group), sluice.PortID(half+i)), hop(n.core(group, i), sluice.PortID(pod)),
				)
			}
		}
	}
	return b
}

func buildFatTree(t testing.TB, k int, c Config) *Network {
	net, err := fatTree{k}.declare(nil).Build(c)
	require.NoError(t, err)
	return net
}

// clos is a network in which every hop hashes: stages of width switches, each with links to all of
// the next, and host 1 on the last stage by two links to each switch, host 0 on the first by one.
// Switches are numbered from 2, stage by stage.
func clos(width, stages int) *Builder {
	b := NewBuilder()
	id := func(stage, i int) sluice.SwitchID { return sluice.SwitchID(2 + stage*width + i) }
	for stage := range stages {
		for i := range width {
			b.AddSwitch(id(stage, i))
			for j := range width {
				if stage > 0 {
					b.Connect(hop(id(stage-1, j), sluice.PortID(width+i)), hop(id(stage, i), sluice.PortID(j)))
				}
			}
		}
	}
	b.AddHost(0)
	b.AddHost(1)
	for i := range width {
		b.Connect(hop(0, sluice.PortID(i)), hop(id(0, i), 0))
		b.Connect(hop(1, sluice.PortID(2*i)), hop(id(stages-1, i), sluice.PortID(width)))
		b.Connect(hop(1, sluice.PortID(2*i+1)), hop(id(stages-1, i), sluice.PortID(width+1)))
	}
	return b
}

// TestPathIsEgressHopByHop routes packets one hop at a time, as a simulator does, and compares
// with the path predicted at every switch on the way.
func TestPathIsEgressHopByHop(t *testing.T) {
	for _, k := range []int{2, 4, 8} {
		net, tree := buildFatTree(t, k, Config{}), fatTree{k}
		for i := range 500 {
			src := sluice.SwitchID(i % tree.hosts())
			f := FlowBetween(src, sluice.SwitchID(i*7919%tree.hosts()), uint16(i), 4791, 17)
			path, status := net.Path(src, sluice.Local, &f)
			require.Equal(t, OK, status)
			at, ingress := src, sluice.Local
			for n := path.Len(); n > 0; n-- {
				port, ok := net.Egress(at, ingress, &f)
				require.True(t, ok)
				require.Equal(t, path.At(0), sluice.Hop{Switch: at, Port: port})
				rest, status := net.Path(at, ingress, &f)
				require.Equal(t, OK, status)
				require.Equal(t, path.Hops(), rest.Hops())
				path.Advance()
				if path.Len() > 0 {
					at = path.At(0).Switch
				}
			}
		}
	}
}

// hop is a port of a node.
func hop(node sluice.SwitchID, port sluice.PortID) sluice.Hop {
	return sluice.Hop{Switch: node, Port: port}
}
