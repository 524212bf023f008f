package hol

// Waits adds to g every wait that the scenario's congestion can spread to: the buffer dependencies
// of section VII.
//
// Without roots in its pauses (PFC, BFC), a queue that fills pauses every queue that feeds it,
// these fill, and so on. With roots, an isolation queue that fills passes the pause on to the
// queues of the same root, and only the root itself, an OQ, is where it began; the OQ waits for no
// queue, and a port ignores its own root.
func (a *Assignment) Waits(g *WaitGraph) {
	w := newWaits(a, g)
	for root, congested := range a.s.root {
		if congested {
			w.spreadFrom(int32(root))
		}
	}
}

// waits spreads congestion upstream.
type waits struct {
	a      *Assignment
	g      *WaitGraph      // nil if the caller wants no edges
	paused map[int32]place // by queue: the first flow that brought it a pause, and where
	known  map[waiting]bool
	work   []waiting
}

// waiting is a queue that fills, because of a root if pauses name one, else anyRoot.
type waiting struct{ queue, root int32 }

func newWaits(a *Assignment, g *WaitGraph) *waits {
	return &waits{a: a, g: g, paused: make(map[int32]place), known: make(map[waiting]bool)}
}

// spreadFrom fills a congested port, all its queues or under Pyrrha the OQ, and everything that
// waits for it.
func (w *waits) spreadFrom(root int32) {
	for _, at := range w.a.s.through[root] {
		if w.a.perRoot {
			w.pauseBefore(at, Node{At: w.a.s.ports[root]}, root)
			continue
		}
		for _, st := range w.a.stays[at.flow][at.i] {
			w.fill(waiting{st.queue, anyRoot})
		}
	}
	for len(w.work) > 0 {
		full := w.work[len(w.work)-1]
		w.work = w.work[:len(w.work)-1]
		w.overflow(full)
	}
}

// overflow lets a full queue pause the queues that feed it.
func (w *waits) overflow(full waiting) {
	node := w.a.queues[full.queue].Node()
	for _, v := range w.a.visits[full.queue] {
		if full.root == anyRoot || w.a.s.ahead(v.flow, v.i, full.root) {
			w.pauseBefore(v.place, node, full.root)
		}
	}
}

// pauseBefore makes the queues of a flow one port before at wait for the full queue to.
func (w *waits) pauseBefore(at place, to Node, root int32) {
	if at.i == 0 {
		return
	}
	before := place{at.flow, at.i - 1}
	for _, st := range w.a.stays[before.flow][before.i] {
		if root != anyRoot && !w.a.heeds(st.root, before, root) {
			continue
		}
		if w.g != nil {
			w.g.Edge(w.a.queues[st.queue].Node(), to)
		}
		if _, found := w.paused[st.queue]; !found {
			w.paused[st.queue] = before
		}
		w.fill(waiting{st.queue, root})
	}
}

func (w *waits) fill(full waiting) {
	if !w.known[full] {
		w.known[full] = true
		w.work = append(w.work, full)
	}
}
