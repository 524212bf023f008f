package fabric

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/portfc"
)

type ateSettings struct {
	on     bool
	config portfc.ATEConfig
	window *sluice.Time
}

func (a *ateSettings) asked() []params.Field {
	return []params.Field{params.Bind("ate", &a.on, "false",
		"asymmetric traffic engineering chooses the first hop of flows on NDC(n,1), layer 0 "+
			"being the high-bandwidth domain; else the hash of a flow does")}
}

func (a *ateSettings) constants() []params.Field {
	return []params.Field{
		params.Bind("ate.utilisation", &a.config.Utilisation, "9/10",
			"p: share of the high-bandwidth domain that is to be used").As("Utilisation").
			Range(">0", "1"),
		params.Bind("ate.window", &a.window, "",
			"B_H is what a port of layer 0 sends in so long; unset: one base round-trip time").
			Range("1ns", "1s"),
	}
}

// steering is the asymmetric traffic engineering of every node.
type steering struct {
	network portfc.NDC
	ates    []*portfc.ATE
	target  sluice.Bytes   // p B_H
	flying  []sluice.Bytes // by node: in flight, by either domain
	drawn   []bool         // by source, then destination: flows were sent there that had a choice
}

// steering returns what the parameters ask for, nil for nothing.
func (r *Run) steering() (*steering, error) {
	var ate ateSettings
	if r.Values.Fill(ate.asked()); !ate.on {
		return nil, nil
	}
	r.Values.Fill(ate.constants())
	network, err := NDCOf(r.Topology)
	if err != nil || network.K != 1 {
		return nil, fmt.Errorf("parameter ate: it is about topology=ndc,k=1")
	}
	nodes := network.Nodes()
	s := &steering{
		network: network, flying: make([]sluice.Bytes, nodes), drawn: make([]bool, nodes*nodes),
	}
	p, window := ate.config.Utilisation, r.Topology.BaseRTT(r.Values.Bytes("payload"))
	if ate.window != nil {
		window = *ate.window
	}
	for node := range nodes {
		capacity := r.Topology.Nodes[node].Ports[portfc.HBD].Link.Rate.BDP(window)
		s.target = capacity * sluice.Bytes(p.Num) / sluice.Bytes(p.Den)
		c := ate.config
		c.Network, c.Node, c.Capacity = network, sluice.SwitchID(node), capacity
		c.Seed = r.Seed<<16 + uint64(node)
		one, err := portfc.NewATE(c)
		if err != nil {
			return nil, r.Values.Explain(err, ate.constants())
		}
		s.ates = append(s.ates, one)
	}
	return s, nil
}

func (s *steering) Path(src, dst sluice.SwitchID) (sluice.Path, bool) {
	layer, ok := s.ates[src].First(dst)
	if !ok {
		return sluice.Path{}, false
	}
	if s.network.Differing(src, dst) > 1 {
		s.drawn[int(src)*len(s.ates)+int(dst)] = true
	}
	return s.ates[src].Path(dst, layer)
}

func (s *steering) Moved(first sluice.Hop, by sluice.Bytes) {
	s.flying[first.Switch] += by
	switch ate := s.ates[first.Switch]; {
	case first.Port != portfc.HBD:
	case by > 0:
		ate.Sent(by)
	default:
		ate.Arrived(-by)
	}
}

// Sample implements sim.Steering: the means of w^H and of min(1, p B_H / D) over all pairs of nodes
// that had a choice, between which flows were sent so far, where D is what the source has in flight
// by both domains; 1 if there is no such pair.
func (s *steering) Sample() (weight, closedForm float64) {
	pairs := 0.0
	for i, drawn := range s.drawn {
		if !drawn {
			continue
		}
		src, dst := i/len(s.ates), sluice.SwitchID(i%len(s.ates))
		weight += float64(s.ates[src].Weight(dst)) / float64(portfc.WeightOne)
		closedForm += min(1, float64(s.target)/float64(max(s.flying[src], 1)))
		pairs++
	}
	if pairs == 0 {
		return 1, 1
	}
	return weight / pairs, closedForm / pairs
}

// report says how often the sums of bytes in flight did not add up, which is never.
func (s *steering) report(r *sim.Result) {
	for _, ate := range s.ates {
		if n := ate.Misuses(); n > 0 {
			r.Note("ate: %d calls made no sense", n)
		}
	}
}
