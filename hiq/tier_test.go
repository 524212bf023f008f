package hiq

import (
	"slices"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
)

// tier is a single tier with packets in its queues, all of 100 bytes, each with a name.
type tier struct {
	t      *testing.T
	p      *Port
	names  [][]string
	places [][]Place
}

func newTier(t *testing.T, c Config) *tier {
	c.Rate, c.Roots, c.SingleTier = 8*sluice.Gbps, 16, true
	p := mustNew(t, c)
	return &tier{t, p, make([][]string, p.Queues()), make([][]Place, p.Queues())}
}

// put adds a packet that waits for a set of roots, and returns its queue.
func (s *tier) put(name string, roots ...uint16) sluice.QueueID {
	q, place := Output, Place(0)
	if len(roots) == 0 {
		s.p.PutOutput(100)
	} else {
		q, place = s.p.PutSet(roots, 100)
	}
	s.names[q], s.places[q] = append(s.names[q], name), append(s.places[q], place)
	require.NoError(s.t, s.p.Audit())
	return q
}

// send sends n packets, or all that may go if n is negative, and returns their names.
func (s *tier) send(n int) (sent []string) {
	for ; n != 0; n-- {
		q, ok := s.p.Next(0)
		if !ok {
			break
		}
		name, place := s.names[q][0], s.places[q][0]
		s.names[q], s.places[q] = s.names[q][1:], s.places[q][1:]
		require.True(s.t, q == Output && s.p.TakeOutput(100) || q != Output && s.p.TakeSet(q, place, 100))
		require.NoError(s.t, s.p.Audit())
		sent = append(sent, name)
	}
	return sent
}

func (s *tier) pause(roots ...int) {
	for _, root := range roots {
		require.True(s.t, s.p.Pause(root, uint64(root), 1))
	}
}

func (s *tier) resume(roots ...int) {
	for _, root := range roots {
		require.True(s.t, s.p.Resume(root))
	}
}

// A packet visits one queue of a port (section VI-C, Lemma 1): an IQ sends to the wire itself, in
// turns with the others and with the OQ, which is the queue of the empty set.
func TestSingleTierTakesTurnsWithTheOQ(t *testing.T) {
	s := newTier(t, Config{IQs: 8})
	s.pause(1, 2)
	for range 3 {
		s.put("-")
		s.put("a", 1)
		s.put("ab", 1, 2)
	}
	require.Equal(t, []string{"-", "-", "-"}, s.send(-1))
	s.resume(1, 2)
	s.put("-")
	require.ElementsMatch(t, []string{"-", "a", "ab"}, s.send(3))
	s.put("-")
	require.ElementsMatch(t, []string{"-", "a", "ab"}, s.send(3))
	require.Equal(t, 2, s.p.InUse())
	require.ElementsMatch(t, []string{"a", "ab"}, s.send(-1))
	require.Zero(t, s.p.InUse(), "an IQ is free as soon as it is empty")
}

// What the OQ sends alone costs it no turn when an IQ is there again.
func TestSendingAloneIsFree(t *testing.T) {
	s := newTier(t, Config{IQs: 8})
	require.True(t, s.p.Adopt(1, 1, 1))
	for range 20 {
		s.put("-")
	}
	s.send(10)
	for range 10 {
		s.put("a", 1)
	}
	require.ElementsMatch(t, []string{"-", "-", "a", "a"}, s.send(4))
}

// Every IQ of a single tier can hold a set and wait for the OQ, however many there are; the last is
// for sets beyond.
func TestEverySetHasAnIQ(t *testing.T) {
	for _, iqs := range []int{2, 64, 65, 128} {
		p := mustNew(t, Config{Rate: 8 * sluice.Gbps, SingleTier: true, IQs: iqs, Roots: iqs})
		p.PutOutput(100)
		for root := range iqs {
			require.True(t, p.Adopt(root, 0, 1))
		}
		for root := range iqs {
			q, _ := p.PutSet([]uint16{uint16(root)}, 100)
			require.EqualValues(t, root+1, q)
			require.False(t, p.Sendable(q), "packets of its flows may be in the OQ")
		}
		require.EqualValues(t, 1, p.Counters().Shared)
		require.True(t, p.TakeOutput(100))
		for q := 1; q <= iqs; q++ {
			require.True(t, p.Sendable(sluice.QueueID(q)))
		}
		require.NoError(t, p.Audit())
	}
}

