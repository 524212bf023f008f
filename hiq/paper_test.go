package hiq

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
)

func mustNew(t testing.TB, c Config) *Port {
	p, err := New(c)
	require.NoError(t, err)
	return p
}

// smallPort has two levels, four IQs and eight roots, at 8 Gb/s: a byte is a nanosecond.
func smallPort(t testing.TB) *Port {
	return mustNew(t, Config{Rate: 8 * sluice.Gbps, Levels: 2, IQs: 4, Roots: 8, MTU: 1000})
}

// Figure 6 has three states of an IQ: paused, resumed and soft-merging (section IV-D). The fourth
// is unassigned.
func TestFigure6(t *testing.T) {
	const none = numStates
	figure := []struct {
		from                               State
		pause, resume, merge, adopt, freed State
	}{
		{Unassigned, Paused, none, none, Resumed, none},
		{Paused, Paused, Resumed, SoftMerging, Resumed, none},
		{Resumed, Paused, Resumed, SoftMerging, Resumed, Unassigned},
		{SoftMerging, Paused, none, SoftMerging, Resumed, Unassigned},
	}
	for _, row := range figure {
		for event, want := range map[Event]State{
			EventPause: row.pause, EventResume: row.resume, EventMerge: row.merge, EventAdopt: row.adopt,
			EventFree: row.freed,
		} {
			next, ok := row.from.After(event)
			require.Equal(t, want != none, ok, "%v in %v", event, row.from)
			if ok {
				require.Equal(t, want, next, "%v in %v", event, row.from)
			} else {
				require.Equal(t, row.from, next, "a transition refused changes nothing")
			}
		}
	}
	_, ok := numStates.After(EventPause)
	require.False(t, ok)
	_, ok = Paused.After(numEvents)
	require.False(t, ok)
}

// reach brings root 0 of a port into a state.
func reach(t *testing.T, p *Port, s State) {
	switch s {
	case Paused:
		require.True(t, p.Pause(0, 77, 1))
	case Resumed:
		require.True(t, p.Adopt(0, 77, 1))
	case SoftMerging:
		require.True(t, p.Adopt(0, 77, 1))
		require.True(t, p.Merge(0, -1))
	}
	require.Equal(t, s, p.State(0))
}

// Every transition of the figure at a port, and no other: others are refused and counted.
func TestPortFollowsFigure6(t *testing.T) {
	for from := range numStates {
		for event := range numEvents {
			p := smallPort(t)
			reach(t, p, from)
			before := p.Counters().Refused
			var ok bool
			switch event {
			case EventPause:
				ok = p.Pause(0, 77, 1)
			case EventResume:
				ok = p.Resume(0)
			case EventMerge:
				ok = p.Merge(0, -1)
			case EventAdopt:
				ok = p.Adopt(0, 77, 1)
			case EventFree:
				_, ok = p.Free(0)
			}
			want, legal := from.After(event)
			require.Equal(t, legal, ok, "%v in %v", event, from)
			require.Equal(t, want, p.State(0), "%v in %v", event, from)
			require.Equal(
				t, !legal, p.Counters().Refused == before+1, "%v in %v: refusals are counted", event, from,
			)
			require.NoError(t, p.Audit())
		}
	}
}

// A root frees its IQ only when the IQ is empty and not paused (section IV-C).
func TestOnlyEmptyIQsAreFreed(t *testing.T) {
	for _, s := range []State{Resumed, SoftMerging} {
		p := smallPort(t)
		reach(t, p, s)
		q := p.Put(0, 100)
		_, ok := p.Free(0)
		require.False(t, ok, "it is not empty")
		require.True(t, p.Take(0, q, 0, 100))
		_, ok = p.Free(0)
		require.True(t, ok)
		require.Equal(t, Unassigned, p.State(0))
		require.Zero(t, p.InUse())
	}
}

// A paused IQ keeps its packets; a resumed or soft-merging IQ moves them to the next level's IQ, or
// to the OQ (section IV-C).
func TestPausedIQsKeepTheirPackets(t *testing.T) {
	p := smallPort(t)
	reach(t, p, Paused)
	q := p.Put(0, 100)
	_, ok := p.Next(0)
	require.False(t, ok)
	require.False(t, p.Sendable(q))

	require.True(t, p.Resume(0))
	next, ok := p.Next(0)
	require.True(t, ok)
	require.Equal(t, q, next)
	require.True(t, p.Sendable(q))

	require.True(t, p.Pause(0, 77, 1))
	_, ok = p.Next(0)
	require.False(t, ok)

	require.True(t, p.Merge(0, -1))
	next, ok = p.Next(0)
	require.True(t, ok, "soft-merging lets packets go")
	require.Equal(t, q, next)
}

