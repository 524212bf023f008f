package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/draw"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/sim"
)

// Slowdowns by size are as HPCC's fct_analysis.py computes them: flows in the order of their sizes
// are cut into twenty parts, and percentile p of n values is the value that p x n others precede.
const slowdownParts = 20

var slowdownPercentiles = [...]float64{0.5, 0.95, 0.99}

type slowdownPart struct {
	size        sluice.Bytes // of the largest flow
	percentiles [len(slowdownPercentiles)]float64
	completed   int // flows; if none did, there are no percentiles
}

// slowdownsBySize returns the parts of the flows that start after the warm-up, none if there are
// fewer flows than parts.
func slowdownsBySize(o *run.Outcome) (parts []slowdownPart) {
	var flows []*sim.FlowResult
	for i := range o.Result.Flows {
		if f := &o.Result.Flows[i]; f.Start >= o.From {
			flows = append(flows, f)
		}
	}
	if len(flows) < slowdownParts {
		return nil
	}
	slices.SortStableFunc(flows, func(a, b *sim.FlowResult) int {
		return cmp.Compare(a.Bytes, b.Bytes)
	})
	for i := range slowdownParts {
		parts = append(parts, newSlowdownPart(
			flows[i*len(flows)/slowdownParts:(i+1)*len(flows)/slowdownParts]))
	}
	return parts
}

func newSlowdownPart(flows []*sim.FlowResult) slowdownPart {
	part := slowdownPart{size: flows[len(flows)-1].Bytes}
	var values []float64
	for _, f := range flows {
		if f.FCT != sluice.Never {
			values = append(values, max(1, f.Slowdown()))
		}
	}
	slices.Sort(values)
	part.completed = len(values)
	for i, share := range slowdownPercentiles {
		if part.percentiles[i] = math.NaN(); len(values) > 0 {
			part.percentiles[i] = values[int(float64(len(values))*share)]
		}
	}
	return part
}

// WriteSlowdowns writes a line for each part of the flows as HPCC's fct_analysis.py prints it: the
// share of flows that are smaller, the largest size, and for each protocol the 50th, 95th and 99th
// percentile of completion time over the time in an empty network. Fewer flows than parts are an
// error.
func WriteSlowdowns(w io.Writer, outcomes []*run.Outcome) error {
	var all [][]slowdownPart
	for _, o := range outcomes {
		all = append(all, slowdownsBySize(o))
	}
	if len(all[0]) == 0 {
		return fmt.Errorf("slowdowns by size need at least %d flows", slowdownParts)
	}
	b := bufio.NewWriter(w)
	for i, first := range all[0] {
		fmt.Fprintf(b, "%.3f %d", float64(i)/slowdownParts, first.size)
		for _, parts := range all {
			if i < len(parts) {
				p := parts[i].percentiles
				fmt.Fprintf(b, "\t%.3f %.3f %.3f", p[0], p[1], p[2])
			} else {
				fmt.Fprint(b, "\tNaN NaN NaN")
			}
		}
		fmt.Fprintln(b)
	}
	return b.Flush()
}

// fewSizes are too few for a curve over the size.
const fewSizes = 4

// slowdowns returns a panel for each percentile of the slowdown over the size of flows, none if the
// flows are few or of few sizes.
func slowdowns(outcomes []*run.Outcome) (panels []*draw.Panel) {
	var all [][]slowdownPart
	sizes := map[sluice.Bytes]bool{}
	for _, o := range outcomes {
		all = append(all, slowdownsBySize(o))
		for _, part := range all[len(all)-1] {
			sizes[part.size] = true
		}
	}
	if len(sizes) <= fewSizes {
		return nil
	}
	for i, share := range slowdownPercentiles {
		p := &draw.Panel{
			Name:   fmt.Sprintf("slowdown-p%.0f", 100*share),
			Title:  fmt.Sprintf("slowdown by size, %.0fth percentile", 100*share),
			XLabel: "flow size, bytes", YLabel: "slowdown",
			LogX: true, LogY: true, Empty: "no flow completed",
		}
		for j, o := range outcomes {
			var points []draw.Point
			for _, part := range all[j] {
				if part.completed > 0 {
					points = append(points, draw.Point{X: float64(part.size), Y: part.percentiles[i]})
				}
			}
			if len(points) > 0 {
				p.Curves = append(p.Curves, draw.Curve{FC: o.FC, Points: points})
			}
			if len(points) < slowdownParts {
				p.Notes = append(p.Notes, fmt.Sprintf("%s: no flow completed in %d of %d parts",
					o.FC, slowdownParts-len(points), slowdownParts))
			}
		}
		panels = append(panels, p)
	}
	return panels
}
