package pyrrha

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// Audit recomputes what the switch keeps count of, and names the invariant that does not hold.
func TestAuditFindsWhatWasTamperedWith(t *testing.T) {
	for want, spoil := range map[string]func(s *Switch, r int){
		"port 0: hiq: invariant 1: queue 0": func(s *Switch, _ int) { s.ports[0].iq.PutOutput(0) },
		"invariant 1: queues hold 31000 bytes and OQs of up-ports 0, the counters say 31001 and 0": func(
			s *Switch, _ int,
		) {
			s.buffered++
		},
		"the counters say 31000 and 1": func(s *Switch, _ int) { s.upBytes++ },
		"invariant 1: port 1 queue 105 holds -1 bytes": func(s *Switch, _ int) {
			s.ports[1].others.bytes[5]--
			s.buffered--
		},
		"invariant 1: root 20:1: -1 and 0 bytes by ingress 1": func(s *Switch, r int) {
			s.upstream(r, 1).bytes = -1
		},
		"invariant 1: root 20:1: 0 and -1 bytes by ingress 0": func(s *Switch, r int) {
			s.detours[s.row(r, 0)]--
		},
		"invariant 1: root 20:1: [31001 0] bytes by ingress": func(s *Switch, r int) {
			s.upstream(r, 1).bytes++
		},
		"used is true, the table says": func(s *Switch, r int) { s.unused.Add(r) },
		"root 20:1: used is true":      func(s *Switch, r int) { s.table.Remove(at(20, 1).Key()) },
		"2 roots known, the counter":   func(s *Switch, _ int) { s.known++ },
		"at port 0: assigned is true, the root says": func(s *Switch, r int) {
			s.roots[r].egress.Remove(0)
		},
		"root 20:1 at port 0: assigned is true": func(s *Switch, r int) {
			s.ports[0].filter = filter{}
		},
		"root 30:1 at port 0: a leaf keeps an empty resumed IQ": func(s *Switch, _ int) {
			s.ports[0].iq.Resume(s.find(at(30, 1)))
		},
		"root 30:1 at port 0: an empty soft-merging IQ is kept": func(s *Switch, _ int) {
			s.ports[0].iq.Merge(s.find(at(30, 1)), noRoot)
		},
		"at port 1: assigned is false, the root says": func(s *Switch, r int) {
			s.ports[1].roots.Add(r)
		},
		"its pause may expire": func(s *Switch, r int) {
			s.ports[0].iq.Resume(r)
			s.ports[0].paused.Add(r)
		},
		"1 IQs and 1 upstreams, the root says 2 and 1": func(s *Switch, r int) { s.roots[r].iqs++ },
		"1 IQs and 1 upstreams, the root says 1 and 2": func(s *Switch, r int) { s.roots[r].tree++ },
		"upstream 1 is listed: true": func(s *Switch, r int) {
			s.ports[1].listed.Remove(r)
		},
		"upstream 0 is listed: false": func(s *Switch, r int) {
			s.roots[r].listed.Remove(1)
			s.roots[r].listed.Add(0)
		},
		"1 upstreams paused, the root says 2": func(s *Switch, r int) { s.roots[r].paused++ },
		"0 upstreams paused, the root says 0": func(s *Switch, _ int) { s.ports[0].claims++ },
		"is paused, and its last frame says paused; that a frame is owed is true": func(
			s *Switch, r int,
		) {
			s.ports[1].changed.Add(r)
			s.ports[1].owed++
		},
		"and no frame said so": func(s *Switch, r int) {
			*s.upstream(r, 1) = upstream{state: ResumedUpstream, bytes: 31_000}
			s.roots[r].paused--
		},
		"upstream 0 is not in the tree of root 20:1, and its last frame says resumed": func(
			s *Switch, r int,
		) {
			s.upstream(r, 0).told = ResumedUpstream
		},
		"port 1 owes 0 frames, the counter says 1": func(s *Switch, _ int) { s.ports[1].owed++ },
		"0 frames name root 20:1, the root says 1": func(s *Switch, r int) {
			s.roots[r].frames++
		},
		"invariant 7: root 20:1, 1 hops away, at port 0 at level 1: that its IQ is far is true": func(
			s *Switch, r int,
		) {
			s.ports[0].setFar(r, true)
		},
		"a root it touched is not free": func(s *Switch, r int) { s.touch(r) },
		"did not answer its wake":       func(s *Switch, _ int) { s.woken.Port(0) },
		"port 1 owes 1 frames, and its link is down": func(s *Switch, r int) {
			s.ports[1].setPending(&s.ports[1].leaving, r, true)
			s.ports[1].peer.Down = true
			s.woken.Take()
		},
		"port 0 owes DEALLOC of 20:1, and has an IQ for it": func(s *Switch, r int) {
			s.ports[0].leaving.Add(r)
		},
	} {
		l := newLab(t, Config{
			Ports: ports(Down, Down), Refresh: sluice.Microsecond, Classes: sluice.MakeClassSet(0),
		})
		l.pause(0, at(20, 1), 1)
		l.pause(0, at(30, 1), 2)
		l.enqueueMany(31, 0, 1, at(20, 1))
		require.NoError(t, l.s.Audit())
		spoil(l.s, l.s.find(at(20, 1)))
		require.ErrorContains(t, l.s.Audit(), want)
	}
}

