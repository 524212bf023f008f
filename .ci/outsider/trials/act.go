package main

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pyrrha"
)

func (w *world) act(i int) {
	a := &w.actions[i]
	n := w.nodes[a.node]
	r := random(a.salt)
	switch a.kind {
	case burst:
		w.inject(&event{what: uint32(i), left: int32(a.n)})
		return
	case linkFails:
		w.linkDown(a.node, a.port)
		w.later(w.now+a.span, linkIsUp, a.node, a.port)
	case nodeRestarts:
		w.restart(a, &r)
	case linkLoses:
		n.ports[a.port].loss, n.ports[a.port].salt = a.n, a.salt
		w.later(w.now+a.span, lossEnds, a.node, a.port)
	case hostileFrame:
		if frame := w.hostile(&r, n, a.port); n.ports[a.port].downs == 0 {
			n.receive(a.port, frame)
		}
	case wrongPacket:
		n.enqueueWrong(&r, a.port)
	case emptyQueue:
		n.dequeueNothing(&r, a.port)
	case earlyExpire:
		n.expireEarly(&r)
	case timeSteps:
		n.base -= a.span
		n.plan()
	case rebases:
		n.rebase(a.span)
	case operated:
		n.operated(&r)
	case hostCongested:
		n.congested(true)
		w.later(w.now+a.span, congestionEnds, a.node, 0)
	}
	n.look()
}

// heal ends all faults. Where a configuration does not repair what was lost or forged, every link
// fails once more and comes up: what was told is void then, and is told again.
func (w *world) heal() {
	w.healed = true
	for _, n := range w.nodes {
		for i := range n.ports {
			n.ports[i].loss = 0
		}
		n.congested(false)
		if s, ok := kit.Unwrap(n.m).(*pfc.Switch); ok && w.broken.operated {
			n.told(s.BigRedSwitch(n.time(), false))
		}
	}
	if !w.broken.repair || w.setup.repairs {
		return
	}
	for _, n := range w.nodes {
		for i := range n.ports {
			if n.ports[i].peer > n.id {
				w.linkDown(n.id, sluice.PortID(i))
				w.later(w.now+5*sluice.Microsecond, linkIsUp, n.id, sluice.PortID(i))
			}
		}
	}
}

func (n *node) rebase(by sluice.Time) {
	if n.latest-by > 1<<62 || n.latest-by < -1<<62 { // beyond what 64 bits hold
		return
	}
	n.calls++
	n.latest -= by
	n.base += by
	n.drive.Rebase(by)
	n.plan()
}

// congested says that a host cannot take what it receives, or can again.
func (n *node) congested(on bool) {
	s, ok := kit.Unwrap(n.m).(*pyrrha.Switch)
	if !ok || n.congest == on || n.graph.nodes[n.id].tier > 0 {
		return
	}
	n.congest = on
	n.calls++
	n.told(s.Port(0).Congested(n.time(), on))
}

// told acts on the word of a method that kit.Driver does not call.
func (n *node) told(w sluice.Wake) {
	n.drive.Act(n.time(), w)
	n.moved()
}

// operated lets an operator have the machine. A driver keeps the machine that it has.
func (n *node) operated(r *random) {
	n.calls++
	m, w := n.setup.operate(r, n.id, n.m, n.time())
	if n.trace {
		fmt.Printf("%v node %d has another machine: %v, %v\n", n.now, n.id, m != n.m, w)
	}
	if m == n.m {
		n.told(w)
		return
	}
	if own, ok := n.drive.(*loop); ok {
		n.m = m
		n.plan()
		own.askHooks()
		for i := range n.ports {
			own.kick(sluice.PortID(i))
		}
		own.serve()
	}
}
