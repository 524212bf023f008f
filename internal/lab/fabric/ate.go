package fabric

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/portfc"
)

var ateParameters = []params.Definition{
	{Name: "ate", Kind: params.Bool, Default: "false", Section: "ate",
		Doc: "asymmetric traffic engineering chooses the first hop of flows on NDC(n,1), layer 0 " +
			"being the high-bandwidth domain; else the hash of a flow does"},
	{Name: "ate.utilisation", Kind: params.Rational, Default: "9/10", Min: "1/1024", Max: "1",
		Section: "ate",
		Doc:     "p: share of the high-bandwidth domain that is to be used"},
	{Name: "ate.window", Kind: params.Time, Default: "", Min: "1ns", Max: "1s", Section: "ate",
		Doc: "B_H is what a port of layer 0 sends in so long; unset: one base round-trip time"},
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
	v := r.Values
	if !v.Bool("ate") {
		return nil, nil
	}
	network, err := NDCOf(r.Topology)
	if err != nil || network.K != 1 {
		return nil, fmt.Errorf("parameter ate: it is about topology=ndc,k=1")
	}
	nodes := network.Nodes()
	s := &steering{
		network: network, flying: make([]sluice.Bytes, nodes), drawn: make([]bool, nodes*nodes),
	}
	p, window := ratio(v, "ate.utilisation"), r.ateWindow()
	for node := range nodes {
		capacity := r.Topology.Nodes[node].Ports[portfc.HBD].Link.Rate.BDP(window)
		s.target = capacity * sluice.Bytes(p.Num) / sluice.Bytes(p.Den)
		ate, err := portfc.NewATE(portfc.ATEConfig{
			Network: network, Node: sluice.SwitchID(node), Capacity: capacity, Utilisation: p,
			Seed: r.Seed<<16 + uint64(node),
		})
		if err != nil {
			return nil, err
		}
		s.ates = append(s.ates, ate)
	}
	return s, nil
}

func (r *Run) ateWindow() sluice.Time {
	if r.Values.IsSet("ate.window") {
		return r.Values.Time("ate.window")
	}
	return r.Topology.BaseRTT(r.Values.Bytes("payload"))
}

// Path implements sim.Steering.
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

// Moved implements sim.Steering.
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
