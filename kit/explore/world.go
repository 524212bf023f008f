package explore

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	frames "github.com/sluicefc/sluice/internal/wire"
)

// world is a state of the network, as it is: nodes, and what is on the links.
type world struct {
	network *Network
	nodes   []*node
	wires   []wire // by link: towards B, towards A
	entered []int  // by flow: packets given to the card
	arrived []int  // by flow: the number of the last packet delivered
	faults  faults
	memory  *memory // nil: every hook is called
}

// wire is a direction of a link.
type wire struct {
	from, to sluice.Hop
	items    []item // first sent, first; shared with other states until they change
	// ahead is by how much the sender's last sequence number is above the newest one heard. Frames on
	// the wire have the numbers that they have to the receiver, whose newest is 0.
	ahead  uint32
	number uint32 // in a memory; 0 if it is not known
}

// faults are what is left of Network.Faults.
type faults struct {
	lost, doubled int
	flaps         []flap // by index of Faults.Flaps
	restarted     []bool // by index of Faults.Restarts
}

type flap uint8

const (
	flapToCome flap = iota
	flapDown
	flapOver
)

func newWorld(network *Network) (*world, error) {
	w := emptyWorld(network)
	w.faults.lost, w.faults.doubled = network.Faults.Lost, network.Faults.Doubled
	for id := range network.Nodes {
		n, err := newNode(network, id)
		if err != nil {
			return nil, err
		}
		w.nodes[id] = n
	}
	for i, f := range network.Flows {
		for !f.Late && w.entered[i] < f.Packets {
			w.entered[i]++
			host := w.nodes[f.Way[0].Switch]
			if f := host.enter(network.packet(i, w.entered[i])); f != (fault{}) {
				return nil, fmt.Errorf("explore: %s", f.what)
			}
		}
	}
	return w, nil
}

// emptyWorld returns a world without nodes, in which nothing happened.
func emptyWorld(network *Network) *world {
	w := &world{
		network: network, nodes: make([]*node, len(network.Nodes)),
		entered: make([]int, len(network.Flows)), arrived: make([]int, len(network.Flows)),
		faults: faults{
			flaps:     make([]flap, len(network.Faults.Flaps)),
			restarted: make([]bool, len(network.Faults.Restarts)),
		},
	}
	for _, l := range network.Links {
		w.wires = append(w.wires, wire{from: l.A, to: l.B}, wire{from: l.B, to: l.A})
	}
	return w
}

func (w *world) ports() (ports []int) {
	for _, n := range w.nodes {
		ports = append(ports, len(n.ready))
	}
	return ports
}

// clone returns a state to which something can happen.
func (w *world) clone() *world {
	c := *w
	c.nodes, c.wires = slices.Clone(w.nodes), slices.Clone(w.wires)
	c.entered, c.arrived = slices.Clone(w.entered), slices.Clone(w.arrived)
	c.faults.flaps, c.faults.restarted = slices.Clone(w.faults.flaps), slices.Clone(w.faults.restarted)
	return &c
}

// steps appends all that can happen next.
func (w *world) steps(dst []Step) []Step {
	quiet := true
	for i := range w.wires {
		d := &w.wires[i]
		at := Step{Node: int(d.to.Switch), Port: int(d.to.Port)}
		if len(d.items) > 0 {
			quiet = false
			dst = append(dst, at.of(Arrive))
			if d.items[0].frame != "" && w.faults.lost > 0 {
				dst = append(dst, at.of(Lose))
			}
			if d.items[0].frame != "" && w.faults.doubled > 0 {
				dst = append(dst, at.of(Double))
			}
		}
		if len(d.items) < w.network.room() && w.up(i/2) && w.nodes[d.from.Switch].ready[d.from.Port] &&
			!(w.network.Prompt && w.waitsForFrame(i)) {
			quiet = false
			dst = append(dst, Step{Kind: Send, Node: int(d.from.Switch), Port: int(d.from.Port)})
		}
	}
	for i, f := range w.network.Flows {
		if f.Late && w.entered[i] < f.Packets {
			dst = append(dst, Step{Kind: Enter, Flow: i})
		}
	}
	dst = w.faultSteps(dst)
	timers := w.network.Timers
	anytime := timers == TimersAny && !(w.network.Prompt && w.framesWait())
	if (anytime || timers == TimersLast && quiet) && w.deadline() != sluice.Never {
		dst = append(dst, Step{Kind: Pass})
	}
	return dst
}

