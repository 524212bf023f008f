// Package trigger is what makes a port of package pfc pause its upstream: the threshold of PFC, or
// the rule of one of its variants, caPFC, P-PFC, GFC and G-PFC, with what each keeps of an ingress
// and of an upstream that is paced. Their accounts and queues are in pfc, which asks here. Nothing
// allocates.
package trigger

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/enum"
)

// Kind is the rule by which an ingress pauses its upstream: the threshold of PFC, or the rule of a
// variant. The papers of the variants are not all public: the published part is named with each,
// and the rest is ours. All resume when the ingress has come down to XOn, and need XOff.
type Kind uint8

// Triggers.
const (
	// AtIngress is PFC: what the (ingress, class) holds comes to its threshold.
	AtIngress Kind = iota
	// CAPFC pauses if the (ingress, class) holds XOff and the egress queue of the packet holds
	// Variant.Egress. Published: the state of an ingress follows from its own queue and from the
	// egress queues that it contributes to (Avci, Li, Liu: Congestion Aware PFC, IFIP Networking
	// 2016; US patent 10,003,544, claim 1); the egress threshold is fixed (Xiao et al., OFC,
	// section IV-A4). Ours: the guard, and the threshold (see Variant.Egress).
	CAPFC
	// PPFC pauses if the (ingress, class) holds XOff and the egress port of the packet holds no
	// less than the mean of all. Published: the egress threshold is the mean occupancy of the
	// egress ports (OFC, section IV-A4). Ours: the guard. It differs from AtIngress only where the
	// packets of an ingress go to several egresses, some of them shorter than the mean: a queue
	// that one ingress fills is above it. The abstract of P-PFC differs: see PPFCDerivative.
	PPFC
	// PPFCDerivative pauses ahead of time: if what the (ingress, class) holds, and as much as it
	// grows in Variant.Ahead, come to XOff. Published: the derivative of the occupancy is watched
	// to predict the trigger (Tian et al.: P-PFC, TPDS 2020, abstract). Ours: the growth is that
	// from the last arrival that was at least Variant.Ahead earlier, in proportion.
	PPFCDerivative
	// GFC lowers the rate of the upstream in stages. In stage k it sends at 2^-k of the rate of the
	// link, from B_k = XOff - (XOff - Variant.Lower) / 2^(k-1) on; the stage is in the time field
	// of the frame. Published: "buffer-based GFC" (Qian, Cheng, Zhang, Ren: Gentle Flow Control,
	// SIGCOMM 2019), whose rate is never 0, so that no circle of waiting ports can form: from XOff
	// on it is the least, but not less than 8 kb/s. With Variant.Stop it is 0 there, as OFC
	// describes it: "gradually decreases transmission rates to zero" (section IV-A4). Ours: pacing
	// is by packet, and both ends must have this trigger.
	GFC
	// GPFC has a lower threshold for classes 0 to 3, so that classes of low priority are paused
	// first: an arrival pauses its class if all classes of the ingress port together hold
	// Variant.Lower, for classes 4 to 7 XOff. Published: low priorities have a lower ingress
	// threshold (OFC, section IV-A4; Cui, Rim: G-PFC, APNOMS 2020). Ours: the sum, and the choice
	// of the low classes.
	GPFC
	// Kinds is how many there are.
	Kinds
)

// String names the trigger.
func (t Kind) String() string { return enum.Name(t, "Trigger", names[:]...) }

var names = [...]string{"ingress", "caPFC", "P-PFC", "P-PFC derivative", "GFC", "G-PFC"}

// Variant is what triggers other than AtIngress need. Zero fields have the meaning that OFC's
// evaluation gives them (section IV-A); of Egress it says nothing.
type Variant struct {
	// Egress is the egress threshold of CAPFC in bytes. Zero means three times XOff: an egress is
	// congested if more than one ingress fills it. One of at most XOff never acts where an ingress
	// sends to one egress, which holds all that the ingress does. The factor is chosen by its outcome:
	// of 4/3 to 16/3 tried in OFC's Figure 9, it is the one with as many fewer deadlocks than PFC as
	// OFC's two ranges imply.
	Egress sluice.Bytes
	// Guard is for CAPFC and PPFC: an ingress that holds Guard times XOff pauses whatever the
	// egress queues are, or there would be no bound on the headroom. At least 1. Zero means 2.
	Guard sluice.Ratio
	// Ahead is how far PPFCDerivative looks, at most a second. Zero means the round-trip time of
	// the link and a microsecond.
	Ahead sluice.Time
	// Lower is the threshold in bytes from which GFC lowers the rate, and GPFC pauses classes 0 to
	// 3. At most XOff. Zero means XOn for GFC, 68/75 of XOff for GPFC.
	Lower sluice.Bytes
	// Stop makes the rate 0 in the last stage of GFC.
	Stop bool
}
