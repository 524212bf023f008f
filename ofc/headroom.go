package ofc

import (
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/wire"
)

// onWire is what a frame takes of the wire beyond its bytes: check sequence, preamble and gap.
const onWire sluice.Bytes = 4 + 8 + 12

// HeadroomFor returns the PortConfig.Headroom with which a port loses no packet, and with less of
// which it can lose one, for packets of up to mtu bytes both ways; 0 for a port that does not
// exist. The embedder must poll frames when its transmitter is free. From the packet that takes an
// (ingress, class) over XOff until the peer begins no packet of the class any more, this time
// passes:
//
//	max(mtu, largest frame)  a packet or a list of flows has just begun
//	+ PAUSE                  of every class under OFC, the one that matters last
//	+ 2 * Link.Delay         the frame travels to the peer, and what it sent before that here
//	+ Reaction               of the peer
//
// What begins in it is in the headroom, the largest packet at its very end; and all but a byte of
// the packet that took the account over XOff. Zero fields have the meaning that New gives them. It
// saturates.
func (c *Config) HeadroomFor(port sluice.PortID, mtu sluice.Bytes) sluice.Bytes {
	if int(port) >= len(c.Ports) {
		return 0
	}
	p := &c.Ports[port]
	listed := sluice.Bytes(c.MaxFlowsPerFrame)
	if listed < 1 || listed > MaxListed {
		listed = MaxListed
	}
	list := max(wire.HeaderLength+listOffset+flowLength*listed, wire.MinimumLength) + onWire
	pause := sluice.Bytes(c.Classes.Or(sluice.AllClasses).Len()) * (wire.MinimumLength + onWire)
	mtu = min(max(mtu, 1), MaxBuffer)
	window := p.Link.Rate.TimeOf(max(mtu, list) + pause).Add(p.Link.RoundTrip()).Add(p.Reaction)
	bytes := p.Link.Rate.BytesIn(window)
	if bytes > math.MaxInt64-2*mtu {
		return math.MaxInt64
	}
	return bytes + 2*mtu - 1
}
