package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/show"
)

// findings returns what the claims of a subject measure. What the paper states is about the
// scenario as it is, so that it is left out if something was changed.
func findings(s *run.Subject, outcomes []*run.Outcome) []run.Finding {
	found := run.Findings(s, outcomes)
	if len(s.Changes) == 0 {
		return found
	}
	for i := range found {
		found[i].Published, found[i].Rank = nil, 0
	}
	return slices.DeleteFunc(found, func(f run.Finding) bool { return !f.Measured.Known() })
}

// writeClaims writes what the paper states beside ours, each statement with its verdict below, and
// what else was measured.
func writeClaims(b *strings.Builder, s *run.Subject, findings []run.Finding) {
	claims := show.NewTable(3, "claim", "what", "fc", "ours", "paper")
	beside := show.NewTable(2, "what", "fc", "ours")
	claims.Columns[1].Wrap, beside.Columns[0].Wrap = 50, 60
	var statements []string
	apart := 0                       // rows of beside
	parts := map[int][]run.Finding{} // by claim
	var order []int
	for i := range findings {
		f := &findings[i]
		what := f.What
		if f.Unit != "" {
			what += ", " + f.Unit
		}
		if !f.Part() {
			beside.Add(what, f.Run, f.Measured.String())
			apart++
			continue
		}
		if parts[f.Index] == nil {
			order = append(order, f.Index)
		}
		parts[f.Index] = append(parts[f.Index], *f)
		claims.Add(fmt.Sprint(len(order)), what, f.Run, f.Measured.String(), given(f))
	}
	for i, index := range order {
		c := parts[index][0].Claim
		statements = append(statements, fmt.Sprintf("%d: %s (%s): %s", i+1, c.Statement, c.Place,
			judged(parts[index])))
	}
	if len(statements) > 0 {
		fmt.Fprintf(b, "\nThe paper's claims and ours\n\n%s\n\n", claims)
		WriteList(b, statements)
	}
	title := "What else was measured"
	if len(s.Changes) > 0 {
		title = "What the paper has claims of, for the scenario as it is"
	}
	if apart > 0 {
		fmt.Fprintf(b, "\n%s\n\n%s\n", title, beside)
	}
}

// given is what the paper gives for a cell: a range, or a place in an order.
func given(f *run.Finding) string {
	if f.Published != nil {
		return f.Published.String()
	}
	return fmt.Sprintf("place %d", f.Rank)
}

// judged is the verdict on a statement, by these runs.
func judged(parts []run.Finding) string {
	j := run.Judge(parts)
	text := string(j.Verdict)
	if j.With < j.Parts {
		text += fmt.Sprintf(" (%d of %d)", j.With, j.Parts)
	}
	return text
}
