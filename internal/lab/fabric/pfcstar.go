package fabric

import (
	"fmt"
	"math/bits"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pfc"
)

var pfcstarParameters = []params.Definition{
	{Name: "pfcstar.service", Kind: params.Choice, Default: "turn",
		Choices: []string{"turn", "strict"}, Section: "pfcstar",
		Doc: "service of the classes of pfcstar: in turn, or those first that have passed most queues"},
}

// starFleet is PFC*, PFC with a class for each queue that a packet passes: "drawing on the queue
// cutover strategy from Tagger, we enhance PFC to avoid partial deadlocks, segregating traffic into
// distinct queues at each hop" (PortFC, section V-A). Everyone who forwards raises the class by
// one; packets that go on beyond the diameter of the network stay in the last.
type starFleet struct {
	*pfcFleet
	err error
}

func buildPFCStar(p *plan) fleet {
	f := starFleet{pfcFleet: newPFCFleet(p, sluice.AllClasses)}
	data := p.classes &^ p.apart
	first, hops := sluice.Class(bits.TrailingZeros8(uint8(data))), p.graph.Diameter()
	var steps sluice.ClassSet
	for i := range hops {
		steps |= 1 << (int(first) + i)
	}
	if data.Len() != 1 || int(first)+hops > sluice.Classes || steps&p.apart != 0 {
		f.err = fmt.Errorf("pfcstar needs flows of one class, and from it on a class for each of the %d "+
			"queues on the longest way: flows have %v, acknowledgements and notices %v", hops, data, p.apart)
		return f
	}
	for class := first; int(class) < int(first)+hops-1; class++ {
		rule := pfc.Retag{Ingress: pfc.AnyPort, Class: class, Egress: pfc.AnyPort, To: class + 1}
		f.retag = append(f.retag, rule)
	}
	if p.values.String("pfcstar.service") == "turn" {
		f.groups = inTurn(steps, p.packet())
	}
	return f
}

// inTurn returns groups of strict priority in which some neighbouring classes take turns.
func inTurn(members sluice.ClassSet, quantum sluice.Bytes) (groups []pfc.Group) {
	group := pfc.Group{Classes: members}
	for class := range sluice.Class(sluice.Classes) {
		if members.Has(class) {
			group.Quantum[class] = quantum
		}
	}
	for class := sluice.Classes - 1; class >= 0; class-- {
		switch one := sluice.MakeClassSet(sluice.Class(class)); {
		case one&members == 0:
			groups = append(groups, pfc.Group{Classes: one})
		case group.Classes != 0:
			groups = append(groups, group)
			group = pfc.Group{}
		}
	}
	return groups
}

func (f starFleet) machine(node sluice.SwitchID) (kit.Machine, error) {
	if f.err != nil {
		return nil, f.err
	}
	return f.pfcFleet.machine(node)
}