// waitsForFrame reports whether a wire waits for a frame that goes the other way before it takes
// a packet.
func (w *world) waitsForFrame(wire int) bool {
	d, back := &w.wires[wire], &w.wires[wire^1]
	return !w.nodes[d.from.Switch].owes[d.from.Port] && (w.nodes[d.to.Switch].owes[d.to.Port] ||
		slices.ContainsFunc(back.items, func(it item) bool { return it.frame != "" }))
}

// framesWait reports whether a wire waits for a frame.
func (w *world) framesWait() bool {
	for i := range w.wires {
		if n := w.nodes[w.wires[i].from.Switch]; n.owes[w.wires[i].from.Port] || w.waitsForFrame(i) {
			return true
		}
	}
	return false
}

func (s Step) of(kind StepKind) Step {
	s.Kind = kind
	return s
}

func (w *world) faultSteps(dst []Step) []Step {
	for i, l := range w.network.Faults.Flaps {
		switch w.faults.flaps[i] {
		case flapToCome:
			if w.up(l) {
				dst = append(dst, Step{Kind: Down, Link: l})
			}
		case flapDown:
			dst = append(dst, Step{Kind: Up, Link: l})
		}
	}
	for i, id := range w.network.Faults.Restarts {
		if !w.faults.restarted[i] {
			dst = append(dst, Step{Kind: Restart, Node: id})
		}
	}
	return dst
}

func (w *world) up(link int) bool {
	for i, l := range w.network.Faults.Flaps {
		if l == link && w.faults.flaps[i] == flapDown {
			return false
		}
	}
	return true
}

func (w *world) deadline() sluice.Time {
	earliest := sluice.Never
	for _, n := range w.nodes {
		earliest = min(earliest, n.machine.Deadline())
	}
	return earliest
}

// wire returns the index of the direction of a link that leads to a port, -1 if none does. The
// index of the other direction differs in the lowest bit.
func (w *world) wire(to sluice.Hop) int {
	for i := range w.wires {
		if w.wires[i].to == to {
			return i
		}
	}
	return -1
}

// happen makes a step happen, and looks whether the state that it leads to is as it must be where
// no frame is due or on a link.
func (w *world) happen(s Step) fault {
	f := w.do(s)
	if w.network.Instant && f == (fault{}) {
		f = w.exchange()
	}
	if f == (fault{}) {
		f = w.checkAll()
	}
	return f
}

// do makes a step happen, with what follows from it at once.
func (w *world) do(s Step) fault {
	at, d := 0, (*wire)(nil)
	if _, port := s.numbers(); port != nil {
		at = w.wire(s.end())
		d = &w.wires[at]
	}
	switch s.Kind {
	case Enter:
		w.entered[s.Flow]++
		at := int(w.network.Flows[s.Flow].Way[0].Switch)
		return w.touch(at, op{kind: opEnter, flow: s.Flow, count: w.entered[s.Flow]}).fault
	case Send:
		return w.send(&w.wires[at^1])
	case Arrive, Double:
		it := d.items[0]
		if s.Kind == Arrive {
			d.items, d.number = d.items[1:], 0
		} else {
			w.faults.doubled--
		}
		return w.receive(d, it)
	case Lose:
		w.faults.lost--
		d.items, d.number = d.items[1:], 0
	case Pass:
		return w.pass(w.deadline())
	case Down:
		w.setFlap(s.Link, flapToCome, flapDown)
		return w.bothEnds(s.Link, opDown)
	case Up:
		w.setFlap(s.Link, flapDown, flapOver)
		if f := w.bothEnds(s.Link, opUp); f != (fault{}) {
			return f
		}
		return w.pass(w.network.Flight)
	case Restart:
		return w.restart(s.Node)
	}
	return fault{}
}

