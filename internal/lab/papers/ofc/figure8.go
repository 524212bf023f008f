package ofc

import "github.com/sluicefc/sluice/internal/lab/run"

// figure8Variants vary the thresholds as Figure 8 does: alpha of 0.8, 0.85 and 0.9 with X_OFF of 75
// KB, and X_OFF of 3, 6 and 10 times that with alpha 0.9. PFC has the same X_OFF, and X_ON is 3/5
// of it.
var figure8Variants = []run.Variant{
	{Name: "beta 1", Set: "pfc.xoff=75KB,pfc.resume=30KB", FC: "pfc"},
	{Name: "beta 3", Set: "pfc.xoff=225KB,pfc.resume=90KB", FC: "pfc"},
	{Name: "beta 6", Set: "pfc.xoff=450KB,pfc.resume=180KB", FC: "pfc"},
	{Name: "beta 10", Set: "pfc.xoff=750KB,pfc.resume=300KB", FC: "pfc"},
	{Name: "alpha 0.8", Set: "ofc.alpha=4/5,ofc.xoff=75KB", FC: "ofc"},
	{Name: "alpha 0.85", Set: "ofc.alpha=17/20,ofc.xoff=75KB", FC: "ofc"},
	{Name: "alpha 0.9", Set: "ofc.alpha=9/10,ofc.xoff=75KB", FC: "ofc"},
	{Name: "beta 3", Set: "ofc.alpha=9/10,ofc.xoff=225KB", FC: "ofc"},
	{Name: "beta 6", Set: "ofc.alpha=9/10,ofc.xoff=450KB", FC: "ofc"},
	{Name: "beta 10", Set: "ofc.alpha=9/10,ofc.xoff=750KB", FC: "ofc"},
}

// claimFigure8 is the end of section IV-C2. We take "slowdown than PFC" for what the queue is
// shorter by, as the captions of Figure 8(b) and (d) have it.
func claimFigure8(*run.Subject) []run.Claim {
	queue := figure7Queues[0].queue()
	alphas := []string{"ofc alpha 0.8", "ofc alpha 0.85", "ofc alpha 0.9"}
	betas := []string{"ofc beta 3", "ofc beta 6", "ofc beta 10"}
	pfc := []string{"pfc beta 3", "pfc beta 6", "pfc beta 10"}
	const what = "mean queue of all ports"
	one := func(statement, place string, published run.Range, m run.Measurement) run.Claim {
		m.What, m.Value, m.Published = what, queue, run.Always(published)
		return run.Claim{Statement: statement, Place: "section IV-C2, " + place, Source: run.Given,
			Measures: []run.Measurement{m}}
	}
	none := one("Other betas change the mean queue by no more than 2.5 %", "Figure 8(c)",
		run.Between(-2.5, 2.5), run.Measurement{Of: betas[1:], Relation: run.More, Against: betas[:1]})
	none.Note = "Part of it is no matter of OFC: PFC's queue grows with beta, too, below."
	byAlpha := one("With any alpha the mean queue is about 5.8 to 8 % shorter than PFC's", "Figure 8(b)",
		run.Between(5.8, 8),
		run.Measurement{Of: alphas, Relation: run.Less, Against: []string{"pfc beta 1"}})
	byBeta := one("With any beta the mean queue is about 5.1 % shorter than PFC's", "Figure 8(d)",
		run.About(5.1), run.Measurement{Of: betas, Relation: run.Less, Against: pfc,
			Alike: (*run.Outcome).Variant})
	byAlpha.Note = "The paper calls it a slowdown of the mean queue; we take it for what that is shorter by."
	byBeta.Note = byAlpha.Note
	return []run.Claim{
		one("Other alphas change the mean queue by no more than 3 %", "Figure 8(a)",
			run.Between(-3, 3),
			run.Measurement{Of: alphas[1:], Relation: run.More, Against: alphas[:1]}),
		byAlpha, none, byBeta,
		run.Beside(run.Measurement{What: what, Value: queue, Of: pfc[1:], Relation: run.More,
			Against: pfc[:1]}),
	}
}