// A MERGE is owed to an upstream that is in the old tree no more and was sent a frame about it, and
// names another root.
func TestAuditFindsWhatIsWrongWithAMerge(t *testing.T) {
	old, into := at(20, 1), at(30, 1)
	for want, spoil := range map[string]func(s *Switch, u *upstream){
		"its last frame says paused, and it is resumed": func(s *Switch, _ *upstream) {
			s.list(s.find(old), 1)
		},
		"its last frame says unlisted, and it is unlisted": func(_ *Switch, u *upstream) {
			u.told = Unlisted
		},
		"its last frame says paused, and it is unlisted": func(s *Switch, u *upstream) {
			u.into = uint16(s.find(old))
		},
	} {
		l := newLab(t, Config{Ports: ports(Down, Down)})
		l.pause(0, old, 1)
		l.enqueueMany(31, 0, 1, old)
		l.s.Port(0).Receive(l.now, &Frame{Type: Merge, Old: old, Root: into, Hop: 1, Sequence: 9})
		require.NoError(t, l.s.Audit())
		spoil(l.s, l.s.upstream(l.s.find(old), 1))
		require.ErrorContains(t, l.s.Audit(), "upstream 1 is owed MERGE of root 20:1; "+want)
	}
}

// Levels wait for time exactly while time alone keeps every packet from going, and until a timer
// runs out. Once that is due the audit waits for it to be served.
func TestAuditFindsLevelsThatWaitForNothing(t *testing.T) {
	root := at(20, 1)
	for name, spoil := range map[string]func(l *lab, p *Port){
		"no timer": func(l *lab, _ *Port) { l.s.timers.Put(l.s.slot(moveTimer, 0), sluice.Never) },
		"a timer too late": func(l *lab, p *Port) {
			due := l.s.Deadline()
			l.s.timers.Put(l.s.slot(moveTimer, 0), due+1)
			l.s.Port(1).Hold(due, false)
		},
		"a level that may move": func(_ *lab, p *Port) { p.iq.Resume(p.owner.find(at(30, 1))) },
		"levels that do not wait": func(l *lab, p *Port) {
			l.enqueue(0, 1)
			l.s.timers.Put(l.s.slot(moveTimer, 0), 0)
			p.iq.TakeOutput(1000)
			p.owner.buffered -= 1000
		},
	} {
		l := newLab(t, Config{Ports: ports(Down, Down), MTU: 1000})
		l.pause(0, root, 1)
		l.enqueueMany(4, 0, 1, root)
		l.pause(0, at(30, 1), 2)
		l.enqueue(0, 1, at(30, 1))
		l.resume(0, root)
		for l.s.Deadline() == sluice.Never {
			require.True(t, l.transmit(0))
		}
		require.NoError(t, l.s.Audit())
		spoil(l, l.s.Port(0))
		require.ErrorContains(t, l.s.Audit(), "invariant 6: port 0", name)
	}
	l := newLab(t, Config{Ports: ports(Down, Down), MTU: 1000})
	l.pause(0, root, 1)
	l.enqueueMany(4, 0, 1, root)
	l.resume(0, root)
	for l.s.Deadline() == sluice.Never {
		require.True(t, l.transmit(0))
	}
	l.s.Port(1).Hold(l.s.Deadline(), false)
	require.NoError(t, l.s.Audit(), "the timer is due")
}

// A port that has an IQ of a root which the switch knows nearer remembers that it has.
func TestAuditFindsAForgottenDetour(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down)})
	l.pause(0, at(20, 1), 1)
	l.pause(1, at(20, 1), 2)
	require.NoError(t, l.s.Audit())
	l.s.ports[1].detour = false
	require.ErrorContains(t, l.s.Audit(), "at port 1 at level 2: that its IQ is far is true")
}

