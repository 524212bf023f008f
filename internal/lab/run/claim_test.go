package run

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
)

// claimed returns a run that dropped some packets and marked others.
func claimed(t *testing.T, fc string, dropped, marked int64) *Outcome {
	parameters, err := params.NewRegistry(fabric.Definitions())
	require.NoError(t, err)
	values, err := parameters.Parse()
	require.NoError(t, err)
	return &Outcome{
		FC: fc, Run: fc, Subject: &Subject{Values: values},
		Result: &sim.Result{Dropped: dropped, Marked: marked},
	}
}

var (
	losses = Value(func(o *Outcome) float64 { return float64(o.Result.Dropped) })
	marks  = Value(func(o *Outcome) float64 { return float64(o.Result.Marked) })
)

// of is a subject with some claims.
func of(claims ...Claim) *Subject {
	return &Subject{Scenario: &Scenario{Claims: func(*Subject) []Claim { return claims }}}
}

// Relations between 30 and 40.
func TestRelations(t *testing.T) {
	runs := []*Outcome{claimed(t, "pfc", 40, 0), claimed(t, "ofc", 30, 0), claimed(t, "none", 0, 0)}
	for relation, want := range map[Relation]Finding{
		Less:  {What: "losses, less than pfc", Unit: "%", Measured: Number(25)},
		More:  {What: "losses, more than pfc", Unit: "%", Measured: Number(-25)},
		Times: {What: "losses, times pfc's", Measured: Number(0.75)},
		Fold:  {What: "losses, pfc's over it", Measured: Number(4.0 / 3)},
	} {
		m := Measurement{
			What: "losses", Unit: "packets", Of: []string{"ofc"}, Relation: relation, Value: losses,
			Published: map[string]Range{"none": Exactly(2)},
		}
		found := Findings(of(Claim{Statement: "s", Measures: []Measurement{m}}), runs)
		require.Len(t, found, 2)
		require.Equal(t, "ofc", found[0].Run)
		require.Equal(t, "pfc", found[0].Baseline)
		require.Equal(t, want.What, found[0].What)
		require.Equal(t, want.Unit, found[0].Unit)
		require.InDelta(t, want.Measured.Value, found[0].Measured.Value, 1e-12)
		require.Nil(t, found[0].Published)
		require.Equal(t, Exactly(2), *found[1].Published, "of the baseline none")
		if relation == Fold {
			require.Zero(t, found[1].Measured.Value)
		} else {
			require.Equal(t, NotRun, found[1].Verdict(), "a share of nothing")
		}
		m.Against = []string{"ideal"}
		require.Empty(t, Findings(of(Claim{Measures: []Measurement{m}}), runs))
	}
}

// What two claims measure is judged in both; what no paper gives stands there once.
func TestFindingsOnce(t *testing.T) {
	runs := []*Outcome{claimed(t, "pfc", 40, 0), claimed(t, "ofc", 30, 0)}
	given := func(fc string, x float64) Claim {
		return Claim{Statement: fc, Measures: []Measurement{
			{What: "losses", Value: losses, Published: Ranges{fc: Exactly(x)}},
		}}
	}
	beside := Beside(Measurement{What: "losses", Value: losses})
	found := Findings(of(given("pfc", 40), beside, given("ofc", 31), given("pfc", 39)), runs)
	var cells []string
	for _, f := range found {
		cells = append(cells, f.Run+" "+f.Claim.Statement)
	}
	require.Equal(t, []string{"pfc pfc", "ofc ofc", "pfc pfc"}, cells)
}

