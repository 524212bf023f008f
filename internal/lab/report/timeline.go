package report

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/draw"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/schedule"
	"github.com/sluicefc/sluice/internal/lab/sim"
)

// Bounds of what a timeline shows: more ranks or spans would run into one another.
const (
	mostRanks = 64
	mostSpans = 400 // of a rank
)

// Timelines returns a panel for each job of each run: what its ranks do over time. They are drawn
// only if they are asked for.
func Timelines(outcomes []*run.Outcome) (panels []*draw.Panel) {
	for _, o := range outcomes {
		for i := range o.Result.Jobs {
			name := o.FC
			if len(o.Result.Jobs) > 1 {
				name += ":" + o.Result.Jobs[i].Name
			}
			panels = append(panels, timeline(name, &o.Result.Jobs[i]))
		}
	}
	return panels
}

func timeline(name string, j *sim.JobResult) *draw.Panel {
	end := j.TimelineEnd()
	unit, unitName := sluice.Microsecond, "us"
	if end-j.Start >= 20*sluice.Millisecond {
		unit, unitName = sluice.Millisecond, "ms"
	}
	every := (len(j.Timeline) + mostRanks - 1) / mostRanks
	p := &draw.Panel{
		Name: "timeline:" + name, Title: fmt.Sprintf("%s: ranks of %s", name, j.Name),
		XLabel: "time, " + unitName, YLabel: "rank", Empty: "no rank did anything", Asked: true,
	}
	if every > 1 {
		p.Notes = append(p.Notes, fmt.Sprintf("1 of %d ranks is shown", every))
	}
	bars := [3]draw.Curve{}
	for rank := 0; rank < len(j.Timeline); rank += every {
		spans := schedule.WithoutCauses(j.Timeline[rank])
		for _, s := range schedule.Coarse(spans, j.Start, end, mostSpans) {
			of, y := &bars[s.State], float64(rank)
			of.Points = append(of.Points, draw.Point{X: float64(s.From) / float64(unit), Y: y},
				draw.Point{X: float64(s.To) / float64(unit), Y: y})
		}
	}
	for state := range bars {
		if len(bars[state].Points) > 0 {
			bars[state].FC, bars[state].Bars = schedule.State(state).String(), 0.8*float64(every)
			p.Curves = append(p.Curves, bars[state])
		}
	}
	return p
}
