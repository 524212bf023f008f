package run

import (
	"maps"
	"math"
	"slices"
)

// Judgement is the verdict on a statement.
type Judgement struct {
	Kind    Kind    `json:"kind"`
	Verdict Verdict `json:"verdict"`
	With    int     `json:"with"`    // how many parts have that verdict
	Parts   int     `json:"parts"`   // cells or orders that were judged; of "up to" groups of cells
	Missing int     `json:"missing"` // cells that were not run
}

// Judge returns the verdict on a statement from all its cells, of however many scenarios: the
// verdict on the part that contradicts the paper most. Cells of which the paper gives nothing do
// not count.
func Judge(findings []Finding) Judgement {
	j, _ := JudgeBy(findings)
	return j
}

// JudgeBy is Judge, and returns the cell that decides, too; nil if none does, or an order.
func JudgeBy(findings []Finding) (j Judgement, by *Finding) {
	j.Kind, j.Missing = kindOf(findings)
	parts := partsOf(findings)
	if j.Parts = len(parts); j.Parts == 0 {
		if j.Verdict = NotPublished; j.Kind != "" {
			j.Verdict = NotRun
		}
		return j, nil
	}
	verdicts := make([]Verdict, len(parts))
	for i, p := range parts {
		verdicts[i] = p.is
	}
	j.Verdict, j.With = Worst(verdicts)
	by = parts[slices.Index(verdicts, j.Verdict)].by
	if j.Verdict.Holds() && j.Kind == Several {
		j.Verdict, j.With = AsStated, j.Parts
	}
	return j, by
}

// kindOf returns the kind that all cells of a statement have, and how many were not run.
func kindOf(findings []Finding) (kind Kind, missing int) {
	for i := range findings {
		f := &findings[i]
		switch own := f.Kind(); {
		case own == "":
			continue
		case kind == "":
			kind = own
		case kind != own:
			kind = Several
		}
		if !f.Measured.Known() {
			missing++
		}
	}
	return kind, missing
}

// part is a cell with its verdict, or an order of cells with theirs.
type part struct {
	by *Finding // nil for an order
	is Verdict
}

// partsOf returns what was run of a statement: each cell, the largest of cells with one "up to",
// and each order as a whole.
func partsOf(findings []Finding) (parts []part) {
	largest, orders := map[Range]*Finding{}, map[string][]Finding{}
	for i := range findings {
		f := &findings[i]
		switch kind := f.Kind(); {
		case kind == Ordered && f.Measured.Known():
			orders[f.Series] = append(orders[f.Series], *f)
		case kind == Largest && !math.IsNaN(f.Measured.Value):
			if l := largest[*f.Published]; l == nil || f.towards() > l.towards() {
				largest[*f.Published] = f
			}
		}
	}
	for i := range findings {
		f := &findings[i]
		kind := f.Kind()
		number := kind == Largest && !math.IsNaN(f.Measured.Value)
		if kind == "" || kind == Ordered || !f.Measured.Known() || number && largest[*f.Published] != f {
			continue
		}
		parts = append(parts, part{f, f.Verdict()})
	}
	for _, series := range slices.Sorted(maps.Keys(orders)) {
		if v := ordered(orders[series]); v != NotRun {
			parts = append(parts, part{nil, v})
		}
	}
	return parts
}

// Worst returns the verdict that contradicts a paper most, and how many have it. Of verdicts that
// hold it is the most frequent.
func Worst(verdicts []Verdict) (worst Verdict, with int) {
	count := map[Verdict]int{}
	for _, v := range verdicts {
		count[v]++
	}
	for _, v := range severity {
		switch n := count[v]; {
		case n > 0 && !v.Holds():
			return v, n
		case n > with:
			worst, with = v, n
		}
	}
	if with == 0 && len(verdicts) > 0 {
		return verdicts[0], len(verdicts)
	}
	return worst, with
}

// towards returns how far a cell is on the published side.
func (f *Finding) towards() float64 {
	if f.Relation == Alone {
		return f.Measured.Value
	}
	ours := f.Relation.effect(f.Measured.Value)
	if f.Relation.effect(f.Published.Low) < 0 {
		return -ours
	}
	return ours
}

// ordered judges cells that are to grow with their ranks: all cells of a rank are below all cells
// of the next.
func ordered(cells []Finding) Verdict {
	var low, high []float64
	ranks := 0
	slices.SortStableFunc(cells, func(a, b Finding) int { return a.Rank - b.Rank })
	for i, f := range cells {
		x := f.Measured.Value
		if math.IsNaN(x) {
			return Differs // words
		}
		if i == 0 || f.Rank != cells[i-1].Rank {
			ranks++
			low, high = append(low, x), append(high, x)
			continue
		}
		low[ranks-1], high[ranks-1] = min(low[ranks-1], x), max(high[ranks-1], x)
	}
	rising, falling := 0, 0
	for i := 1; i < ranks; i++ {
		if high[i-1] < low[i] {
			rising++
		}
		if low[i-1] > high[i] {
			falling++
		}
	}
	least, most := slices.Min(low), slices.Max(high)
	switch {
	case ranks < 2:
		return NotRun
	case rising == ranks-1:
		return InOrder
	case most-least <= 0.02*max(math.Abs(most), math.Abs(least)):
		return NoEffect
	case falling == ranks-1:
		return Opposite
	}
	return Differs
}
