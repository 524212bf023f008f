package fabric

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric/ideal"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/kit"
)

// idealFleet has a queue for every flow at every port.
type idealFleet struct{ *plan }

func buildIdeal(p *plan) fleet { return idealFleet{p} }

func (f idealFleet) machine(node sluice.SwitchID) (kit.Machine, error) {
	return ideal.New(len(f.graph.Nodes[node].Ports), f.packet()), nil
}

func (f idealFleet) report(*sim.Result) {}
