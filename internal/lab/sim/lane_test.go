package sim

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/stretchr/testify/require"
)

// An event joins a lane if it comes before at most laneSteps of its events; else it goes to the
// wheel.
func TestLaneTakesWhatIsNearItsEnd(t *testing.T) {
	const events = 3 * laneAtFirst
	for steps := range laneSteps + 2 {
		a := newAgenda(sluice.Microsecond, events)
		for i := range events {
			a.planArrival(sluice.Time(10*i), 1, handle(i), largeLane)
		}
		late := sluice.Time(10*(events-steps) - 5)
		a.planArrival(late, 1, events, largeLane)
		if steps <= laneSteps {
			require.Equal(t, events+1, a.lanes.events(), steps)
		} else {
			require.Equal(t, events, a.lanes.events(), steps)
			require.Equal(t, 1, a.wheel.events(), steps)
		}
		last := sluice.Time(-1)
		for i := range events + 1 {
			e, _, ok := a.take(sluice.Never)
			require.True(t, ok)
			require.Greater(t, e.at, last)
			require.Equal(t, i == events-steps, e.packet() == events)
			last = e.at
		}
	}
}

// Of a lane, and of the tick of events that are in none, two of the next ones are known.
func TestComing(t *testing.T) {
	const events = 7
	for _, lane := range []uint8{largeLane, noLane} {
		a := newAgenda(sluice.Second, 1)
		for i := range events {
			a.planArrival(sluice.Time(10*i), 1, handle(i+1), lane)
		}
		for taken := 1; taken <= events; taken++ {
			_, from, ok := a.take(sluice.Never)
			require.True(t, ok)
			coming := a.wheel.coming
			if from != maxLanes {
				coming = a.lanes.lanes[from].coming
			}
			near, far := coming()
			if taken+farAhead >= events {
				require.Nil(t, near, "after %d", taken)
				require.Nil(t, far, "after %d", taken)
				continue
			}
			require.Equal(t, handle(taken+nearAhead+1), near.packet(), "after %d", taken)
			require.Equal(t, handle(taken+farAhead+1), far.packet(), "after %d", taken)
		}
	}
}

// The first two kinds of links have two lanes each: for packets up to half of a full one, and for
// others. A third kind has none.
func TestLanesOfLinks(t *testing.T) {
	slow, fast := 10*sluice.Gbps, 40*sluice.Gbps
	links := []sluice.Link{{Rate: slow, Delay: 1}, {Rate: fast, Delay: 1}, {Rate: slow, Delay: 2}}
	links = append(links, links[0])
	g := &topo.Graph{Nodes: make([]topo.Node, 1+len(links))}
	for i, link := range links {
		g.Connect(0, sluice.SwitchID(1+i), link)
	}
	s := part{Simulator: &Simulator{config: Config{Topology: g, Payload: 1000, Header: 48}}}
	for i, link := range links {
		p := newPort(link)
		p.id = sluice.PortID(i)
		s.ports = append(s.ports, p)
	}
	s.Simulator.ports = s.ports
	s.assignLanes()
	for i, lanes := range []uint8{0, lanesOfLink, noLane, 0} {
		p := &s.ports[i]
		require.Equal(t, lanes, p.lane, i)
		require.Equal(t, lanes+smallLane, s.laneOf(p, 524), i)
		require.Equal(t, lanes+largeLane, s.laneOf(p, 525), i)
	}
}