// The level of an IQ is the distance in hops to its root. A packet visits the IQs of its roots from
// near to far, here root P6 and then P5, and then enters the OQ. So it leaves the port after all
// its roots have resumed (section IV-C, Figure 5).
func TestFromNearToFar(t *testing.T) {
	const p6, p5 = 0, 1
	p := smallPort(t)
	require.True(t, p.Pause(p6, 6, 1))
	require.True(t, p.Pause(p5, 5, 2))
	require.Less(t, p.Order(p6), p.Order(p5))

	near := p.Put(p6, 100)
	_, ok := p.Next(0)
	require.False(t, ok)

	require.True(t, p.Resume(p6))
	q, ok := p.Next(0)
	require.True(t, ok)
	require.Equal(t, near, q)
	require.True(t, p.Take(0, q, p6, 100))
	far := p.Put(p5, 100)
	require.NotEqual(t, near, far)
	_, ok = p.Next(0)
	require.False(t, ok, "P5 has not resumed")

	require.True(t, p.Resume(p5))
	q, ok = p.Next(0)
	require.True(t, ok)
	require.Equal(t, far, q)
	require.True(t, p.Take(0, q, p5, 100))
	p.PutOutput(100)
	q, ok = p.Next(0)
	require.True(t, ok)
	require.Equal(t, Output, q)
	require.True(t, p.TakeOutput(100))
	require.NoError(t, p.Audit())
}

// If no IQ is free, a hash of the root's identity chooses one in use, and the two roots are no
// longer isolated from each other (section IV-E).
func TestExhaustion(t *testing.T) {
	p := smallPort(t)
	var queues []sluice.QueueID
	for root := range 3 {
		require.True(t, p.Pause(root, uint64(root), 1))
		queues = append(queues, p.Queue(root))
	}
	require.ElementsMatch(t, []sluice.QueueID{1, 2, 3}, queues)
	require.Zero(t, p.Counters().Shared)

	// One IQ is left, and level 2 has none: it is kept for that.
	require.True(t, p.Pause(3, 1234567, 1))
	require.Contains(t, queues, p.Queue(3), "shared with a root of its level")
	require.EqualValues(t, 1, p.Counters().Shared)
	require.True(t, p.Pause(4, 4, 2))
	require.EqualValues(t, 4, p.Queue(4))
	require.True(t, p.Pause(5, 5, 2))
	require.EqualValues(t, 4, p.Queue(5), "the only one of its level")
	require.NoError(t, p.Audit())

	// A shared IQ is held while any of its roots is paused, and freed with the last.
	q := p.Put(4, 100)
	require.True(t, p.Resume(4))
	_, ok := p.Next(0)
	require.False(t, ok, "root 5 is paused")
	require.True(t, p.Resume(5))
	next, ok := p.Next(0)
	require.True(t, ok)
	require.Equal(t, q, next)
	_, ok = p.Free(5)
	require.True(t, ok, "nothing waits for root 5")
	require.Equal(t, 4, p.InUse())
	require.True(t, p.Take(0, q, 4, 100))
	_, ok = p.Free(4)
	require.True(t, ok)
	require.Equal(t, 3, p.InUse())
	require.NoError(t, p.Audit())

	// The same root hashes to the same IQ again.
	before := p.Queue(3)
	require.True(t, p.Resume(3))
	_, ok = p.Free(3)
	require.True(t, ok)
	require.True(t, p.Pause(3, 1234567, 1))
	require.Equal(t, before, p.Queue(3))
}

// Packets of an old root's IQ may match the new root: its IQ stays until they have moved on.
func TestMergeKeepsTheNewIQ(t *testing.T) {
	const p1, p5 = 0, 1
	p := smallPort(t)
	require.True(t, p.Pause(p1, 1, 1))
	old := p.Put(p1, 100)
	require.True(t, p.Adopt(p5, 5, 2))
	require.True(t, p.Merge(p1, p5))
	require.Equal(t, SoftMerging, p.State(p1))
	require.Equal(t, p5, p.Into(p1))
	require.False(t, p.Freeable(p5))

	require.True(t, p.Take(0, old, p1, 100))
	into, ok := p.Free(p1)
	require.True(t, ok)
	require.Equal(t, p5, into)
	require.True(t, p.Freeable(p5))

	// A root that is taken into a tree again merges into nothing.
	require.True(t, p.Pause(p1, 1, 1))
	require.True(t, p.Merge(p1, p5))
	require.True(t, p.Pause(p1, 1, 1))
	require.Negative(t, p.Into(p1))
	require.True(t, p.Freeable(p5))
	require.NoError(t, p.Audit())
}
