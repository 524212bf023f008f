package schedule

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

// TestHeldTimesAreAsComputedByHand: the message of rank 0 is under way from 5 to 13 us and leaves
// its host until 9 us. Rank 1 waits for it all the time; its packets wait for one root from 6 to 8
// and from 10 to 12 us, for a port from 7 to 9 us.
func TestHeldTimesAreAsComputedByHand(t *testing.T) {
	b := NewBuilder(2)
	send := b.Send(0, 1, 1000, 0)
	b.Requires(0, send, b.Calc(0, 5*microsecond, 0))
	b.Requires(1, b.Calc(1, microsecond, 0), b.Recv(1, 0, 1000, 0))
	s, err := b.Build()
	require.NoError(t, err)
	job := &Job{Name: "j", Schedule: s, Hosts: []sluice.SwitchID{0, 1}}
	r, _ := carryOut(job, wire{
		func(int32) sluice.Time { return 4 * microsecond },
		func(int32) sluice.Time { return 8 * microsecond },
	})
	root := Cause{At: sluice.Hop{Switch: 9, Port: 1}, Root: true}
	port := Cause{At: sluice.Hop{Switch: 8, Port: 2}}
	r.Hold(0, 5*microsecond, 13*microsecond, 14*microsecond, []Hold{
		{6 * microsecond, 8 * microsecond, root}, {7 * microsecond, 9 * microsecond, port},
		{10 * microsecond, 12 * microsecond, root},
	})
	mean, last, ok := r.Total()
	require.True(t, ok)
	// Rank 0 is exposed from 5 to 9 us, and held from 6 on; rank 1 is held from 6 to 9 and from 10
	// to 12.
	require.Equal(t, Times{
		Computation: microsecond, Exposed: 8 * microsecond, Held: 5 * microsecond,
		Idle: 5 * microsecond,
	}, last)
	require.Equal(t, 4*microsecond, mean.Held)
	require.Equal(t, []HeldFor{{root, 3 * microsecond}, {port, 2 * microsecond}}, r.Causes())
	span := func(from, to sluice.Time, state State) Span {
		return Span{From: from * microsecond, To: to * microsecond, State: state}
	}
	held := func(from, to sluice.Time, cause Cause) Span {
		return Span{from * microsecond, to * microsecond, Held, cause}
	}
	require.Equal(t, [][]Span{
		{span(0, 5, Computing), span(5, 6, Exposed), held(6, 8, root), held(8, 9, port)},
		{span(5, 6, Exposed), held(6, 8, root), held(8, 9, port), span(9, 10, Exposed),
			held(10, 12, root), span(12, 13, Exposed), span(13, 14, Computing)},
	}, r.Timeline())
}

// A rank that has not done all when the run ends was exposed by what it waited for.
func TestARunThatEndsEarlyHasATimeline(t *testing.T) {
	b := NewBuilder(2)
	b.Send(0, 1, 1000, 0)
	b.Recv(1, 0, 1000, 0)
	s, err := b.Build()
	require.NoError(t, err)
	r := NewRanks(&Job{Name: "j", Schedule: s, Hosts: []sluice.SwitchID{0, 1}})
	var e Effects
	for rank := range int32(2) {
		r.Begin(&e, microsecond, rank)
	}
	r.Stop(9*microsecond, func(visit func(int, sluice.Time)) { visit(0, microsecond) })
	cause := Cause{At: sluice.Hop{Switch: 3}}
	r.Hold(0, microsecond, sluice.Never, 9*microsecond,
		[]Hold{{4 * microsecond, 9 * microsecond, cause}})
	line := []Span{
		{From: microsecond, To: 4 * microsecond, State: Exposed},
		{4 * microsecond, 9 * microsecond, Held, cause},
	}
	require.Equal(t, [][]Span{line, line}, r.Timeline())
	require.Nil(t, r.Causes())
	_, _, ok := r.Total()
	require.False(t, ok)
}

// heldMessage is a message with the times in which it is held, in the model.
type heldMessage struct {
	send  *modelOperation
	at    sluice.Time // it arrives
	holds []Hold
}

