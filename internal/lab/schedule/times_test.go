package schedule

import (
	"iter"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

const microsecond = sluice.Microsecond

// twoWorkers are two ranks that compute for 10 us, send each other a message, and compute for 4 us
// meanwhile. Rank 1 has the longer second computation.
func twoWorkers(t require.TestingT) *Schedule {
	b := NewBuilder(2)
	for rank := range 2 {
		first := b.Calc(rank, 10*microsecond, 0)
		second := b.Calc(rank, sluice.Time(4+4*rank)*microsecond, 1)
		send := b.Send(rank, 1-rank, 1000, 0)
		got := b.Recv(rank, 1-rank, 1000, 0)
		update := b.Calc(rank, sluice.Microsecond, 0)
		b.Requires(rank, second, first)
		b.Requires(rank, send, first)
		b.Requires(rank, update, got)
		b.Requires(rank, update, second)
	}
	s, err := b.Build()
	require.NoError(t, err)
	return s
}

// TestTimesAreAsComputedByHand: messages leave in 3 us and arrive after 6 us.
func TestTimesAreAsComputedByHand(t *testing.T) {
	job := &Job{Name: "j", Schedule: twoWorkers(t), Hosts: []sluice.SwitchID{0, 1}}
	after := func(d sluice.Time) func(int32) sluice.Time {
		return func(int32) sluice.Time { return d * microsecond }
	}
	r, _ := carryOut(job, wire{after(3), after(6)})
	require.Equal(t, []sluice.Time{17 * microsecond, 19 * microsecond}, r.Ends(0))
	// Rank 0: its message leaves from 10 to 13, and rank 1's is under way from 10 to 16, of which it
	// computes until 14. Rank 1 computes until 18, and the message is there at 16.
	mean, last, ok := r.Iteration(0)
	require.True(t, ok)
	require.Equal(t, Times{Computation: 19 * microsecond, Overlap: 6 * microsecond}, last)
	require.Equal(t, Times{
		Computation: 17 * microsecond, Overlap: 5 * microsecond, Exposed: 1 * microsecond,
	}, mean)
	// The end hung on rank 1's computations alone.
	var numbers []int
	steps, err := r.Critical(func(int) sluice.Time { return sluice.Never })
	require.NoError(t, err)
	for _, step := range steps {
		require.Equal(t, 1, step.Rank)
		numbers = append(numbers, step.Number)
	}
	require.Equal(t, []int{1, 2, 5}, numbers)
}

// A rank that waits for a message before it is sent is idle: its communication is not at fault.
// From then on the wait is exposed.
func TestAWaitForWhatIsNotSentIsIdle(t *testing.T) {
	b := NewBuilder(2)
	work := b.Calc(0, 5*microsecond, 0)
	send := b.Send(0, 1, 1000, 0)
	b.Requires(0, send, work)
	got := b.Recv(1, 0, 1000, 0)
	b.Requires(1, b.Calc(1, microsecond, 0), got)
	s, err := b.Build()
	require.NoError(t, err)
	job := &Job{Name: "j", Schedule: s, Hosts: []sluice.SwitchID{0, 1}, Repeat: 2}
	r, _ := carryOut(job, wire{
		func(int32) sluice.Time { return 2 * microsecond },
		func(int32) sluice.Time { return 3 * microsecond },
	})
	_, last, _ := r.Iteration(0)
	require.Equal(t, Times{
		Computation: microsecond, Exposed: 3 * microsecond, Idle: 5 * microsecond,
	}, last)
	// Rank 0 sends again at 12 us; rank 1 begins its second iteration at 9 us.
	_, last, _ = r.Iteration(1)
	require.Equal(t, Times{
		Computation: microsecond, Exposed: 3 * microsecond, Idle: 3 * microsecond,
	}, last)
	mean, last, _ := r.Total()
	require.Equal(t, 16*microsecond, last.Sum())
	require.Equal(t, 6*microsecond, mean.Computation)
	require.Equal(t, 5*microsecond, mean.Exposed)
	// The path goes from the second computation of rank 0 over its message.
	steps, err := r.Critical(func(flow int) sluice.Time { return sluice.Time(5+7*flow) * microsecond })
	require.NoError(t, err)
	var kinds []Kind
	for _, step := range steps {
		kinds = append(kinds, step.Kind)
	}
	require.Equal(t, []Kind{Calc, Send, Recv, Calc}, kinds)
	require.Equal(t, 7*microsecond, steps[0].Begin)
	require.Equal(t, 15*microsecond, steps[1].End)
	require.Equal(t, ByMessage, steps[1].Via)
	require.Equal(t, 16*microsecond, steps[3].End)
}

// arrival is a message that has arrived at a rank, in the model.
type arrival struct{ sent, at sluice.Time }

// instants cuts the time of a rank, until end, where an operation begins or ends, and at others.
func instants(
	of []*modelOperation, end sluice.Time, others []sluice.Time,
) iter.Seq2[sluice.Time, sluice.Time] {
	cuts := append([]sluice.Time{0, end}, others...)
	for _, o := range of {
		cuts = append(cuts, o.began, o.end)
	}
	slices.Sort(cuts)
	return func(yield func(from, to sluice.Time) bool) {
		for i, from := range cuts[:len(cuts)-1] {
			if to := cuts[i+1]; from < to && to <= end && !yield(from, to) {
				return
			}
		}
	}
}

// modelTimes is the slow and obvious form of Times: it cuts the time of a rank at every instant at
// which anything begins or ends, and asks of each piece what is under way.
func modelTimes(of []*modelOperation, arrivals []arrival, end sluice.Time) (sum Times) {
	var others []sluice.Time
	for _, a := range arrivals {
		others = append(others, a.sent, a.at)
	}
	for from, to := range instants(of, end, others) {
		computes, communicates := false, false
		for _, o := range of {
			underWay := o.began <= from && o.end >= to
			computes = computes || o.Kind == Calc && underWay
			communicates = communicates || o.Kind == Send && underWay
		}
		next := arrival{sluice.Never, sluice.Never}
		for _, a := range arrivals {
			if a.at >= to && a.at < next.at && a.at <= end {
				next = a
			}
		}
		communicates = communicates || next.sent <= from
		switch {
		case computes && communicates:
			sum.Overlap += to - from
			fallthrough
		case computes:
			sum.Computation += to - from
		case communicates:
			sum.Exposed += to - from
		default:
			sum.Idle += to - from
		}
	}
	return sum
}

// modelRun carries out a random schedule on a network of infinite bandwidth, and in the
// model. sends are by flow; delay is the time from a send until its message arrives.
func modelRun(t *rapid.T) (
	r *Ranks, ranks [][]*modelOperation, sends []*modelOperation,
	delay func(send *modelOperation) sluice.Time,
) {
	s, ranks, spans := drawn(t)
	job := &Job{Name: "j", Schedule: s}
	for rank := range s.Ranks {
		job.Hosts = append(job.Hosts, sluice.SwitchID(rank))
	}
	first, second := spans[:len(spans)/2], spans[len(spans)/2:] // by message
	r, _ = carryOut(job, wire{
		func(flow int32) sluice.Time { return first[flow] },
		func(flow int32) sluice.Time { return second[flow] },
	})
	number := map[*modelOperation]int{}
	for _, o := range slices.Concat(ranks...) {
		if o.Kind == Send {
			number[o] = len(sends)
			sends = append(sends, o)
		}
	}
	delay = func(o *modelOperation) sluice.Time { return second[number[o]] }
	model(ranks, func(o *modelOperation) sluice.Time { return first[number[o]] }, delay)
	return r, ranks, sends, delay
}

// TestTimesAndPathsAreTheModels: random schedules on a network of infinite bandwidth.
func TestTimesAndPathsAreTheModels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, ranks, sends, delay := modelRun(t)
		for rank, list := range ranks {
			end := r.Ends(0)[rank]
			if end == sluice.Never {
				continue
			}
			var arrivals []arrival
			for _, o := range sends {
				if int(o.Peer) == rank && o.began < sluice.Never {
					arrivals = append(arrivals, arrival{o.began, o.began + delay(o)})
				}
			}
			require.Equal(t, modelTimes(list, arrivals, end), r.sums[rank], "rank %d", rank)
		}
		checkPath(t, r, ranks, func(flow int) *modelOperation { return sends[flow] }, delay)
	})
}

