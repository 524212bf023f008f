package pages

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/run"
)

// madeUp is an entry of one seed: of each statement one number, that ours has too, for the runs x
// and y. Numbers are of x, then of y.
func madeUp(scenario string, given run.Range, ours ...float64) *Entry {
	e := &Entry{Scenario: scenario, Trials: []string{"x", "y"}, Runs: []Run{{Seed: 1}}}
	for i := 0; i < len(ours); i += 2 {
		s := Statement{Statement: string('A' + rune(i/2)), Place: "section 1", Source: run.Given}
		for k, of := range e.Trials {
			r := Row{Measure: s.Statement, Unit: "us", Of: of, Values: map[int64]any{1: ours[i+k]}}
			e.Rows = append(e.Rows, r)
			s.Parts = append(s.Parts, Part{Measure: r.Measure, Unit: r.Unit, Of: of, Published: &given})
		}
		e.Statements = append(e.Statements, s)
	}
	e.judge()
	return e
}

// changed is the same with a change, of what the paper does not give.
func changed(e *Entry, open, changes string, ours ...float64) {
	tried := madeUp(e.Scenario, run.Exactly(0), ours...)
	tried.Name, tried.Open, tried.Changes = e.Scenario+"/"+changes, open, changes
	e.Tried = append(e.Tried, tried)
}

// What two scenarios measure of one statement has one verdict, and counts once.
func TestStatementOverScenarios(t *testing.T) {
	p := &paper{Entries: []*Entry{
		madeUp("p/one", run.Exactly(10), 10, 10, 10, 15), madeUp("p/two", run.Exactly(10), 10, 30),
	}}
	p.judge()
	require.Equal(t, "differs (1 of 4), over 2 scenarios", p.verdict(&p.Entries[0].Statements[0]))
	require.Equal(t, p.verdict(&p.Entries[0].Statements[0]), p.verdict(&p.Entries[1].Statements[0]))
	require.Equal(t, "within twice (1 of 2)", p.verdict(&p.Entries[0].Statements[1]))
	require.Equal(t, run.Near, p.Entries[0].Statements[0].Judged.Verdict, "of one of them alone")
	require.Equal(t, 2, p.Count().All())
	require.Equal(t, counts{2: 1, 7: 1}, p.Count())
	require.Equal(t, counts{7: 1}, p.Counted(p.Entries[1]))

	// Up to: the largest of all scenarios.
	upTo := &paper{Entries: []*Entry{
		madeUp("p/one", run.UpTo(30), 10, 12), madeUp("p/two", run.UpTo(30), 11, 30),
	}}
	upTo.judge()
	require.Equal(t, "within 5 %, over 2 scenarios", upTo.verdict(&upTo.Entries[0].Statements[0]))
}

// What a run with another value of something unpublished changes hangs on that: whether it holds as
// it is, or with the other value. A run that changes something else says nothing of it.
func TestHangsOn(t *testing.T) {
	e := madeUp("p/one", run.Exactly(10), 10, 10, 20, 10, 50, 50, 10, 10)
	changed(e, "load", "-set load=1/5", 10, 14, 10, 10, 60, 60, 10.1, 10)
	changed(e, "", "-set cc=none", 50, 50, 50, 50, 50, 50, 50, 50)
	changed(e, "duration", "-set duration=9ms", 10, 10, 20, 10, 10, 10, 10, 10)
	p := &paper{Entries: []*Entry{e}}
	p.judge()
	for i, want := range []string{
		"within 5 %; hangs on load", "within twice (1 of 2); hangs on load; holds with another load",
		"differs; hangs on duration; holds with another duration", "within 5 %",
	} {
		require.Equal(t, want, p.verdict(&e.Statements[i]))
	}
	require.Equal(t, counts{0: 1, 1: 1, 2: 1, 7: 1}, p.Count())
	require.Equal(t, "**1**: within 5 % → within twice (10.00 → 14.00 [10]); "+
		"**2**: within twice → within 5 % (20.00 → 10.00 [10]); 3: differs still (50.00 → 60.00 [10])",
		e.Effect(e.Tried[0]))
	require.Equal(t, "**3**: differs → within 5 % (50.00 → 10.00 [10]); 2: nothing", e.Effect(e.Tried[2]))

	// Runs of another setting than today's are not compared.
	e.Tried[2].Stale = otherSetting
	require.Contains(t, e.Effect(e.Tried[2]), "stale")
	require.Len(t, e.moves(&e.Statements[0]), 2)
	e.Tried[2].Stale = "what is measured has changed"
	require.Len(t, e.moves(&e.Statements[0]), 3)

	s := e.Sensitivity()
	require.Equal(t, []string{"load (1)", "duration (1)"}, s.Runs)
	require.Equal(t, "4", s.Same)
	require.Len(t, s.Lines, 3)
	require.Equal(t, sensitiveLine{Number: "2", Statement: "B", AsItIs: "20.00 [10]: within twice",
		Seeds: "20.00", Moved: []string{"10.00: **within 5 %**", "20.00"}}, s.Lines[1])
	require.Equal(t, "", s.Left)
	require.Nil(t, (&Entry{}).Sensitivity())

	// Of what is open, runs of another setting count as not kept.
	require.Equal(t, covered{Scenarios: 1, Open: 1, Runs: 2}, coverage([]*paper{p}))
	e.Tried[2].Stale = otherSetting
	require.Equal(t, covered{Scenarios: 1, Open: 1, Runs: 1, Left: 1}, coverage([]*paper{p}))
	s = e.Sensitivity()
	require.Equal(t, []string{"load (1)"}, s.Runs)
	require.Equal(t, "duration (`-set duration=9ms`)", s.Left)
	require.Equal(t, "seeds (1), load (1)", s.Varied())
}

