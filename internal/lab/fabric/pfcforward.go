package fabric

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric/forwarder"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pfc/trigger"
)

// forwardFleet is PFC at switches, whose hosts forward packets and pause frames.
type forwardFleet struct{ *pfcFleet }

func buildPFCForward(p *plan) fleet { return forwardFleet{newPFCFleet(p, trigger.AtIngress)} }

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
