package fields

import (
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

func TestWhatIsNoIntegerIsNotPassedOver(t *testing.T) {
	require.Panics(t, func() { Of(&struct{ Name string }{}) })
}
