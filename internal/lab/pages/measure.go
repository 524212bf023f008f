package pages

import (
	"bytes"
	"fmt"
	"os/exec"
	"runtime/debug"
	"strings"

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
	if c.Jobs == 1 {
		debug.FreeOSMemory() // so that the peak is this run's
	}
	r, rows, drawn, err := u.measure(c.Library, u.seed, c.Jobs == 1)
	if err != nil {
		return err
	}
	if u.note == nil && u.seed == c.Seeds[0] {
		if err := c.keepPicture(u.name(), drawn); err != nil {
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
		*u.entry = *newEntry(u.source, subject)
		u.entry.Rows, u.entry.Code = nil, u.code
		u.entry.Build, u.entry.Commit = report.Build(), commit(c.Source)
	}
	u.entry.add(r, rows)
	c.Say(fmt.Sprintf("%s, seed %d: %.1f s", u.entry.Name, u.seed, r.Seconds))
	return u.entry.save(c.Dir)
}

func (s source) measure(
	l *run.Library, seed uint64, memory bool,
) (r Run, rows []Row, picture *draw.Figure, err error) {
	r.Seed = seed
	subject, err := s.prepare(l, seed)
	if err != nil {
		return r, nil, nil, err
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

// largestPicture is how large a picture may be that is kept beside the pages.
const largestPicture = 40_000

// keepPicture keeps the picture of an entry in the folder of the HTML, if there is one, and beside
// the pages: the first rows of panels, and of the first row the first panels, as many as are not
// too large.
func (c *Config) keepPicture(entry string, f *draw.Figure) error {
	svg, err := svgOf(f)
	if err == nil && c.HTML != "" {
		err = write(pictureOf(c.HTML, entry), svg)
	}
	for err == nil && len(svg) > largestPicture {
		switch last := len(f.Rows) - 1; {
		case last > 0:
			f.Rows = f.Rows[:last]
		case len(f.Rows[0]) > 1:
			f.Rows[0] = f.Rows[0][:len(f.Rows[0])-1]
		default:
			return nil
		}
		svg, err = svgOf(f)
	}
	if err != nil {
		return err
	}
	return write(pictureOf(c.Dir, entry), svg)
}

func svgOf(f *draw.Figure) ([]byte, error) {
	var b bytes.Buffer
	err := f.Write(&b, "svg", draw.Style{})
	return b.Bytes(), err
}

// commit is what git has checked out, with "-dirty" if a source was changed since; "" if it does
// not say.
func commit(source string) string {
	if source == "" {
		return ""
	}
	out, err := exec.Command("git", "-C", source, "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		return ""
	}
	name := strings.TrimSpace(string(out))
	sources := []string{"-C", source, "diff", "--quiet", "HEAD", "--", ":/*.go", ":/go.mod"}
	if exec.Command("git", sources...).Run() != nil {
		name += "-dirty"
	}
	return name
}
