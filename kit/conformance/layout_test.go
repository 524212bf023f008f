package conformance

import (
	"fmt"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// hostLine is n hosts in a row, which forward.
func hostLine(n int, link sluice.Link) *Layout {
	l := &Layout{Name: fmt.Sprintf("line of %d hosts", n), HostsForward: true, Nodes: make([]Node, n)}
	for i := range n - 1 {
		a, z := &l.Nodes[i], &l.Nodes[i+1]
		to, from := sluice.SwitchID(i+1), sluice.SwitchID(i)
		a.Ports = append(a.Ports, NodePort{Peer: to, PeerPort: 0, Link: link})
		z.Ports = append(
			z.Ports, NodePort{Peer: from, PeerPort: sluice.PortID(len(a.Ports) - 1), Link: link},
		)
	}
	l.Path = func(src, dst sluice.SwitchID, _ uint64) (path sluice.Path) {
		for at := src; at != dst; {
			port := sluice.PortID(0)
			next := at - 1
			if dst > at {
				next = at + 1
				port = sluice.PortID(len(l.Nodes[at].Ports) - 1)
			}
			path.Append(sluice.Hop{Switch: at, Port: port})
			at = next
		}
		return path
	}
	return l
}

// A Spec draws its own network and ways: hosts that forward are driven as switches, and their own
// packets begin at the port that their path names.
func TestLayout(t *testing.T) {
	spec := toySpec(honest)
	forwarding := 0
	network := spec.Network.New
	spec.Network.New = func(t *rapid.T) Fabric {
		f := network(t)
		build := f.Node
		f.Node = func(n Node) kit.Machine {
			require.Equal(t, n.Ports[0].PeerTier, 0)
			m := build(n)
			if n.Host() && len(n.Ports) > 1 {
				m = &passing{m, &forwarding}
			}
			return m
		}
		return f
	}
	spec.Network.Layout = func(t *rapid.T) *Layout {
		return hostLine(rapid.IntRange(2, 5).Draw(t, "hosts"), drawLink(t, "line"))
	}
	Run(t, spec)
	require.Positive(t, forwarding, "packets of others passed a host")
}

// passing counts packets of others.
type passing struct {
	kit.Machine
	count *int
}

func (p *passing) Enqueue(now sluice.Time, port sluice.PortID, pk *sluice.Packet) sluice.Verdict {
	if pk.Ingress != sluice.Local {
		*p.count++
	}
	return p.Machine.Enqueue(now, port, pk)
}

// A mutant is found on a Spec's own network as on the suite's.
func TestLayoutFindsMutants(t *testing.T) {
	spec := toySpec(forgetsResume)
	spec.Network.Layout = func(t *rapid.T) *Layout { return hostLine(4, drawLink(t, "line")) }
	output := ""
	for attempts := 0; output == "" && attempts < 30; attempts++ {
		output = catch(func(tb rapid.TB) { networkPart(tb, &spec) })
	}
	require.Contains(t, output, "invariant 5 (")
}

func TestLayoutsThatAreNone(t *testing.T) {
	link := sluice.Link{Rate: sluice.Gbps}
	for want, breakIt := range map[string]func(*Layout){
		"host 0: port 0: leads to host 1, not to a switch": func(l *Layout) { l.HostsForward = false },
		"host 2 comes after a switch":                      func(l *Layout) { l.Nodes[1].Tier = 1 },
		"path 0:0 from 0 to 2: it ends at 1": func(l *Layout) {
			l.Path = func(sluice.SwitchID, sluice.SwitchID, uint64) sluice.Path {
				path, _ := sluice.MakePath(sluice.Hop{Switch: 0, Port: 0})
				return path
			}
		},
		"path 1:0 from 0 to 2: 1:0 is no port of node 0": func(l *Layout) {
			l.Path = func(sluice.SwitchID, sluice.SwitchID, uint64) sluice.Path {
				path, _ := sluice.MakePath(sluice.Hop{Switch: 1, Port: 0})
				return path
			}
		},
	} {
		output := catch(func(tb rapid.TB) {
			rapid.Check(tb, func(t *rapid.T) {
				l := hostLine(3, link)
				breakIt(l)
				g := l.topology(t)
				g.path(0, 2, 0)
			})
		})
		require.Contains(t, output, want)
	}
}
