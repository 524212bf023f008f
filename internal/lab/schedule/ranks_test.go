package schedule

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

// wire is a network where messages do not meet: one leaves its host after a time, and arrives after
// another.
type wire struct{ leaves, delay func(flow int32) sluice.Time }

// carryOut drives a job over such a network, and returns what Ranks say of it.
func carryOut(job *Job, w wire) (*Ranks, Effects) {
	return carryOutSeen(job, w, func(*Message, sluice.Time) {})
}

// carryOutSeen does so, and says of each message when it is sent.
func carryOutSeen(job *Job, w wire, sent func(*Message, sluice.Time)) (*Ranks, Effects) {
	return carryOutRanks(NewRanks(job), w, sent)
}

func carryOutRanks(r *Ranks, w wire, sent func(*Message, sluice.Time)) (*Ranks, Effects) {
	job, e := r.job, Effects{}
	sentAt := map[int32]sluice.Time{}
	type event struct {
		at   sluice.Time
		kind int // 0: begin, 1: injected, 2: arrived, 3: computed
		what int32
		of   *Message
	}
	var agenda []event
	for rank := range int32(job.Schedule.Ranks) {
		agenda = append(agenda, event{job.Start, 0, rank, nil})
	}
	for len(agenda) > 0 {
		slices.SortStableFunc(agenda, func(a, b event) int { return cmp.Compare(a.at, b.at) })
		next := agenda[0]
		agenda = agenda[1:]
		switch next.kind {
		case 0:
			r.Begin(&e, next.at, next.what)
		case 1:
			r.Injected(&e, next.at, next.of)
		case 2:
			r.Arrived(&e, next.at, sentAt[next.what], next.of)
		case 3:
			r.Computed(&e, next.at, next.what)
		}
		for _, m := range e.Messages {
			sentAt[m.Flow] = next.at
			sent(&m, next.at)
			agenda = append(agenda, event{next.at + w.leaves(m.Flow), 1, m.Flow, &m},
				event{next.at + w.delay(m.Flow), 2, m.Flow, &m})
		}
		for _, c := range e.Computations {
			agenda = append(agenda, event{c.End, 3, c.Operation, nil})
		}
		e.Messages, e.Computations = e.Messages[:0], e.Computations[:0]
	}
	return r, e
}

// modelOperation is an operation in the model: everything is looked up by search.
type modelOperation struct {
	Operation
	rank, label     int
	ends, starts    []*modelOperation // it waits for
	due, began, end sluice.Time
	number          int // of the message or receive of its ranks and tag
}

// model is the slow and obvious form of the rules: in rounds it looks for the first instant at
// which any operation can become due, begin or end.
func model(ranks [][]*modelOperation, leaves, delay func(*modelOperation) sluice.Time) {
	all := slices.Concat(ranks...)
	for _, o := range all {
		o.due, o.began, o.end = sluice.Never, sluice.Never, sluice.Never
	}
	numbers := map[string]int{}
	count := func(what string, from, to int, tag uint32) int {
		key := fmt.Sprint(what, " ", from, " ", to, " ", tag)
		numbers[key]++
		return numbers[key]
	}
	for {
		// what becomes due next, when all that it waits for is known to have started or ended
		var next *modelOperation
		at, what := sluice.Never, ""
		// What waited for its stream begins before what becomes due at that instant.
		better := func(o *modelOperation, when sluice.Time, kind string) {
			waited := o.due < when && kind == "begin"
			if when < at || when == at && waited && (what != "begin" || next.due == at) {
				next, at, what = o, when, kind
			}
		}
		for _, o := range all {
			switch {
			case o.due == sluice.Never:
				when := sluice.Time(0)
				for _, w := range o.ends {
					when = max(when, w.end)
				}
				for _, w := range o.starts {
					when = max(when, w.began)
				}
				better(o, when, "due")
			case o.began == sluice.Never:
				free, first := o.due, true
				for _, other := range ranks[o.rank] {
					if other.CPU != o.CPU || other.Kind == Recv || other == o || other.due == sluice.Never {
						continue
					}
					if other.began == sluice.Never {
						first = first && (other.due > o.due || other.due == o.due && other.label > o.label)
					} else if other.Kind == Calc {
						free = max(free, other.began+sluice.Time(other.Size)*sluice.Nanosecond)
					}
				}
				if first {
					better(o, free, "begin")
				}
			case o.Kind == Recv && o.end == sluice.Never:
				for _, m := range all {
					if m.Kind == Send && m.began < sluice.Never && m.rank == int(o.Peer) &&
						int(m.Peer) == o.rank && m.Tag == o.Tag && m.number == o.number {
						better(o, max(o.due, m.began+delay(m)), "end")
					}
				}
			}
		}
		if next == nil {
			return
		}
		switch {
		case what == "end":
			next.end = at
		case what == "begin":
			next.began, next.end = at, at
			if next.Kind == Calc {
				next.end = at + sluice.Time(next.Size)*sluice.Nanosecond
			} else {
				next.end = at + leaves(next)
				next.number = count("send", next.rank, int(next.Peer), next.Tag)
			}
		default:
			if next.due = at; next.Kind == Recv {
				next.began = at
				next.number = count("recv", int(next.Peer), next.rank, next.Tag)
			}
		}
	}
}

