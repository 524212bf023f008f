package ofc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// listener is a port that hears lists of class 3.
type listener struct {
	*testing.T
	s        *Switch
	sequence uint32
}

func listen(t *testing.T, flows int) *listener {
	return &listener{T: t, s: mustNew(t, Config{Ports: []PortConfig{edgePort}, Flows: flows})}
}

// hear hands a frame about flows to the port.
func (l *listener) hear(f Frame, flows ...uint64) {
	l.sequence++
	f.Class, f.Sequence = 3, l.sequence
	for _, flow := range flows {
		f.add(flow)
	}
	l.s.Port(0).Receive(0, &f)
	require.NoError(l, l.s.Audit())
}

// part hands a part of a refresh to the port.
func (l *listener) part(generation uint32, part, parts uint16, flows ...uint64) {
	l.hear(Frame{Type: Refresh, Generation: generation, Part: part, Parts: parts}, flows...)
}

// paused returns which of the flows 0 to 4 are in congested_flow_tab.
func (l *listener) paused() (flows []uint64) {
	for flow := range uint64(5) {
		if l.s.Port(0).FlowPaused(3, flow) {
			flows = append(flows, flow)
		}
	}
	return flows
}

// A refresh is the list of all that the device downstream pauses (deviation: lost frames): a flow
// of it whose PAUSE was lost is paused, and a flow whose RESUME was lost, so that the list does not
// name it, is resumed.
func TestRefreshIsTheWholeList(t *testing.T) {
	l := listen(t, 8)
	l.hear(Frame{Type: Pause}, 1, 2)
	l.part(1, 0, 1, 2, 3)
	require.Equal(t, []uint64{2, 3}, l.paused())
	c := l.s.Counters()
	require.Equal(t, []uint64{3, 1, 2}, []uint64{c.FlowsPaused, c.FlowsResumed, c.Repairs})
	l.part(2, 0, 1)
	require.Empty(t, l.paused())
	require.EqualValues(t, 4, l.s.Counters().Repairs)
	require.NoError(t, l.s.Quiescent())
}

// A list has several parts, and ends with the last: a flow is resumed if none of them names it. If
// a part is missing, or is of another list, nothing is known of the flows that the others do not
// name.
func TestRefreshInParts(t *testing.T) {
	type part struct {
		generation uint32
		part       uint16
		flows      []uint64
	}
	for name, test := range map[string]struct {
		parts []part
		want  []uint64
	}{
		"all three": {
			[]part{{1, 0, []uint64{1}}, {1, 1, nil}, {1, 2, []uint64{4}}}, []uint64{1, 4},
		},
		"two of three": {
			[]part{{1, 0, []uint64{1}}, {1, 1, []uint64{4}}}, []uint64{1, 2, 3, 4},
		},
		"without the first":  {[]part{{1, 1, []uint64{4}}, {1, 2, nil}}, []uint64{1, 2, 3, 4}},
		"without the second": {[]part{{1, 0, nil}, {1, 2, []uint64{4}}}, []uint64{1, 2, 3, 4}},
		"the second twice": {
			[]part{{1, 0, nil}, {1, 1, nil}, {1, 1, nil}, {1, 2, nil}}, []uint64{1, 2, 3},
		},
		"of two lists": {[]part{{1, 0, nil}, {2, 1, nil}, {2, 2, nil}}, []uint64{1, 2, 3}},
		"after one that was cut short": {
			[]part{{1, 0, []uint64{1, 2, 3}}, {2, 0, []uint64{3}}, {2, 1, nil}, {2, 2, nil}}, []uint64{3},
		},
		"of a list that was not complete": {
			[]part{{1, 0, nil}, {1, 2, nil}, {1, 1, nil}, {1, 2, nil}}, []uint64{1, 2, 3},
		},
	} {
		l := listen(t, 8)
		l.hear(Frame{Type: Pause}, 1, 2, 3)
		for _, p := range test.parts {
			l.part(p.generation, p.part, 3, p.flows...)
		}
		require.Equal(t, test.want, l.paused(), name)
	}
}

// A refresh says, too, whether the class is held, and whether there is room for all flows now: as
// long as there is not, the class waits.
func TestRefreshOfAClass(t *testing.T) {
	l := listen(t, 8)
	l.hear(Frame{Type: Refresh, Parts: 1, All: true})
	require.Equal(t, AllPaused, l.s.Port(0).State(3))
	l.part(1, 0, 1)
	require.Equal(t, AllResumed, l.s.Port(0).State(3))

	l = listen(t, 1)
	l.part(1, 0, 1, 1, 2)
	require.Equal(t, []uint64{1}, l.paused())
	require.Equal(t, AllPaused, l.s.Port(0).State(3))
	require.EqualValues(t, 1, l.s.Counters().Spills)
	l.part(2, 0, 1, 1)
	require.Equal(t, PartialPaused, l.s.Port(0).State(3))
	l.part(3, 0, 1)
	require.NoError(t, l.s.Quiescent())
}

