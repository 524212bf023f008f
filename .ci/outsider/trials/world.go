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
	frames [][]byte // under way, by slot; slots in free have none
	free   []uint32
	recent [16][]byte
	sent   uint64
	sentTo []uint32   // packets injected, by flow
	left   [][]uint32 // by flow and hop: the number of the last packet that left
	healed bool
	buffer []byte // where frames are built
}

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

// later schedules what happens at a port.
func (w *world) later(at sluice.Time, kind eventKind, id int, port sluice.PortID) {
	w.schedule(event{at: at, kind: kind, node: uint8(id), port: uint8(port)})
}

func (w *world) schedule(e event) {
	w.turn++
	e.turn = w.turn
	w.agenda.push(e)
}

// note adds to the digest of what happened.
func (w *world) note(a, b uint64) {
	w.digest = (w.digest^a)*0x9e3779b97f4a7c15 ^ (b + w.digest>>29)
}

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
	// While a clock shows a time before one that it has shown, frames are taken for frames of a link's
	// past life for longer than they can be under way. So they are lost.
	if w.broken.steps && (w.broken.flaps || w.broken.repair) && !w.setup.repairs {
		return false
	}
	if !w.graph.loops {
		return true
	}
	// Circles need an isolation queue for each root, and an enemy may use the queues up.
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
			_ = kit.Dump(&b, n.m.Snapshot())
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

func (w *world) arrive(n *node, e *event) {
	switch p := &n.ports[e.port]; e.kind {
	case transmitterFree:
		if p.epoch == e.epoch {
			p.busy = false
			n.ready(sluice.PortID(e.port))
		}
	case servesLate:
		n.drive.(*loop).serve()
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
