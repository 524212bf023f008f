package draw

import "math"

// simplified returns a line with fewer corners, none of whose old corners is farther from it than a
// distance: the corner that is farthest from the line between two ends stays, and so on on both
// sides of it, as Ramer, Douglas and Peucker do.
func simplified(line []Point, distance float64) []Point {
	if distance <= 0 || len(line) < 3 {
		return line
	}
	keeps := make([]bool, len(line))
	keeps[0], keeps[len(line)-1] = true, true
	for spans := [][2]int{{0, len(line) - 1}}; len(spans) > 0; {
		from, to := spans[len(spans)-1][0], spans[len(spans)-1][1]
		spans = spans[:len(spans)-1]
		most, at := distance, 0
		for i := from + 1; i < to; i++ {
			if off := offSegment(line[i], line[from], line[to]); off > most {
				most, at = off, i
			}
		}
		if at > 0 {
			keeps[at] = true
			spans = append(spans, [2]int{from, at}, [2]int{at, to})
		}
	}
	var fewer []Point
	for i, keep := range keeps {
		if keep {
			fewer = append(fewer, line[i])
		}
	}
	return fewer
}

// offSegment returns how far a point is from a segment.
func offSegment(p, from, to Point) float64 {
	dx, dy := to.X-from.X, to.Y-from.Y
	along := 0.0
	if squared := dx*dx + dy*dy; squared > 0 {
		along = max(0, min(1, ((p.X-from.X)*dx+(p.Y-from.Y)*dy)/squared))
	}
	return math.Hypot(p.X-from.X-along*dx, p.Y-from.Y-along*dy)
}