// While anything is paused upstream the whole list is sent every Refresh, in frames of
// MaxFlowsPerFrame flows; after the last resume IdleRefreshes times more, then ever more rarely.
func TestRefreshesOfAPort(t *testing.T) {
	const us = sluice.Microsecond
	s := mustNew(t, Config{
		Ports: []PortConfig{edgePort, edgePort}, MaxFlowsPerFrame: 2, Refresh: 10 * us, IdleRefreshes: 2,
	})
	out, in := s.Port(0), s.Port(1)
	now := sluice.Time(0)
	frames := func() (all []string) {
		for f := (Frame{}); in.PollFrame(now, &f); {
			all = append(all, f.String())
		}
		return all
	}
	due := func() {
		now = s.Deadline()
		s.Expire(now)
		require.NoError(t, s.Audit())
	}
	var packets []*sluice.Packet
	enqueue := func(flow uint64) {
		p := &sluice.Packet{Flow: flow, Size: 900, Ingress: 1}
		require.Equal(t, sluice.Append, out.Enqueue(now, p).Action())
		packets = append(packets, p)
	}
	for flow := range uint64(3) {
		enqueue(flow)
	}
	require.Equal(t, []string{"pause class 0 [0 1]", "pause class 0 [2]"}, frames())
	for i := range sluice.Time(2) {
		due()
		require.Equal(t, (i+1)*10*us, now)
		require.Len(t, frames(), 2)
	}
	for range 2 { // X_OFF
		enqueue(3)
	}
	require.Equal(t, []string{"pause class 0 all", "pause class 0 [3]"}, frames())
	due()
	require.Equal(t, []string{
		"refresh 3 class 0 part 1 of 2 all [0 1]", "refresh 3 class 0 part 2 of 2 all [2 3]",
	}, frames())
	for _, p := range packets {
		out.Dequeue(now, 0, p)
	}
	require.Equal(t, []string{
		"resume class 0 all", "resume class 0 [0 1]", "resume class 0 [2 3] last",
	}, frames())
	c := in.Counters()
	require.Equal(t, []uint64{1, 1, 3, 2, 6, 18}, []uint64{
		c.AllPausesSent, c.AllResumesSent, c.PausesSent, c.ResumesSent, c.RefreshesSent, c.FlowsSent,
	})
	require.NoError(t, s.Quiescent())
	var at []sluice.Time
	for range 6 {
		due()
		require.Len(t, frames(), 1, "an empty list")
		at = append(at, now/us)
	}
	require.Equal(t, []sluice.Time{40, 50, 60, 80, 120, 200}, at)

	in.LinkDown(now)
	require.Equal(t, sluice.Never, s.Deadline())
	in.LinkUp(now)
	require.Equal(t, sluice.Never, s.Deadline(), "there is nothing to repeat")
}

// A nonexistent class has no flow, no byte and no state.
func TestClassesThatDoNotExist(t *testing.T) {
	p := mustNew(t, Config{Ports: []PortConfig{edgePort, edgePort}}).Port(0)
	p.Enqueue(0, &sluice.Packet{Flow: 1, Size: 100, Ingress: 1})
	for _, class := range []sluice.Class{sluice.Classes, 200} {
		require.Zero(t, p.IngressBytes(class))
		require.False(t, p.FlowPaused(class, 1))
		require.Equal(t, AllResumed, p.State(class))
		require.False(t, p.Sendable(sluice.QueueID(class)*QueuesPerClass))
	}
}

// A refresh follows what pauses a class, too, though no flow is named: its list is empty, and a
// list has one part at least.
func TestRefreshOfAPausedClass(t *testing.T) {
	m := meet(t, func(c *Config) { c.Refresh = sluice.Microsecond })
	m.enqueue(1, 0, 1, 2000)
	p := &sluice.Packet{Flow: 2, Size: 2000, Ingress: 1}
	require.Equal(t, sluice.WakePort(1)|sluice.WakeDeadline, m.s.Port(0).Enqueue(0, p).Wake())
	require.Equal(t, sluice.Microsecond, m.s.Deadline())
	require.Equal(t, []string{"pause class 0 all"}, m.polled(1))
	m.s.Expire(sluice.Microsecond)
	require.Equal(t, []string{"refresh 1 class 0 part 1 of 1 all []"}, m.polled(1))
}

