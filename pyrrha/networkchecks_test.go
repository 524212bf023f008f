package pyrrha

import (
	"fmt"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/kit"
)

// note writes a line of the story.
func (n *network) note(format string, args ...any) {
	if n.log != nil {
		fmt.Fprintf(n.log, "%v "+format+"\n", append([]any{n.now}, args...)...)
	}
}

// look checks a node against the packets it holds: its account of the bytes that wait for each root
// by ingress, recomputed; and that no packet is held for a root that is not on its path.
func (n *network) look(v *node) {
	if err := v.s.Audit(); err != nil {
		n.t.Fatalf("%v: %s: %v", n.now, v.name, err)
	}
	v.shared = v.shared || v.s.Counters().Queues.Shared > 0
	waits := make([]sluice.Bytes, len(v.s.upstreams))
	for i := range v.s.ports {
		for q := 1; q < v.s.ports[i].iq.Queues(); q++ {
			for h := v.driver.Queue(
				sluice.PortID(i), sluice.QueueID(q),
			).Head(); h != 0; h = n.store.After(h) {
				n.lookAt(v, &v.s.ports[i], sluice.QueueID(q), h, waits)
			}
		}
	}
	for i, bytes := range waits {
		if bytes != v.s.waitsBy(i) {
			n.t.Fatalf("%v: %s: root %d by ingress %d: %d bytes wait, the switch says %d", n.now, v.name,
				i/(len(v.s.ports)+1), i%(len(v.s.ports)+1), bytes, v.s.waitsBy(i))
		}
	}
}

func (n *network) lookAt(v *node, p *Port, q sluice.QueueID, h kit.Handle, waits []sluice.Bytes) {
	pkt := n.store.At(h)
	roots := []uint16{uint16(pkt.Note & noteRoot)}
	if v.s.single {
		roots = p.iq.RootsOf(hiq.Place(pkt.Note))
	}
	for _, r := range roots {
		waits[v.s.row(int(r), pkt.Ingress)] += pkt.Size
		onPath := false
		for _, hop := range pkt.Path.Hops()[1:] {
			onPath = onPath || hop == v.s.roots[r].hop
		}
		if !onPath {
			n.t.Fatalf("%v: %s port %d: packet %d by %v waits in queue %d for %v, which is not on its path",
				n.now, v.name, p.id, pkt.Value.number, &pkt.Path, q, v.s.roots[r].hop)
		}
	}
}

// finish asserts that everything arrived and nothing is left.
func (n *network) finish() {
	for i, f := range n.flows {
		if f.received+f.lost != f.count {
			n.t.Fatalf("flow %d: %d of %d packets arrived by %v, %d were lost; %s",
				i, f.received, f.count, n.now, f.lost, n.dump())
		}
	}
	for _, id := range n.order {
		v := n.nodes[id]
		n.look(v)
		if err := v.s.Quiescent(); err != nil {
			n.t.Fatalf("%s at %v: %v", v.name, n.now, err)
		}
		for i := range v.s.ports {
			if inUse := v.s.ports[i].iq.InUse(); inUse != 0 {
				n.t.Fatalf("%s port %d: %d IQs in use", v.name, i, inUse)
			}
		}
	}
}

// dump is every node's part of the congestion trees.
func (n *network) dump() string {
	var b strings.Builder
	for _, id := range n.order {
		if s := n.nodes[id].s; len(s.Snapshot().Roots) > 0 {
			b.WriteString(n.nodes[id].name + ": ")
			if err := kit.Dump(&b, s.Snapshot()); err != nil {
				n.t.Fatal(err)
			}
		}
	}
	return b.String()
}
