package pyrrha

import (
	"container/heap"
	"fmt"
	"strings"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/internal/prng"
)

// network is switches and hosts of this package with links between them, for tests that follow a congestion
// tree through a network. Control frames pass as bytes, before data.
type network struct {
	t      testing.TB
	nodes  map[sluice.SwitchID]*node
	order  []sluice.SwitchID
	flows  []*flow
	events events
	ticks  int
	now    sluice.Time
	random prng.Source

	// percent of control frames that are lost, doubled and held back
	drop, double, reorder uint64
	lose                  func(f *Frame, from sluice.SwitchID) bool // nil: none in particular
	log                   *strings.Builder                          // nil: no story
	check                 int                                       // events between looks at a node; 0: at every PAUSE only
}

type node struct {
	s      *Switch
	name   string
	host   bool
	ports  []netPort
	fifo   [][][]netPacket
	timer  sluice.Time
	shared bool // it ran out of IQs at some time
}

type netPort struct {
	link     sluice.Link
	peer     sluice.SwitchID
	peerPort sluice.PortID
	busy     bool
	control  [][]byte
}

type netPacket struct {
	sluice.Packet
	flow   *flow
	number int
}

type flow struct {
	path     sluice.Path
	src      sluice.SwitchID
	count    int
	sent     int
	received int
	inCard   bool
	pull     bool // asks Blocked before it hands a packet to the card
}

type event struct {
	at   sluice.Time
	tick int
	do   func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].tick < e[j].tick
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

func newNetwork(t testing.TB, seed uint64) *network {
	return &network{t: t, nodes: map[sluice.SwitchID]*node{}, random: prng.New(seed)}
}

// cable is one link between two nodes.
type cable struct {
	a, b         sluice.SwitchID
	link         sluice.Link
	roleA, roleB Role
}

// build makes the nodes of a list of cables; ports are numbered in its order.
func (n *network) build(base Config, names map[sluice.SwitchID]string, wires []cable) {
	configs := map[sluice.SwitchID]*Config{}
	add := func(id sluice.SwitchID, p PortConfig) sluice.PortID {
		if configs[id] == nil {
			c := base
			c.Switch, c.Ports = id, nil
			configs[id] = &c
			n.order = append(n.order, id)
			n.nodes[id] = &node{name: names[id], timer: sluice.Never}
		}
		configs[id].Ports = append(configs[id].Ports, p)
		return sluice.PortID(len(configs[id].Ports) - 1)
	}
	for _, w := range wires {
		pa := add(w.a, PortConfig{Link: w.link, Role: w.roleA})
		pb := add(w.b, PortConfig{Link: w.link, Role: w.roleB})
		n.nodes[w.a].ports = append(n.nodes[w.a].ports, netPort{link: w.link, peer: w.b, peerPort: pb})
		n.nodes[w.b].ports = append(n.nodes[w.b].ports, netPort{link: w.link, peer: w.a, peerPort: pa})
	}
	for id, c := range configs {
		s, err := New(*c)
		if err != nil {
			n.t.Fatal(err)
		}
		v := n.nodes[id]
		v.s, v.host = s, c.Ports[0].Role == NIC
		for range c.Ports {
			v.fifo = append(v.fifo, make([][]netPacket, s.Queues()))
		}
	}
}

// Identities in leafSpine.
func hostID(rack, host, hosts int) sluice.SwitchID { return sluice.SwitchID(rack*hosts + host) }
func torID(rack int) sluice.SwitchID               { return sluice.SwitchID(100 + rack) }
func spineID(i int) sluice.SwitchID                { return sluice.SwitchID(200 + i) }

// leafSpine builds racks of hosts and spines. ToRs have their hosts at the first ports and then the spines; port r of a spine leads to
// rack r.
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

// leafSpinePath is the way from a host to another by a spine, with the receiving host's own port at the end.
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

// send starts a flow of count packets of 1,000 bytes. A flow has one packet in its host's card at a time.
func (n *network) send(path sluice.Path, count int, start sluice.Time) *flow {
	f := &flow{path: path, src: path.At(0).Switch, count: count}
	n.flows = append(n.flows, f)
	n.at(start, func() { n.refill(f) })
	return f
}

func (n *network) at(at sluice.Time, do func()) {
	n.ticks++
	heap.Push(&n.events, event{at, n.ticks, do})
}

