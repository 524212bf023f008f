package pages

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// included reports whether a scenario has an entry: it follows a figure, or has something to
// compare with.
func included(s *run.Scenario) bool {
	return s.Figure != "" || s.Claims != nil || s.Published != nil
}

// source is what an entry is about: a scenario as it is, or with the change of one of its notes.
type source struct {
	*run.Scenario
	note     *run.Note // nil: as it is
	remarks  []string  // of the notes that name no run
	unvaried []string  // what these notes say is open
	panels   []string  // of its picture
}

// sources returns the sources of all entries, in the order of the scenarios.
func sources(l *run.Library) (all []source) {
	for i := range l.Scenarios {
		s := &l.Scenarios[i]
		if !included(s) {
			continue
		}
		own := source{Scenario: s, panels: l.Panels[s.Name]}
		for _, n := range l.Notes[s.Name] {
			if !n.Tried() {
				own.remarks = append(own.remarks, n.Text)
				if n.Open != "" {
					own.unvaried = addOnce(own.unvaried, n.Open)
				}
			}
		}
		all = append(all, own)
		for _, n := range l.Notes[s.Name] {
			if n.Tried() {
				all = append(all, source{Scenario: s, note: &n})
			}
		}
	}
	return all
}

func (s source) request(seed uint64) run.Request {
	if s.note == nil {
		return run.Request{Seed: seed}
	}
	return s.note.Request(seed)
}

// flags returns the flags of the command that runs the source, before the scenario's name.
func (s source) flags() string {
	r := s.request(0)
	flags := r.Changes()
	if len(r.Protocols) > 0 {
		flags = append(flags, "-fc "+strings.Join(r.Protocols, ","))
	}
	return strings.Join(flags, " ")
}

// name returns the name of the entry: the scenario's, and behind a slash what is changed.
func (s source) name() string {
	flags := s.flags()
	if flags == "" {
		return s.Name
	}
	file := strings.NewReplacer("-set ", "", " -", "_", " ", "=", "/", "-")
	return s.Name + "/" + file.Replace(flags)
}

// prepare builds a source for a seed. What others measured of flows is a claim like any other.
func (s source) prepare(l *run.Library, seed uint64) (*run.Subject, error) {
	subject, err := l.Prepare(s.Scenario, s.request(seed))
	if err != nil || subject.Published == nil {
		return subject, err
	}
	with := *s.Scenario
	with.Claims = func(of *run.Subject) (claims []run.Claim) {
		if s.Claims != nil {
			claims = s.Claims(of)
		}
		return append(claims, claimMeans(of)...)
	}
	subject.Scenario = &with
	return subject, nil
}

// claimMeans sets the mean completion times that others measured beside ours.
func claimMeans(s *run.Subject) (claims []run.Claim) {
	for _, g := range run.PaperGroups {
		c := run.Measurement{
			What: "mean FCT of " + run.GroupTitle(g), Unit: "us",
			Value: run.MeanFCT(g), Published: run.Ranges{},
		}
		if g != workload.GroupAuto {
			c.What += " flows"
		}
		for fc := range s.Published.FCT {
			if !s.Compares(fc) {
				continue // another scenario's
			}
			if mean, ok := s.Published.Mean(fc, s.Groups, g); ok {
				c.Published[fc] = run.Exactly(math.Round(100*mean) / 100)
				c.Of = append(c.Of, fc)
			}
		}
		slices.Sort(c.Of)
		claims = append(claims, run.Claim{
			Statement: c.What + " took as long as in " + s.Published.Source, Place: s.Published.Source,
			Source: run.Others, Measures: []run.Measurement{c},
		})
	}
	return claims
}

// newEntry is an entry without a run.
func newEntry(of source, s *run.Subject) *Entry {
	e := &Entry{
		Name: of.name(), Scenario: s.Name, Description: s.Doc, Figure: s.Figure, Changes: of.flags(),
		Command: strings.Join(strings.Fields("go run ./bench run "+of.flags()+" "+s.Name), " "),
		Setting: settingDigest(s), Runs: []Run{}, Statements: statements(s), Rows: []Row{},
		Remarks: append([]string{}, of.remarks...), Unvaried: of.unvaried,
	}
	if of.note != nil {
		e.Description, e.Open = of.note.Text, of.note.Open
	}
	for _, t := range s.Trials() {
		e.Trials = append(e.Trials, t.Label)
	}
	e.judge()
	return e
}

// makeRows returns the cells of a subject, with what a seed gave for them.
func makeRows(s *run.Subject, findings []run.Finding, seed uint64) (rows []Row) {
	e := &Entry{}
	for _, f := range append(run.Expected(s), findings...) {
		r := Row{
			Measure: f.Measure, Unit: f.Unit, Figure: f.Figure, Of: f.Run, Baseline: f.Baseline,
			Relation: f.Relation, Values: map[int64]any{},
		}
		own := e.row(r.cell())
		if own == nil {
			e.Rows = append(e.Rows, r)
			own = &e.Rows[len(e.Rows)-1]
		}
		switch x := f.Measured.Value; {
		case f.Measured.Words != "":
			own.Values[int64(seed)] = f.Measured.Words
		case math.IsInf(x, 0):
			own.Values[int64(seed)] = "without bound"
		case !math.IsNaN(x):
			own.Values[int64(seed)] = run.Round6(x)
		}
	}
	return e.Rows
}

// settingDigest is a digest of the network, the traffic and the parameters that are set, for the
// first seed.
func settingDigest(s *run.Subject) string {
	d := xxhash.New()
	for _, t := range s.Trials() {
		fmt.Fprintln(d, t.Label, t.FC, t.Subject.Values.Set(), t.Subject.Until, t.Subject.WarmUp)
		fmt.Fprintln(d, t.Subject.SampleEvery, t.Subject.Routes)
	}
	for i := range s.Graph.Nodes {
		fmt.Fprintf(d, "%+v\n", s.Graph.Nodes[i])
	}
	for i := range s.Flows {
		f := &s.Flows[i]
		fmt.Fprintln(d, f.Src, f.Dst, f.Bytes, f.Start, f.Class, f.Group, f.Rate)
	}
	for i := range s.Jobs {
		fmt.Fprintln(d, s.Jobs[i].Hosts, s.Jobs[i].Repeat)
		_ = s.Jobs[i].Schedule.WriteBinary(d) // which a digest never refuses
	}
	return fmt.Sprintf("%016x", d.Sum64())
}

// otherSetting is why an entry is stale whose runs are not to be compared with others.
const otherSetting = "its network, traffic or parameters have changed"

// renew brings what was kept up to what the code says, short of running anything: it names what is
// stale, and takes claims, notes and descriptions from the code. It drops what is not measured any
// more.
func (e *Entry) renew(of source, s *run.Subject) {
	fresh := newEntry(of, s)
	if len(e.Runs) == 0 {
		*e = *fresh
		return
	}
	e.Name, e.Description, e.Figure = fresh.Name, fresh.Description, fresh.Figure
	e.Command, e.Remarks, e.Open = fresh.Command, fresh.Remarks, fresh.Open
	e.Unvaried = fresh.Unvaried
	e.Statements, e.Stale = fresh.Statements, ""
	rows := []Row{}
	for _, r := range makeRows(s, nil, 0) {
		kept := e.row(r.cell())
		if kept == nil {
			e.Stale = "what is measured has changed"
			continue
		}
		r.Values = kept.Values
		rows = append(rows, r)
	}
	e.Rows = rows
	if e.Setting != fresh.Setting {
		e.Stale = otherSetting
	}
	e.judge()
}
