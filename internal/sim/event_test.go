package sim

import (
	"sort"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A stable sort by time is the slow, obvious agenda: equal times come out in the order they were planned.
func TestAgendaAgainstStableSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a agenda
		var model []event
		at := rapid.Int64Range(0, 20)
		index := int32(0)
		t.Repeat(map[string]func(*rapid.T){
			"plan": func(t *rapid.T) {
				index++
				when := sluice.Time(at.Draw(t, "at"))
				a.plan(when, eventSent, index)
				model = append(model, event{at: when, index: index})
			},
			"drop": func(t *rapid.T) {
				if len(model) > 0 {
					a.drop()
					model = model[1:]
				}
			},
			"postpone": func(t *rapid.T) {
				if len(model) > 0 {
					e := model[0]
					e.at += sluice.Time(at.Draw(t, "by"))
					a.postpone(e.at)
					model = append(model[1:], e)
				}
			},
			"": func(t *rapid.T) {
				sort.SliceStable(model, func(i, j int) bool { return model[i].at < model[j].at })
				require.Equal(t, len(model) == 0, a.empty())
				if len(model) > 0 {
					require.Equal(t, model[0].index, a.heap[0].index, "first of %v", model)
					require.Equal(t, model[0].at, a.heap[0].at)
				}
			},
		})
	})
}

// 600 events is what a 160-host network has planned at a time.
func BenchmarkAgenda(b *testing.B) {
	var a agenda
	for i := range 600 {
		a.plan(sluice.Time(i*7919%1000), eventSent, int32(i))
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		a.postpone(a.heap[0].at + sluice.Time(i*7919%1000))
	}
}
