package pyrrha

import (
	"container/heap"
	"fmt"
	"strings"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/internal/prng"
	"github.com/sluicefc/sluice/kit"
)

// network is switches and hosts of this package with links between them, for tests that follow a
// congestion tree through a network. Control frames pass as bytes, before data.
type network struct {
	t      testing.TB
	nodes  map[sluice.SwitchID]*node
	order  []sluice.SwitchID
	flows  []*flow
	events events
	ticks  int
	now    sluice.Time
	random prng.Source
	store  *kit.Store[cargo]

	unordered bool // packets may overtake
	reordered int  // those that were

	// percent of control frames that are lost, doubled and held back
	drop, double, reorder uint64
	lose                  func(f *Frame, from sluice.SwitchID) bool // nil: none in particular
	log                   *strings.Builder                          // nil: no story
	// events between looks at a node; 0: at every PAUSE only
	check int
}

type node struct {
	n      *network
	id     sluice.SwitchID
	s      *Switch
	driver *kit.Driver[cargo]
	name   string
	host   bool
	ports  []netPort
	timer  sluice.Time
	shared bool // it ran out of IQs at some time
}

type netPort struct {
	link     sluice.Link
	peer     sluice.SwitchID
	peerPort sluice.PortID
	busy     bool
	down     bool
	life     int // of the link: what was on it before it failed is lost
}

// cargo is what the network knows of a packet.
type cargo struct {
	flow   *flow
	number int
}

type flow struct {
	path     sluice.Path
	src      sluice.SwitchID
	count    int
	sent     int
	received int
	last     int // the number of the last packet received
	lost     int // with links that failed
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
	store, err := kit.NewStore[cargo](1 << 14)
	if err != nil {
		t.Fatal(err)
	}
	return &network{t: t, nodes: map[sluice.SwitchID]*node{}, random: prng.New(seed), store: store}
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
			n.nodes[id] = &node{n: n, id: id, name: names[id], timer: sluice.Never}
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
		v.driver = kit.NewDriver(wrap(s), n.store, v)
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

// send starts a flow of count packets of 1,000 bytes. A flow has one packet in its host's card at
// a time.
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
	h, ok := n.store.Take()
	if !ok {
		n.t.Fatal("the store is full")
	}
	item := n.store.At(h)
	item.Packet = sluice.Packet{Size: 1000, Ingress: sluice.Local, Path: f.path}
	item.Value = cargo{f, f.sent}
	n.enqueue(f.src, h)
}

func (n *network) enqueue(id sluice.SwitchID, h kit.Handle) {
	v := n.nodes[id]
	v.driver.Enqueue(n.now, n.store.At(h).Path.At(0).Port, h)
	n.after(v)
}

// after plans the node's next timer, and lets the pulled flows of a host go on.
func (n *network) after(v *node) {
	if v.driver.DeadlineMoved() {
		if at := v.driver.Deadline(); at < v.timer {
			v.timer = at
			n.at(max(at, n.now), func() { n.expire(v, at) })
		}
	}
	if n.check > 0 && n.ticks%n.check == 0 {
		n.look(v)
	}
	if !v.host {
		return
	}
	for _, f := range n.flows {
		if f.src == v.id && f.pull && f.sent > 0 {
			n.refill(f)
		}
	}
}

func (n *network) expire(v *node, planned sluice.Time) {
	if v.timer != planned {
		return
	}
	v.timer = sluice.Never
	v.driver.Expire(n.now)
	if at := v.driver.Deadline(); at < v.timer {
		v.timer = at
		n.at(max(at, n.now), func() { n.expire(v, at) })
	}
	n.after(v)
}

// Free, Send, SendFrame and Drop are the kit.Output of a node.
func (v *node) Free(port sluice.PortID) bool { return !v.ports[port].busy && !v.ports[port].down }

func (v *node) Send(port sluice.PortID, h kit.Handle) {
	n, p := v.n, &v.ports[port]
	item := n.store.At(h)
	arrival := v.transmit(port, item.Size)
	item.Ingress = p.peerPort
	life := p.life
	n.at(arrival, func() {
		if p.life != life {
			n.discard(h)
			return
		}
		n.arrive(p.peer, h)
	})
	if v.host {
		flow := item.Value.flow
		flow.inCard = false
		n.at(n.now, func() { n.refill(flow) })
	}
}

func (v *node) SendFrame(port sluice.PortID, frame []byte, _ string) {
	v.n.frameLeaves(v, port, frame, v.transmit(port, int32(len(frame))))
}

func (v *node) Drop(_ sluice.PortID, h kit.Handle, why sluice.Reason) {
	if why != sluice.LinkDown {
		v.n.t.Fatalf("%v: %s dropped a packet: %v", v.n.now, v.name, why)
	}
	if v.host { // what the card had of its flow is gone
		flow := v.n.store.At(h).Value.flow
		flow.inCard = false
		v.n.at(v.n.now, func() { v.n.refill(flow) })
	}
	v.n.discard(h)
}

// discard takes a packet out that was lost with its link.
func (n *network) discard(h kit.Handle) {
	n.store.At(h).Value.flow.lost++
	n.store.Release(h)
}

// transmit occupies a transmitter for so many bytes, and returns when the last of them arrives.
func (v *node) transmit(port sluice.PortID, size int32) sluice.Time {
	n, p := v.n, &v.ports[port]
	p.busy = true
	end := n.now + p.link.Rate.TimeOf(sluice.Bytes(size))
	n.at(end, func() {
		p.busy = false
		if !p.down {
			v.driver.Ready(n.now, port)
			n.after(v)
		}
	})
	return end + p.link.Delay
}