// What was not run is missing: numbers by name, and the runs of an order.
func TestMissing(t *testing.T) {
	runs := []*Outcome{claimed(t, "pfc", 40, 0)}
	s := of(Claim{Statement: "s", Rising: []string{"pfc", "ofc"}, Measures: []Measurement{
		{What: "losses", Value: losses},
	}}, Claim{Statement: "t", Measures: []Measurement{
		{What: "losses", Value: losses, Published: Ranges{"pfc": Exactly(40), "bfc": Exactly(3)}},
		{What: "losses", Value: losses, Relation: Less, Of: []string{"ofc"},
			Published: Ranges{"pfc": Exactly(40)}},
	}})
	found := Findings(s, runs)
	require.Len(t, found, 2)
	missing := Missing(s, found)
	require.Len(t, missing, 3)
	require.Equal(t, "ofc", missing[0].Run)
	require.Equal(t, "bfc", missing[1].Run)
	require.Equal(t, []string{"ofc", "pfc"}, []string{missing[2].Run, missing[2].Baseline})
	for _, f := range missing {
		require.True(t, f.Part())
	}
	require.Equal(t, NotRun, Judge(append(found[:1:1], missing[0])).Verdict, "one run is no order")
	require.Equal(t, Judgement{Kind: Exact, Verdict: Near, With: 1, Parts: 1, Missing: 2},
		Judge(append(found[1:], missing[1:]...)))
}

// A rule a row. Kinds are tested as what they say.
func TestVerdictsOfCells(t *testing.T) {
	for _, c := range []struct {
		relation  Relation
		published Range
		ours      Measured
		want      Verdict
	}{
		// A number: within 5 % of it, or within twice.
		{Alone, Exactly(100), Number(105), Near}, {Alone, Exactly(100), Number(94.9), Twice},
		{Alone, Exactly(100), Number(200), Twice}, {Alone, Exactly(100), Number(201), Differs},
		{Alone, Exactly(100), Number(49), Differs},
		{Alone, About(100), Number(110), Around}, {Alone, About(100), Number(89), Twice},
		// A published 0 is 0, or it is not; runs that are alike are within 5 %.
		{Alone, Exactly(0), Number(0), SameNone}, {Alone, Exactly(0), Number(0.01), Differs},
		{Less, Exactly(0), Number(-4), SameNone}, {Less, Exactly(0), Number(6), Differs},
		{Times, Exactly(1), Number(1.04), SameNone}, {Fold, Exactly(1), Number(0.9), Differs},
		// Ranges, and bounds of every cell.
		{Alone, Between(4, 8), Number(4), InRange}, {Alone, Between(4, 8), Number(8.1), Twice},
		{Alone, Between(4, 8), Number(17), Differs}, {Alone, AtLeast(500), Number(9000), InBound},
		{Alone, AtLeast(500), Number(400), Twice}, {Alone, AtMost(9), Number(1), InBound},
		{Alone, AtMost(9), Number(19), Differs}, {Less, AtLeast(53), Number(40), Twice},
		{Times, AtMost(0.47), Number(0.1), InBound}, {Fold, AtLeast(1), Number(0.5), Opposite},
		{Fold, AtLeast(1), Number(0.99), NoEffect},
		// An effect: the same run ahead by half to twice as much, by less, by more, by next to nothing.
		{Less, Between(42, 98), Number(21), Twice}, {Less, Between(42, 98), Number(20), Smaller},
		{Less, Between(42, 98), Number(0.12), NoEffect}, {Less, Between(42, 98), Number(-1), NoEffect},
		{Less, Between(42, 98), Number(-3), Opposite}, {More, Exactly(-20), Number(-39), Twice},
		{More, Exactly(-20), Number(-41), Larger}, {More, Exactly(-20), Number(3), Opposite},
		{Less, Exactly(3), Number(1.6), Twice}, {Less, Exactly(5), Number(1.9), NoEffect},
		{Times, Exactly(1.9), Number(2.7), Twice}, {Times, Exactly(1.9), Number(43), Larger},
		{Times, Exactly(1.9), Number(1.4), Smaller}, {Times, Exactly(1.9), Number(0.9), Opposite},
		{Fold, Exactly(0.5), Number(0.4), Twice}, {Fold, Exactly(0.01), Number(0.4), Smaller},
		{Times, Exactly(2), Number(0), Opposite},
		// The seeds do not tell the runs apart.
		{Less, Exactly(50), Measured{Value: 10, Spread: 10, Seeds: 5}, NoEffect},
		{Less, Exactly(50), Measured{Value: -10, Spread: 10, Seeds: 5}, NoEffect},
		{Less, Exactly(50), Measured{Value: 10, Spread: 2, Seeds: 5}, Smaller},
		{Times, Exactly(2), Measured{Value: 0.9, Spread: 0.1, Seeds: 5}, NoEffect},
		{Times, Exactly(2), Measured{Value: 0.9, Spread: 0.1}, Opposite},
		// Words.
		{Alone, InWords("/, 0"), Words("/, 0"), SameWords}, {Alone, InWords("/, 0"), Words("1"), Differs},
		{Alone, InWords("few"), Number(3), NotPublished}, {Alone, Exactly(3), Words("never"), Differs},
		{Alone, Exactly(3), None(), NotRun},
	} {
		f := Finding{Relation: c.relation, Published: &c.published, Measured: c.ours}
		require.Equal(t, c.want, f.Verdict(), "%v %v beside %v", c.relation, &c.ours, c.published)
	}
	unpublished := Finding{Measured: Number(3)}
	require.Equal(t, NotPublished, unpublished.Verdict())
}

