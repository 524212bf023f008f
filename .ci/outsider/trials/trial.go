package main

import (
	"fmt"

	"github.com/sluicefc/sluice"
)

// trial is a network, its configuration, and what is done to it: everything that a run depends on.
type trial struct {
	seed     uint64
	protocol string
	graph    *graph
	setup    *setup
	flows    []flow
	actions  []action
	own      bool // driven by our own loop; else by kit.Driver
	lazy     bool // ports that were woken wait for their turn
	late     bool // timers are served late
	trace    bool
	end      sluice.Time // faults and traffic have ended
}

// flow is packets of one way, class and hash.
type flow struct {
	src, dst int
	path     sluice.Path
	class    sluice.Class
	hash     uint64
	ecn      sluice.ECN
}

type actionKind uint8

const (
	burst actionKind = iota // n packets of a flow, every so often
	linkFails
	nodeRestarts
	linkLoses // n per mille of packets and frames for a time, and doubles as many frames
	hostileFrame
	wrongPacket
	emptyQueue
	earlyExpire
	timeSteps
	rebases
	hostCongested
	operated
)

var actionNames = [...]string{
	"burst", "link fails", "node restarts", "link loses", "hostile frame", "wrong packet",
	"dequeue of an empty queue", "early expire", "time steps", "rebase", "host congested",
	"operator",
}

// action is one thing that happens. What it leaves open is drawn from its salt, so that it means
// the same when other actions are left out.
type action struct {
	at   sluice.Time
	kind actionKind
	node int
	port sluice.PortID
	n    int
	span sluice.Time
	flow int
	salt uint64
}

func (a *action) describe(t *trial) string {
	s := fmt.Sprintf("%10v %s", a.at, actionNames[a.kind])
	switch a.kind {
	case burst:
		f := &t.flows[a.flow]
		s += fmt.Sprintf(" of %d packets every %v, flow %d: %d to %d by %v, class %d, hash %#x", a.n,
			a.span, a.flow, f.src, f.dst, f.path, f.class, f.hash)
	case linkFails, hostileFrame, wrongPacket, emptyQueue, hostCongested:
		s += fmt.Sprintf(" at port %d:%d", a.node, a.port)
	case linkLoses:
		s += fmt.Sprintf(" %d per mille at port %d:%d", a.n, a.node, a.port)
	default:
		s += fmt.Sprintf(" of node %d", a.node)
	}
	if a.span != 0 && a.kind != burst {
		s += fmt.Sprintf(" for %v", a.span)
	}
	return s + fmt.Sprintf(" (%#x)", a.salt)
}

// flowHash gives most flows a hash of their own, and some a hash that they share.
func flowHash(i int) uint64 {
	if i%5 == 4 {
		return uint64(i % 3)
	}
	return mix(uint64(i))
}

// drawTrial draws a trial from a seed; nil if the protocol refuses the configuration.
func drawTrial(p *protocol, seed uint64) *trial {
	r := random(mix(seed) ^ uint64(len(p.name))<<32 ^ uint64(p.name[0])<<8 ^ uint64(p.name[1]))
	t := &trial{seed: seed, protocol: p.name, own: r.below(3) > 0}
	if p.name == "portfc" {
		t.graph = drawNDC(&r)
	} else {
		t.graph = drawGraph(&r)
	}
	t.setup = p.draw(&r, t.graph)
	for id := range t.graph.nodes {
		if _, err := t.setup.node(id); err != nil {
			return nil
		}
	}
	t.end = sluice.Time(r.between(40, 400)) * sluice.Microsecond
	t.drawTraffic(&r)
	if len(t.flows) == 0 {
		return nil
	}
	t.drawFaults(&r)
	return t
}

