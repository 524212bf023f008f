package portfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/internal/prng"
)

// Layers of a rail-only network, NDC(n,1) of two rates: nodes that share a switch of layer 0 are a
// high-bandwidth domain (HBD), the switches of layer 1 are the rails of the network domain (ND).
const (
	HBD = 0
	ND  = 1
)

// Weight is a proportion of 0 to 1, in units of 2^-30.
type Weight uint32

// WeightOne is all.
const WeightOne Weight = 1 << 30

// ATEConfig describes an [ATE].
type ATEConfig struct {
	// Network is an NDC of K = 1, Node the source.
	Network NDC
	Node    sluice.SwitchID
	// Capacity is B_H as the bytes in flight that fill the high-bandwidth domain: its rate times a
	// base round-trip time. Positive, at most 2^40.
	Capacity sluice.Bytes
	// Utilisation is p, at most 1. Zero: 9/10 ("typically set to 0.9", section III-E).
	Utilisation sluice.Ratio
	// Seed seeds the draws. Give each node another.
	Seed uint64
}

// ATE is the asymmetric traffic engineering of a node in a rail-only network (PortFC, section
// III-E): per destination it draws the domain by which a flow takes its first hop. Each flow sets
// the weight of the high-bandwidth domain anew, by what is in flight there (Algorithm 5, line 5):
//
//	w^H = min(1, p B_H / T^H)
//
// and leaves it as it was while T^H is 0. The weight of the network domain is 1 - w^H. Bytes in
// flight follow the weights, which follow them: if what is offered is D, and w^H D of it is in
// flight towards the high-bandwidth domain, w^H rests at the square root of p B_H / D.
//
// Nothing is allocated after NewATE. An ATE is not safe for concurrent use.
type ATE struct {
	network  NDC
	node     sluice.SwitchID
	target   uint64 // p B_H, in bytes
	weights  []Weight
	inFlight sluice.Bytes
	random   prng.Source
	misuses  uint64
}

// maxCapacity, times the largest term of a ratio, fits an int64.
const maxCapacity = 1 << 40

// NewATE returns an ATE that sends everything by the high-bandwidth domain at first. The error is a
// *sluice.ConfigError.
func NewATE(c ATEConfig) (*ATE, error) {
	k := check.Of("portfc", "ATEConfig")
	c.Network.checkIn(k, "Network")
	k.That(c.Network.K == 1, c.Network, "must have K = 1", "Network")
	k.That(!k.Fine() || c.Network.IsNode(c.Node), c.Node, "must be a node of Network", "Node")
	check.Within(k, c.Capacity, 1, maxCapacity, "Capacity")
	check.Default(&c.Utilisation, sluice.Ratio{Num: 9, Den: 10})
	k.That(c.Utilisation.Valid() && c.Utilisation.Num <= c.Utilisation.Den, c.Utilisation,
		"must be above 0 and at most 1, both terms at most 2^20", "Utilisation")
	if err := k.Err(); err != nil {
		return nil, err
	}
	a := &ATE{
		network: c.Network,
		node:    c.Node,
		target:  max(uint64(c.Capacity)*uint64(c.Utilisation.Num)/uint64(c.Utilisation.Den), 1),
		weights: make([]Weight, c.Network.Nodes()),
		random:  prng.New(prng.Mix(c.Seed)),
	}
	for i := range a.weights {
		a.weights[i] = WeightOne
	}
	return a, nil
}

// First returns the layer by which a new flow to a node takes its first hop, HBD or ND, drawn by
// the weight, which it sets before, if both are on shortest routes. Two-hop flows have no choice:
// for them, and for a node that does not exist, it draws nothing and sets no weight; false if there
// is no way. It takes O(1).
func (a *ATE) First(dst sluice.SwitchID) (layer int, ok bool) {
	if !a.network.IsNode(dst) || dst == a.node {
		a.misuses++
		return 0, false
	}
	if a.network.Differing(a.node, dst) < 2 {
		return a.network.differing(a.node, dst, 0), true
	}
	a.set(dst)
	if Weight(a.random.Below(uint64(WeightOne))) < a.weights[dst] {
		return HBD, true
	}
	return ND, true
}

// Path returns the route of a flow whose first hop is in a layer: that digit first.
func (a *ATE) Path(dst sluice.SwitchID, layer int) (sluice.Path, bool) {
	if a.network.Differing(a.node, dst) == 1 {
		return a.network.Through(a.node, dst, layer)
	}
	return a.network.Through(a.node, dst, layer, 1-layer)
}

// Sent counts n bytes that left towards the high-bandwidth domain.
func (a *ATE) Sent(n sluice.Bytes) {
	if n < 0 || n > maxCapacity-a.inFlight {
		a.misuses++
		return
	}
	a.inFlight += n
}

// Arrived takes n of these bytes out of flight. A larger number than the bytes in flight is misuse,
// and takes out all.
func (a *ATE) Arrived(n sluice.Bytes) {
	if n < 0 || n > a.inFlight {
		a.misuses++
		n = max(min(n, a.inFlight), 0)
	}
	a.inFlight -= n
}

// InFlight returns T^H, the bytes in flight towards the high-bandwidth domain.
func (a *ATE) InFlight() sluice.Bytes { return a.inFlight }

// Weight returns w^H of a destination: the share of its flows that take their first hop by the
// high-bandwidth domain. 0 for a node that does not exist.
func (a *ATE) Weight(dst sluice.SwitchID) Weight {
	if !a.network.IsNode(dst) {
		return 0
	}
	return a.weights[dst]
}

// Misuses counts calls that make no sense: bytes that arrive and were not sent, nodes that do not
// exist.
func (a *ATE) Misuses() uint64 { return a.misuses }

// set is line 5 of Algorithm 5 for a destination.
func (a *ATE) set(dst sluice.SwitchID) {
	if a.inFlight > 0 {
		w := share(uint64(WeightOne), a.target, uint64(a.inFlight))
		a.weights[dst] = Weight(min(w, uint64(WeightOne)))
	}
}
