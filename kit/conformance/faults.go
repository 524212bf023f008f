package conformance

import (
	"github.com/sluicefc/sluice"
	"pgregory.net/rapid"
)

// mishaps are what goes wrong in a network beside its frames.
type mishaps struct {
	late  sluice.Time // by how much Expire is called after Deadline
	loses uint64      // percentage of packets that links lose
	fast  bool        // a node may begin anew so fast that no neighbour sees its links fail
}

// addMishaps draws links that fail and come back, nodes that begin anew, clocks that step, origins
// of time that move, and what operators do. A machine takes a frame for one of the link's past life
// while its clock is behind what it has shown. So clocks step only where links keep up, or where
// lost frames are repaired.
func (n *network) addMishaps(t *rapid.T, lossy bool) {
	fail, step := true, lossy
	if !lossy && rapid.IntRange(0, 3).Draw(t, "clocks step, and links keep up") == 0 {
		fail, step = false, true
	}
	if fail {
		n.addMishap(t, "links that fail", linkFails, between(3, 40, sluice.Microsecond), 0, 1, 1, 2, 5)
		n.addMishap(t, "nodes that begin anew", nodeRestarts, between(3, 40, sluice.Microsecond),
			0, 0, 1, 2)
	}
	if step {
		n.addMishap(t, "clocks that step", clockSteps, func(t *rapid.T) sluice.Time {
			unit := rapid.SampledFrom([]sluice.Time{sluice.Nanosecond, 50 * sluice.Nanosecond}).Draw(t, "in")
			return between(-60_000, 60_000, unit)(t)
		}, 0, 1, 1, 3)
	}
	n.addMishap(t, "origins that move", originMoves, func(t *rapid.T) sluice.Time {
		return rapid.SampledFrom([]sluice.Time{1, 500, -3000, 1 << 30, -1 << 40, 1 << 59}).Draw(t, "by")
	}, 0, 1, 2)
	if n.fabric.Operate != nil {
		n.addMishap(t, "operators", operated, between(1, 60, sluice.Microsecond), 0, 1, 3)
	}
	n.mishaps = mishaps{
		late: rapid.SampledFrom([]sluice.Time{
			0, 0, 0, 300 * sluice.Nanosecond, 5 * sluice.Microsecond,
		}).Draw(t, "timers late by"),
		fast: lossy,
	}
	if lossy {
		n.mishaps.loses = rapid.SampledFrom([]uint64{0, 0, 1, 10}).Draw(t, "percent of packets lost")
	}
	n.scene("timers %v late; %d %% of packets lost", n.mishaps.late, n.mishaps.loses)
}

func between(low, high int64, unit sluice.Time) func(*rapid.T) sluice.Time {
	return func(t *rapid.T) sluice.Time {
		return sluice.Time(rapid.Int64Range(low, high).Draw(t, "for")) * unit
	}
}

func (n *network) addMishap(
	t *rapid.T, what string, kind eventKind, span func(*rapid.T) sluice.Time, counts ...int,
) {
	for range rapid.SampledFrom(counts).Draw(t, what) {
		id := sluice.SwitchID(rapid.IntRange(0, len(n.nodes)-1).Draw(t, "node"))
		n.schedule(event{
			at:   sluice.Time(rapid.IntRange(0, 200).Draw(t, "at")) * 100 * sluice.Nanosecond,
			kind: kind, node: id, span: span(t), salt: rapid.Uint64Range(1, 1<<63).Draw(t, "salt"),
			port: sluice.PortID(rapid.IntRange(0, len(n.nodes[id].ports)-1).Draw(t, "port")),
		})
	}
}

// befall does what goes wrong at a node.
func (n *network) befall(ev *event) {
	n.progress()
	switch e := n.at(ev.node); ev.kind {
	case linkFails:
		n.linkFails(ev.node, ev.port, ev.salt)
		n.mendLater(ev)
	case linkMends:
		n.linkMends(ev.node, ev.port)
	case nodeRestarts:
		n.restart(ev)
	case clockSteps:
		n.remark(ev, "its clock steps by %v", ev.span)
		e.base -= ev.span
		n.patience += max(ev.span, -ev.span)
	case originMoves:
		if moved := e.base + ev.span; moved > 1<<60 || moved < -1<<60 {
			return // times are less than 1<<61
		}
		s := e.do(step{kind: stepRebase, by: ev.span})
		e.base += ev.span
		e.checkStep(s)
	case operated:
		n.operate(e, ev)
		if ev.salt != 0 {
			n.schedule(event{at: n.now + ev.span, kind: operated, node: ev.node})
		}
	}
}

