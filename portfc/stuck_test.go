package portfc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/prng"
)

// The four loop flows, each round half of the ring, and four two-hop flows, all the same way round:
// 00, 01, 11, 10 (Figure 19's topology).
func ringFlows(loop, direct int) (flows []flowOf) {
	for _, f := range []flowOf{
		{0, 3, []int{0, 1}, loop}, {1, 2, []int{1, 0}, loop},
		{3, 0, []int{0, 1}, loop}, {2, 1, []int{1, 0}, loop},
		{0, 1, []int{0}, direct}, {1, 3, []int{1}, direct},
		{3, 2, []int{0}, direct}, {2, 0, []int{1}, direct},
	} {
		if f.packets > 0 {
			flows = append(flows, f)
		}
	}
	return flows
}

// crossing is flows both ways through node 1, and its own to both sides.
func crossing() []flowOf {
	return []flowOf{
		{0, 3, []int{0, 1}, 3}, {3, 0, []int{1, 0}, 3}, {1, 3, []int{1}, 3}, {1, 0, []int{0}, 3},
	}
}

// equal is the rule that when frames are at rest Equations 1 and 2 hold, both ways: what they say
// is held, and nothing else.
func equal(s *search, g *global) string {
	want := map[spot]bool{}
	for held, full := range equations(s.network) {
		for at := range full {
			l := &s.locals[g.device[at.Switch]]
			class := uint8(1)
			if at.queue == s.network.DDQ() {
				class = 0
			}
			want[held] = want[held] || l.over[at.Port]>>class&1 != 0
		}
	}
	for device, number := range g.device {
		for port, queues := range s.locals[number].holds {
			for q, held := range queues {
				at := spot{
					sluice.Hop{Switch: sluice.SwitchID(device), Port: sluice.PortID(port)}, sluice.QueueID(q),
				}
				if held != want[at] {
					return fmt.Sprintf("%v: held %t, by Equations 1 and 2 %t", at, held, want[at])
				}
			}
		}
	}
	return ""
}

// NDC(2,1), X_off one packet: no deadlock (section V-F). All interleavings of transmissions, where
// packets and frames take no time on their wires, end with all packets delivered in order and no
// pause; and so do interleavings of fewer flows where frames take any time. With
// SLUICE_DEPTH=exhaustive of more flows, in some minutes and 2 GB.
func TestNoStuckState(t *testing.T) {
	type row struct {
		loop, direct, flows int
		delayed             bool
	}
	rows := []row{{1, 0, 4, false}, {0, 1, 4, true}}
	if depth.Now() >= depth.Thorough {
		rows = append(
			rows, row{2, 0, 2, true}, row{2, 0, 4, false}, row{1, 1, 8, false}, row{1, 0, 3, true},
		)
	}
	if depth.Now() == depth.Exhaustive {
		rows = append(rows, row{2, 1, 8, false}, row{1, 0, 4, true}, row{1, 1, 5, true})
	}
	for _, r := range rows {
		s := newSearch(t, onePacket, ringFlows(r.loop, r.direct)[:r.flows]...)
		s.atOnce, s.settles = true, !r.delayed
		v := s.run(20_000_000, equal)
		require.Empty(t, v.wrong, "%+v\n%s\n%s", r, strings.Join(v.trace, "\n"), v.dump)
		t.Logf("%d loop flows of %d packets, %d flows in all, frames take time %t: %d states",
			min(4, r.flows), r.loop, r.flows, r.delayed, v.states)
	}
}

// Random ways through the states of all eight flows of two packets, where packets and frames take
// any time.
func TestNoStuckWalk(t *testing.T) {
	walks := depth.Choose(30, 30, 300)
	for _, flows := range [][]flowOf{ringFlows(2, 2), crossing()} {
		s := newSearch(t, onePacket, flows...)
		random := prng.New(1)
		for range walks {
			v := s.walk(&random, equal)
			require.Empty(t, v.wrong, "%s\n%s", strings.Join(v.trace, "\n"), v.dump)
		}
	}
}

// The same search finds the deadlock of PFC, and what is wrong with mutants of PortFC: one flag for
// both detectors of a port, as Algorithms 1 and 2 have it if read literally; no relay of DDQ state;
// a relayed Resume that is lost to another layer's pause.
func TestSearchFindsFaults(t *testing.T) {
	t.Run("pfc", func(t *testing.T) {
		s := newSearch(t, plainPFC, ringFlows(2, 0)...)
		s.atOnce, s.settles = true, true
		v := s.run(100_000, nil)
		require.Contains(t, v.wrong, "stuck")
		t.Logf("%d states: %s\n%s", v.states, v.wrong, strings.Join(v.trace, "\n"))
		delayed := newSearch(t, plainPFC, ringFlows(2, 2)...)
		random, stuck := prng.New(1), 0
		for range 50 {
			if delayed.walk(&random, nil).wrong != "" {
				stuck++
			}
		}
		require.Positive(t, stuck)
	})
	for name, kind := range map[string]kindOfMachine{
		"one flag": oneFlag, "no relay": noRelay, "lost resume": lostResume,
	} {
		t.Run(name, func(t *testing.T) {
			ways := []*search{
				newSearch(t, kind, crossing()...), newSearch(t, kind, ringFlows(2, 2)...),
			}
			random := prng.New(1)
			for i := range 600 {
				s := ways[i%2]
				if v := s.walk(&random, equal); v.wrong != "" {
					t.Logf("%s\n%s", v.wrong, strings.Join(v.trace, "\n"))
					return
				}
			}
			t.Fatal("nothing found")
		})
	}
}
