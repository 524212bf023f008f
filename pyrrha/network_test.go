package pyrrha

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/internal/testnet"
	"github.com/sluicefc/sluice/kit"
)

// network is switches and hosts of this package with links between them, for tests that follow a
// congestion tree through a network.
type network struct {
	*testnet.Network
	names map[sluice.SwitchID]string
	log   *strings.Builder // nil: no story

	unordered bool // packets may overtake
}

func newNetwork(t testing.TB, seed uint64) *network {
	n := &network{Network: testnet.New(t, seed)}
	n.Look = n.look
	n.Saw = func(from *testnet.Node, port sluice.PortID, frame []byte, lost bool) {
		var f Frame
		if err := f.Parse(frame); err != nil {
			n.Fatal(err)
		}
		end := ""
		if lost {
			end = " (lost)"
		}
		n.note("%s->%s %v%s", n.names[from.ID], n.names[from.Links[port].Peer.ID], &f, end)
	}
	return n
}

func switchOf(v *testnet.Node) *Switch { return kit.Unwrap(v.Machine()).(*Switch) }

// cable is one link between two nodes.
type cable struct {
	a, b         sluice.SwitchID
	link         sluice.Link
	roleA, roleB Role
}

// build makes the nodes of a list of cables; ports are numbered in its order.
func (n *network) build(base Config, names map[sluice.SwitchID]string, wires []cable) {
	n.names = names
	ports := map[sluice.SwitchID][]PortConfig{}
	for _, w := range wires {
		n.Connect(w.a, w.b, w.link)
		ports[w.a] = append(ports[w.a], PortConfig{Link: w.link, Role: w.roleA})
		ports[w.b] = append(ports[w.b], PortConfig{Link: w.link, Role: w.roleB})
	}
	for _, v := range n.Nodes {
		c := base
		c.Switch, c.Ports = v.ID, ports[v.ID]
		n.Start(v.ID, func() kit.Machine { return kit.Wrap(mustNew(c)) })
	}
}

// Identities in leafSpine.
func hostID(rack, host, hosts int) sluice.SwitchID { return sluice.SwitchID(rack*hosts + host) }
func torID(rack int) sluice.SwitchID               { return sluice.SwitchID(100 + rack) }
func spineID(i int) sluice.SwitchID                { return sluice.SwitchID(200 + i) }

// leafSpine builds racks of hosts and spines. ToRs have their hosts at the first ports and then
// the spines; port r of a spine leads to rack r.
func (n *network) leafSpine(base Config, racks, hosts, spines int, access, fabric sluice.Link) {
	names := map[sluice.SwitchID]string{}
	var wires []cable
	for r := range racks {
		names[torID(r)] = fmt.Sprintf("T%d", r)
		for h := range hosts {
			names[hostID(r, h, hosts)] = fmt.Sprintf("H%d.%d", r, h)
			wires = append(wires, cable{torID(r), hostID(r, h, hosts), access, Host, NIC})
		}
	}
	for r := range racks {
		for s := range spines {
			names[spineID(s)] = fmt.Sprintf("S%d", s)
			wires = append(wires, cable{torID(r), spineID(s), fabric, Up, Down})
		}
	}
	n.build(base, names, wires)
}

// leafSpinePath is the way from a host to another by a spine, with the receiving host's own port
// at the end.
func leafSpinePath(srcRack, src, dstRack, dst, spine, hosts int) sluice.Path {
	var p sluice.Path
	p.Append(sluice.Hop{Switch: hostID(srcRack, src, hosts)})
	if srcRack != dstRack {
		p.Append(sluice.Hop{Switch: torID(srcRack), Port: sluice.PortID(hosts + spine)})
		p.Append(sluice.Hop{Switch: spineID(spine), Port: sluice.PortID(dstRack)})
	}
	p.Append(sluice.Hop{Switch: torID(dstRack), Port: sluice.PortID(dst)})
	p.Append(sluice.Hop{Switch: hostID(dstRack, dst, hosts)})
	return p
}

