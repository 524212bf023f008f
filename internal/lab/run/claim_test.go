package run

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
)

// claimed returns a run that dropped some packets.
func claimed(t *testing.T, fc string, dropped int64) *Outcome {
	parameters, err := params.NewRegistry(fabric.Definitions())
	require.NoError(t, err)
	values, err := parameters.Parse()
	require.NoError(t, err)
	return &Outcome{
		FC: fc, Run: fc, Subject: &Subject{Values: values}, Result: &sim.Result{Dropped: dropped},
	}
}

// Relations between 30 and 40.
func TestRelations(t *testing.T) {
	runs := []*Outcome{claimed(t, "pfc", 40), claimed(t, "ofc", 30), claimed(t, "none", 0)}
	for relation, want := range map[Relation]Finding{
		Less:  {What: "losses, less than pfc", Unit: "%", Measured: Number(25)},
		More:  {What: "losses, more than pfc", Unit: "%", Measured: Number(-25)},
		Times: {What: "losses, times that of pfc", Measured: Number(0.75)},
		Fold:  {What: "losses, that of pfc over it", Measured: Number(4.0 / 3)},
	} {
		c := Claim{
			What: "losses", Unit: "packets", Of: []string{"ofc"}, Relation: relation,
			Value:     func(o *Outcome) Measured { return Number(float64(o.Result.Dropped)) },
			Published: map[string]Range{"none": Exactly(2)},
		}
		found := c.findings(runs)
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
		c.Against = []string{"ideal"}
		require.Empty(t, c.findings(runs))
	}
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		relation  Relation
		published Range
		ours      Measured
		want      Verdict
	}{
		{Alone, Exactly(100), Number(105), Near}, {Alone, Exactly(100), Number(94.9), SameOrder},
		{Alone, Exactly(100), Number(201), Differs}, {Alone, Exactly(100), Number(49), Differs},
		{Alone, Exactly(0), Number(0), Near}, {Alone, Exactly(0), Number(1), Differs},
		{Alone, Between(4, 8), Number(4), InRange}, {Alone, Between(4, 8), Number(8.1), SameOrder},
		{Alone, Between(4, 8), Number(17), Differs}, {Alone, AtLeast(500), Number(600), InRange},
		{Alone, AtLeast(500), Number(400), SameOrder}, {Alone, AtMost(9), Number(1), InRange},
		{Alone, AtMost(9), Number(19), Differs},
		{Less, Exactly(0), Number(-4), Near}, {Less, Between(42, 98), Number(3), SameOrder},
		{Less, Between(42, 98), Number(-3), Differs}, {More, Exactly(-20), Number(-60), SameOrder},
		{Times, Exactly(1.9), Number(43), SameOrder}, {Times, Exactly(1.9), Number(0.9), Differs},
		{Fold, Exactly(0.3), Number(0.7), SameOrder},
		{Alone, InWords("/, 0"), Words("/, 0"), InRange}, {Alone, InWords("/, 0"), Words("1"), NoNumber},
		{Alone, InWords("few"), Number(3), NoNumber}, {Alone, Exactly(3), Words("never"), NoNumber},
		{Alone, Exactly(3), None(), NotRun},
	} {
		f := Finding{
			Claim: &Claim{Relation: c.relation}, Published: &c.published, Measured: c.ours,
		}
		require.Equal(t, c.want, f.Verdict(), "%v %v beside %v", c.relation, &c.ours, c.published)
	}
	unpublished := Finding{Claim: &Claim{}, Measured: Number(3)}
	require.Equal(t, NoNumber, unpublished.Verdict())
}

func TestRangesInWords(t *testing.T) {
	for want, r := range map[string]Range{
		"1.96": Exactly(1.96), "4 to 8": Between(4, 8), "at most 3": AtMost(3), "at least 2": AtLeast(2),
		"few": InWords("few"),
	} {
		require.Equal(t, want, r.String())
	}
	for want, m := range map[string]Measured{
		"12.35": Number(12.3456), "-": None(), "never": Words("never"),
		"2.000 +- 0.100": {Value: 2, Spread: .1},
	} {
		require.Equal(t, want, m.String())
	}
}