// Of a scenario without such a run the page names what is open; where nothing is, it says so.
func TestOpenWithoutARun(t *testing.T) {
	named, closed := madeUp("p/one", run.Exactly(10), 10, 10), madeUp("p/two", run.Exactly(10), 10, 10)
	named.Unvaried = []string{"load", "routes"}
	changed(closed, "", "-set cc=none", 20, 20)
	require.Equal(t, "load, routes", named.Sensitivity().Unvaried)
	require.False(t, named.Sensitivity().Closed())
	require.True(t, closed.Sensitivity().Closed())
	left := madeUp("p/three", run.Exactly(10), 10, 10)
	changed(left, "load", "-set load=1/5", 10, 10)
	left.Tried[0].Runs = nil
	require.Equal(t, covered{Scenarios: 3, Left: 1, Unvaried: 2, Closed: 1},
		coverage([]*paper{{Entries: []*Entry{named, closed, left}}}))
}

// Runs of another setting than the scenario's decide no claim.
func TestStaleSetting(t *testing.T) {
	e := madeUp("p/one", run.Exactly(10), 10, 10)
	e.Stale = "what is measured has changed"
	e.judge()
	require.Equal(t, run.Near, e.Statements[0].Judged.Verdict)
	e.Stale = otherSetting
	e.judge()
	p := &paper{Entries: []*Entry{e}}
	p.judge()
	for i := range e.Statements {
		require.Equal(t, run.NotRun, e.Statements[i].Judged.Verdict)
		require.Equal(t, "not run", p.verdict(&e.Statements[i]))
	}
	require.Nil(t, e.Sensitivity())
}

// What the front page counts: claims that hold with another value of what is open, claims that do
// not, but do with another value, opposite claims of one seed, scenarios with few seeds.
func TestWhatToBelieve(t *testing.T) {
	e := madeUp("p/one", run.Exactly(10), 10, 10, 30, 30, 10, 10)
	changed(e, "load", "-set load=1/5", 10, 10, 10, 10, 20, 20)
	other := madeUp("p/two", run.Exactly(10), 10, 10)
	other.Statements[0].Statement = "of p/two alone"
	less := madeUp("p/three", run.Exactly(10), -30, -30)
	less.Statements[0].Statement = "of p/three alone"
	for i := range less.Rows {
		less.Rows[i].Relation, less.Statements[0].Parts[i].Relation = run.Less, run.Less
	}
	papers := []*paper{{Entries: []*Entry{e, other, less}}}
	papers[0].judge()
	require.Equal(t, 1, stood(papers), "A; C hangs, and nothing was tried with p/two")
	require.Equal(t, 1, explained(papers), "B")
	require.Equal(t, 1, single(papers), "of p/three")
	require.Equal(t, 3, fewSeeds(papers))
	for seed := range uint64(4) {
		less.Runs = append(less.Runs, Run{Seed: 2 + seed})
	}
	papers[0].keys = nil
	papers[0].judge()
	require.Equal(t, 0, single(papers))
	require.Equal(t, 1, told(papers))
	require.Equal(t, 2, fewSeeds(papers))
}

// Each seed alone: what it gives for the cell that decides with all of them, and its verdict.
func TestSensitivityToSeeds(t *testing.T) {
	e := madeUp("p/one", run.Exactly(10), 10, 10, 8, 10)
	e.Runs = append(e.Runs, Run{Seed: 2})
	for i, x := range []float64{10, 10, 12.6, 10} {
		e.Rows[i].Values[2] = x
	}
	e.judge()
	s := e.Sensitivity()
	require.Equal(t, "1", s.Same)
	require.Equal(t, []sensitiveLine{{
		Number: "2", Statement: "B", Seeds: "8.000 to 12.60: **within twice**",
		AsItIs: "10.30 ± 3.253 [10]: within 5 %",
	}}, s.Lines)
}