// send starts a flow of count packets of 1,000 bytes.
func (n *network) send(path sluice.Path, count int, start sluice.Time) *testnet.Flow {
	return n.Send(&testnet.Flow{
		Packet: sluice.Packet{Size: 1000, Path: path}, To: path.At(path.Len() - 1).Switch, Count: count,
		Start: start,
	})
}

// pulled lets a flow ask Blocked before it hands a packet to its card.
func (n *network) pulled(f *testnet.Flow) {
	path := f.Packet.Path
	card := n.Node(path.At(0).Switch)
	f.Ready = func() bool {
		_, blocked := switchOf(card).Port(0).Blocked(&path)
		return !blocked
	}
}

// congest says that a host can take no more, or can again.
func (n *network) congest(id sluice.SwitchID, on bool) {
	v := n.Node(id)
	switchOf(v).Port(0).Congested(n.Now, on)
	v.Driver.Ready(n.Now, 0)
	v.Acted()
}

// note writes a line of the story.
func (n *network) note(format string, args ...any) {
	if n.log != nil {
		fmt.Fprintf(n.log, "%v "+format+"\n", append([]any{n.Now}, args...)...)
	}
}

// look checks a node against the packets it holds: its account of the bytes that wait for each root
// by ingress, recomputed; and that no packet is held for a root that is not on its path.
func (n *network) look(v *testnet.Node) {
	s := switchOf(v)
	if err := s.Audit(); err != nil {
		n.Fatalf("%v: %s: %v", n.Now, n.names[v.ID], err)
	}
	waits := make([]sluice.Bytes, len(s.upstreams))
	for i := range s.ports {
		for q := 1; q < s.ports[i].iq.Queues(); q++ {
			queue := v.Kit().Queue(sluice.PortID(i), sluice.QueueID(q))
			for h := queue.Head(); h != 0; h = n.Store.After(h) {
				n.lookAt(s, &s.ports[i], sluice.QueueID(q), h, waits)
			}
		}
	}
	for i, bytes := range waits {
		if bytes != s.waitsBy(i) {
			n.Fatalf("%v: %s: root %d by ingress %d: %d bytes wait, the switch says %d", n.Now,
				n.names[v.ID], i/(len(s.ports)+1), i%(len(s.ports)+1), bytes, s.waitsBy(i))
		}
	}
}

func (n *network) lookAt(s *Switch, p *Port, q sluice.QueueID, h kit.Handle, waits []sluice.Bytes) {
	pkt := n.Store.At(h)
	roots := []uint16{uint16(pkt.Note & noteRoot)}
	if s.single {
		roots = p.iq.RootsOf(hiq.Place(pkt.Note))
	}
	for _, r := range roots {
		waits[s.row(int(r), pkt.Ingress)] += pkt.Size
		onPath := false
		for _, hop := range pkt.Path.Hops()[1:] {
			onPath = onPath || hop == s.roots[r].hop
		}
		if !onPath {
			n.Fatalf("%v: %s port %d: packet %d by %v waits in queue %d for %v, which is not on its path",
				n.Now, n.names[s.id], p.id, pkt.Value.Number, &pkt.Path, q, s.roots[r].hop)
		}
	}
}

// finish asserts that everything arrived, in order, and nothing is left.
func (n *network) finish() {
	if err := n.Done(); err != nil {
		n.Fatalf("%v; %s", err, n.dump())
	}
	if n.Overtaken > 0 && !n.unordered {
		n.Fatalf("%d packets arrived after a later packet of their flow", n.Overtaken)
	}
	for _, v := range n.Nodes {
		n.look(v)
		for i := range switchOf(v).ports {
			if inUse := switchOf(v).ports[i].iq.InUse(); inUse != 0 {
				n.Fatalf("%s port %d: %d IQs in use", n.names[v.ID], i, inUse)
			}
		}
	}
}

// dump is every node's part of the congestion trees.
func (n *network) dump() string {
	var b strings.Builder
	for _, v := range n.Nodes {
		if s := switchOf(v); len(s.Snapshot().Roots) > 0 {
			b.WriteString(n.names[v.ID] + ": ")
			if err := kit.Dump(&b, s.Snapshot()); err != nil {
				n.Fatal(err)
			}
		}
	}
	return b.String()
}
