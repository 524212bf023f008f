package ofc

import (
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/internal/wire"
)

// Limits of a configuration.
const (
	MaxPorts                   = 512       // ports of a switch
	MaxFlows                   = 1 << 20   // Config.Flows, of one port
	MaxBuffer     sluice.Bytes = 1<<50 - 1 // Config.Buffer, and every threshold
	MaxSpeedup                 = 64        // Config.Speedup
	maxPeriod                  = sluice.Second
	maxExpiry                  = ExpiryRefreshes * maxPeriod
	largestPacket              = 9216 // that a frame has to wait for: a jumbo frame
)

// Defaults: what zero means in a configuration. The thresholds are the paper's (section
// IV-A).
const (
	DefaultXOff          = 75 * sluice.KB // PortConfig.XOff
	DefaultFlows         = 1024           // Config.Flows
	DefaultIdleRefreshes = 8              // Config.IdleRefreshes
	ExpiryRefreshes      = 8              // Config.Expiry, in refreshes
	DefaultMTU           = 1518 * sluice.Byte
)

// NoExpiry, as Config.Expiry, obeys a pause until it is taken back, though it may be repeated.
const NoExpiry sluice.Time = -1

// PortConfig describes a port and what its ingress may hold of each class under OFC.
type PortConfig struct {
	// Link is the wire. Its rate, which must be positive, paces moves if Config.Speedup says so;
	// rate and delay, 0 to 1 s, are what HeadroomFor needs.
	Link sluice.Link
	// XOff is X_OFF, the pause threshold, in bytes: an (ingress, class) that holds so much pauses
	// all that its peer sends of the class. Zero means DefaultXOff.
	XOff sluice.Bytes
	// XOffCongested is X^c_OFF, the congested pause threshold, in bytes: from it on, an (ingress,
	// class) pauses the flows of an egress queue that is as long. More than XOn and at most XOff;
	// if it is XOff, no flow is ever named and OFC does as PFC does. Zero means the paper's share
	// of XOff, 68/75.
	XOffCongested sluice.Bytes
	// XOn is X_ON, the resume threshold, in bytes: an (ingress, class) that has come down to it
	// resumes all that it paused. Zero means the paper's share of XOff, 45/75.
	XOn sluice.Bytes
	// Headroom is how much beyond XOff an (ingress, class) may hold, in bytes: a packet beyond that
	// is dropped. Zero means no limit but Config.Buffer. HeadroomFor says what loses nothing.
	Headroom sluice.Bytes
	// Reaction is how long the device at the other end may take from the last bit of a frame until
	// it begins no packet more that the frame forbids, 0 to 1 s, for HeadroomFor.
	Reaction sluice.Time
}

// Config describes a switch. New copies it.
type Config struct {
	// Ports of the switch, numbered by their index: 1 to MaxPorts.
	Ports []PortConfig
	// Classes are under OFC. Zero means all. Other classes are neither accounted nor paused; their
	// packets keep to the normal queue of their class.
	Classes sluice.ClassSet

	// Flows is how many flows of all classes each port can know at once, as an egress: 1 to
	// MaxFlows. A flow is known while packets of it wait, while downstream pauses it, or while this
	// port pauses it upstream. Zero means DefaultFlows.
	Flows int
	// Seed places flows in tables. A sender that does not know it cannot choose flows that collide.
	Seed uint64
	// Undistinguished names every flow of a congested egress upstream, as if each congestion were
	// original. By default a port that downstream pauses names only flows that it pauses.
	Undistinguished bool

	// MaxFlowsPerFrame bounds how many flows a frame names, 1 to MaxListed. Zero means MaxListed.
	MaxFlowsPerFrame int
	// Refresh is how often the complete list of what is paused is sent again, at most a second, to
	// repair what was lost, doubled or swapped. Zero means never, as in the paper.
	Refresh sluice.Time
	// IdleRefreshes is how many refreshes follow the last resume of a port at intervals of Refresh;
	// after them the interval doubles each time. 1 to 2^30. Zero means DefaultIdleRefreshes.
	IdleRefreshes int
	// Expiry is how long flows stay paused, and a class held, when no PAUSE or refresh says anything
	// of the class, at most 8 s. It must be above the neighbours' Refresh, several times if frames
	// are lost. Zero means, without Refresh, for ever; else ExpiryRefreshes times Refresh and what
	// the lists take that a device as this one can send, with the largest packet before them.
	Expiry sluice.Time
	// MAC is the source address of frames.
	MAC sluice.MAC

	// Speedup is the rate at which a class moves packets to its paused queue, in multiples of the
	// rate of its port: 1 to MaxSpeedup. Zero means at once.
	Speedup int
	// MTU is what a class may move at once if Speedup is given, in bytes. Zero means DefaultMTU.
	MTU sluice.Bytes
	// Quantum is the bytes of a class in a round of deficit round robin among the classes of a port,
	// 64 to 2^30. Zero means strict priority, class 7 first.
	Quantum sluice.Bytes

	// Buffer is how many bytes the switch holds in all; a packet beyond that is dropped. At most
	// MaxBuffer. Zero means no limit.
	Buffer sluice.Bytes
}