// run goes on until nothing is left to happen, or until a time.
func (n *network) run(until sluice.Time) {
	for len(n.events) > 0 && n.events[0].at <= until {
		e := heap.Pop(&n.events).(event)
		n.now = e.at
		e.do()
	}
}

// refill hands the next packet of a flow to its host's card.
func (n *network) refill(f *flow) {
	if f.inCard || f.sent == f.count {
		return
	}
	if f.pull {
		if _, blocked := n.nodes[f.src].s.Port(0).Blocked(&f.path); blocked {
			return
		}
	}
	f.sent++
	f.inCard = true
	pkt := netPacket{Packet: sluice.Packet{Size: 1000, Ingress: sluice.Local, Path: f.path}, flow: f, number: f.sent}
	n.enqueue(f.src, pkt)
}

func (n *network) enqueue(id sluice.SwitchID, pkt netPacket) {
	v := n.nodes[id]
	port := pkt.Path.At(0).Port
	verdict := v.s.Port(port).Enqueue(n.now, &pkt.Packet)
	if verdict.Action() != sluice.Append {
		n.t.Fatalf("%v: %s dropped a packet: %v", n.now, v.name, verdict)
	}
	v.fifo[port][verdict.Queue()] = append(v.fifo[port][verdict.Queue()], pkt)
	n.act(id, verdict.Wake())
	n.serve(id, port)
}

// act does what a wake asks for.
func (n *network) act(id sluice.SwitchID, w sluice.Wake) {
	v := n.nodes[id]
	if w.Has(sluice.WakeFrames) {
		var f Frame
		for {
			port, ok := v.s.PollFrame(n.now, &f)
			if !ok {
				break
			}
			v.ports[port].control = append(v.ports[port].control, f.AppendTo(nil))
			n.serve(id, port)
		}
	}
	if at := v.s.Deadline(); at < v.timer {
		v.timer = at
		n.at(max(at, n.now), func() { n.expire(id, at) })
	}
	if w.Has(sluice.WakeQueues) {
		for i := range v.ports {
			if w.Port() == sluice.AnyPort || int(w.Port()) == i {
				n.serve(id, sluice.PortID(i))
			}
		}
		if v.host {
			for _, f := range n.flows {
				if f.src == id && f.pull && f.sent > 0 {
					n.refill(f)
				}
			}
		}
	}
	if n.check > 0 && n.ticks%n.check == 0 {
		n.look(v)
	}
}

func (n *network) expire(id sluice.SwitchID, planned sluice.Time) {
	v := n.nodes[id]
	if v.timer != planned {
		return
	}
	v.timer = sluice.Never
	n.act(id, v.s.Expire(n.now))
}

// serve starts the transmitter of a port if it is idle.
func (n *network) serve(id sluice.SwitchID, port sluice.PortID) {
	v := n.nodes[id]
	p := &v.ports[port]
	if p.busy {
		return
	}
	if len(p.control) > 0 {
		frame := p.control[0]
		p.control = p.control[1:]
		n.transmit(id, port, len(frame), func(at sluice.Time) { n.frameLeaves(id, p, frame, at) })
		return
	}
	for !p.busy {
		q, ok := v.s.Port(port).Next(n.now)
		if !ok {
			return
		}
		pkt := v.fifo[port][q][0]
		v.fifo[port][q] = v.fifo[port][q][1:]
		verdict := v.s.Port(port).Dequeue(n.now, q, &pkt.Packet)
		if verdict.Action() == sluice.Transmit {
			n.transmit(id, port, int(pkt.Size), func(at sluice.Time) { n.packetLeaves(p, pkt, at) })
			n.act(id, verdict.Wake())
			if v.host {
				pkt.flow.inCard = false
				n.refill(pkt.flow)
			}
			return
		}
		if verdict.Action() != sluice.Append {
			n.t.Fatalf("%v: %s: %v", n.now, v.name, verdict)
		}
		v.fifo[port][verdict.Queue()] = append(v.fifo[port][verdict.Queue()], pkt)
		n.act(id, verdict.Wake())
	}
}

func (n *network) transmit(id sluice.SwitchID, port sluice.PortID, size int, leaves func(arrival sluice.Time)) {
	p := &n.nodes[id].ports[port]
	p.busy = true
	end := n.now + p.link.Rate.TimeOf(sluice.Bytes(size))
	n.at(end, func() {
		p.busy = false
		n.serve(id, port)
	})
	leaves(end + p.link.Delay)
}