// pass lets time pass everywhere.
func (w *world) pass(by sluice.Time) fault {
	for i := range w.nodes {
		if by == 0 {
			break
		}
		if f := w.touch(i, op{kind: opPass, by: by}).fault; f != (fault{}) {
			return f
		}
	}
	return fault{}
}

// touch lets something happen to a node, on a copy: other states keep the node as it is. What
// happened before to a node in that state is looked up.
func (w *world) touch(id int, o op) effect {
	if w.memory != nil {
		known := w.memory.touch(w.nodes[id], o)
		w.nodes[id] = known.node
		return known.effect
	}
	n := w.nodes[id].clone()
	e := n.do(o)
	w.nodes[id] = n
	return e
}

func (w *world) send(d *wire) fault {
	e := w.touch(int(d.from.Switch), op{kind: opSend, port: d.from.Port, ahead: d.ahead})
	if !e.sent || e.fault != (fault{}) {
		return e.fault
	}
	d.ahead, d.number = e.ahead, 0
	if n := w.nodes[d.to.Switch]; e.item.frame == "" && e.item.packet.Path.Len() == 0 && !n.counts {
		return w.deliver(&e.item) // when it arrives there makes no difference
	}
	d.items = append(slices.Clip(d.items), e.item)
	if w.network.Instant || w.listens(d) {
		return w.do(Step{Kind: Arrive, Node: int(d.to.Switch), Port: int(d.to.Port)})
	}
	return fault{}
}

// listens reports whether nothing else happens at the end of a wire until what is on it arrives, so
// that it can arrive at once: there is a host, of one port, that has nothing to send and nothing to
// wait for.
func (w *world) listens(d *wire) bool {
	n, f := w.nodes[d.to.Switch], &w.network.Faults
	for i := range w.network.Flows {
		flow := &w.network.Flows[i]
		if flow.Way[0].Switch == d.to.Switch && w.entered[i] < flow.Packets {
			return false
		}
	}
	return len(d.items) == 1 && len(n.ready) == 1 && !n.ready[0] && n.empty() &&
		(w.network.Timers != TimersAny || n.machine.Deadline() == sluice.Never) &&
		f.Lost+f.Doubled+len(f.Flaps)+len(f.Restarts) == 0
}

func (w *world) receive(d *wire, it item) fault {
	e := w.touch(int(d.to.Switch), op{kind: opReceive, port: d.to.Port, item: it})
	w.renumber(d, e.heard)
	if e.delivered && e.fault == (fault{}) {
		return w.deliver(&it)
	}
	return e.fault
}

// deliver notes a packet that came to the end of its way.
func (w *world) deliver(it *item) fault {
	p := &it.packet
	if last := w.arrived[p.flow]; int(p.number) <= last {
		return broken("order", "packet %d of flow %d comes after packet %d", p.number, p.flow, last)
	}
	w.arrived[p.flow] = int(p.number)
	return fault{}
}

// renumber makes the numbers of frames on the wire less.
func (w *world) renumber(d *wire, by uint32) {
	if by == 0 {
		return
	}
	d.ahead, d.number = d.ahead-by, 0
	items := append([]item(nil), d.items...)
	for i := range items {
		if w.memory != nil {
			items[i] = w.memory.renumber(items[i], by)
		} else {
			items[i].renumber(by)
		}
	}
	d.items = items
}

func (it *item) renumber(by uint32) {
	frame := []byte(it.frame)
	if number := frames.Number(frame); number != nil {
		binary.BigEndian.PutUint32(number, binary.BigEndian.Uint32(number)-by)
		it.frame = string(frame)
	}
}