// cells are the cells of a statement, all of the same range.
func cells(r Relation, published Range, ours ...float64) (all []Finding) {
	for _, x := range ours {
		all = append(all, Finding{Relation: r, Published: &published, Measured: Number(x)})
	}
	return all
}

// order is a statement that values grow.
func order(values ...float64) (all []Finding) {
	for i, x := range values {
		all = append(all, Finding{Rank: i + 1, Measured: Number(x)})
	}
	return all
}

// One verdict for a statement of several cells: of the worst, but of the largest where the paper
// says "up to".
func TestJudge(t *testing.T) {
	both := func(a, b []Finding) []Finding { return append(a, b...) }
	beside := Finding{Measured: Number(7)}
	for _, c := range []struct {
		of   []Finding
		want Judgement
	}{
		{nil, Judgement{Verdict: NotPublished}},
		{[]Finding{beside}, Judgement{Verdict: NotPublished}},
		{both(cells(Alone, Exactly(10), 10, 10.4), []Finding{beside}), Judgement{Exact, Near, 2, 2, 0}},
		{cells(Alone, Exactly(10), 10, 15, 30), Judgement{Exact, Differs, 1, 3, 0}},
		{cells(Less, AtLeast(50), 60, 55, 49, -30), Judgement{NoLess, Opposite, 1, 4, 0}},
		{both(cells(Alone, Exactly(0), 0), cells(Alone, AtLeast(1), 5)),
			Judgement{Several, AsStated, 2, 2, 0}},
		{both(cells(Alone, Exactly(0), 2), cells(Alone, AtLeast(1), 5)),
			Judgement{Several, Differs, 1, 2, 0}},
		{both(cells(Less, Exactly(50), 10), cells(Less, Exactly(10), 50)),
			Judgement{Exact, Smaller, 1, 2, 0}},
		// Up to: the largest counts, on the side of what is published.
		{cells(More, UpTo(-41.7), -40, -3, 2), Judgement{Largest, Near, 1, 1, 0}},
		{cells(More, UpTo(-41.7), -10, -3, 2), Judgement{Largest, Smaller, 1, 1, 0}},
		{cells(More, UpTo(-41.7), 10, 30), Judgement{Largest, Opposite, 1, 1, 0}},
		{cells(Fold, UpTo(4), 1.1, 9), Judgement{Largest, Larger, 1, 1, 0}},
		{cells(Alone, UpTo(20), 3, 19.5), Judgement{Largest, Near, 1, 1, 0}},
		{both(cells(Fold, UpTo(4), 1.1, 4), cells(Fold, UpTo(3), 1.1, 2)),
			Judgement{Largest, Twice, 1, 2, 0}},
		// An order holds as a whole or not.
		{order(1, 2, 30), Judgement{Ordered, InOrder, 1, 1, 0}},
		{order(1, 3, 2), Judgement{Ordered, Differs, 1, 1, 0}},
		{order(3, 2, 1), Judgement{Ordered, Opposite, 1, 1, 0}},
		{order(100, 101, 100.5), Judgement{Ordered, NoEffect, 1, 1, 0}},
		{order(-1, 1), Judgement{Ordered, InOrder, 1, 1, 0}},
		{order(5), Judgement{Ordered, NotRun, 0, 0, 0}},
		{[]Finding{{Rank: 1, Measured: Number(1)}, {Rank: 1, Measured: Number(5)},
			{Rank: 2, Measured: Number(4)}}, Judgement{Ordered, Differs, 1, 1, 0}},
		// What was not run does not count.
		{cells(Alone, Exactly(10), 10, math.NaN()), Judgement{Exact, Near, 1, 1, 1}},
		{cells(Alone, Exactly(10), math.NaN()), Judgement{Exact, NotRun, 0, 0, 1}},
	} {
		require.Equal(t, c.want, Judge(c.of), "%v", c.of)
	}
}

