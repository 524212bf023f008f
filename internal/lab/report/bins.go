package report

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/draw"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// bin joins neighbouring samples.
type bin struct {
	from, to  sluice.Time
	longest   sluice.Bytes // maximum
	paused    int          // maximum
	delivered sluice.Bytes // sum
}

func (b *bin) goodput() float64 {
	if b.to <= b.from {
		return 0
	}
	return float64(b.delivered) * 8 / (float64(b.to-b.from) / float64(sluice.Nanosecond))
}

type binned []bin

// binSeries joins samples to spans of at least a width; samples that are left at the end go to the
// last span.
func binSeries(series []sim.Sample, first, width sluice.Time, group workload.Group) binned {
	var bins binned
	previous := first
	for i := range series {
		sample := &series[i]
		n := len(bins)
		if n == 0 || bins[n-1].to-bins[n-1].from >= width && series[len(series)-1].At-previous >= width {
			bins = append(bins, bin{from: previous})
		}
		b := &bins[len(bins)-1]
		b.to = sample.At
		b.longest = max(b.longest, sample.MaxPortBytes)
		b.paused = max(b.paused, sample.PausedQueues)
		b.delivered += sample.DeliveredBytes[group]
		previous = sample.At
	}
	return bins
}

// line returns a point per bin, after a point for the empty network.
func (bins binned) line(first, unit sluice.Time, f func(*bin) float64) []draw.Point {
	points := []draw.Point{{}}
	for i := range bins {
		points = append(points, draw.Point{X: float64(bins[i].to-first) / float64(unit), Y: f(&bins[i])})
	}
	return points
}
