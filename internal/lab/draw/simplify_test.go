package draw

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// A line with fewer corners is nowhere farther from the line than asked, has its ends and its
// peaks, and is the line itself if no distance is allowed.
func TestSimplified(t *testing.T) {
	var line []Point
	for i := range 2000 {
		x := float64(i) / 5
		line = append(line, Point{x, 30*math.Sin(x/20) + 3*math.Sin(x)})
	}
	line[777].Y = 300
	require.Equal(t, line, simplified(line, 0))
	before := len(line)
	for _, distance := range []float64{0.1, 0.5, 2} {
		fewer := simplified(line, distance)
		require.Less(t, len(fewer), before, "%v", distance)
		before = len(fewer)
		require.Equal(t, line[0], fewer[0])
		require.Equal(t, line[1999], fewer[len(fewer)-1])
		require.Contains(t, fewer, line[777])
		for _, p := range line {
			off := math.Inf(1)
			for i := range fewer[1:] {
				off = min(off, offSegment(p, fewer[i], fewer[i+1]))
			}
			require.LessOrEqual(t, off, distance+1e-9)
		}
	}
	require.Len(t, simplified([]Point{{0, 0}, {0, 0}, {0, 0}}, 1), 2)
}
