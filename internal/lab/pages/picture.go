package pages

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/sluicefc/sluice/internal/lab/draw"
	"github.com/sluicefc/sluice/internal/lab/report"
	"github.com/sluicefc/sluice/internal/lab/run"
)

// largestPicture is how large a picture should be that is kept beside the pages.
const largestPicture = 40_000

// ofKept reports whether panels show nothing but what is kept of runs.
func ofKept(panels []string) bool {
	return len(panels) > 0 && !slices.ContainsFunc(panels, func(name string) bool {
		return !strings.HasPrefix(name, report.MeasuredKind)
	})
}

// figure draws what is kept of an entry: means over the seeds, with their intervals.
func (e *Entry) figure() *draw.Figure {
	var findings []run.Finding
	for i := range e.Rows {
		r := &e.Rows[i]
		f := run.Finding{
			Measure: r.Measure, Unit: r.Unit, Relation: r.Relation, Run: r.Of, Baseline: r.Baseline,
			Measured: r.measured(),
		}
		given := len(findings)
		for k := range e.Statements {
			for _, part := range e.Statements[k].Parts {
				if part.cell() == r.cell() && part.Published != nil {
					f.Published = part.Published
					findings = append(findings, f)
				}
			}
		}
		if f.Measured.Known() && len(findings) == given {
			findings = append(findings, f)
		}
	}
	f := &draw.Figure{
		Title:    e.Scenario + ": " + e.Description,
		Subtitle: "means over the seeds " + e.Seeds() + ", with their intervals of 95 %",
	}
	if len(e.Runs) == 1 {
		f.Subtitle = "seed " + e.Seeds()
	}
	report.AddMeasured(f, nil, e.Trials, findings)
	return f
}

// makePicture draws the panels of a scenario's figure, with as many corners as a small file can
// have. A panel is never left out.
func makePicture(f *draw.Figure, panels []string) (svg []byte, err error) {
	const finest, coarsest = 0.05, 1.0 // points
	for coarse := finest; coarse <= coarsest; coarse *= 1.5 {
		var b bytes.Buffer
		err = f.Write(&b, "svg", draw.Style{Panels: panels, Coarse: coarse})
		if svg = b.Bytes(); err != nil || len(svg) <= largestPicture {
			break
		}
	}
	return svg, err
}

// keptPictures are the pictures that show nothing but what is kept, as -pages makes them.
func keptPictures(l *run.Library, dir string) (all []page, err error) {
	for _, s := range sources(l) {
		if !ofKept(s.panels) {
			continue
		}
		e, err := load(dir, s.name())
		if err != nil {
			return nil, err
		}
		if len(e.Runs) == 0 {
			continue
		}
		svg, err := makePicture(e.figure(), s.panels)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		all = append(all, page{pictureOf(dir, e.Name), svg})
	}
	return all, nil
}

// Drawn says how the entry's picture is drawn anew.
func (e *Entry) Drawn() string {
	file := strings.ReplaceAll(e.Name, "/", "-") + ".svg"
	flags := "bench run -panel " + strings.Join(e.panels, ",") + " -plot " + file + " "
	command := "    " + strings.Replace(e.Command, "bench run ", flags, 1)
	if ofKept(e.panels) {
		return "Drawn of all seeds that are kept; of one:\n\n" + command
	}
	return command
}