// checkPath requires that each step is an operation as the model has it, that it begins when the
// one before ends, and that the model's operation waits for the one before.
func checkPath(
	t *rapid.T, r *Ranks, ranks [][]*modelOperation, ofFlow func(int) *modelOperation,
	delay func(*modelOperation) sluice.Time,
) {
	steps, err := r.Critical(func(flow int) sluice.Time { return ofFlow(flow).began })
	require.NoError(t, err)
	last := slices.Max(r.Ends(0))
	if last == sluice.Never {
		require.Nil(t, steps)
		return
	}
	if last == 0 {
		return
	}
	at := sluice.Time(0)
	var before *modelOperation
	for i, step := range steps {
		o := ranks[step.Rank][step.Number-1]
		require.Equal(t, o.Operation, step.Operation)
		require.Equal(t, at, step.Begin)
		at = step.End
		begin, end := o.began, o.end
		switch {
		case step.Via == ByStart:
			end = o.began
		case step.Via == ByMessage:
			end = o.began + delay(o)
		}
		if o.Kind == Recv {
			begin = end
		}
		require.Equal(t, begin, step.Begin)
		require.Equal(t, end, step.End)
		if i == 0 {
			require.Zero(t, o.due)
		} else {
			switch via := steps[i-1].Via; via {
			case ByStart:
				require.Contains(t, o.starts, before)
			case ByMessage:
				require.Equal(t, []int{before.rank, o.rank, before.number},
					[]int{int(o.Peer), int(before.Peer), o.number})
			default:
				stream := before.Kind == Calc && before.rank == o.rank && before.CPU == o.CPU &&
					o.Kind != Recv
				require.True(t, stream || slices.Contains(o.ends, before))
			}
		}
		before = o
	}
	require.Equal(t, last, at)
}
