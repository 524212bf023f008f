package ofc

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Audit recomputes each count from what it counts: it finds a wrong one also where others are wrong
// so that the sums agree.
func TestAuditFindsWhatSumsHide(t *testing.T) {
	for want, spoil := range map[string]func(s *Switch, k *egress, a *account, g *group){
		"did not answer its wake": func(s *Switch, _ *egress, _ *account, _ *group) { s.woken.Port(1) },
		"queue 2: -1 packets of -1 bytes": func(_ *Switch, k *egress, _ *account, _ *group) {
			k.packets[2], k.bytes[2] = -1, -1
		},
		"queue 0: 2 packets of 1 bytes": func(_ *Switch, k *egress, _ *account, _ *group) {
			k.bytes[0] = 1
		},
		"1 and 0 packets of unknown flows": func(_ *Switch, _ *egress, a *account, _ *group) {
			a.untracked++
		},
		"1 is served, 0 is the": func(_ *Switch, k *egress, _ *account, _ *group) { k.paused = 0 },
		"1 is served, 3 is the": func(_ *Switch, k *egress, _ *account, _ *group) { k.paused = 3 },
		"3 is served, 2 is the": func(_ *Switch, k *egress, _ *account, _ *group) { k.serving = 3 },
		"tab, flags 10100": func(s *Switch, _ *egress, _ *account, _ *group) {
			s.entries[1].flags |= chained
		},
		"tab, flags 10010": func(s *Switch, _ *egress, _ *account, _ *group) {
			s.entries[1].flags |= deferred
		},
		"the paused queue has 2 packets, paused flows 1": func(
			_ *Switch, k *egress, _ *account, _ *group,
		) {
			k.packets, k.bytes = [3]int32{0, 1, 2}, [3]int64{0, 900, 1800}
		},
		"no rotation is under way, 1 resumes": func(s *Switch, k *egress, _ *account, _ *group) {
			k.packets, k.bytes, k.chain = [3]int32{3, 0, 0}, [3]int64{2700, 0, 0}, 0
			s.ports[0].serve(0, normal)
		},
		"no rotation is under way, 0 resumes": func(s *Switch, k *egress, _ *account, _ *group) {
			k.packets, k.bytes = [3]int32{3, 0, 0}, [3]int64{2700, 0, 0}
			s.ports[0].serve(0, normal)
			k.deferred, s.entries[2].flags = 0, congested|told
		},
		"flow 2 with -1 packets": func(s *Switch, k *egress, _ *account, _ *group) {
			s.entries[1].packets, s.entries[3].packets, k.present = 3, -1, 2
		},
		"flow 2 is in a list of egress 0": func(s *Switch, _ *egress, _ *account, g *group) {
			s.entries[3].prev = 1
		},
		"class 0: invariant 5: flow 2 is in a": func(_ *Switch, _ *egress, _ *account, g *group) {
			g.plain, g.congested = g.congested, g.plain
		},
		"5: flow 2 is in a": func(s *Switch, _ *egress, _ *account, _ *group) {
			s.entries[3].flags |= told
		},
		"flow 2 is in a list": func(s *Switch, k *egress, _ *account, _ *group) {
			s.entries[1].packets, s.entries[3].packets, k.present = 2, 0, 2
			s.ports[0].known--
		},
		"ends at 3, not at 3": func(_ *Switch, _ *egress, _ *account, g *group) { g.plain.upTo = 9 },
		"1 flows wait at egress 0 untold, 0 are listed": func(
			_ *Switch, _ *egress, _ *account, g *group,
		) {
			g.plain = list{}
		},
		"owed: false, true, pending: true, true": func(s *Switch, _ *egress, _ *account, _ *group) {
			s.ports[1].urgent = 1
		},
	} {
		s, _ := busy(t)
		spoil(s, &s.Port(0).classes[0], s.account(1, 0), s.group(0, 1, 0))
		require.ErrorContains(t, s.Audit(), want)
	}
}

// An announced flow is in the list of its own ingress and class, and of no other.
func TestAuditFindsListsThatAreSwapped(t *testing.T) {
	for want, spoil := range map[string]func(s *Switch){
		"port 1 class 0: invariant 5: flow 2 is among those told": func(s *Switch) {
			s.account(1, 0).toldList, s.account(1, 3).toldList =
				s.account(1, 3).toldList, s.account(1, 0).toldList
		},
		"port 1 class 0: invariant 5: flow 3 is among those told": func(s *Switch) {
			s.account(1, 0).toldList, s.account(2, 0).toldList =
				s.account(2, 0).toldList, s.account(1, 0).toldList
		},
		"1 flows are announced and nothing is paused": func(s *Switch) {
			s.account(1, 0).active = false
		},
	} {
		m := meet(t, nil)
		m.enqueue(1, 0, 1, 2500)
		m.enqueue(2, 3, 1, 2500)
		m.enqueue(3, 0, 2, 2500)
		m.polled(1)
		m.polled(2)
		spoil(m.s)
		require.ErrorContains(t, m.s.Audit(), want)
	}
}
