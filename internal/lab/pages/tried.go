package pages

import (
	"strings"

	"github.com/sluicefc/sluice/internal/lab/run"
)

// triedRow is a row of an entry with a change, and our value without the change.
type triedRow struct {
	Row
	AsItIs string
}

// Compare returns what to show of an entry with a change: rows that differ from the paper without
// the change; else rows for which the paper gives something; else all rows.
func (e *Entry) Compare(tried *Entry) []triedRow {
	var differing, published, all []triedRow
	for _, r := range tried.Rows {
		if len(r.Values) == 0 {
			continue
		}
		row := triedRow{Row: r}
		if own := e.rowLike(&r, tried.control()); own != nil {
			row.AsItIs = own.Ours
			if own.Published != nil && (own.Verdict == run.Differs || own.Verdict == run.Twice) {
				differing = append(differing, row)
			}
		}
		if r.Published != nil {
			published = append(published, row)
		}
		all = append(all, row)
	}
	for _, rows := range [][]triedRow{differing, published} {
		if len(rows) > 0 {
			return rows
		}
	}
	return all
}

// rowLike is the row of the same claim and trial, which may be named by its congestion control; nil
// if there is none.
func (e *Entry) rowLike(r *Row, control string) *Row {
	for i := range e.Rows {
		o := &e.Rows[i]
		if o.What == r.What && o.Baseline == r.Baseline && (o.Of == r.Of || o.Of == control) {
			return o
		}
	}
	return nil
}

// control is the congestion control that is set, "" for none.
func (e *Entry) control() string {
	_, control, _ := strings.Cut(e.Changes, "cc=")
	control, _, _ = strings.Cut(control, " ")
	control, _, _ = strings.Cut(control, ",")
	return control
}