// modelHeld is the slow and obvious form of Times.Held, of a cause or of any: it asks of each piece
// of the time of a rank what is under way, as modelTimes does.
func modelHeld(
	rank int, of []*modelOperation, messages []heldMessage, end sluice.Time, cause *Cause,
) (sum sluice.Time) {
	var others []sluice.Time
	for _, m := range messages {
		others = append(others, m.send.began, m.at)
		for _, h := range m.holds {
			others = append(others, h.From, h.To)
		}
	}
	for from, to := range instants(of, end, others) {
		if slices.ContainsFunc(of, func(o *modelOperation) bool {
			return o.Kind == Calc && o.began <= from && o.end >= to
		}) {
			continue
		}
		next := sluice.Never
		for _, m := range messages {
			if int(m.send.Peer) == rank && m.at >= to && m.at <= end {
				next = min(next, m.at)
			}
		}
		held := false
		for _, m := range messages {
			leaves := m.send.rank == rank && m.send.began <= from && m.send.end >= to
			arrives := int(m.send.Peer) == rank && m.at == next && m.send.began <= from
			for _, h := range m.holds {
				held = held || (leaves || arrives) && h.From <= from && h.To >= to &&
					(cause == nil || h.For == *cause)
			}
		}
		if held {
			sum += to - from
		}
	}
	return sum
}

// TestHeldTimesAreTheModels: random schedules, whose messages are held at random.
func TestHeldTimesAreTheModels(t *testing.T) {
	causes := []Cause{{At: sluice.Hop{Switch: 1}}, {At: sluice.Hop{Switch: 1}, Root: true}}
	rapid.Check(t, func(t *rapid.T) {
		r, ranks, sends, delay := modelRun(t)
		var messages []heldMessage
		for flow, o := range sends {
			if o.began == sluice.Never {
				continue
			}
			m := heldMessage{send: o, at: o.began + delay(o)}
			for range rapid.IntRange(0, 3).Draw(t, "holds") {
				whole := int(delay(o) / sluice.Nanosecond) // from when it was sent until it arrives
				from := o.began + sluice.Time(rapid.IntRange(0, whole-1).Draw(t, "from"))*sluice.Nanosecond
				length := sluice.Time(rapid.IntRange(1, whole).Draw(t, "for")) * sluice.Nanosecond
				m.holds = append(m.holds, Hold{
					from, from + length,
					rapid.SampledFrom(causes).Draw(t, "cause"),
				})
			}
			messages = append(messages, m)
			r.Hold(flow, o.began, m.at, sluice.Never, slices.Clone(m.holds))
		}
		for rank, list := range ranks {
			end := r.Ends(0)[rank]
			if end == sluice.Never {
				continue
			}
			held := r.heldSpans(rank)
			require.Equal(t, modelHeld(rank, list, messages, end, nil), within(held, 0, end),
				"rank %d", rank)
			for i := range causes {
				want := modelHeld(rank, list, messages, end, &causes[i])
				got := sluice.Time(0)
				for _, h := range causesOfRank(r, rank, end) {
					if h.Cause == causes[i] {
						got = h.Time
					}
				}
				require.Equal(t, want, got, "rank %d, %v", rank, causes[i])
			}
			checkTimeline(t, r.Timeline()[rank], r.sums[rank], within(held, 0, end), end)
			for _, s := range r.Timeline()[rank] {
				require.True(t, s.State != Held || slices.ContainsFunc(r.past.holds[rank], func(h Hold) bool {
					return h.For == s.For && h.From <= s.From && s.From < h.To
				}), "rank %d is not held for %v", rank, s)
			}
		}
	})
}

func causesOfRank(r *Ranks, rank int, end sluice.Time) []HeldFor {
	if r.past.holds == nil {
		return nil
	}
	return CausesOf(r.past.holds[rank], 0, end)
}

// checkTimeline requires that the spans of a rank do not overlap, and sum up to its Times.
func checkTimeline(t *rapid.T, line []Span, times Times, held, end sluice.Time) {
	var sums [3]sluice.Time
	at := sluice.Time(0)
	for _, s := range line {
		require.LessOrEqual(t, at, s.From)
		require.Less(t, s.From, s.To)
		at = s.To
		sums[s.State] += max(0, min(s.To, end)-s.From)
	}
	require.Equal(t, [3]sluice.Time{times.Computation, times.Exposed - held, held}, sums)
}
