package pfc

import "github.com/sluicefc/sluice"

// Profile is what an ingress may hold of a lossless class, SONiC's BUFFER_PROFILE of a priority
// group. All but Pool is in bytes.
type Profile struct {
	// Alpha is the share of the free pool that one (ingress, class) may take beyond its reserve:
	// its dynamic threshold is T = alpha * free. SONiC's dynamic_th is its binary logarithm. Needed
	// unless XOff is given. A switch of one port, a network card, needs neither: its packets are
	// local.
	Alpha sluice.Ratio
	// XOff, when not zero, is a static threshold in the place of Alpha: a pause goes out when an
	// (ingress, class) holds this many bytes, reserve included. At least Reserve. Alpha must
	// then be left out.
	XOff sluice.Bytes
	// XOn goes with XOff: a resume goes out when the (ingress, class) has come down to this many
	// bytes. From Reserve to XOff.
	XOn sluice.Bytes
	// ResumeOffset goes with Alpha, SONiC's xon_offset: a resume goes out when what is used of the
	// pool is at least this far below T, or none is used. Zero means DefaultResumeOffset;
	// ResumeAtThreshold is none. Less than two frames lets a pause follow each resume.
	ResumeOffset sluice.Bytes
	// XOnFloor goes with Alpha, SONiC's xon: a resume goes out in any case when the (ingress,
	// class) has come down to this many bytes, reserve included, however small T is then. Not
	// negative.
	XOnFloor sluice.Bytes
	// Reserve is set apart for each (ingress, class): SONiC's size, less its xoff unless headrooms
	// share a pool. Not negative. The ns-3 codes use 4 KiB.
	Reserve sluice.Bytes
	// Headroom takes what arrives after the pause, SONiC's xoff: it is set apart for each (ingress,
	// class), or at most so much of Config.HeadroomPool. Not negative. A port is lossless while it is
	// at least HeadroomFor.
	Headroom sluice.Bytes
	// Pool is the pool that it shares: 0, or one of Config.Pools, counted from 1.
	Pool int
}

// DefaultResumeOffset is what the ns-3 codes use, two frames of 1,518 bytes and a little.
const DefaultResumeOffset = 3 * sluice.KiB

// ResumeAtThreshold is the ResumeOffset of profiles that resume as soon as they are down to T.
const ResumeAtThreshold sluice.Bytes = -1

func (p *PortConfig) profile(class sluice.Class) *Profile {
	if own := p.Profiles[class%sluice.Classes]; own != nil {
		return own
	}
	return &p.Profile
}

func (p *Profile) fill() {
	if given(p.Alpha) && p.ResumeOffset == 0 {
		p.ResumeOffset = DefaultResumeOffset
	}
}

// ScaleAlpha returns the alpha of a port of the given rate where a port of the reference rate has
// alpha: doubled for every halving that brings rate to reference or below, as the ns-3 codes of
// HPCC and Pyrrha do for ports faster than the network cards. It does not go beyond what is Valid.
// Nothing applies it unasked: call it where Config is filled.
func ScaleAlpha(alpha sluice.Ratio, rate, reference sluice.Rate) sluice.Ratio {
	if reference <= 0 {
		return alpha
	}
	for ; rate > reference; rate /= 2 {
		if alpha.Den%2 == 0 {
			alpha.Den /= 2
		} else if alpha.Num*2 <= sluice.MaxRatio {
			alpha.Num *= 2
		}
	}
	return alpha
}
