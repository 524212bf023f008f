package fields

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

type Point struct{ X, Y int }

type shape struct {
	Point
	Corners [2]Point
	Area    uint8
}

func TestNumberReachesEveryField(t *testing.T) {
	var s shape
	Number(&s, 5)
	require.Equal(t, shape{Point{5, 6}, [2]Point{{7, 8}, {9, 10}}, 11}, s)
	require.Equal(t, map[string]int64{
		"Point.X": 5, "Point.Y": 6, "Corners[0].X": 7, "Corners[0].Y": 8,
		"Corners[1].X": 9, "Corners[1].Y": 10, "Area": 11,
	}, Of(&s))
}

// TestAdd: sums, or what a tag says instead, in structs and arrays too, and no sum becomes
// negative.
func TestAdd(t *testing.T) {
	type counters struct {
		shape
		Peak   [2]uint64 `sum:"max"`
		Margin int       `sum:"min"`
		Time   int64
	}
	a := counters{
		shape{Point{1, 2}, [2]Point{{3, 4}, {5, 6}}, 7}, [2]uint64{8, 1}, 9, math.MaxInt64 - 1,
	}
	b := counters{shape{Point{10, 20}, [2]Point{{30, 40}, {50, 60}}, 70}, [2]uint64{2, 80}, -90, 5}
	before := b
	Add(&a, &b)
	require.Equal(t, counters{
		shape{Point{11, 22}, [2]Point{{33, 44}, {55, 66}}, 77}, [2]uint64{8, 80}, -90, math.MaxInt64,
	}, a)
	require.Equal(t, before, b)
}

func TestWhatIsNoIntegerIsNotPassedOver(t *testing.T) {
	require.Panics(t, func() { Of(&struct{ Name string }{}) })
}

func TestJoins(t *testing.T) {
	type counters struct {
		Sum   [2]uint64
		Most  int64 `sum:"max"`
		Least int64 `sum:"min"`
	}
	require.Equal(t, map[string]string{
		"Sum[0]": "sum", "Sum[1]": "sum", "Most": "max", "Least": "min",
	}, Joins[counters]())
}

// A total begins with the first part, so that the least of margins is not zero.
func TestTotal(t *testing.T) {
	type counters struct {
		Sum   uint64
		Most  int64 `sum:"max"`
		Least int64 `sum:"min"`
	}
	parts := []counters{{1, 5, 30}, {2, 4, 20}, {3, 6, 40}}
	require.Equal(t, counters{6, 6, 20}, Total(parts, func(c *counters) counters { return *c }))
	require.Equal(t, parts[0], Total(parts[:1], func(c *counters) counters { return *c }))
	require.Equal(t, counters{1, 5, 30}, parts[0])
}