// A flow on whose way a root appears has packets in the OQ, and the next go to the root's IQ: the
// IQ waits until the former have left, and not for packets that came after the root.
func TestNewSetWaitsBehindTheOQ(t *testing.T) {
	s := newTier(t, Config{IQs: 8})
	s.put("f1")
	s.put("f2")
	require.True(t, s.p.Adopt(1, 1, 1))
	q := s.put("f3", 1)
	s.put("g1")
	s.put("g2")
	require.False(t, s.p.Sendable(q))
	require.Equal(t, []string{"f1"}, s.send(1))
	require.False(t, s.p.Opened())
	require.Equal(t, []string{"f2"}, s.send(1))
	require.True(t, s.p.Opened())
	require.False(t, s.p.Opened(), "asked again")
	require.True(t, s.p.Sendable(q))
	require.Equal(t, "f3", s.send(2)[0], "its turn comes")

	// The root is known, so what the OQ holds now is of no flow that passes it: nothing waits.
	s.put("g3")
	s.put("g4")
	q = s.put("f4", 1)
	require.True(t, s.p.Sendable(q))
}

// A set waits for what was there before the youngest root, and so a later set for more: the earlier
// ones do not wait with it.
func TestLaterSetsWaitForLaterPackets(t *testing.T) {
	s := newTier(t, Config{IQs: 8})
	s.put("f")
	s.pause(1, 2)
	one, two := s.put("a", 1), s.put("b", 2)
	s.put("g")
	s.pause(3)
	three := s.put("c", 3)
	s.resume(1, 2, 3)
	require.Equal(t, []string{"f"}, s.send(1))
	require.True(t, s.p.Sendable(one))
	require.True(t, s.p.Sendable(two))
	require.False(t, s.p.Sendable(three), "g waits")
	sent := s.send(-1)
	require.Less(t, slices.Index(sent, "g"), slices.Index(sent, "c"), "%v", sent)
}

// The same among sets: a set waits for its subsets, and for no other set.
func TestNewSetWaitsBehindItsSubsets(t *testing.T) {
	s := newTier(t, Config{IQs: 8})
	s.pause(1, 2)
	s.put("a", 1)
	s.put("b", 2)
	s.put("ab", 1, 2)
	s.pause(3)
	abc := s.put("abc", 1, 2, 3)
	c := s.put("c", 3)
	s.resume(1, 2, 3)
	require.True(t, s.p.Sendable(c), "no subset of its set waits")
	require.False(t, s.p.Sendable(abc), "a, b and ab do")
	sent := s.send(-1)
	for _, subset := range []string{"a", "b", "ab"} {
		require.Less(t, slices.Index(sent, subset), slices.Index(sent, "abc"), "%v", sent)
	}
}

// Without the rule a new set is served at once, and the packets that overtake are counted.
func TestUnordered(t *testing.T) {
	s := newTier(t, Config{IQs: 8, Unordered: true})
	for range 3 {
		s.put("f")
	}
	require.True(t, s.p.Adopt(1, 1, 1))
	q := s.put("f4", 1)
	s.put("f5", 1)
	require.True(t, s.p.Sendable(q))
	s.pause(1)
	require.True(t, s.p.Paused(q), "whatever it overtakes, its root holds it")
	s.resume(1)
	require.Equal(t, []string{"f4", "f"}, s.send(2))
	require.EqualValues(t, 1, s.p.Counters().Overtakes)
	require.Equal(t, []string{"f5", "f", "f"}, s.send(-1))
	require.EqualValues(t, 2, s.p.Counters().Overtakes)
	require.False(t, s.p.Opened())

	s.put("g")
	s.put("h", 1)
	s.send(-1)
	require.EqualValues(t, 2, s.p.Counters().Overtakes, "the root was known")
}

// Sendable knows more than pauses: an IQ that has no root may not send, nor a new set's behind the
// OQ, and neither is paused.
func TestPausedIsWhatPausesDo(t *testing.T) {
	s := newTier(t, Config{IQs: 8})
	s.put("f1")
	require.True(t, s.p.Adopt(1, 1, 1))
	q := s.put("f2", 1)
	require.False(t, s.p.Sendable(q))
	require.False(t, s.p.Paused(q), "it waits for f1")
	require.True(t, s.p.Pause(1, 1, 1))
	require.True(t, s.p.Paused(q))
	require.False(t, s.p.Paused(Output))
	require.False(t, s.p.Paused(q+1), "it has no root")
	require.False(t, s.p.Paused(99), "there is none")
	require.Equal(t, []string{"f1"}, s.send(-1))
	require.True(t, s.p.Paused(q), "f1 has left, and the root is paused")
	s.resume(1)
	require.False(t, s.p.Paused(q))

	p := mustNew(t, Config{Rate: 8 * sluice.Gbps, IQs: 8, Roots: 4})
	require.False(t, p.Sendable(1))
	require.False(t, p.Paused(1), "it has no root")
	require.True(t, p.Pause(0, 0, 1))
	require.True(t, p.Paused(p.Queue(0)))
	require.True(t, p.Resume(0))
	require.False(t, p.Paused(p.Queue(0)))
}
