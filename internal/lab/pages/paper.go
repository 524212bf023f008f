package pages

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sluicefc/sluice/internal/lab/run"
)

type paper struct {
	Name     string
	Title    string
	Entries  []*Entry
	Untested []run.Claim
	Messages []run.Message
	judged   map[[2]string]*judged
	keys     [][2]string // of judged, in the order of the pages
}

// judged is a statement over all scenarios that measure it.
type judged struct {
	run.Judgement
	Name      string
	Scenarios []string
	Hangs     []string // on what the paper does not give: with other values the verdict is another
	Holds     []string // of these with some values it holds, though it does not as it is
	Reread    bool     // a run gives something of that another value
	Seeds     int      // of the scenario that was run with the fewest; 0 if none was run
}

// judge gives each statement one verdict.
func (p *paper) judge() {
	p.judged = map[[2]string]*judged{}
	findings := map[[2]string][]run.Finding{}
	for _, e := range p.Entries {
		for i := range e.Statements {
			s := &e.Statements[i]
			j := p.judged[s.key()]
			if j == nil {
				j = &judged{Name: s.Name}
				p.judged[s.key()] = j
				p.keys = append(p.keys, s.key())
			}
			j.Scenarios = append(j.Scenarios, e.Scenario)
			findings[s.key()] = append(findings[s.key()], e.findings(s)...)
			if n := len(e.Runs); n > 0 && (j.Seeds == 0 || n < j.Seeds) {
				j.Seeds = n
			}
			for _, m := range e.moves(s) {
				j.Reread = j.Reread || m.open()
				if m.open() && m.changed() {
					j.Hangs = addOnce(j.Hangs, m.by.Open)
				}
				if m.open() && m.explains() {
					j.Holds = addOnce(j.Holds, m.by.Open)
				}
			}
		}
	}
	for key, j := range p.judged {
		j.Judgement = run.Judge(findings[key])
	}
	for i := range p.Untested {
		c := &p.Untested[i]
		key := [2]string{c.Statement, c.Place}
		p.judged[key] = &judged{Name: c.Name, Judgement: run.Judgement{Verdict: run.NotRun}}
		p.keys = append(p.keys, key)
	}
}

func addOnce(to []string, text string) []string {
	if slices.Contains(to, text) {
		return to
	}
	return append(to, text)
}

// verdict says how a statement stands, on how many of its parts, and what it hangs on.
func (p *paper) verdict(s *Statement) string {
	j := p.judged[s.key()]
	text := string(j.Verdict)
	if j.Parts > 1 && j.With < j.Parts {
		text += fmt.Sprintf(" (%d of %d)", j.With, j.Parts)
	}
	if n := len(j.Scenarios); n > 1 {
		text += fmt.Sprintf(", over %d scenarios", n)
	}
	if j.Missing > 0 && j.Verdict != run.NotRun {
		text += fmt.Sprintf("; %d not run", j.Missing)
	}
	return text + hangs(j.Hangs, j.Holds)
}

// hangs says on what a statement hangs, and with which it holds though it does not as it is.
func hangs(on, holds []string) (text string) {
	if on != nil {
		text = "; hangs on " + strings.Join(on, ", ")
	}
	if holds != nil {
		text += "; holds with another " + strings.Join(holds, ", ")
	}
	return text
}

// message is one of a paper's main messages with the verdict on what it rests on.
type message struct {
	run.Message
	Verdict string
}

// Main are the main messages of the paper.
func (p *paper) Main() (all []message) {
	for _, m := range p.Messages {
		var verdicts []run.Verdict
		notRun := 0
		var on []string
		for _, key := range p.keys {
			j := p.judged[key]
			if j.Name == "" || !slices.Contains(m.Claims, j.Name) {
				continue
			}
			for _, open := range j.Hangs {
				on = addOnce(on, open)
			}
			if j.Verdict == run.NotRun {
				notRun++
			} else {
				verdicts = append(verdicts, j.Verdict)
			}
		}
		all = append(all, message{m, wordsOf(verdicts, notRun) + hangs(on, nil)})
	}
	return all
}

// wordsOf is the verdict on several statements: the worst one's.
func wordsOf(verdicts []run.Verdict, notRun int) string {
	if len(verdicts) == 0 {
		return string(run.NotRun)
	}
	worst, with := run.Worst(verdicts)
	text := string(worst)
	if worst.Holds() {
		text, with = string(run.AsStated), len(verdicts)
	}
	if with < len(verdicts) {
		text += fmt.Sprintf(" (%d of %d claims)", with, len(verdicts))
	}
	if notRun > 0 {
		text += fmt.Sprintf("; %d not run", notRun)
	}
	return text
}