func (t *trial) drawTraffic(r *random) {
	hosts := t.graph.hosts()
	sink := hosts[r.below(len(hosts))]
	for range r.between(1, 24) {
		f := flow{
			src: hosts[r.below(len(hosts))], dst: hosts[r.below(len(hosts))],
			class: pick(r, t.setup.classes...), hash: flowHash(r.below(40)), ecn: sluice.ECN(r.below(4)),
		}
		if r.one(2) {
			f.dst = sink
		}
		if f.src == f.dst {
			continue
		}
		if f.path = t.graph.way(r, f.src, f.dst); f.path.Len() == 0 {
			continue
		}
		if t.setup.pulled && r.one(3) { // the host itself may be a root
			f.path.Append(sluice.Hop{Switch: sluice.SwitchID(f.dst)})
		}
		t.flows = append(t.flows, f)
		for range r.between(1, 5) {
			t.actions = append(t.actions, action{
				kind: burst, at: t.moment(r), flow: len(t.flows) - 1, n: pick(r, 1, 4, 20, 60, 200),
				span: pick[sluice.Time](r, 0, 0, 100, 500) * sluice.Nanosecond, salt: r.next(),
			})
		}
	}
}

func (t *trial) moment(r *random) sluice.Time {
	return sluice.Time(r.below(int(t.end*3/4/1000))) * sluice.Nanosecond
}

// drawFaults draws what goes wrong: nothing at all in a third of the trials.
func (t *trial) drawFaults(r *random) {
	add := func(kind actionKind, n int, change func(*action)) {
		for range n {
			node := r.below(len(t.graph.nodes))
			a := action{
				kind: kind, at: t.moment(r), node: node,
				port: sluice.PortID(r.below(len(t.graph.nodes[node].ports))), salt: r.next(),
			}
			if change != nil {
				change(&a)
			}
			t.actions = append(t.actions, a)
		}
	}
	lasting := func(low, high int) func(*action) {
		return func(a *action) { a.span = sluice.Time(r.between(low, high)) * sluice.Microsecond }
	}
	add(rebases, r.below(4), func(a *action) {
		a.span = pick[sluice.Time](r, 1, 500, -3000, 1<<30, -1<<40, 1<<59)
	})
	if r.one(2) {
		add(wrongPacket, r.below(20), nil)
		add(emptyQueue, r.below(20), nil)
		add(earlyExpire, r.below(20), nil)
	}
	if t.setup.pulled && r.one(3) {
		add(hostCongested, r.between(1, 5), lasting(1, 60))
	}
	if r.one(3) {
		return
	}
	t.lazy, t.late = r.one(4), r.one(3)
	if r.one(2) {
		add(linkFails, r.between(1, 8), lasting(3, 40))
	}
	if r.one(3) {
		add(nodeRestarts, r.between(1, 3), lasting(3, 40))
	}
	if r.one(3) {
		add(linkLoses, r.between(1, 6), func(a *action) {
			a.n, a.span = r.between(1, 300), sluice.Time(r.between(1, 100))*sluice.Microsecond
		})
	}
	if r.one(3) {
		add(timeSteps, r.between(1, 4), func(a *action) {
			a.span = sluice.Time(r.between(-60_000, 60_000)) * pick(r, sluice.Nanosecond, 500_000)
		})
	}
	if t.setup.operate != nil && r.one(3) {
		add(operated, r.between(1, 6), nil)
	}
	if r.one(3) {
		add(hostileFrame, pick(r, 1, 3, 20, 200), nil)
	}
}

// broken says which promises the actions take back.
type broken struct {
	faults   bool // something may be lost, and what a peer says may be late
	flaps    bool // links fail, or nodes restart
	operated bool // an operator changes configurations
	steps    bool // a clock steps back or forward
	repair   bool // a frame was lost or forged, which not every configuration repairs
}

func (t *trial) broken() (b broken) {
	b.faults = t.lazy || t.late
	for i := range t.actions {
		switch t.actions[i].kind {
		case operated:
			b.faults, b.operated = true, true
		case timeSteps:
			b.faults, b.steps = true, true
		case linkFails, nodeRestarts:
			b.faults, b.flaps = true, true
		case linkLoses, hostileFrame:
			b.faults, b.repair = true, true
		}
	}
	return b
}
