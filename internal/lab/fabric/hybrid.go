package fabric

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/hybrid"
	"github.com/sluicefc/sluice/pfc/trigger"
	"github.com/sluicefc/sluice/pyrrha"
)

type hybridFleet struct {
	below *pfcFleet
	above *pyrrhaFleet
}

func buildHybrid(p *plan) (fleet, error) {
	above, err := newPyrrhaFleet(p, pyrrha.Hierarchical, true)
	if err != nil {
		return nil, err
	}
	above.legacy, err = legacySwitches(p)
	return hybridFleet{newPFCFleet(p, trigger.AtIngress), above}, err
}

func legacyParameters(legacy *string, count *int) []params.Field {
	return params.In("pyrrha",
		params.Bind("legacy", legacy, "none",
			"switches that speak PFC only, among switches of pyrrha+pfc: whole tiers, and switches by "+
				"number, as spines+160").List("none", "tors", "spines", "cores"),
		params.Bind("legacy.count", count, "",
			"how many switches of each tier, from the lowest number on; unset: all").Range("1", ""),
	)
}

// legacySwitches returns the switches that speak PFC only, among switches of Pyrrha (Pyrrha,
// section IV-E).
func legacySwitches(p *plan) (map[sluice.SwitchID]bool, error) {
	text, most := "", len(p.graph.Nodes)
	p.values.Fill(legacyParameters(&text, &most))
	tiers, numbers := params.Items(text)
	legacy := map[sluice.SwitchID]bool{}
	for _, n := range numbers {
		if n >= int64(len(p.graph.Nodes)) || p.graph.IsHost(sluice.SwitchID(n)) {
			return nil, fmt.Errorf("parameter legacy: %d is no switch of %s", n, p.graph.Name)
		}
		legacy[sluice.SwitchID(n)] = true
	}
	for _, name := range tiers {
		tier, found := map[string]topo.Tier{"tors": 1, "spines": 2, "cores": 3}[name], 0
		for node := range p.graph.Nodes {
			if tier > 0 && p.graph.Nodes[node].Tier == tier && found < most {
				legacy[sluice.SwitchID(node)] = true
				found++
			}
		}
	}
	return legacy, nil
}

func (f hybridFleet) machine(node sluice.SwitchID) (kit.Machine, error) {
	below, err := f.below.newSwitch(node)
	if err != nil || f.above.legacy[node] {
		return kit.WrapNew(below, err)
	}
	above, err := f.above.newSwitch(node)
	if err != nil {
		return nil, err
	}
	return hybrid.New(below, above)
}

func (f hybridFleet) report(r *sim.Result) {
	f.below.report(r)
	f.above.report(r)
}
