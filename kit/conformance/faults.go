package conformance

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/testnet"
	"pgregory.net/rapid"
)

// mishap is what goes wrong at a node, beside its frames.
type mishap struct {
	*network
	node *testnet.Node
	port sluice.PortID
	span sluice.Time
	salt uint64
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
		n.addMishap(t, "links that fail", mishap.link, between(3, 40, sluice.Microsecond), 0, 1, 1, 2, 5)
		n.addMishap(t, "nodes that begin anew", mishap.restart, between(3, 40, sluice.Microsecond),
			0, 0, 1, 2)
	}
	if step {
		n.addMishap(t, "clocks that step", mishap.clock, func(t *rapid.T) sluice.Time {
			unit := rapid.SampledFrom([]sluice.Time{sluice.Nanosecond, 50 * sluice.Nanosecond}).Draw(t, "in")
			return between(-60_000, 60_000, unit)(t)
		}, 0, 1, 1, 3)
	}
	n.addMishap(t, "origins that move", mishap.origin, func(t *rapid.T) sluice.Time {
		return rapid.SampledFrom([]sluice.Time{1, 500, -3000, 1 << 30, -1 << 40, 1 << 59}).Draw(t, "by")
	}, 0, 1, 2)
	if n.fabric.Operate != nil {
		n.addMishap(t, "operators", mishap.operate, between(1, 60, sluice.Microsecond), 0, 1, 3)
	}
	n.Overdue = rapid.SampledFrom([]sluice.Time{
		0, 0, 0, 300 * sluice.Nanosecond, 5 * sluice.Microsecond,
	}).Draw(t, "timers late by")
	if n.fast = lossy; lossy {
		n.LostPackets = rapid.SampledFrom([]uint64{0, 0, 1, 10}).Draw(t, "percent of packets lost")
	}
	n.scene("timers %v late; %d %% of packets lost", n.Overdue, n.LostPackets)
}

func between(low, high int64, unit sluice.Time) func(*rapid.T) sluice.Time {
	return func(t *rapid.T) sluice.Time {
		return sluice.Time(rapid.Int64Range(low, high).Draw(t, "for")) * unit
	}
}

func (n *network) addMishap(
	t *rapid.T, what string, befall func(mishap), span func(*rapid.T) sluice.Time, counts ...int,
) {
	for range rapid.SampledFrom(counts).Draw(t, what) {
		id := rapid.IntRange(0, len(n.Nodes)-1).Draw(t, "node")
		at := drawInstant(t)
		x := mishap{
			network: n, node: n.Nodes[id], span: span(t),
			salt: rapid.Uint64Range(1, 1<<63).Draw(t, "salt"),
			port: sluice.PortID(rapid.IntRange(0, len(n.Nodes[id].Links)-1).Draw(t, "port")),
		}
		n.At(at, func() {
			befall(x)
			x.at().service()
		})
	}
}

// at returns the member of the node.
func (x mishap) at() *member {
	x.Progress()
	return x.member(x.node)
}

func (x mishap) remark(format string, args ...any) {
	x.journal.remark(x.Now, x.at().node, format, args...)
}

// clock has a node's clock step.
func (x mishap) clock() {
	x.remark("its clock steps by %v", x.span)
	x.at().base -= x.span
	x.patience += max(x.span, -x.span)
}

// origin moves the origin of a node's time.
func (x mishap) origin() {
	m := x.at()
	if moved := m.base + x.span; moved > 1<<60 || moved < -1<<60 {
		return // times are less than 1<<61
	}
	s := m.do(step{kind: stepRebase, by: x.span})
	m.base += x.span
	m.checkStep(s)
}

// operate lets an operator have a node's machine, and again later, with a salt of 0. Another
// machine that took over its state says nothing of ports: each may have something to send.
func (x mishap) operate() {
	e := x.at()
	m, wake := x.fabric.Operate(e.m, e.now-e.base, x.salt)
	x.remark("an operator's doing: %v, another machine: %v", wake, m != e.m)
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
	e.service()
	if x.salt != 0 {
		x.salt = 0
		x.At(x.Now+x.span, x.operate)
	}
}

// link fails the link of a port. What is on it arrives or is lost.
func (x mishap) link() {
	lost := x.salt%3 > 0
	x.node.Fail(x.port, testnet.Failure{Packets: lost, Frames: lost, Flush: 25, Lasts: x.span})
}

// restart puts a new machine in the place of a node's. Its links are down meanwhile, or it is so
// fast that no neighbour sees it.
func (x mishap) restart() {
	fast := x.fast && x.salt%4 == 0
	for i := range x.node.Links {
		fast = fast && !x.at().ports[i].down
	}
	x.remark("begins anew, with its links up: %v", fast)
	x.node.Renew()
	x.salt = x.salt/3*3 + 1 // what is on the links is lost
	for i, l := range x.node.Links {
		if x.port = sluice.PortID(i); !fast {
			x.link()
			continue
		}
		x.node.Driver.LinkUp(x.Now, x.port)
		l.Peer.Driver.LinkUp(x.Now, l.Port)
	}
}
