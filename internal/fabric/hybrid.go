package fabric

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/sim"
	"github.com/sluicefc/sluice/internal/topo"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/hybrid"
	"github.com/sluicefc/sluice/pyrrha"
)

// hybridFleet is a network of Pyrrha over PFC.
type hybridFleet struct {
	below *pfcFleet
	above *pyrrhaFleet
}

func buildHybrid(p *plan) fleet {
	above := newPyrrhaFleet(p, pyrrha.Hierarchical, true)
	above.legacy = legacySwitches(p)
	return hybridFleet{newPFCFleet(p, sluice.AllClasses), above}
}

// legacySwitches returns the switches that speak PFC only: "Pyrrha-enabled switches can operate in
// a hybrid environment with legacy PFC switches" (Pyrrha, section IV-E).
func legacySwitches(p *plan) map[sluice.SwitchID]bool {
	tier := map[string]topo.Tier{"tors": 1, "spines": 2, "cores": 3}[p.values.String("legacy")]
	if tier == 0 {
		return nil
	}
	most := len(p.graph.Nodes)
	if p.values.IsSet("legacy.count") {
		most = int(p.values.Int("legacy.count"))
	}
	legacy := map[sluice.SwitchID]bool{}
	for node := range p.graph.Nodes {
		if p.graph.Nodes[node].Tier == tier && len(legacy) < most {
			legacy[sluice.SwitchID(node)] = true
		}
	}
	return legacy
}

func (f hybridFleet) machine(node sluice.SwitchID) (kit.Machine, error) {
	below, err := f.below.newSwitch(node)
	if err != nil {
		return nil, err
	}
	if f.above.legacy[node] {
		return kit.Wrap(below), nil
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