// HostConfig returns the configuration of a host's network card: one port of link, whose packets
// have the ingress sluice.Local. It obeys frames, keeps paused flows in the same three queues, and
// sends no PAUSE.
func HostConfig(link sluice.Link) Config { return Config{Ports: []PortConfig{{Link: link}}} }

func (c Config) withDefaults() (Config, error) {
	c = c.clone()
	k := check.Of("ofc", "Config")
	check.Within(k, len(c.Ports), 1, MaxPorts, "Ports")
	for i := range c.Ports {
		c.Ports[i].check(k, i)
	}
	k.Classes(&c.Classes, sluice.AllClasses, "Classes")
	check.Default(&c.Flows, DefaultFlows)
	check.Within(k, c.Flows, 1, MaxFlows, "Flows")
	check.Default(&c.MaxFlowsPerFrame, MaxListed)
	check.Within(k, c.MaxFlowsPerFrame, 1, MaxListed, "MaxFlowsPerFrame")
	check.Within(k, c.Refresh, 0, maxPeriod, "Refresh")
	check.Default(&c.IdleRefreshes, DefaultIdleRefreshes)
	check.Within(k, c.IdleRefreshes, 1, 1<<30, "IdleRefreshes")
	k.That(c.Expiry == 0 || c.Expiry == NoExpiry || c.Expiry > c.Refresh && c.Expiry <= maxExpiry,
		c.Expiry, "must be 0, NoExpiry, or above Refresh and at most 8s", "Expiry")
	k.That(c.MAC[0]&1 == 0, c.MAC, "must not be a group address", "MAC")
	check.Within(k, c.Speedup, 0, MaxSpeedup, "Speedup")
	check.Default(&c.MTU, DefaultMTU)
	check.Within(k, c.MTU, 1, 1<<24, "MTU")
	k.That(c.Quantum == 0 || c.Quantum >= 64 && c.Quantum <= 1<<30, c.Quantum,
		"must be 0, for strict priority, or 64 to 2^30", "Quantum")
	check.Within(k, c.Buffer, 0, MaxBuffer, "Buffer")
	return c, k.Err()
}

func (p *PortConfig) check(k *check.Config, i int) {
	k.Link(p.Link, "Ports[%d].Link", i)
	check.Within(k, p.Reaction, 0, maxPeriod, "Ports[%d].Reaction", i)
	check.Default(&p.XOff, DefaultXOff)
	check.Within(k, p.XOff, 2, MaxBuffer, "Ports[%d].XOff", i)
	check.Default(&p.XOn, p.XOff*45/75)
	check.Default(&p.XOffCongested, max(p.XOff*68/75, p.XOn+1))
	k.That(p.XOffCongested <= p.XOff, p.XOffCongested, "must be at most XOff",
		"Ports[%d].XOffCongested", i)
	k.That(p.XOn >= 0 && p.XOn < p.XOffCongested, p.XOn,
		"must not be negative, and less than XOffCongested", "Ports[%d].XOn", i)
	check.Within(k, p.Headroom, 0, MaxBuffer, "Ports[%d].Headroom", i)
}

// expiry returns how long a port obeys a pause without a repetition; 0: until a RESUME.
func (c *Config) expiry(id sluice.PortID) sluice.Time {
	switch {
	case c.Expiry == NoExpiry || c.Expiry == 0 && c.Refresh == 0:
		return 0
	case c.Expiry > 0:
		return c.Expiry
	}
	lists := largestPacket + sluice.Classes*MaxFrameLength +
		sluice.Bytes(flowLength*c.Flows*len(c.Ports))
	return ExpiryRefreshes * (c.Refresh + c.Ports[id].Link.Rate.TimeOf(lists))
}

func (c Config) clone() Config {
	c.Ports = append([]PortConfig(nil), c.Ports...)
	return c
}

// onWire is what a frame takes of the wire beyond its bytes: check sequence, preamble and gap.
const onWire sluice.Bytes = 4 + 8 + 12

// HeadroomFor returns the least PortConfig.Headroom with which a port loses no packet, for packets
// of up to mtu bytes both ways; 0 if there is no such port. The embedder must poll frames when its
// transmitter is free. From the packet that takes an (ingress, class) over XOff until the peer
// begins no packet of the class any more, this time passes:
//
//	max(mtu, largest frame)  a packet or a list of flows has just begun
//	+ PAUSE                  of every class under OFC, last of the class that matters
//	+ 2 * Link.Delay         the frame travels to the peer, and what it sent before that here
//	+ Reaction               of the peer
//
// The headroom has room for what begins in this time, the largest packet at its very end, and for
// all bytes but one of the packet that took the account over XOff. Zero fields have the meaning
// that New gives them. It saturates.
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
