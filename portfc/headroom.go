package portfc

import (
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/internal/wire"
)

// WireLength is the length of a frame of this package on the wire: with check sequence, preamble
// and gap.
const WireLength sluice.Bytes = wire.MinimumLength + 4 + 8 + 12

// Relay is what a bound needs to know of the nodes behind a switch.
type Relay struct {
	// Link is the node's link to its switch of the other layer: see PortConfig.
	Link sluice.Link
	// Backlog is the most that the node's relay queue holds, the packet that just came included. Not
	// negative.
	Backlog sluice.Bytes
}

// check returns the first rule that r breaks.
func (r *Relay) check() error {
	k := check.Of("portfc", "Relay")
	k.Link(r.Link, "Link")
	k.That(r.Backlog >= 0, r.Backlog, "must not be negative", "Backlog")
	return k.Err()
}

// Bound is the most that queues of a device can hold if every peer obeys.
type Bound struct {
	IHFQ  sluice.Bytes // of a port
	DDQ   sluice.Bytes // of a port
	Relay sluice.Bytes // of a node port; math.MaxInt64 without Config.RelayXOff
	// Total of a switch: every port can be in that state at once, for a detector holds back the
	// traffic of its own egress only, and the senders turn to the next. Of the two detectors of a
	// port, the later to fire waits for one frame less.
	Total sluice.Bytes
}

// Headroom returns what the queues of the device can hold, packets of the HQ aside, in a network of
// K = 1 whose nodes serve the relay queue first, for packets of at most mtu bytes: with a Buffer of
// Total a switch loses none. It is an upper bound: the frames that it counts cannot all be due at
// once in every network. From the packet that takes a detector of egress e to X_off on, each other
// port lets this much come for e:
//
//	IHFQ   C 2D + 3M + F          the frame waits for a packet of ours that has just begun and
//	                              takes its own time on the wire; it travels to the node, and what
//	                              was sent before it comes back; the node has just begun a packet;
//	                              and at the switch one was coming in that had not been counted
//	DDQ    C 4D + 5M + 2F + Q     the same, the frame's relay to the switches upstream, where it
//	                              waits and travels again, and the node's relay queue, which no
//	                              frame stops
//
// C is the rate of the port, D its one-way delay, M mtu, Q the Backlog of relay. F is as many
// frames as can be due at once, of WireLength each: of both detectors of all other egress ports at
// a switch, of the DDQs of all other ports at a node. The thresholds and the links are the
// configuration's. It saturates. A node has no use for relay. The error is what New returns, or
// says that K is above 1 or what is wrong with relay.
func (c Config) Headroom(mtu sluice.Bytes, relay Relay) (Bound, error) {
	config, err := c.withDefaults()
	mtu = min(max(mtu, 0), maxBuffer)
	switch {
	case err != nil:
		return Bound{}, err
	case config.Network.K > 1:
		return Bound{}, &sluice.ConfigError{
			Package: "portfc", Type: "Config", Field: "Network", Value: config.Network,
			Rule: "must have K = 1: no bound is known beyond",
		}
	}
	if config.Network.IsNode(config.Switch) {
		return config.nodeBound(mtu), nil
	}
	if err := relay.check(); err != nil {
		return Bound{}, err
	}
	return config.switchBound(mtu, relay), nil
}

func (c *Config) switchBound(mtu sluice.Bytes, relay Relay) Bound {
	var direct, twice sluice.Bytes // of all ports
	for _, p := range c.Ports {
		once, relayed := c.fed(p.Link, mtu, relay)
		direct, twice = chassis.Add(direct, once), chassis.Add(twice, relayed)
	}
	var bound Bound
	for _, p := range c.Ports {
		once, relayed := c.fed(p.Link, mtu, relay)
		ihfq := chassis.Add(max(threshold(c.XOff, p.Link), 1)-1, others(direct, once))
		ddq := chassis.Add(max(threshold(c.DirectXOff, p.Link), 1)-1, others(twice, relayed))
		bound.IHFQ, bound.DDQ = max(bound.IHFQ, ihfq), max(bound.DDQ, ddq)
		// Of the two detectors one fires later, and does not wait for the other's frame.
		frames := sluice.Bytes(c.Network.N-1) * WireLength
		bound.Total = chassis.Add(bound.Total, chassis.Add(ihfq, ddq-frames))
	}
	return bound
}

// others returns a sum over all ports without the part of one. A sum that saturated stays so.
func others(sum, part sluice.Bytes) sluice.Bytes {
	if sum == math.MaxInt64 {
		return sum
	}
	return sum - part
}

// fed returns the bytes that a link of a switch brings after a detector pauses: of packets that the
// node behind it holds from then on, and of packets that other switches hold for that node.
func (c *Config) fed(link sluice.Link, mtu sluice.Bytes, relay Relay) (once, relayed sluice.Bytes) {
	frames := sluice.Bytes(2*(c.Network.N-1)) * WireLength
	once = chassis.Add(link.Rate.BytesInUp(link.RoundTrip()), 3*mtu+frames)
	// At the node's other link the frame waits, travels, and the last packet comes back.
	told := 2*mtu + sluice.Bytes(c.Network.N-1)*WireLength
	other := relay.Link.Rate.TimeOf(told).Add(relay.Link.RoundTrip())
	return once, chassis.Add(once, chassis.Add(link.Rate.BytesInUp(other), relay.Backlog))
}

func (c *Config) nodeBound(mtu sluice.Bytes) Bound {
	if c.RelayXOff == (sluice.Ratio{}) {
		return Bound{Relay: math.MaxInt64}
	}
	frames := sluice.Bytes(c.Network.N) * WireLength
	var bound Bound
	for i, p := range c.Ports {
		held := max(threshold(c.RelayXOff, p.Link), 1) - 1
		for j, from := range c.Ports {
			if j != i {
				window := from.Link.Rate.BytesInUp(from.Link.RoundTrip())
				held = chassis.Add(held, chassis.Add(window, 3*mtu+frames))
			}
		}
		bound.Relay = max(bound.Relay, held)
	}
	return bound
}