// A run of one protocol leaves it out of its label, and a control that is set is no variant's.
func TestNamesOfRunsWithAChange(t *testing.T) {
	for want, e := range map[string]*Entry{
		"pfc ecn":    {Changes: "-set pfc.xoff=512KB -fc pfc"},
		"timely-pcn": {Changes: "-set cc=timely-pcn,cc.pace=wire"},
		"none irn":   {Changes: "-set load=1/5 -fc none"},
	} {
		label := map[string]string{"pfc ecn": "ecn", "timely-pcn": "pfc", "none irn": "irn"}[want]
		e.Runs = []Run{{Seed: 1}}
		e.Rows = []Row{{Measure: "m", Of: label, Values: map[int64]any{1: 5.0}}}
		m := e.measuredLike(cell{Measure: "m", Of: want})
		require.Equal(t, 5.0, m.Value, want)
		m = e.measuredLike(cell{Measure: "m", Of: "other"})
		require.False(t, m.Known())
	}
}

// A run that sets what a variant sets, and more, is compared with that variant.
func TestVariantThatARunStandsFor(t *testing.T) {
	variants := []run.Variant{
		{Name: "4", Set: "n=4"}, {Name: "256", Set: "n=256"}, {FC: "pfc"},
		{Name: "256, short", Set: "n=256,rtt=40us"}, {Name: "qcn, 256", Set: "cc=qcn,n=256"},
	}
	for set, want := range map[string]string{
		"n=256,t=1ms": "256", "n=256,rtt=40us,t=1ms": "256, short", "t=1ms": "", "n=8": "",
		"cc=qcn,n=256,rtt=40us": "", "n=4": "4",
	} {
		require.Equal(t, want, stands(variants, set), set)
	}
	e := &Entry{Stands: "256", Runs: []Run{{Seed: 1}}}
	e.Rows = []Row{{Measure: "m", Of: "pfc", Values: map[int64]any{1: 5.0}}}
	for label, known := range map[string]bool{"256": true, "pfc 256": true, "4": false} {
		m := e.measuredLike(cell{Measure: "m", Of: label})
		require.Equal(t, known, m.Known(), label)
	}
}

// A message has the verdict of the worst of the claims that it rests on.
func TestMessages(t *testing.T) {
	e := madeUp("p/one", run.Exactly(10), 10, 10, 20, 10, 50, 50)
	for i := range e.Statements {
		e.Statements[i].Name = e.Statements[i].Statement
	}
	p := &paper{
		Entries: []*Entry{e}, Untested: []run.Claim{{Statement: "on a testbed", Name: "D"}},
		Messages: []run.Message{
			{Claims: []string{"A"}}, {Claims: []string{"A", "B"}}, {Claims: []string{"A", "C", "D"}},
			{Claims: []string{"D"}}, {},
		},
	}
	p.judge()
	var verdicts []string
	for _, m := range p.Main() {
		verdicts = append(verdicts, m.Verdict)
	}
	require.Equal(t, []string{
		"as stated", "within twice (1 of 2 claims)", "differs (1 of 2 claims); 1 not run", "not run",
		"not run",
	}, verdicts)
	require.Equal(t, counts{0: 1, 2: 1, 7: 1, 8: 1}, p.Count())
}

// A claim is a line with runs as columns, in their order; measures that need other columns have
// another table, and many runs stand in one column. What belongs to no claim stands apart.
func TestTables(t *testing.T) {
	e := madeUp("p/one", run.Exactly(10), 10, 11)
	e.Trials = []string{"y", "x"}
	e.Rows = append(e.Rows,
		Row{Measure: "losses", Of: "x", Values: map[int64]any{1: 3.0}, Ours: "3"},
		Row{Measure: "losses", Of: "y", Values: map[int64]any{}, Ours: "-"},
		Row{Measure: "times", Of: "x", Baseline: "y", Relation: run.Fold, Values: map[int64]any{1: 2.0},
			Ours: "2"})
	p := &paper{Entries: []*Entry{e}}
	p.judge()
	require.Equal(t, []table{{[]string{"y", "x"}, []line{{
		Number: "1", Says: "A (section 1; text; exact)", Measured: "A, us",
		Cells: []string{"11.00 [10]", "10.00 [10]"}, Verdict: "within twice (1 of 2)",
	}}}}, e.Tables(p))
	require.Equal(t, []table{
		{[]string{"x"}, []line{{Measured: "losses", Cells: []string{"3"}}}},
		{[]string{"y"}, []line{{
			Measured: "times: x, by how many times larger under", Cells: []string{"2"},
		}}},
	}, e.Beside())

	many := &lines{}
	for _, of := range []string{"a", "b", "c"} {
		many.add(cell{Measure: "m", Of: of}, "1")
	}
	require.Equal(t, []line{{Measured: "m", Cells: []string{"a: 1; b: 1; c: 1"}}}, many.in(nil))
}
