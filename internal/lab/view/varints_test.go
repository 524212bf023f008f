package view

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/schedule"
	"github.com/sluicefc/sluice/internal/lab/sim"
)

// varints reads what a page has, as the page's program does.
type varints struct {
	t    *testing.T
	text []byte
}

func (r *varints) unsigned() int {
	n, size := binary.Uvarint(r.text)
	require.Positive(r.t, size)
	r.text = r.text[size:]
	return int(n)
}

func (r *varints) signed() int {
	n, size := binary.Varint(r.text)
	require.Positive(r.t, size)
	r.text = r.text[size:]
	return int(n)
}

// timeline reads what appendTimeline wrote of a job.
func (r *varints) timeline(j *sim.JobResult) [][]schedule.Span {
	causes := make([]schedule.Cause, r.unsigned())
	for i := range causes {
		causes[i].At.Switch = sluice.SwitchID(r.unsigned())
		causes[i].At.Port = sluice.PortID(r.unsigned())
		causes[i].Root = r.unsigned() == 1
	}
	ranks := make([][]schedule.Span, len(j.Timeline))
	for rank := range ranks {
		ranks[rank] = make([]schedule.Span, r.unsigned())
	}
	each := func(visit func(s *schedule.Span)) {
		for _, spans := range ranks {
			for i := range spans {
				visit(&spans[i])
			}
		}
	}
	each(func(s *schedule.Span) { s.From = sluice.Time(r.unsigned()) })
	each(func(s *schedule.Span) { s.To = sluice.Time(r.unsigned()) })
	each(func(s *schedule.Span) {
		state := r.unsigned()
		if s.State = schedule.State(min(state, int(schedule.Held))); s.State == schedule.Held {
			s.For = causes[state-int(schedule.Held)]
		}
	})
	for _, spans := range ranks {
		last := j.Start
		for i := range spans {
			spans[i].From += last
			spans[i].To += spans[i].From
			last = spans[i].To
		}
	}
	return ranks
}

// operations reads what appendOperations wrote of a job.
func (r *varints) operations(ranks int) [][]sim.Begun {
	all := make([][]sim.Begun, ranks)
	for rank := range all {
		all[rank] = make([]sim.Begun, r.unsigned())
	}
	each := func(visit func(b, before *sim.Begun)) {
		for _, list := range all {
			before := &sim.Begun{}
			for i := range list {
				visit(&list[i], before)
				before = &list[i]
			}
		}
	}
	each(func(b, before *sim.Begun) { b.Number = before.Number + r.signed() })
	each(func(b, before *sim.Begun) { b.At = before.At + sluice.Time(r.unsigned()) })
	each(func(b, _ *sim.Begun) { b.Peer = r.unsigned() - 1 })
	for _, list := range all {
		flow := 0
		for i := range list {
			if b := &list[i]; b.Peer < 0 {
				b.Flow, b.Lasts = -1, sluice.Time(r.unsigned())
			} else {
				flow += r.signed()
				b.Flow = flow
			}
		}
	}
	return all
}
