package pages

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/show"
)

//go:embed templates
var templates embed.FS

// Write makes the pages of what is kept.
func Write(l *run.Library, dir string) error {
	all, err := render(l, dir)
	if err != nil {
		return err
	}
	for _, p := range all {
		if err := write(p.name, p.content); err != nil {
			return err
		}
	}
	return nil
}

// page is a file that is made.
type page struct {
	name    string
	content []byte
}

// paper is what a page is made of.
type paper struct {
	Name    string
	Title   string
	Entries []*Entry
}

// verdicts are the columns of the front page.
var verdicts = []run.Verdict{
	run.Near, run.InRange, run.SameOrder, run.Differs, run.NoNumber, run.NotRun,
}

// render makes the front page, a page per paper, and the page of how to reproduce them.
func render(l *run.Library, dir string) (pages []page, err error) {
	notes := func(paper string) bool {
		_, err := os.Stat(filepath.Join(dir, "notes-"+paper+".md"))
		return err == nil
	}
	t, err := template.New("").Funcs(functions).Funcs(template.FuncMap{"notes": notes}).
		ParseFS(templates, "templates/*.md")
	if err != nil {
		return nil, err
	}
	papers, err := collect(l, dir)
	if err != nil {
		return nil, err
	}
	add := func(name, of string, data any) {
		var b bytes.Buffer
		if err == nil {
			err = t.ExecuteTemplate(&b, of, data)
		}
		pages = append(pages, page{name, b.Bytes()})
	}
	add(filepath.Join(dir, "README.md"), "front.md", papers)
	add(filepath.Join(filepath.Dir(dir), "reproducing.md"), "reproducing.md", papers)
	for _, p := range papers {
		add(filepath.Join(dir, p.Name+".md"), "paper.md", p)
	}
	return pages, err
}

// collect reads all entries, paper by paper in the order of the scenarios.
func collect(l *run.Library, dir string) (papers []*paper, err error) {
	byName := map[string]*paper{}
	for i := range l.Scenarios {
		s := &l.Scenarios[i]
		if !included(s) {
			continue
		}
		e, err := load(dir, s.Name)
		if err != nil {
			return nil, err
		}
		if e.Scenario == "" {
			return nil, fmt.Errorf(
				"there is no entry of %s; \"go run ./bench report -pages\" makes it", s.Name,
			)
		}
		p := byName[e.Paper()]
		if p == nil {
			p = &paper{Name: e.Paper(), Title: titles[e.Paper()]}
			byName[p.Name] = p
			papers = append(papers, p)
		}
		p.Entries = append(p.Entries, e)
	}
	return papers, nil
}

// titles of pages, by paper; of what is not here the name is the title.
var titles = map[string]string{
	"general": "General scenarios, and public simulators", "pyrrha": "Pyrrha", "bfc": "BFC",
	"ofc": "OFC", "tcd": "TCD and CBFC", "pcn": "PCN", "portfc": "PortFC",
}

// Count returns how many rows of something published have each verdict, in the order of verdicts.
func (e *Entry) Count() []int {
	n := make([]int, len(verdicts))
	for i := range e.Rows {
		for k, v := range verdicts {
			if r := &e.Rows[i]; r.Published != nil && r.Verdict == v {
				n[k]++
			}
		}
	}
	return n
}

// Count sums over the entries.
func (p *paper) Count() []int { return total(p.Entries) }

func total(entries []*Entry) []int {
	sum := make([]int, len(verdicts))
	for _, e := range entries {
		for k, n := range e.Count() {
			sum[k] += n
		}
	}
	return sum
}

// note is what was tried where some claims of an entry differ.
type note struct{ Of, Text string }

// Notes are those beside the entry's claims, each once, with the claims that it is beside.
func (e *Entry) Notes() (notes []note) {
	for i := range e.Rows {
		r := &e.Rows[i]
		if r.Note == "" {
			continue
		}
		at := slices.IndexFunc(notes, func(n note) bool { return n.Text == r.Note })
		switch {
		case at < 0:
			notes = append(notes, note{r.What, r.Note})
		case !slices.Contains(strings.Split(notes[at].Of, "; "), r.What):
			notes[at].Of += "; " + r.What
		}
	}
	return notes
}

// duration returns seconds for people.
func duration(seconds float64) string {
	switch {
	case seconds < 0.1:
		return "under 0.1 s"
	case seconds < 60:
		return fmt.Sprintf("%.1f s", seconds)
	}
	return fmt.Sprintf("%.1f min", seconds/60)
}

var functions = template.FuncMap{
	"verdicts": func() []run.Verdict { return verdicts },
	"all": func(papers []*paper) []int {
		var entries []*Entry
		for _, p := range papers {
			entries = append(entries, p.Entries...)
		}
		return total(entries)
	},
	"words": func(v run.Verdict) string {
		if v == run.NoNumber {
			return "no number"
		}
		return string(v)
	},
	"cell": func(s string) string {
		return strings.ReplaceAll(strings.ReplaceAll(s, "\n", " "), "|", "\\|")
	},
	"duration": duration,
	"memory": func(e *Entry) string {
		var peak int64
		for _, r := range e.Runs {
			peak = max(peak, r.PeakBytes)
		}
		if peak == 0 {
			return ""
		}
		return show.Megabytes(sluice.Bytes(peak))
	},
	"anchor": func(s string) string { return strings.ReplaceAll(s, "/", "") },
	"fill":   func(s string) string { return strings.Join(show.Wrap(s, 100), "\n") },
}
