package main

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// tag is what we keep of a packet.
type tag struct {
	number uint32
	flow   uint16
	hop    uint16
}

type store = kit.Store[tag]

// world is one run of a trial.
type world struct {
	*trial
	broken broken
	noise  bool // calls are made in between that must change nothing
	now    sluice.Time
	turn   uint64
	events uint64
	calls  uint64
	digest uint64
	agenda agenda
	nodes  []*node
	store  *store
	frames [][]byte // of which free ones are not under way
	free   []uint32
	recent [16][]byte
	sent   uint64
	sentTo []uint32   // packets injected, by flow
	left   [][]uint32 // by flow and hop: the number of the last packet that left
	healed bool
	buffer []byte // where frames are built
}

// finding is a broken promise.
type finding struct {
	invariant string
	text      string
	calls     uint64
}

const (
	capacity   = 1 << 13 // packets in the network
	patience   = 200 * sluice.Millisecond
	mostEvents = 3_000_000
)

// run runs a trial. If noise is set, calls that must change nothing are made in between.
func run(t *trial, noise bool) (w *world, f *finding) {
	w = &world{trial: t, noise: noise, broken: t.broken()}
	w.buffer = make([]byte, 0, 2048)
	defer func() {
		switch caught := recover().(type) {
		case nil:
		case *finding:
			f = caught
		default:
			f = &finding{invariant: "6 bounded", text: fmt.Sprintf("panic: %v\n%s", caught, stack())}
		}
		if f != nil {
			f.calls = w.calls
		}
	}()
	w.build()
	w.loop()
	return w, nil
}

// stack is where a panic was, without our own frames.
func stack() string {
	lines := strings.Split(string(debug.Stack()), "\n")
	var kept []string
	for i, line := range lines {
		if strings.Contains(line, "sluice/") && !strings.Contains(line, "outsider") && i > 6 {
			kept = append(kept, strings.TrimSpace(line))
		}
	}
	return strings.Join(kept[:min(len(kept), 16)], "\n")
}

func (w *world) fail(invariant, format string, args ...any) {
	text := fmt.Sprintf("at %v: ", w.now) + fmt.Sprintf(format, args...)
	panic(&finding{invariant: invariant, text: text})
}

func (w *world) build() {
	w.store, _ = kit.NewStore[tag](capacity)
	w.sentTo = make([]uint32, len(w.flows))
	for range w.flows {
		w.left = append(w.left, make([]uint32, sluice.MaxHops+1))
	}
	for id := range w.graph.nodes {
		w.nodes = append(w.nodes, newNode(w, id))
	}
	for i := range w.actions {
		w.schedule(event{at: w.actions[i].at, kind: acts, what: uint32(i)})
	}
	w.schedule(event{at: w.end, kind: heals})
}

func (w *world) schedule(e event) {
	w.turn++
	e.turn = w.turn
	w.agenda.push(e)
}

func (w *world) note(a, b uint64) { w.digest = (w.digest^a)*0x9e3779b97f4a7c15 ^ (b + w.digest>>29) }

// loop lets everything happen, until nothing is left to do or patience has ended.
func (w *world) loop() {
	limit := w.end + patience
	asserted := w.asserted()
	if !asserted {
		limit = w.end + sluice.Millisecond
	}
	for {
		n, due := w.firstTimer()
		next := due
		if len(w.agenda) > 0 {
			next = min(next, w.agenda[0].at)
		}
		still := w.healed && (w.events%64 == 0 || next > w.now+10*sluice.Microsecond)
		if next > limit || w.events > mostEvents || still && w.resting() {
			w.finish(asserted)
			return
		}
		w.now = max(w.now, next)
		if len(w.agenda) > 0 && w.agenda[0].at <= due {
			e := w.agenda.pop()
			w.happen(&e)
		} else {
			n.expire()
			n.look()
		}
		w.events++
	}
}

// asserted says whether everything must come to rest in the end.
func (w *world) asserted() bool {
	// While a clock shows a time before one that it has shown, frames are taken for those of a link's
	// past life for longer than they can be under way. So they are lost.
	if w.broken.steps && (w.broken.flaps || w.broken.repair) && !w.setup.repairs {
		return false
	}
	if !w.graph.loops {
		return true
	}
	// An enemy may use up the isolation queues, of which circles need one for each root.
	return w.setup.circles && !w.broken.repair
}

func (w *world) firstTimer() (first *node, due sluice.Time) {
	due = sluice.Never
	for _, n := range w.nodes {
		if n.due < due {
			first, due = n, n.due
		}
	}
	return first, due
}

func (w *world) resting() bool {
	if w.store.Used() > 0 {
		return false
	}
	for _, n := range w.nodes {
		if n.m.Quiescent() != nil {
			return false
		}
	}
	return true
}

// finish asserts what must hold in the end.
func (w *world) finish(asserted bool) {
	for _, n := range w.nodes {
		n.lookClosely()
	}
	if !asserted {
		return
	}
	for _, n := range w.nodes {
		if err := n.m.Quiescent(); err != nil {
			w.fail("5 liveness", "node %d is not at rest %v after the faults ended: %v\n%s", n.id,
				w.now-w.end, err, w.dump())
		}
	}
	if used := w.store.Used(); used > 0 {
		w.fail("5 liveness", "%d packets have not arrived", used)
	}
}

func (w *world) dump() string {
	var b strings.Builder
	for _, n := range w.nodes {
		if n.m.Quiescent() != nil {
			_ = n.m.Dump(&b)
		}
	}
	return b.String()
}

