package pyrrha

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// Audit recomputes what the switch keeps count of, and names the invariant that does not hold.
func TestAuditFindsWhatWasTamperedWith(t *testing.T) {
	for want, spoil := range map[string]func(s *Switch, r int){
		"invariant 1: queues hold": func(s *Switch, _ int) { s.buffered++ },
		"invariant 1: root 20:1: -1 and 0 bytes by ingress 1": func(s *Switch, r int) {
			s.upstream(r, 1).bytes = -1
		},
		"invariant 1: root 20:1: [31001 0] bytes by ingress": func(s *Switch, r int) {
			s.upstream(r, 1).bytes++
		},
		"invariant 2": func(s *Switch, r int) { s.unused.Add(r) },
		"at port 0: assigned is true, the root says": func(s *Switch, r int) {
			s.roots[r].egress.Remove(0)
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
		"1 upstreams paused, the root says 2": func(s *Switch, r int) { s.roots[r].paused++ },
		"is paused, and its last frame says paused": func(s *Switch, r int) {
			s.ports[1].changed.Add(r)
			s.ports[1].owed++
		},
		"and no frame said so": func(s *Switch, r int) {
			*s.upstream(r, 1) = upstream{state: ResumedUpstream, bytes: 31_000}
			s.roots[r].paused--
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
		"port 0 owes DEALLOC of 20:1, and has an IQ for it": func(s *Switch, r int) {
			s.ports[0].leaving.Add(r)
		},
	} {
		l := newLab(t, Config{Ports: ports(Down, Down), Refresh: sluice.Microsecond})
		l.pause(0, at(20, 1), 1)
		l.enqueueMany(31, 0, 1, at(20, 1))
		require.NoError(t, l.s.Audit())
		spoil(l.s, l.s.find(at(20, 1)))
		require.ErrorContains(t, l.s.Audit(), want)
	}
}

// An upstream that is paused though nothing waits for the root would wait for ever, whichever rule
// children follow.
func TestAuditFindsAPauseForNothing(t *testing.T) {
	for _, rule := range []ChildRule{ByIngress, ByQueue} {
		l := newLab(t, Config{Ports: ports(Down, Down), Child: rule})
		l.pause(0, at(20, 1), 1)
		r := l.s.find(at(20, 1))
		l.s.list(r, 1)
		u := l.s.upstream(r, 1)
		u.state, u.told = PausedUpstream, PausedUpstream
		l.s.countPaused(r, 1)
		require.ErrorContains(t, l.s.Audit(), "upstream 1 is paused, and nothing waits")
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