// An upstream that is paused though nothing waits for the root would wait for ever. What waits is
// measured as the rule of children has it, and on a detour nothing does. A byte is something.
func TestAuditFindsAPauseForNothing(t *testing.T) {
	remote := at(20, 1)
	for _, c := range []struct {
		rule            ChildRule
		root            sluice.Hop // that port 1 is paused for
		egress, ingress int        // of the packet
		something       bool
	}{
		{ByIngress, remote, 0, 0, false},
		{ByIngress, remote, 0, 1, true},
		{ByIngress, at(10, 0), 1, 1, false},
		{ByIngress, at(10, 1), 0, 1, false},
		{ByIngress, at(10, 0), 0, 0, true},
		{ByQueue, remote, 2, 0, false},
		{ByQueue, remote, 0, 0, true},
	} {
		l := newLab(t, Config{Ports: ports(Down, Down, Down), Child: c.rule})
		l.pause(0, remote, 1)
		l.pause(2, remote, 2)
		pkt := sluice.Packet{Size: 1, Ingress: sluice.PortID(c.ingress)}
		pkt.Path.Append(at(10, c.egress))
		if c.root == remote {
			pkt.Path.Append(remote)
		}
		l.put(pkt)
		require.NoError(t, l.s.Audit())
		r := l.s.find(c.root)
		l.s.list(r, 1)
		u := l.s.upstream(r, 1)
		u.state, u.told = PausedUpstream, PausedUpstream
		l.s.countPaused(r, 1)
		if err := l.s.Audit(); c.something {
			require.NoError(t, err, "%+v", c)
		} else {
			require.ErrorContains(t, err, "upstream 1 is paused, and nothing waits", "%+v", c)
		}
	}
}

// Quiescent names the rest.
func TestQuiescentSaysWhatIsLeft(t *testing.T) {
	for want, leave := range map[string]func(l *lab){
		"1000 bytes queued":                    func(l *lab) { l.enqueue(0, 1) },
		"root 20:1 has 1 IQs, and 0 upstreams": func(l *lab) { l.pause(0, at(20, 1), 1) },
		"port 0 owes 1 frames": func(l *lab) {
			l.s.Port(0).Receive(0, &Frame{Type: Resume, Root: at(20, 1), Sequence: 1})
		},
		"port 1 is held": func(l *lab) { l.s.Port(1).Hold(0, true) },
		"root 10:1 has 0 IQs, and 2 upstreams of which 0 are paused" +
			"; port 0, whose Role is down, waits for DEALLOC" +
			"; port 1, whose Role is down, waits for DEALLOC": func(l *lab) {
			l.enqueueMany(31, 1, 0)
			l.enqueue(1, 1)
			l.serve(1, 32)
		},
	} {
		l := newLab(t, Config{Ports: ports(Down, Down)})
		require.NoError(t, l.s.Quiescent())
		leave(l)
		require.ErrorContains(t, l.s.Quiescent(), want)
	}
}

// Two MERGEs are owed to an upstream: if the new root of both merges on, both change. If the new
// root of one merges on, the other does not change.
func TestMergesGoTheirOwnWays(t *testing.T) {
	for second, want := range map[sluice.Hop][]string{
		at(30, 1): {"port 1: merge 20:1 into 40:1 hop 4", "port 1: merge 21:1 into 40:1 hop 4"},
		at(31, 1): {"port 1: merge 20:1 into 40:1 hop 4", "port 1: merge 21:1 into 31:1 hop 3"},
	} {
		l := newLab(t, Config{Ports: ports(Down, Down)})
		a, b := at(20, 1), at(21, 1)
		for _, root := range []sluice.Hop{a, b} {
			l.pause(0, root, 1)
			l.enqueueMany(31, 0, 1, root)
		}
		require.Len(t, l.sent(), 2)
		for i, f := range []Frame{
			{Type: Merge, Old: a, Root: at(30, 1), Hop: 2}, {Type: Merge, Old: b, Root: second, Hop: 2},
			{Type: Merge, Old: at(30, 1), Root: at(40, 1), Hop: 3},
		} {
			f.Sequence = uint32(100 + i)
			l.s.Port(0).Receive(l.now, &f)
			require.NoError(t, l.s.Audit())
		}
		require.ElementsMatch(t, want, l.poll())
	}
}