// An order of runs, of each measure; and of measures, in each run.
func TestOrders(t *testing.T) {
	runs := []*Outcome{
		claimed(t, "pfc", 40, 90), claimed(t, "ofc", 30, 50), claimed(t, "bfc", 20, 60),
	}
	both := []Measurement{{What: "losses", Value: losses}, {What: "marks", Value: marks}}
	judge := func(c Claim) Judgement { return Judge(Findings(of(c), runs)) }
	require.Equal(t, Judgement{Ordered, InOrder, 1, 1, 0},
		judge(Claim{Rising: []string{"bfc", "ofc", "pfc"}, Measures: both[:1]}))
	require.Equal(t, Judgement{Ordered, Differs, 1, 2, 0},
		judge(Claim{Rising: []string{"bfc", "ofc", "pfc"}, Measures: both}))
	require.Equal(t, Judgement{Ordered, InOrder, 3, 3, 0}, judge(Claim{Across: true, Measures: both}))
	require.Equal(t, Judgement{Ordered, Opposite, 3, 3, 0},
		judge(Claim{Across: true, Measures: []Measurement{both[1], both[0]}}))
	// Of a relation the names name baselines.
	less := Measurement{What: "losses", Value: losses, Of: []string{"bfc"}, Relation: Less}
	require.Equal(t, Judgement{Ordered, InOrder, 1, 1, 0},
		judge(Claim{Rising: []string{"ofc", "pfc"}, Measures: []Measurement{less}}))
}

func TestRangesInWords(t *testing.T) {
	for want, r := range map[string]Range{
		"1.96": Exactly(1.96), "4 to 8": Between(4, 8), "at most 3": AtMost(3), "at least 2": AtLeast(2),
		"few": InWords("few"), "about 5": About(5), "up to 79": UpTo(79), "2494.32": Exactly(2494.32),
		"at least 1234567": AtLeast(1234567), "at most 0.1": AtMost(0.1),
	} {
		require.Equal(t, want, r.String())
		text, err := json.Marshal(r)
		require.NoError(t, err)
		var back Range
		require.NoError(t, json.Unmarshal(text, &back))
		require.Equal(t, r, back)
	}
	third := About(40.0 / 3)
	require.Equal(t, "about 13.3333", third.String())
	for want, m := range map[string]Measured{
		"12.35": Number(12.3456), "-": None(), "never": Words("never"),
		"2.000 +- 0.100": {Value: 2, Spread: .1},
	} {
		require.Equal(t, want, m.String())
	}
}
