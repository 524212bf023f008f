// Package view makes a page of HTML that plays a run: what each port holds, sends and is held for,
// which queue waits for which, and what the flows do, at every sample. The page needs no server and
// no network; the folder page has the program that draws it, and .ci/page bundles the program.
package view

import (
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/hol"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pyrrha"
)

// Tracks of a run, in the order in which they are written. Ports are numbered node by node.
const (
	backlog  = iota // port: bytes that it holds
	down            // port: 1 while its link is down
	sent            // port: bytes of packets sent so far
	pauses          // port: times that downstream began to pause a queue so far
	heldTime        // port: picoseconds so far in which downstream paused at least one
	marksCE         // port: packets marked CE so far
	marksUE         // port: packets marked UE so far
	lost            // port: packets lost so far
	held            // port, queue: 1 if it has packets and may not send
	waiting         // port, queue, flow: bytes of packets that wait there, answers among them
	waits           // port, queue, port, queue: 1 if the first waits for the second
	isolated        // port, queue, port: hiq.State of the isolation queue of a congestion root
	received        // flow: bytes of payload that came without a gap
	rate            // flow: Mb/s that its control allows
	tracks
)

// arities are how many numbers name what a track has.
var arities = [tracks]int{held: 2, waiting: 3, waits: 4, isolated: 3}

// Bounds of what a recorder keeps.
const (
	mostSamples = 4000
	mostChanges = 6_000_000
)

// Recorder keeps what a page shows of one run. It is a sim.Watcher.
type Recorder struct {
	graph    *topo.Graph
	first    []int32 // port of a node, by node
	observer *probe.Observer
	machines []kit.Machine // by node
	tracks   [tracks]*track
	times    []sluice.Time
	taken    int // samples, also samples that were left out
	stride   int // one of stride samples is kept, and the last
	changes  int
	ways     []way
	wayOf    [][]sluice.Hop // by flow
	hops     []sluice.Hop

	begun      [][][]sim.Begun // by job, then rank; nil of too many
	operations int             // how many
}

// way is the way of a flow from an instant on, as ports.
type way struct {
	from sluice.Time
	flow int32
	hops []int32
}

// NewRecorder returns a recorder of one run of flows on a network.
func NewRecorder(graph *topo.Graph, flows int) *Recorder {
	r := &Recorder{
		graph: graph, observer: probe.New(probe.Config{Graph: graph, Held: true}),
		machines: make([]kit.Machine, len(graph.Nodes)), stride: 1, wayOf: make([][]sluice.Hop, flows),
	}
	ports := int32(0)
	for id := range graph.Nodes {
		r.first = append(r.first, ports)
		ports += int32(len(graph.Nodes[id].Ports))
	}
	for i := range r.tracks {
		snapshot := i == held || i == waiting || i == waits || i == isolated || i == rate
		r.tracks[i] = newTrack(max(1, arities[i]), !snapshot)
	}
	return r
}

func (r *Recorder) Hang(node sluice.SwitchID, m kit.Machine) kit.Machine {
	r.machines[node] = m
	return r.observer.Hang(node, m)
}

func (r *Recorder) Sample(at sluice.Time, s *sim.Simulator) {
	r.taken++
	r.times = append(r.times, at)
	for _, t := range r.tracks {
		t.begin()
	}
	r.samplePorts(at, s)
	r.sampleQueues(s)
	r.sampleRoots()
	r.sampleFlows(at, s)
	for _, t := range r.tracks {
		r.changes += t.end()
	}
	if before := r.taken - 2; before >= 0 && before%r.stride != 0 {
		last := len(r.times) - 1
		r.leaveOut(last-1, func(i int) bool { return i == last })
	}
	for len(r.times) > mostSamples || r.changes > mostChanges && len(r.times) > 2 {
		r.halve()
	}
}

// halve keeps every second sample, and the last.
func (r *Recorder) halve() {
	r.stride *= 2
	last := len(r.times) - 1
	r.leaveOut(0, func(i int) bool { return i%2 == 0 || i == last })
}

