package sim

import (
	"math"
	"slices"
	"sort"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A sort is the slow, obvious agenda: events of one time come out by kind and place, in whatever
// order they were planned and wherever they are kept.
func TestAgendaAgainstSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		horizon := sluice.Time(rapid.SampledFrom([]int64{
			1, wheelTicks, 1_000_000, 3_000_000_000,
		}).Draw(t, "horizon"))
		a := newAgenda(horizon, rapid.SampledFrom([]int{0, 5, math.MaxInt}).Draw(t, "many"))
		var model []event
		ahead := rapid.OneOf(
			rapid.Int64Range(0, 20),
			rapid.Int64Range(0, 3*int64(horizon)),
			rapid.Custom(func(t *rapid.T) int64 { // about the end of the wheel, and at equal distances
				return max(
					0,
					wheelTicks<<a.wheel.tickBits+rapid.Int64Range(-2, 2).Draw(t, "ticks")<<a.wheel.tickBits+
						rapid.Int64Range(-1, 1).Draw(t, "time"),
				)
			}),
		)
		lane := rapid.SampledFrom([]uint8{0, largeLane, lanesOfLink, noLane, noLane + largeLane})
		place := rapid.SampledFrom([]int32{0, 1, 2, maxPlaces - 1})
		now := sluice.Time(0)
		inOrder := func() {
			sort.Slice(model, func(i, j int) bool {
				a, b := model[i], model[j]
				if a.at != b.at {
					return a.at < b.at
				}
				if a.kind() != b.kind() {
					return a.kind() < b.kind()
				}
				return a.place() < b.place() || a.place() == b.place() && a.packet() < b.packet()
			})
		}
		t.Repeat(map[string]func(*rapid.T){
			"plan": func(t *rapid.T) {
				when := now + sluice.Time(ahead.Draw(t, "ahead"))
				kind := eventKind(rapid.IntRange(0, int(eventRelease)).Draw(t, "kind"))
				where := place.Draw(t, "place")
				a.plan(when, kind, where)
				model = append(model, event{when, whatOf(kind, where)})
			},
			"plan an arrival": func(t *rapid.T) {
				when, port := now+sluice.Time(ahead.Draw(t, "ahead")), place.Draw(t, "port")
				h := handle(rapid.SampledFrom([]uint32{0, 1, math.MaxUint32}).Draw(t, "packet"))
				a.planArrival(when, port, h, lane.Draw(t, "lane"))
				model = append(model, event{when, whatOf(eventArrival, port) | what(h)})
			},
			"plan many in lanes": func(t *rapid.T) {
				for range rapid.IntRange(1, 100).Draw(t, "events") {
					when, in := now+sluice.Time(ahead.Draw(t, "ahead")), lane.Draw(t, "lane")
					a.planSent(when, 7, in)
					model = append(model, event{when, whatOf(eventSent, 7)})
				}
			},
			"adapt": func(t *rapid.T) {
				a.wheel.turns = adaptEvery
				a.wheel.turned = adaptEvery * rapid.IntRange(1, 2*mostInATick).Draw(t, "events")
				a.adapt()
			},
			"withdraw": func(t *rapid.T) {
				port := place.Draw(t, "port")
				arrivals := a.withdraw(port)
				for i := 1; i < len(arrivals); i++ {
					require.False(t, arrivals[i].before(arrivals[i-1]))
				}
				left := model[:0:0]
				for _, e := range model {
					if e.kind() == eventArrival && e.place() == port {
						at := slices.Index(arrivals, e)
						require.GreaterOrEqual(t, at, 0, e)
						arrivals = slices.Delete(arrivals, at, at+1)
					} else {
						left = append(left, e)
					}
				}
				require.Empty(t, arrivals)
				model = left
			},
			"look": func(t *rapid.T) { // what is planned from now on may come before what was seen
				inOrder()
				for range min(2, len(model)) { // asked again, it is the same
					require.Equal(t, model[0], a.first(), "first of %v", model)
				}
			},
			"take": func(t *rapid.T) {
				for range min(len(model), rapid.SampledFrom([]int{1, 1, 1, 10, 100}).Draw(t, "events")) {
					inOrder()
					e, _, ok := a.take(model[0].at)
					require.False(t, ok, e)
					e, _, ok = a.take(model[0].at + 1)
					require.True(t, ok)
					require.Equal(t, model[0], e, "first of %v", model)
					now, model = e.at, model[1:]
				}
			},
			"": func(t *rapid.T) {
				require.Equal(t, len(model), a.events())
				if len(model) == 0 {
					require.Equal(t, noEvent, a.first())
				}
			},
		})
	})
}

// 600 events is what a 160-host network has planned at a time, most of them for when a packet
// arrives.
func BenchmarkAgenda(b *testing.B) {
	const arrival = 722 * sluice.Nanosecond
	a := newAgenda(2*arrival, 512)
	for i := range 600 {
		a.plan(sluice.Time(i*7919%600)*arrival/600, eventSent, int32(i))
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		e, _, _ := a.take(sluice.Never)
		a.plan(e.at+arrival-sluice.Time(i*7919%1000), e.kind(), e.place())
	}
}

// Ticks come to have some events each, whether few or many are planned; many crowd the agenda.
func TestTicksAdapt(t *testing.T) {
	const period, many = sluice.Microsecond, 50
	a := newAgenda(period, many)
	now, planned := sluice.Time(0), 0
	for _, events := range []int{many - 1, 3000, many} {
		for ; planned < events; planned++ {
			a.plan(now+period*sluice.Time(planned)/sluice.Time(events), eventPace, int32(planned))
		}
		for left := 400_000; left > 0 || a.wheel.turns != adaptEvery/2; left-- {
			if left%countEvery == 0 {
				a.adapt()
			}
			e, _, ok := a.take(sluice.Never)
			require.True(t, ok)
			if now = e.at; planned > events {
				planned--
			} else {
				a.plan(now+period, eventPace, e.place())
			}
		}
		each := a.wheel.turned / a.wheel.turns
		require.True(t, fewestInATick <= each && each <= mostInATick, "%d of %d", each, events)
		require.Equal(t, events, a.events())
		require.Equal(t, events >= many, a.crowded)
	}
}