func (n *network) packetLeaves(p *netPort, pkt netPacket, arrival sluice.Time) {
	peer, port := p.peer, p.peerPort
	pkt.Path.Advance()
	pkt.Ingress = port
	n.at(arrival, func() {
		if n.nodes[peer].host {
			if pkt.number != pkt.flow.received+1 {
				n.t.Fatalf("%v: %s received packet %d after %d", n.now, n.nodes[peer].name, pkt.number, pkt.flow.received)
			}
			pkt.flow.received++
			return
		}
		n.enqueue(peer, pkt)
	})
}

// frameLeaves puts a control frame on a link that may lose it, double it, or let others pass.
func (n *network) frameLeaves(id sluice.SwitchID, p *netPort, frame []byte, arrival sluice.Time) {
	var f Frame
	if err := f.Parse(frame); err != nil {
		n.t.Fatal(err)
	}
	lost := n.chance(n.drop) || n.lose != nil && n.lose(&f, id)
	if n.log != nil {
		fmt.Fprintf(n.log, "%v %s->%s %v", n.now, n.nodes[id].name, n.nodes[p.peer].name, &f)
		if lost {
			n.log.WriteString(" (lost)")
		}
		n.log.WriteByte('\n')
	}
	if lost {
		return
	}
	if n.chance(n.double) {
		n.at(arrival, func() { n.receive(p.peer, p.peerPort, f) })
	}
	if n.chance(n.reorder) {
		arrival += sluice.Time(n.random.Below(uint64(5 * sluice.Microsecond)))
	}
	n.at(arrival, func() { n.receive(p.peer, p.peerPort, f) })
}

func (n *network) chance(percent uint64) bool { return percent > 0 && n.random.Below(100) < percent }

func (n *network) receive(id sluice.SwitchID, port sluice.PortID, f Frame) {
	v := n.nodes[id]
	wake := v.s.Port(port).Receive(n.now, &f)
	n.act(id, wake)
	if f.Type == Pause {
		n.look(v)
	}
}

// look checks a node against the packets it holds: its account of what waits for each root by ingress, recomputed; and that no
// packet is held for a root that is not on its path.
func (n *network) look(v *node) {
	if err := v.s.Audit(); err != nil {
		n.t.Fatalf("%v: %s: %v", n.now, v.name, err)
	}
	v.shared = v.shared || v.s.Counters().Queues.Shared > 0
	waits := make([]sluice.Bytes, len(v.s.upstreams))
	for i := range v.fifo {
		for q := 1; q < v.s.Port(0).iq.Queues(); q++ {
			for k := range v.fifo[i][q] {
				n.lookAt(v, &v.s.ports[i], sluice.QueueID(q), &v.fifo[i][q][k], waits)
			}
		}
	}
	for i, bytes := range waits {
		if bytes != v.s.upstreams[i].bytes {
			n.t.Fatalf("%v: %s: root %d by ingress %d: %d bytes wait, the switch says %d", n.now, v.name,
				i/(len(v.s.ports)+1), i%(len(v.s.ports)+1), bytes, v.s.upstreams[i].bytes)
		}
	}
}

func (n *network) lookAt(v *node, p *Port, q sluice.QueueID, pkt *netPacket, waits []sluice.Bytes) {
	roots := []uint16{uint16(pkt.Note & noteMask)}
	if v.s.single {
		roots = p.iq.RootsOf(hiq.Place(pkt.Note))
	}
	for _, r := range roots {
		waits[v.s.row(int(r), pkt.Ingress)] += sluice.Bytes(pkt.Size)
		onPath := false
		for _, hop := range pkt.Path.Hops()[1:] {
			onPath = onPath || hop == v.s.roots[r].hop
		}
		if !onPath {
			n.t.Fatalf("%v: %s port %d: packet %d by %v waits in queue %d for %v, which is not on its path", n.now, v.name, p.id,
				pkt.number, &pkt.Path, q, v.s.roots[r].hop)
		}
	}
}

// finish asserts that everything arrived and nothing is left.
func (n *network) finish() {
	for i, f := range n.flows {
		if f.received != f.count {
			n.t.Fatalf("flow %d: %d of %d packets arrived by %v; %s", i, f.received, f.count, n.now, n.dump())
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
		if s := n.nodes[id].s; len(s.Snapshot()) > 0 {
			b.WriteString(n.nodes[id].name + ": ")
			if err := s.Dump(&b); err != nil {
				n.t.Fatal(err)
			}
		}
	}
	return b.String()
}