// drawn is a random schedule that ends: every rank gets its operations in an order in which all can
// be carried out, and waits only for what comes before in it.
func drawn(t *rapid.T) (s *Schedule, ranks [][]*modelOperation, spans []sluice.Time) {
	n := rapid.IntRange(2, 4).Draw(t, "ranks")
	// Powers of two are never the same sum of others, so that no two ends coincide.
	for _, exponent := range rapid.Permutation(exponents[:]).Draw(t, "spans") {
		spans = append(spans, sluice.Nanosecond<<exponent)
	}
	b := NewBuilder(n)
	ranks = make([][]*modelOperation, n)
	add := func(rank int, o Operation) {
		b.Add(rank, o)
		one := &modelOperation{Operation: o, rank: rank, label: len(ranks[rank])}
		before := ranks[rank]
		for i := range before {
			switch rapid.IntRange(0, 5).Draw(t, "waits") {
			case 0:
				b.Requires(rank, Label(len(before)), Label(i))
				one.ends = append(one.ends, before[i])
			case 1:
				b.IRequires(rank, Label(len(before)), Label(i))
				one.starts = append(one.starts, before[i])
			}
		}
		ranks[rank] = append(before, one)
	}
	for range rapid.IntRange(1, 12).Draw(t, "steps") {
		rank := rapid.IntRange(0, n-1).Draw(t, "rank")
		cpu := uint8(rapid.IntRange(0, 1).Draw(t, "cpu"))
		if rapid.Bool().Draw(t, "computes") {
			size := int64(spans[0] / sluice.Nanosecond)
			spans = spans[1:]
			add(rank, Operation{Kind: Calc, Size: size, CPU: cpu})
			continue
		}
		to := (rank + rapid.IntRange(1, n-1).Draw(t, "to")) % n
		tag := uint32(rapid.IntRange(0, 1).Draw(t, "tag"))
		add(rank, Operation{Kind: Send, Peer: int32(to), Size: 10, Tag: tag, CPU: cpu})
		add(to, Operation{Kind: Recv, Peer: int32(rank), Size: 10, Tag: tag})
	}
	s, err := b.Build()
	require.NoError(t, err)
	return s, ranks, spans
}

var exponents = [...]int{
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
	26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40,
}

// TestRanksAreTheModel: on a network of infinite bandwidth, each rank ends when the obvious model
// says.
func TestRanksAreTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, ranks, spans := drawn(t)
		job := &Job{Name: "j", Schedule: s, First: 7}
		for rank := range s.Ranks {
			job.Hosts = append(job.Hosts, sluice.SwitchID(rank))
		}
		first, second := spans[:len(spans)/2], spans[len(spans)/2:] // by message
		r, e := carryOut(job, wire{
			func(flow int32) sluice.Time { return first[flow-7] },
			func(flow int32) sluice.Time { return second[flow-7] },
		})
		number := map[*modelOperation]int{}
		for _, o := range slices.Concat(ranks...) {
			if o.Kind == Send {
				number[o] = len(number)
			}
		}
		model(ranks, func(o *modelOperation) sluice.Time { return first[number[o]] },
			func(o *modelOperation) sluice.Time { return second[number[o]] })
		for rank, list := range ranks {
			want := sluice.Time(0)
			for _, o := range list {
				want = max(want, o.end)
			}
			require.Equal(t, want, r.Ends(0)[rank], "rank %d of %v", rank, s.operations)
		}
		require.Zero(t, e.Computing)
		if slices.Contains(r.Ends(0), sluice.Never) {
			require.NotEmpty(t, r.Stuck())
		} else {
			require.Equal(t, s.Ranks, e.Finished)
			require.Empty(t, r.Stuck())
		}
	})
}
