package pyrrha

import (
	"container/heap"
	"fmt"
	"strings"
	"testing"

	"github.com/sluicefc/sluice"
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
	// route writes the path of a packet that came to a node; false if it is discarded there. nil:
	// packets keep the path that they had at their source.
	route func(v *node, h kit.Handle) bool
	log   *strings.Builder // nil: no story
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
	life     int // of the link: its packets are lost when it fails
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
		v.driver = kit.NewDriver(kit.Wrap(s), n.store, v)
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
	if n.route != nil && !n.route(v, h) {
		n.discard(h)
		return
	}
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
	v.n.frameLeaves(v, port, frame, v.transmit(port, sluice.Bytes(len(frame))))
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

// transmit occupies a transmitter for size bytes, and returns when the last of them arrives.
func (v *node) transmit(port sluice.PortID, size sluice.Bytes) sluice.Time {
	n, p := v.n, &v.ports[port]
	p.busy = true
	end := n.now + p.link.Rate.TimeOf(size)
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