// While anything is paused, or a frame is to resume it, refreshes come every Config.Refresh: of
// whichever class it is, and though the others are at rest.
func TestRefreshesOfABusyPort(t *testing.T) {
	for name, act := range map[string]func(m *meeting){
		"active": func(m *meeting) { m.enqueue(1, 0, 1, 2500) },
		"below a class at rest": func(m *meeting) {
			m.enqueue(1, 0, 1, 2500)
			m.dequeue(normal, sluice.Transmit, m.enqueue(1, 3, 1, 2500))
		},
		"flows to resume": func(m *meeting) {
			p := m.enqueue(1, 0, 1, 2500)
			m.polled(1)
			m.dequeue(normal, sluice.Transmit, p)
		},
		"a class to resume": func(m *meeting) {
			p := m.enqueue(1, 0, 1, 4000)
			m.polled(1)
			m.dequeue(normal, sluice.Transmit, p)
		},
	} {
		m := meet(t, func(c *Config) { c.Refresh, c.IdleRefreshes = sluice.Microsecond, 1 })
		act(m)
		for i := range sluice.Time(6) {
			require.Equal(t, (i+1)*sluice.Microsecond, m.s.Deadline(), name)
			m.s.Expire(m.s.Deadline())
		}
	}
}

// A refresh goes through all classes, the highest first.
func TestRefreshOfTwoClasses(t *testing.T) {
	m := meet(t, func(c *Config) { c.Refresh = sluice.Microsecond })
	m.enqueue(1, 0, 1, 2500)
	m.enqueue(2, 3, 1, 2500)
	m.polled(1)
	m.s.Expire(sluice.Microsecond)
	require.Equal(t, []string{
		"refresh 1 class 3 part 1 of 1 [2]", "refresh 1 class 0 part 1 of 1 [1]",
	}, m.polled(1))
}

// The marks of a list that is under way leave with the flows that a frame resumes, and at its end.
// A list that names what is paused changes nothing and begins no rotation.
func TestMarksOfAList(t *testing.T) {
	l := listen(t, 8)
	p := sluice.Packet{Flow: 1, Class: 3, Size: 100}
	l.s.Port(0).Enqueue(0, &p)
	marks := &l.s.ports[0].state.gather[3].named
	l.part(1, 0, 2, 1, 2)
	require.EqualValues(t, 2, *marks)
	l.hear(Frame{Type: Resume}, 1)
	require.EqualValues(t, 1, *marks)
	l.hear(Frame{Type: Pause}, 1)
	require.Equal(t, sluice.Append, l.s.Port(0).Dequeue(0, 9, &p).Action())
	for range 2 {
		l.part(2, 0, 1, 1, 2)
		require.Zero(t, *marks)
	}
	require.Equal(t, []uint64{1, 2}, l.paused())
	require.Zero(t, l.s.Counters().Rotations)
	l.part(2, 1, 2, 1)
	require.Equal(t, []uint64{1, 2}, l.paused(), "of another list of that generation")
	l.part(3, 0, 1)
	require.Equal(t, PartialResumed, l.s.Port(0).State(3))
}

// A port holds a class as soon as a part names a flow that there is no room for.
func TestSpillInTheFirstPart(t *testing.T) {
	l := listen(t, 1)
	l.part(1, 0, 2, 1, 2)
	require.Equal(t, AllPaused, l.s.Port(0).State(3))
	l.part(1, 1, 2)
	require.Equal(t, AllPaused, l.s.Port(0).State(3), "the list as a whole has no room")
}

// The list of a port says nothing of the flows of the port beside it.
func TestListsOfTwoPorts(t *testing.T) {
	s := mustNew(t, Config{Ports: []PortConfig{edgePort, edgePort}, Flows: 1})
	hear := func(port sluice.PortID, sequence uint32, part uint16, flows ...uint64) {
		f := Frame{Type: Refresh, Sequence: sequence, Part: part, Parts: 2}
		for _, flow := range flows {
			f.add(flow)
		}
		s.Port(port).Receive(0, &f)
		require.NoError(t, s.Audit())
	}
	hear(0, 1, 0, 7)
	hear(1, 1, 0, 7)
	hear(1, 2, 0)
	hear(0, 2, 1)
	require.True(t, s.Port(0).FlowPaused(0, 7), "its own list named it")
	hear(1, 3, 1)
	require.True(t, s.Port(0).FlowPaused(0, 7))
	require.False(t, s.Port(1).FlowPaused(0, 7))
}
