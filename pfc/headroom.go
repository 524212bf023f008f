package pfc

import (
	"math"

	"github.com/sluicefc/sluice"
)

// quantumBytes is the length of a pause quantum: 512 bit times (IEEE 802.3 clause 31B.2).
const quantumBytes = sluice.QuantumBits / 8

// Headroom returns the PortConfig.Headroom with which no packet of a lossless class is lost, whatever packets come,
// on a link of a rate and a one-way propagation delay, when both ends send frames of up to mtu bytes and the peer takes
// up to reaction to obey. The terms, most of them those of the annex of IEEE 802.1Q on the buffer requirements of PFC:
//
//	2 * cable * rate   the pause travels to the peer while what the peer sent is still on the
//	                   way: both ways of the wire are full (annex: cable delay, twice)
//	+ mtu              the pause waits behind a frame of our own that has just begun: MAC control does
//	                   not interrupt a frame (IEEE 802.3 clause 31.3; annex: maximum frame)
//	+ WireLength       the pause frame on the wire: the reaction is counted from its last bit (annex:
//	                   PFC frame)
//	+ reaction         the peer may begin frames for so long (IEEE 802.3 clause 31B.3.7: see Reaction)
//	+ mtu              the peer has begun a frame when it obeys, and finishes it (IEEE 802.1Q clause
//	                   36.1.3.3; annex: maximum frame)
//	+ mtu              the packet that takes the ingress over its threshold: the accounting puts all
//	                   of it in the headroom
//
// It holds for one pause frame under way at a time. An embedder that queues pause frames behind each other
// instead of polling when the transmitter is free adds WireLength for each. Zero rate or negative arguments count
// as nothing. The propagation is rounded up to a byte. It saturates for an mtu of up to 2^61. [PortConfig.HeadroomFor] is
// Headroom of a configured link.
func Headroom(rate sluice.Rate, cable sluice.Time, mtu sluice.Bytes, reaction sluice.Quanta) sluice.Bytes {
	return add(AnnexHeadroom(rate, cable, mtu, reaction), max(0, mtu)+WireLength)
}

// AnnexHeadroom returns the bytes of the formula in common use: [Headroom] without the pause frame's own time, which
// the formula takes as part of the reaction, and without the packet that crosses the threshold. It is what can arrive after the
// instant of the decision, for comparison with other calculators. A port that has only so much can lose a packet: configure
// Headroom.
func AnnexHeadroom(rate sluice.Rate, cable sluice.Time, mtu sluice.Bytes, reaction sluice.Quanta) sluice.Bytes {
	return add(rate.BytesInUp(cable.Add(cable)), 2*max(0, mtu)+sluice.Bytes(reaction)*quantumBytes)
}

// HeadroomFor returns the Headroom with which the port loses no packet of a lossless class: that of its Link, for frames of
// up to mtu bytes both ways and a peer that takes as long to obey as IEEE 802.3 lets it.
func (p *PortConfig) HeadroomFor(mtu sluice.Bytes) sluice.Bytes {
	return Headroom(p.Link.Rate, p.Link.Delay, mtu, Reaction(p.Link.Rate))
}

// add returns the sum of two amounts that are not negative, saturating.
func add(a, b sluice.Bytes) sluice.Bytes {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Cable returns the propagation delay of so many metres of copper or fibre, at 5 ns a metre, as in the
// annex of IEEE 802.1Q on buffer requirements. It saturates.
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

// Reaction returns how many quanta a station of a rate may take from a pause frame's last bit
// until it begins no more frames (IEEE 802.3 clause 31B.3.7). A rate between two of the standard's has the
// quanta of the faster, which is the safe side; above 400 Gb/s, they grow with the rate. It saturates.
func Reaction(rate sluice.Rate) sluice.Quanta {
	for _, r := range reactions {
		if rate <= r.rate {
			return r.quanta
		}
	}
	fastest := reactions[len(reactions)-1]
	return rate.QuantaIn(fastest.rate.TimeOfQuanta(fastest.quanta))
}
