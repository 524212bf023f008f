package pages

import (
	"bytes"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/sluicefc/sluice/internal/lab/draw"
	"github.com/sluicefc/sluice/internal/lab/report"
	"github.com/sluicefc/sluice/internal/lab/run"
)

type unit struct {
	*planned
	seed uint64
}

// run runs all trials of a seed, and keeps what was found.
func (u *unit) run(c *Config) error {
	r, rows, drawn, err := u.once(c)
	if err != nil {
		return err
	}
	if u.note == nil && u.seed == c.Seeds[0] {
		if err := c.keepPicture(u.source, drawn); err != nil {
			return err
		}
	}
	u.mutex.Lock()
	defer u.mutex.Unlock()
	if u.entry.Code != u.code || u.entry.Stale != "" {
		subject, err := u.prepare(c.Library, run.DefaultSeed)
		if err != nil {
			return err
		}
		due := u.entry.seeds()
		*u.entry = *newEntry(u.source, subject)
		u.entry.Rows, u.entry.Code, u.entry.Due = nil, u.code, due
		u.entry.Commit = commitOfMain(c.Source)
	}
	u.entry.add(r, rows)
	c.Say(fmt.Sprintf("%s, seed %d: %.1f s", u.entry.Name, u.seed, r.Seconds))
	return u.entry.save(c.Dir)
}

// once runs all trials of a seed.
func (u *unit) once(c *Config) (r Run, rows []Row, drawn *draw.Figure, err error) {
	if c.Jobs == 1 {
		debug.FreeOSMemory() // so that the peak is this run's
	}
	return u.measure(c.Library, u.seed, c.Jobs == 1)
}

func (s source) measure(
	l *run.Library, seed uint64, memory bool,
) (r Run, rows []Row, picture *draw.Figure, err error) {
	r.Seed = seed
	subject, err := s.prepare(l, seed)
	if err != nil {
		return r, nil, nil, err
	}
	if slices.Contains(s.panels, "flows") {
		subject.DrawRates()
	}
	var outcomes []*run.Outcome
	for _, t := range subject.Trials() {
		o, err := t.Subject.Simulate(t.FC, memory, nil)
		if err != nil {
			return r, nil, nil, fmt.Errorf("seed %d: %w", seed, err)
		}
		o.FC = t.Label
		outcomes = append(outcomes, o)
		r.Seconds += o.Result.Wall.Seconds()
		if o.PeakRSS != nil {
			r.PeakBytes = max(r.PeakBytes, *o.PeakRSS)
		}
	}
	findings := run.Findings(subject, outcomes)
	r.Seconds = float64(int(r.Seconds*1000)) / 1000
	return r, makeRows(subject, findings, seed), report.Picture(subject, outcomes), nil
}

// keepPicture keeps the picture of an entry: all panels in the folder of the HTML, if there is one,
// and the panels of the scenario's figure beside the pages.
func (c *Config) keepPicture(of source, f *draw.Figure) error {
	if c.HTML != "" {
		var all bytes.Buffer
		if err := f.Write(&all, "svg", draw.Style{}); err != nil {
			return err
		}
		if err := write(pictureOf(c.HTML, of.name()), all.Bytes()); err != nil {
			return err
		}
	}
	if len(of.panels) == 0 || ofKept(of.panels) {
		return nil
	}
	svg, err := makePicture(f, of.panels)
	if err != nil {
		return err
	}
	return write(pictureOf(c.Dir, of.name()), svg)
}
