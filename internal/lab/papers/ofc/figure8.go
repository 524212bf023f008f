package ofc

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice/internal/lab/run"
)

// figure8Variants vary the thresholds as Figure 8 does: "By fixing X_OFF = 75KB and varying alpha
// from {0.8, 0.85, 0.9}", and "varied the pause threshold X_OFF = beta * 75KB by fixing alpha = 0.9
// and changing beta from {3, 6, 10}". PFC has the same X_OFF, and X_ON is 3/5 of it.
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

// claimFigure8 sets what section IV-C2 says of thresholds beside ours: "the average queue length
// does not exceed a 3% variation (Fig.8(a)), and its slowdown compared to PFC was approximately 5.8%
// to 8% (Fig.8(b))", and by beta "the change in the average queue length of all ports does not
// exceed 2.5% (Fig. 8(c)) and its slowdown than PFC remains at approximately 5.1% (Fig. 8(d))". We
// take slowdown for what the queue is shorter by. The change by beta is not met with any of the
// seeds 1 to 5: 18.0 to 22.1 %. It is no matter of OFC: PFC's queue changes as much (18.7 % for 22.1
// with the seed 1), as queues that a threshold of 75 KB holds back are longer without.
func claimFigure8(_ *run.Subject, outcomes []*run.Outcome) (claims []run.Claim) {
	of := func(label string) *run.Outcome {
		i := slices.IndexFunc(outcomes, func(o *run.Outcome) bool { return o.FC == label })
		if i < 0 {
			return nil
		}
		return outcomes[i]
	}
	for _, group := range []struct {
		what, most, slower string
		pairs              [][2]string // OFC, and PFC with the same X_OFF
	}{
		{"alpha", "at most 3", "5.8 to 8", [][2]string{
			{"ofc alpha 0.8", "pfc beta 1"}, {"ofc alpha 0.85", "pfc beta 1"},
			{"ofc alpha 0.9", "pfc beta 1"},
		}},
		{"beta", "at most 2.5", "about 5.1", [][2]string{
			{"ofc beta 3", "pfc beta 3"}, {"ofc beta 6", "pfc beta 6"}, {"ofc beta 10", "pfc beta 10"},
		}},
	} {
		var queues, plain []float64
		for _, pair := range group.pairs {
			ours, theirs := of(pair[0]), of(pair[1])
			if ours == nil || theirs == nil || meanBytes(theirs, figure5Queues[0]) == 0 {
				continue
			}
			queue := meanBytes(ours, figure5Queues[0])
			queues = append(queues, queue)
			plain = append(plain, meanBytes(theirs, figure5Queues[0]))
			claims = append(claims, run.Claim{
				What: "mean queue of all ports below " + pair[1] + ", %", FC: pair[0],
				Published: group.slower,
				Ours:      fmt.Sprintf("%.1f", 100*(1-queue/meanBytes(theirs, figure5Queues[0]))),
			})
		}
		if len(queues) < len(group.pairs) || slices.Min(queues) == 0 {
			continue
		}
		claims = append(claims, run.Claim{
			What: "mean queue of all ports, change by " + group.what + ", %", FC: "ofc",
			Published: group.most,
			Ours:      change(queues),
		})
		if slices.Max(plain) > slices.Min(plain) {
			claims = append(claims, run.Claim{
				What: "mean queue of all ports, change by " + group.what + ", %", FC: "pfc",
				Ours: change(plain),
			})
		}
	}
	return claims
}

// change returns by how many percent the largest exceeds the least.
func change(of []float64) string {
	return fmt.Sprintf("%.1f", 100*(slices.Max(of)/slices.Min(of)-1))
}
