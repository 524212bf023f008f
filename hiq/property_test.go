package hiq

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Whatever roots appear, merge and go, at whatever levels, with IQs enough or too few: the port's
// account agrees with the packets, flows keep their order, no packet is held for a root off its
// path, and in the end everything leaves and every IQ is free.
func TestProperties(t *testing.T) {
	for _, single := range []bool{false, true} {
		t.Run(map[bool]string{false: "hierarchical", true: "single tier"}[single], func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { checkProperties(t, single) })
		})
	}
}

func checkProperties(t *rapid.T, single bool) {
	const roots = 6
	c := Config{
		Rate: 8 * sluice.Gbps, Roots: roots, SingleTier: single, MTU: 300,
		Levels:    rapid.IntRange(1, 4).Draw(t, "levels"),
		Scheduler: Scheduler(rapid.IntRange(0, 1).Draw(t, "scheduler")),
	}
	least := c.Levels
	if single {
		least = 2
	}
	c.IQs = rapid.IntRange(least, 16).Draw(t, "IQs")
	var paths [][]int
	for range rapid.IntRange(1, 5).Draw(t, "flows") {
		paths = append(
			paths, rapid.SliceOfNDistinct(rapid.IntRange(0, roots-1), 0, 4, rapid.ID[int]).Draw(t, "path"),
		)
	}
	d := newDriver(c, paths)
	fatal := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Repeat(map[string]func(*rapid.T){
		"enqueue": func(t *rapid.T) {
			d.enqueue(
				rapid.IntRange(0, len(paths)-1).Draw(t, "flow"),
				sluice.Bytes(rapid.IntRange(1, 300).Draw(t, "size")),
			)
		},
		"burst": func(t *rapid.T) {
			flow := rapid.IntRange(0, len(paths)-1).Draw(t, "flow")
			for range rapid.IntRange(2, 8).Draw(t, "packets") {
				d.enqueue(flow, 200)
			}
		},
		"root": func(t *rapid.T) {
			d.event(rapid.IntRange(0, 6).Draw(t, "event"), rapid.IntRange(0, roots-1).Draw(t, "root"),
				rapid.IntRange(0, roots-1).Draw(t, "other"), rapid.IntRange(0, c.Levels+1).Draw(t, "level"))
		},
		"another root": func(t *rapid.T) {
			d.event(rapid.IntRange(0, 6).Draw(t, "event"), rapid.IntRange(0, roots-1).Draw(t, "root"),
				rapid.IntRange(0, roots-1).Draw(t, "other"), rapid.IntRange(1, c.Levels).Draw(t, "level"))
		},
		"serve": func(t *rapid.T) {
			for range rapid.IntRange(1, 10).Draw(t, "steps") {
				_, err := d.step()
				fatal(err)
			}
		},
		"drain": func(t *rapid.T) { fatal(d.drain()) },
		"wait": func(t *rapid.T) {
			d.now += sluice.Time(rapid.IntRange(1, 400).Draw(t, "ns")) * sluice.Nanosecond
		},
		"": func(t *rapid.T) { fatal(d.check()) },
	})
	fatal(d.finish())
}

// Round robin: IQs of a level move one packet in turn, and one that was empty has its place in the
// round like the others.
func TestRoundRobinWithinALevel(t *testing.T) {
	p := mustNew(t, Config{Rate: 8 * sluice.Gbps, Levels: 1, IQs: 3, Roots: 3, MTU: 1000})
	for root := range 3 {
		require.True(t, p.Adopt(root, uint64(root), 1))
	}
	for range 3 {
		p.Put(0, 100)
		p.Put(2, 100)
	}
	for i, want := range []sluice.QueueID{1, 3, 1, 2, 3, 1, 3} {
		if i == 2 {
			p.Put(1, 100)
		}
		q, ok := p.Next(0)
		require.True(t, ok)
		require.Equal(t, want, q, "move %d", i)
		require.True(t, p.Take(0, q, int(q)-1, 100))
	}
}