func (w *world) happen(e *event) {
	switch e.kind {
	case acts:
		w.act(int(e.what))
	case heals:
		w.heal()
	case injects:
		w.inject(e)
	case lossEnds:
		w.nodes[e.node].ports[e.port].loss = 0
	case linkIsUp:
		w.linkUp(int(e.node), sluice.PortID(e.port))
	case congestionEnds:
		w.nodes[e.node].congested(false)
	default:
		n := w.nodes[e.node]
		w.arrive(n, e)
		n.look()
	}
}

// arrive is an event at a node.
func (w *world) arrive(n *node, e *event) {
	switch p := &n.ports[e.port]; e.kind {
	case transmitterFree:
		if p.epoch == e.epoch {
			p.busy = false
			n.ready(sluice.PortID(e.port))
		}
	case servesLate:
		n.serve()
	case frameArrives:
		if p.epoch == e.epoch {
			n.receive(sluice.PortID(e.port), w.frames[e.what])
		}
		w.free = append(w.free, e.what)
	case packetArrives:
		h := kit.Handle(e.what)
		if p.epoch != e.epoch {
			w.store.Release(h)
			return
		}
		item := w.store.At(h)
		item.Ingress = sluice.PortID(e.port)
		if w.flows[item.Value.flow].dst == n.id {
			n.consume(item.Ingress, h)
			w.note(uint64(w.now), uint64(item.Value.flow)<<32|uint64(item.Value.number))
			w.store.Release(h)
			return
		}
		n.enqueue(item.Path.At(0).Port, h)
	}
}

// inject hands a host the next packet of a burst.
func (w *world) inject(e *event) {
	a := &w.actions[e.what]
	f := &w.flows[a.flow]
	if e.left > 1 {
		w.schedule(event{at: w.now + a.span, kind: injects, what: e.what, left: e.left - 1})
	}
	h, ok := w.store.Take()
	if !ok {
		return
	}
	item := w.store.At(h)
	w.sentTo[a.flow]++
	item.Value = tag{flow: uint16(a.flow), number: w.sentTo[a.flow]}
	size := mix(a.salt + uint64(e.left))
	item.Packet = sluice.Packet{
		Flow: f.hash, Class: f.class, ECN: f.ecn, Path: f.path, Ingress: sluice.Local,
		Size: [...]int32{mtu, mtu, 64, int32(1 + size>>8%mtu)}[size%4],
	}
	n := w.nodes[f.src]
	n.enqueue(f.path.At(0).Port, h)
	n.look()
}

// carry puts a packet on a link.
func (w *world) carry(n *node, port sluice.PortID, h kit.Handle) {
	p, item := &n.ports[port], w.store.At(h)
	left := &w.left[item.Value.flow][item.Value.hop]
	if item.Value.number <= *left && !w.setup.reorder {
		w.fail("2 order", "packet %d of flow %d leaves node %d by port %d after packet %d",
			item.Value.number, item.Value.flow, n.id, port, *left)
	}
	*left = item.Value.number
	item.Value.hop++
	w.note(uint64(w.now), uint64(n.id)<<56|uint64(item.Value.flow)<<36|uint64(item.Value.number)<<4|
		uint64(item.ECN))
	done := w.now + p.link.Rate.TimeOf(sluice.Bytes(item.Size))
	p.busy = true
	w.schedule(event{
		at: done, kind: transmitterFree, node: uint8(n.id), port: uint8(port), epoch: p.epoch,
	})
	if w.lost(p) {
		w.store.Release(h)
		return
	}
	w.schedule(event{
		at: done + p.link.Delay, kind: packetArrives, node: uint8(p.peer), port: uint8(p.peerPort),
		epoch: p.epoch, what: uint32(h),
	})
}

// carryFrame puts a control frame on a link.
func (w *world) carryFrame(n *node, port sluice.PortID, frame []byte, kind string) {
	p := &n.ports[port]
	if w.trace {
		fmt.Printf("%v node %d port %d sends %s %x\n", w.now, n.id, port, kind, frame)
	}
	for _, b := range frame[:min(len(frame), 40)] {
		w.digest = (w.digest ^ uint64(b)) * 0x100000001b3
	}
	w.note(uint64(w.now), uint64(n.id)<<8|uint64(port))
	w.recent[w.sent%16] = append(w.recent[w.sent%16][:0], frame...)
	w.sent++
	done := w.now + p.link.Rate.TimeOf(sluice.Bytes(len(frame))+n.overhead)
	p.busy = true
	w.schedule(event{
		at: done, kind: transmitterFree, node: uint8(n.id), port: uint8(port), epoch: p.epoch,
	})
	if !w.lost(p) {
		w.deliver(p, done+p.link.Delay, frame)
	}
	if p.loss > 0 && w.lost(p) { // again, later
		w.deliver(p, done+p.link.Delay+sluice.Time(mix(w.sent)%5_000_000), frame)
	}
}

func (w *world) deliver(p *nodePort, at sluice.Time, frame []byte) {
	slot := uint32(len(w.frames))
	if last := len(w.free) - 1; last >= 0 {
		slot = w.free[last]
		w.free = w.free[:last]
	} else {
		w.frames = append(w.frames, make([]byte, 0, 128))
	}
	w.frames[slot] = append(w.frames[slot][:0], frame...)
	w.schedule(event{
		at: at, kind: frameArrives, node: uint8(p.peer), port: uint8(p.peerPort), epoch: p.epoch,
		what: slot,
	})
}

// lost draws whether a link loses something.
func (w *world) lost(p *nodePort) bool {
	if p.loss == 0 {
		return false
	}
	p.carried++
	return int(mix(p.salt+p.carried)%1000) < p.loss
}
