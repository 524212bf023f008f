package fabric

import (
	"fmt"
	"math/bits"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric/forwarder"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pfc/trigger"
)

func starParameter(service *string) []params.Field {
	return []params.Field{params.Bind("pfcstar.service", service, "fewest",
		"service of the classes of pfcstar: in turn, or packets first that have passed most queues, "+
			"or fewest").Of("turn", "most", "fewest")}
}

// buildPFCStar builds PFC*, PFC with a class for each queue that a packet passes, which prevents
// some deadlocks, as Tagger does (PortFC, section V-A). Every device that forwards raises the class
// by one; packets that go on beyond the diameter of the network stay in the last class.
//
// The paper does not say in which order a port serves the classes. Here the packets that have
// passed the fewest queues go first, unless pfcstar.service says otherwise: the notes of scenarios
// portfc/fig8 have runs with the classes in turn.
func buildPFCStar(p *plan) (fleet, error) {
	f := newPFCFleet(p, trigger.AtIngress)
	data := p.classes &^ p.apart
	first, hops := sluice.Class(bits.TrailingZeros8(uint8(data))), p.graph.Diameter()
	var steps sluice.ClassSet
	for i := range hops {
		steps |= 1 << (int(first) + i)
	}
	if data.Len() != 1 || int(first)+hops > sluice.Classes || steps&p.apart != 0 {
		return nil, fmt.Errorf("pfcstar needs flows of one class, and from it on a class for each of "+
			"the %d queues on the longest way: flows have %v, acknowledgements and notices %v",
			hops, data, p.apart)
	}
	for class := first; int(class) < int(first)+hops-1; class++ {
		rule := pfc.Retag{Ingress: pfc.AnyPort, Class: class, Egress: pfc.AnyPort, To: class + 1}
		f.retag = append(f.retag, rule)
	}
	var service string
	p.values.Fill(starParameter(&service))
	switch service {
	case "turn":
		f.groups = amid(steps, []pfc.Group{inTurn(steps, p.packet())})
	case "fewest":
		f.groups = amid(steps, eachAlone(steps))
	}
	return f, nil
}

// amid returns groups of strict priority: every class by itself, the highest first, and in the
// place of some neighbouring classes the groups given.
func amid(members sluice.ClassSet, theirs []pfc.Group) (groups []pfc.Group) {
	for class := sluice.Classes - 1; class >= 0; class-- {
		switch one := sluice.MakeClassSet(sluice.Class(class)); {
		case one&members == 0:
			groups = append(groups, pfc.Group{Classes: one})
		case one<<1&members == 0:
			groups = append(groups, theirs...)
		}
	}
	return groups
}

func inTurn(members sluice.ClassSet, quantum sluice.Bytes) pfc.Group {
	group := pfc.Group{Classes: members}
	for class := range sluice.Class(sluice.Classes) {
		if members.Has(class) {
			group.Quantum[class] = quantum
		}
	}
	return group
}

func eachAlone(members sluice.ClassSet) (groups []pfc.Group) {
	for class := range sluice.Class(sluice.Classes) {
		if members.Has(class) {
			groups = append(groups, pfc.Group{Classes: sluice.MakeClassSet(class)})
		}
	}
	return groups
}

// forwardFleet is PFC at switches, whose hosts forward packets and pause frames.
type forwardFleet struct{ *pfcFleet }

func buildPFCForward(p *plan) (fleet, error) {
	return forwardFleet{newPFCFleet(p, trigger.AtIngress)}, nil
}

func (f forwardFleet) machine(node sluice.SwitchID) (kit.Machine, error) {
	if f.graph.IsHost(node) && f.graph.Forwards(node) {
		return forwarder.New(f.configOf(node))
	}
	m, err := f.pfcFleet.machine(node)
	if err != nil || f.isCard(node) || !f.graph.HostsForward {
		return m, err
	}
	before := &forwarder.Before{Machine: m}
	for _, end := range f.graph.Nodes[node].Ports {
		before.Back = append(before.Back, end.PeerPort)
	}
	return before, nil
}
