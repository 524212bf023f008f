package pfc

import (
	"math"

	"github.com/sluicefc/sluice"
)

// quantumBytes is the length of a pause quantum: 512 bit times (IEEE 802.3 clause 31B.2).
const quantumBytes = sluice.QuantumBits / 8

// MinimumFrame is the length of the smallest frame, which takes the most cells for its bytes.
const MinimumFrame sluice.Bytes = 64

// HeadroomFor returns the Profile.Headroom with which the port loses no packet of a lossless class,
// and with less of which it can lose one: for frames of MinimumFrame to mtu bytes both ways, any
// number of lossless classes and whatever their thresholds do, in a switch of cells of so many
// bytes (Config.CellSize), with the slowest peer that IEEE 802.3 allows. The embedder must poll the
// pause frame when its transmitter is free.
//
// From the decision to pause until the peer begins no more frames, this time passes:
//
//	max(mtu, WireLength)  a frame of our own has just begun, of data or another pause: MAC control
//	                      does not interrupt a frame (IEEE 802.3 clause 31.3)
//	+ WireLength          the pause frame on the wire
//	+ 2 * Link.Delay      the pause travels to the peer, and what it sent before that here
//	+ Pipeline + 2 * PHY  both pass through this switch and its transceivers
//	+ Reaction            the peer may begin frames for so long (IEEE 802.3 clause 31B.3.7)
//
// What begins in it is in the headroom, and the largest frame at its very end; and so is the packet
// that takes the ingress over its threshold. A packet's Size counts as its time on the wire: with
// preamble, gap and check sequence it takes longer, so that fewer arrive. Nothing is rounded up but
// to cells. It saturates.
func (p *PortConfig) HeadroomFor(mtu, cell sluice.Bytes) sluice.Bytes {
	rate := p.Link.Rate
	wait := max(mtu, WireLength) + WireLength
	window := rate.TimeOf(wait).Add(p.Link.RoundTrip()).Add(p.Pipeline).Add(p.PHY).Add(p.PHY).
		Add(rate.TimeOfQuanta(Reaction(rate)))
	return headroomIn(rate.BytesIn(window), mtu, cell)
}

// headroomIn returns the most that packets take which begin in so many byte times, their end
// included, and one packet more.
func headroomIn(window, mtu, cell sluice.Bytes) sluice.Bytes {
	mtu = max(mtu, MinimumFrame)
	if cell <= 1 {
		return add(bytesIn(window, mtu), 2*mtu)
	}
	largest := (mtu + cell - 1) / cell * cell
	cells := cellsIn(window, mtu, cell)
	if cells > math.MaxInt64/cell {
		return math.MaxInt64
	}
	return add(cells*cell, 2*largest)
}

// bytesIn returns the most bytes that whole packets have in a window: all of it, unless it lies
// between what one number of packets fills at most and what the next fills at least.
func bytesIn(window, mtu sluice.Bytes) sluice.Bytes {
	if packets := (window + mtu - 1) / mtu; packets*MinimumFrame > window {
		return (packets - 1) * mtu
	}
	return window
}

// cellsIn returns the most cells that whole packets take in a window. The smallest frame takes one,
// and one of a byte more than a cell takes two; every cell more costs as many bytes as it has,
// which is no less than the smallest frame.
func cellsIn(window, mtu, cell sluice.Bytes) sluice.Bytes {
	most := window / MinimumFrame
	pair := cell + 1
	if pair >= 2*MinimumFrame || pair > mtu {
		return most
	}
	for n := window / pair; n >= max(0, window/pair-MinimumFrame); n-- {
		most = max(most, 2*n+(window-n*pair)/MinimumFrame)
	}
	return most
}

// Headroom returns the bytes that [PortConfig.HeadroomFor] counts, in a switch of bytes instead of
// cells without a delay of its own, for a link of a rate and a one-way propagation delay, and a
// peer that takes up to reaction to obey. In the terms of the annex of IEEE 802.1Q on the buffer
// requirements of PFC:
//
//	2 * cable * rate   cable delay, twice
//	+ mtu              maximum frame, ours
//	+ WireLength       PFC frame
//	+ reaction         interface delay and higher layer delay, of the peer
//	+ mtu              maximum frame, the peer's
//	+ mtu              the packet that crosses the threshold, not in the annex
//
// Zero rate or negative arguments count as nothing. The propagation is rounded up to a byte. It
// saturates for an mtu of up to 2^61.
func Headroom(
	rate sluice.Rate,
	cable sluice.Time,
	mtu sluice.Bytes,
	reaction sluice.Quanta,
) sluice.Bytes {
	return add(AnnexHeadroom(rate, cable, mtu, reaction), max(0, mtu)+WireLength)
}

// AnnexHeadroom returns the bytes of the formula in common use: [Headroom] without the pause
// frame's own time, which the formula takes as part of the reaction, and without the packet that
// crosses the threshold. It is what can arrive after the instant of the decision, for comparison
// with other calculators. A port that has only so much can lose a packet: configure HeadroomFor.
func AnnexHeadroom(
	rate sluice.Rate,
	cable sluice.Time,
	mtu sluice.Bytes,
	reaction sluice.Quanta,
) sluice.Bytes {
	return add(rate.BytesInUp(cable.Add(cable)), 2*max(0, mtu)+sluice.Bytes(reaction)*quantumBytes)
}

// add returns the sum of two amounts that are not negative, saturating.
func add(a, b sluice.Bytes) sluice.Bytes {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Cable returns the propagation delay of so many metres of copper or fibre, at 5 ns per metre, as
// in the annex of IEEE 802.1Q on buffer requirements. It saturates.
func Cable(metres int) sluice.Time {
	const metre = 5 * sluice.Nanosecond
	switch {
	case metres <= 0:
		return 0
	case sluice.Time(metres) > sluice.Never/metre:
		return sluice.Never
	}
	return sluice.Time(metres) * metre
}

// reactions are the quanta within which a station obeys, by rate (IEEE 802.3 clause 31B.3.7).
var reactions = [...]struct {
	rate   sluice.Rate
	quanta sluice.Quanta
}{
	{sluice.Gbps, 2},
	{10 * sluice.Gbps, 60},
	{25 * sluice.Gbps, 80},
	{40 * sluice.Gbps, 118},
	{50 * sluice.Gbps, 147},
	{100 * sluice.Gbps, 394},
	{200 * sluice.Gbps, 453},
	{400 * sluice.Gbps, 905},
}

// Reaction returns how many quanta a station of a rate may take from a pause frame's last bit until
// it begins no more frames (IEEE 802.3 clause 31B.3.7). A rate between two of the standard's has
// the quanta of the faster, which is the safe side; above 400 Gb/s, they grow with the rate. It
// saturates.
func Reaction(rate sluice.Rate) sluice.Quanta {
	for _, r := range reactions {
		if rate <= r.rate {
			return r.quanta
		}
	}
	fastest := reactions[len(reactions)-1]
	return rate.QuantaIn(fastest.rate.TimeOfQuanta(fastest.quanta))
}