func (n *network) remark(ev *event, format string, args ...any) {
	n.journal.remark(n.now, n.nodes[ev.node].node, format, args...)
}

// operate lets an operator have a node's machine. Another machine that took over its state says
// nothing of ports: each may have something to send.
func (n *network) operate(e *embedder, ev *event) {
	m, wake := n.fabric.Operate(e.m, e.now-e.base, ev.salt)
	n.remark(ev, "an operator's doing: %v, another machine: %v", wake, m != e.m)
	replaced := m != e.m
	e.m = m
	e.announce(wake)
	for i := range e.ports {
		p := &e.ports[i]
		p.kicked = p.kicked || replaced
		for q := range p.open {
			p.open[q] = m.Sendable(sluice.PortID(i), sluice.QueueID(q))
		}
	}
}

// linkFails fails the link of a port at both ends. What is under way arrives or is lost; what waits
// stays or is discarded.
func (n *network) linkFails(id sluice.SwitchID, port sluice.PortID, salt uint64) {
	for i, end := range n.ends(id, port) {
		l := &n.links[end.Switch][end.Port]
		l.downs++
		l.life++
		if salt%3 > 0 {
			l.carries++
		}
		e := n.at(end.Switch)
		e.ports[end.Port].busy = true // nothing can be sent
		if l.downs > 1 {
			continue
		}
		e.link(end.Port, stepLinkDown)
		if salt>>(8+i)&3 == 0 {
			n.discard(e, end.Port)
		}
		n.finish(end.Switch)
	}
}

// discard empties the queues of a port whose link is down, except for those that wait for a timer.
func (n *network) discard(e *embedder, at sluice.PortID) {
	for range e.ports[at].held * (e.queues + 1) {
		q, ok := e.next(at)
		if !ok {
			return
		}
		e.dequeue(at, q)
	}
}

func (n *network) mendLater(failed *event) {
	n.schedule(event{
		at: n.now + failed.span, kind: linkMends, node: failed.node, port: failed.port,
	})
}

func (n *network) linkMends(id sluice.SwitchID, port sluice.PortID) {
	for _, end := range n.ends(id, port) {
		l := &n.links[end.Switch][end.Port]
		if l.downs--; l.downs == 0 {
			n.up(end.Switch, end.Port, false)
		}
	}
}

// up says that a link is there. Its transmitter may be at work if the link did not fail.
func (n *network) up(id sluice.SwitchID, port sluice.PortID, busy bool) {
	e := n.at(id)
	e.ports[port].busy = busy
	e.ports[port].kicked = true
	e.link(port, stepLinkUp)
	n.finish(id)
}

// ends returns a port and the port at the other end of its link.
func (n *network) ends(id sluice.SwitchID, port sluice.PortID) [2]sluice.Hop {
	l := &n.links[id][port]
	return [2]sluice.Hop{{Switch: id, Port: port}, {Switch: l.Peer, Port: l.PeerPort}}
}

// restart puts a new machine in the place of a node's, whose packets are lost, and whose clock
// begins somewhere else. Its links are down meanwhile, or it is so fast that no neighbour sees it.
func (n *network) restart(ev *event) {
	before := n.nodes[ev.node]
	fast := n.mishaps.fast && ev.salt%4 == 0
	for i := range before.ports {
		n.lost += before.ports[i].held
		fast = fast && !before.ports[i].down
	}
	n.remark(ev, "begins anew, with its links up: %v", fast)
	e := n.embed(ev.node)
	e.base = n.now - sluice.Time(ev.salt>>8%2000)*sluice.Microsecond + sluice.Millisecond
	n.nodes[ev.node] = e
	for i := range e.ports {
		port := sluice.PortID(i)
		if !fast {
			e.ports[i].down = before.ports[i].down
			n.linkFails(ev.node, port, ev.salt/3*3+1)
			if n.links[ev.node][i].downs > 1 { // the machine does not know yet
				n.at(ev.node).link(port, stepLinkDown)
			}
			n.mendLater(&event{node: ev.node, port: port, span: ev.span})
			continue
		}
		for k, end := range n.ends(ev.node, port) {
			n.up(end.Switch, end.Port, [2]*embedder{before, n.nodes[end.Switch]}[k].ports[end.Port].busy)
		}
	}
}
