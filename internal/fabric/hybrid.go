package fabric

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/sim"
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
	const unguarded = 0 // PFC guards the buffer
	return hybridFleet{newPFCFleet(p, sluice.AllClasses), newPyrrhaFleet(p, pyrrha.Hierarchical, unguarded)}
}

func (f hybridFleet) machine(node sluice.SwitchID) (kit.Machine, error) {
	below, err := f.below.newSwitch(node)
	if err != nil {
		return nil, err
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
