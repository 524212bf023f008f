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
	for _, made := range []func() ([]page, error){
		func() ([]page, error) { return keptPictures(l, dir) },
		func() ([]page, error) { return render(l, dir, "") }, // whose pages show the pictures
	} {
		all, err := made()
		if err != nil {
			return err
		}
		for _, p := range all {
			if err := write(p.name, p.content); err != nil {
				return err
			}
		}
	}
	return nil
}

type page struct {
	name    string
	content []byte
}

// picture returns the picture of an entry as a page in dir names it: the whole picture in the
// folder html, or the picture that is kept; "" if there is none.
func picture(dir, html, entry string) string {
	for _, folder := range []string{html, dir} {
		if _, err := os.Stat(pictureOf(folder, entry)); folder == "" || err != nil {
			continue
		}
		base, _ := filepath.Abs(dir) // html may be anywhere
		target, err := filepath.Abs(pictureOf(folder, entry))
		if relative, relErr := filepath.Rel(base, target); err == nil && relErr == nil {
			return filepath.ToSlash(relative)
		}
	}
	return ""
}

func pictureOf(dir, entry string) string {
	return filepath.Join(dir, "pictures", strings.ReplaceAll(entry, "/", "-")+".svg")
}

// render makes the front page, a page per paper, and the page of how to reproduce them, with the
// pictures that are kept, or that are in the folder html if there is one.
func render(l *run.Library, dir, html string) (pages []page, err error) {
	t := template.New("")
	t, err = t.Funcs(functions).Funcs(template.FuncMap{
		"picture":   func(entry string) string { return picture(dir, html, entry) },
		"elsewhere": func() ([]compared, error) { return elsewhere(dir) },
		"believe":   func(papers []*paper) (string, error) { return believe(t, papers) },
	}).ParseFS(templates, "templates/*.md")
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
	add(filepath.Join(dir, "sensitivity.md"), "sensitivity.md", papers)
	add(filepath.Join(filepath.Dir(dir), "reproducing.md"), "reproducing.md", papers)
	for _, p := range papers {
		add(filepath.Join(dir, p.Name+".md"), "paper.md", p)
	}
	return pages, err
}

// believe says in a list what a reader should believe, what not, and why.
func believe(t *template.Template, papers []*paper) (string, error) {
	var b bytes.Buffer
	err := t.ExecuteTemplate(&b, "believe.md", papers)
	var items []string
	for line := range strings.Lines(strings.TrimSpace(b.String())) {
		items = append(items, strings.Join(show.Wrap(strings.TrimSpace(line), 96), "\n    "))
	}
	return strings.Join(items, "\n"), err
}

// collect reads all entries, paper by paper in the order of the scenarios.
func collect(l *run.Library, dir string) (papers []*paper, err error) {
	byName := map[string]*paper{}
	for _, s := range sources(l) {
		e, err := load(dir, s.name())
		if err != nil {
			return nil, err
		}
		if e.Name == "" {
			return nil, fmt.Errorf(
				"there is no entry of %s; \"go run ./bench report -pages\" makes it", s.name(),
			)
		}
		e.panels = s.panels
		p := byName[e.Paper()]
		if s.note != nil {
			own := p.Entries[len(p.Entries)-1]
			e.Stands = stands(s.Variants, s.note.Set)
			own.Tried = append(own.Tried, e)
			continue
		}
		if p == nil {
			p = &paper{
				Name: e.Paper(), Title: titles[e.Paper()], Messages: l.Messages[e.Paper()],
				Untested: l.Untested[e.Paper()],
			}
			byName[p.Name] = p
			papers = append(papers, p)
		}
		p.Entries = append(p.Entries, e)
	}
	for _, p := range papers {
		p.judge()
	}
	return papers, nil
}

// titles of pages, by paper; otherwise the paper's name is the title.
var titles = map[string]string{
	"general": "General scenarios, and public simulators", "pyrrha": "Pyrrha", "bfc": "BFC",
	"ofc": "OFC", "tcd": "TCD and CBFC", "pcn": "PCN", "portfc": "PortFC",
	"training": "Training jobs beside other traffic",
}

// Notes returns the notes on the entry's claims, each once, with the numbers of the claims.
func (e *Entry) Notes() (notes []note) {
	for i := range e.Statements {
		text, number := e.Statements[i].Note, fmt.Sprint(i+1)
		if text == "" {
			continue
		}
		at := slices.IndexFunc(notes, func(n note) bool { return n.Text == text })
		if at < 0 {
			notes = append(notes, note{number, text})
		} else {
			notes[at].Of += ", " + number
		}
	}
	return notes
}

type note struct{ Of, Text string }

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
	"outcomes":  func() []run.Verdict { return outcomes[:] },
	"kinds":     byKind,
	"explained": explained,
	"coverage":  coverage,
	"stood":     stood,
	"told":      told,
	"single":    single,
	"fewSeeds":  fewSeeds,
	"all":       total,
	"cell": func(s string) string {
		return strings.ReplaceAll(strings.ReplaceAll(s, "\n", " "), "|", "\\|")
	},
	"duration": duration,
	"made":     (*Entry).made,
	"item":     func(s string) string { return "  " + strings.ReplaceAll(s, "\n", "\n  ") },
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
	"anchor": anchor,
	"fill":   fill,
	"builds": builds,
}

func anchor(s string) string { return strings.ReplaceAll(s, "/", "") }

// fill breaks a paragraph, or an item of a list, into lines.
func fill(s string) string {
	indent := ""
	if strings.HasPrefix(s, "* ") {
		indent = "  "
	}
	return strings.Join(show.Wrap(s, 100-len(indent)), "\n"+indent)
}

// made says by what an entry was made, or how it is.
func (e *Entry) made() string {
	if len(e.Runs) == 0 {
		return "Not run: `go run ./bench report -write " + e.Scenario + "` runs it."
	}
	text := fmt.Sprintf("Seeds %s; %s in all; made by %s.", e.Seeds(), duration(e.Seconds()), e.By())
	if e.Older {
		text = strings.TrimSuffix(text, ".") + ", **older code**."
	}
	if e.Stale != "" {
		text += " **Stale: " + e.Stale + ".**"
	}
	return text
}

// By is the code that made the runs.
func (e *Entry) By() string {
	switch commit, changed := strings.CutSuffix(e.Commit, "+"); {
	case e.Commit == "":
		return "code " + e.Code + ", at a commit that is not on main"
	case changed:
		return fmt.Sprintf("code %s, changed after commit %s", e.Code, commit)
	default:
		return fmt.Sprintf("code %s, commit %s", e.Code, commit)
	}
}

// builtBy counts the entries that have runs by what made them.
type builtBy struct {
	Entries, Older, OnMain, Changed int // OnMain: at a commit of main; Changed: after one
}

// Present are the entries that the code of these pages made.
func (b builtBy) Present() int { return b.Entries - b.Older }

// Branch are the entries that name no commit of main.
func (b builtBy) Branch() int { return b.Entries - b.OnMain - b.Changed }

// builds counts the entries of all pages.
func builds(papers []*paper) (all builtBy) {
	for _, p := range papers {
		for _, own := range p.Entries {
			for _, e := range append([]*Entry{own}, own.Tried...) {
				if len(e.Runs) > 0 {
					all.add(e)
				}
			}
		}
	}
	return all
}

func (b *builtBy) add(e *Entry) {
	b.Entries++
	if e.Older {
		b.Older++
	}
	switch {
	case strings.HasSuffix(e.Commit, more):
		b.Changed++
	case e.Commit != "":
		b.OnMain++
	}
}