// arrive delivers a packet to a node.
func (n *network) arrive(id sluice.SwitchID, h kit.Handle) {
	v := n.nodes[id]
	if !v.host {
		n.enqueue(id, h)
		return
	}
	c := n.store.At(h).Value
	if c.number <= c.flow.last || c.flow.lost == 0 && c.number != c.flow.last+1 {
		if !n.unordered {
			n.t.Fatalf("%v: %s received packet %d after %d", n.now, v.name, c.number, c.flow.last)
		}
		n.reordered++
	}
	c.flow.last = max(c.flow.last, c.number)
	c.flow.received++
	n.store.Release(h)
}

// frameLeaves puts a control frame on a link that may lose it, double it, or let others pass.
func (n *network) frameLeaves(v *node, port sluice.PortID, frame []byte, arrival sluice.Time) {
	p := &v.ports[port]
	var f Frame
	if err := f.Parse(frame); err != nil {
		n.t.Fatal(err)
	}
	lost := n.chance(n.drop) || n.lose != nil && n.lose(&f, v.id)
	if n.log != nil {
		fmt.Fprintf(n.log, "%v %s->%s %v", n.now, v.name, n.nodes[p.peer].name, &f)
		if lost {
			n.log.WriteString(" (lost)")
		}
		n.log.WriteByte('\n')
	}
	if lost {
		return
	}
	sent := append([]byte(nil), frame...)
	deliver := func() { n.receive(p.peer, p.peerPort, sent) } // even if the link failed meanwhile
	if n.chance(n.double) {
		n.at(arrival, deliver)
	}
	if n.chance(n.reorder) {
		arrival += sluice.Time(n.random.Below(uint64(5 * sluice.Microsecond)))
	}
	n.at(arrival, deliver)
}

func (n *network) chance(percent uint64) bool {
	return percent > 0 && n.random.Below(100) < percent
}

func (n *network) receive(id sluice.SwitchID, port sluice.PortID, frame []byte) {
	v := n.nodes[id]
	if err := v.driver.Receive(n.now, port, frame); err != nil {
		n.t.Fatal(err)
	}
	n.after(v)
	n.look(v)
}

// fail takes a link down, from a port of a node. What is on it is lost, but for control frames,
// which come in late. The queues of both ends may be flushed.
func (n *network) fail(id sluice.SwitchID, port sluice.PortID, flush bool) {
	n.note("%s port %d fails", n.nodes[id].name, port)
	n.eachEnd(id, port, func(v *node, port sluice.PortID) {
		p := &v.ports[port]
		p.down = true
		p.life++
		v.driver.LinkDown(n.now, port)
		if flush {
			v.driver.Flush(n.now, port)
		}
		n.after(v)
	})
}

// repair brings it up again, the far end so much later.
func (n *network) repair(id sluice.SwitchID, port sluice.PortID, later sluice.Time) {
	n.note("%s port %d is repaired", n.nodes[id].name, port)
	first := true
	n.eachEnd(id, port, func(v *node, port sluice.PortID) {
		up := func() {
			p := &v.ports[port]
			p.down = false
			v.driver.LinkUp(n.now, port)
			if !p.busy {
				v.driver.Ready(n.now, port)
			}
			n.after(v)
		}
		if first {
			up()
		} else {
			n.at(n.now+later, up)
		}
		first = false
	})
}

// note writes a line of the story.
func (n *network) note(format string, args ...any) {
	if n.log != nil {
		fmt.Fprintf(n.log, "%v "+format+"\n", append([]any{n.now}, args...)...)
	}
}

func (n *network) eachEnd(
	id sluice.SwitchID, port sluice.PortID, do func(v *node, port sluice.PortID),
) {
	p := n.nodes[id].ports[port]
	do(n.nodes[id], port)
	do(n.nodes[p.peer], p.peerPort)
}

// restart replaces the switch of a node by one that knows nothing. Its packets are lost; its links
// fail and are there again, as its neighbours are told.
func (n *network) restart(id sluice.SwitchID) {
	v := n.nodes[id]
	n.note("%s starts anew", v.name)
	for port := range v.ports {
		for q := range v.s.Queues() {
			queue := v.driver.Queue(sluice.PortID(port), sluice.QueueID(q))
			for h := n.store.Pop(queue); h != 0; h = n.store.Pop(queue) {
				n.discard(h)
			}
		}
	}
	s, err := New(v.s.Config())
	if err != nil {
		n.t.Fatal(err)
	}
	v.s, v.driver, v.timer = s, kit.NewDriver(wrap(s), n.store, v), sluice.Never
	for port := range v.ports {
		n.fail(id, sluice.PortID(port), false)
		n.repair(id, sluice.PortID(port), 0)
	}
}

// congest says that a host can take no more, or can again.
func (n *network) congest(id sluice.SwitchID, on bool) {
	v := n.nodes[id]
	v.s.Port(0).Congested(n.now, on)
	v.driver.Ready(n.now, 0)
	n.after(v)
}

// look checks a node against the packets it holds: its account of what waits for each root by
// ingress, recomputed; and that no packet is held for a root that is not on its path.
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
		if bytes != v.s.upstreams[i].bytes {
			n.t.Fatalf("%v: %s: root %d by ingress %d: %d bytes wait, the switch says %d", n.now, v.name,
				i/(len(v.s.ports)+1), i%(len(v.s.ports)+1), bytes, v.s.upstreams[i].bytes)
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
		waits[v.s.row(int(r), pkt.Ingress)] += sluice.Bytes(pkt.Size)
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
			if err := s.Dump(&b); err != nil {
				n.t.Fatal(err)
			}
		}
	}
	return b.String()
}