func (r *Recorder) leaveOut(from int, keep func(i int) bool) {
	for _, t := range r.tracks {
		for _, changes := range t.samples[from:] {
			r.changes -= len(changes)
		}
		r.changes += t.leaveOut(from, keep)
	}
	n := from
	for i := from; i < len(r.times); i++ {
		if keep(i) {
			r.times[n] = r.times[i]
			n++
		}
	}
	r.times = r.times[:n]
}

func (r *Recorder) samplePorts(at sluice.Time, s *sim.Simulator) {
	s.Ports(func(at sluice.Hop, bytes sluice.Bytes, isDown bool) {
		k := key{r.port(at)}
		r.tracks[backlog].set(k, int64(bytes))
		value := int64(0)
		if isDown {
			value = 1
		}
		r.tracks[down].set(k, value)
	})
	r.observer.Look(at, func(p *probe.PortStatistics) {
		k := key{r.port(p.At)}
		r.tracks[sent].set(k, int64(p.Sent))
		r.tracks[pauses].set(k, p.Pauses)
		r.tracks[heldTime].set(k, int64(p.Held))
		r.tracks[marksCE].set(k, p.CE)
		r.tracks[marksUE].set(k, p.UE)
	})
	s.Lost(func(d *sim.DropRecord) { r.tracks[lost].add(key{r.port(d.At)}, d.Packets) })
}

func (r *Recorder) sampleQueues(s *sim.Simulator) {
	var last hol.Node
	first := true
	s.Waiting(func(in hol.Node, sendable bool, flow int32, size sluice.Bytes) {
		port := r.port(in.At)
		if !sendable && (first || in != last) {
			r.tracks[held].set(key{port, int32(in.Queue)}, 1)
		}
		first, last = false, in
		r.tracks[waiting].add(key{port, int32(in.Queue), flow}, int64(size))
	})
	seen := map[key]bool{}
	s.Waits(func(from, to hol.Node) {
		k := key{r.port(from.At), int32(from.Queue), r.port(to.At), int32(to.Queue)}
		if !seen[k] {
			seen[k] = true
			r.tracks[waits].set(k, 1)
		}
	})
}

// sampleRoots notes the isolation queues of Pyrrha.
func (r *Recorder) sampleRoots() {
	for node, m := range r.machines {
		s := pyrrhaOf(m)
		if s == nil {
			continue
		}
		for _, root := range s.Snapshot().Roots {
			if int(root.Root.Switch) >= len(r.first) {
				continue
			}
			for _, q := range root.IQs {
				at := r.port(sluice.Hop{Switch: sluice.SwitchID(node), Port: q.Port})
				r.tracks[isolated].set(key{at, int32(q.Queue), r.port(root.Root)}, int64(q.State))
			}
		}
	}
}

// pyrrhaOf returns the switch of a machine, nil if the machine is of another protocol.
func pyrrhaOf(m kit.Machine) *pyrrha.Switch {
	for m != nil {
		if h, ok := m.(interface{ Above() *pyrrha.Switch }); ok {
			return h.Above()
		}
		w, ok := m.(interface{ Unwrap() kit.Machine })
		if !ok {
			break
		}
		m = w.Unwrap()
	}
	if m == nil {
		return nil
	}
	s, _ := kit.Unwrap(m).(*pyrrha.Switch)
	return s
}

func (r *Recorder) sampleFlows(at sluice.Time, s *sim.Simulator) {
	s.UnderWay(func(flow int32, state probe.FlowState) {
		r.tracks[received].set(key{flow}, int64(state.Received))
		r.tracks[rate].set(key{flow}, int64(state.Rate/1_000_000))
		r.noteWay(at, s, flow)
	})
	if r.taken == 1 {
		for flow := range r.wayOf {
			r.noteWay(0, s, int32(flow))
		}
	}
}

// noteWay keeps the way of a flow if it has changed.
func (r *Recorder) noteWay(at sluice.Time, s *sim.Simulator, flow int32) {
	r.hops = s.Way(r.hops[:0], flow)
	if slices.Equal(r.wayOf[flow], r.hops) {
		return
	}
	r.wayOf[flow] = slices.Clone(r.hops)
	w := way{from: at, flow: flow}
	for _, hop := range r.hops {
		w.hops = append(w.hops, r.port(hop))
	}
	r.ways = append(r.ways, w)
}

func (r *Recorder) port(at sluice.Hop) int32 { return r.first[at.Switch] + int32(at.Port) }
