package cbfc

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/check"
)

const (
	// Block is the unit of credit.
	Block sluice.Bytes = 64
	// MaxAnnounced is the most room that can be announced at once, 2,048 blocks.
	MaxAnnounced = maxCredit * Block
	// DefaultMTU is InfiniBand's largest payload, 4,096 bytes, with room for headers and checks.
	DefaultMTU sluice.Bytes = 4096 + 128
	// MaxMTU is the largest MTU.
	MaxMTU sluice.Bytes = 65_536
	// MaxBuffer is the largest buffer of a VL.
	MaxBuffer sluice.Bytes = 1 << 36
	// MaxPorts is the largest number of ports of a switch.
	MaxPorts = bitset.Max

	// symbols is how often an FCP is sent at least, in symbol times, and DefaultPeriod in byte
	// times.
	symbols = 65_536
	// lanes of the link that the symbol time is taken from.
	lanes = 4
)

// PortConfig configures one port.
type PortConfig struct {
	// Link is the wire. Its rate must be positive; its delay is 0 to 1 s.
	Link sluice.Link
	// Buffer is the ingress buffer of each VL of this port, in bytes, of which whole blocks count.
	// It holds at least an MTU. Zero means MaxAnnounced.
	Buffer sluice.Bytes
	// PeerBuffer is the ingress buffer of each VL at the other end of the link, empty at time 0,
	// if the link is up already: its Buffer. Zero: the peer is not known before its first FCP.
	PeerBuffer sluice.Bytes
	// Period is T_c, the time between FCPs for a VL whose limit changes. Zero means 65,536 byte
	// times of the link, 13.1 us at 40 Gb/s. At most 1 s.
	Period sluice.Time
	// KeepAlive is the longest time between FCPs for any VL, at least Period and at most 1 s. Zero
	// means 65,536 symbol times, 262,144 byte times of the link, or Period if that is longer.
	KeepAlive sluice.Time
}

// Config configures a switch. New copies it.
type Config struct {
	// Ports of the switch, numbered by their index: 1 to MaxPorts.
	Ports []PortConfig
	// Classes are the VLs in use; packets of others are refused. Zero means all eight.
	Classes sluice.ClassSet
	// MTU is the largest packet, in bytes. Zero means DefaultMTU. All devices of a network have
	// the same.
	MTU sluice.Bytes
	// Quantum is what each VL may send in a round of deficit round robin, in bytes; the ratio of
	// two is the ratio of their shares. All zero: VLs are served in strict order, 7 first.
	// Otherwise zero means an MTU.
	Quantum [sluice.Classes]sluice.Bytes
}

// HostConfig returns the configuration of a host's channel adapter: one port of link. It consumes
// what arrives, so that its buffer is announced as always empty.
func HostConfig(link sluice.Link) Config { return Config{Ports: []PortConfig{{Link: link}}} }

// check returns the first error of the configuration.
func (c *Config) check() error {
	k := check.Of("cbfc")
	k.That(len(c.Ports) >= 1 && len(c.Ports) <= MaxPorts, len(c.Ports),
		fmt.Sprintf("must be 1 to %d ports", MaxPorts), "Ports")
	k.That(c.Classes <= sluice.AllClasses, c.Classes, "must be a set of classes 0 to 7", "Classes")
	k.That(c.MTU >= 0 && c.MTU <= MaxMTU, c.MTU, "must be 0, for the default, to 65536", "MTU")
	for i, q := range c.Quantum {
		k.That(q >= 0 && q <= 1<<31-1, q, "must be 0 to 2^31-1", "Quantum[%d]", i)
	}
	mtu := c.filled().MTU
	for i := range c.Ports {
		c.Ports[i].check(k, i, mtu)
	}
	return k.Err()
}

func (p *PortConfig) check(k *check.Config, i int, mtu sluice.Bytes) {
	buffer := func(n sluice.Bytes) bool {
		return n == 0 || n/Block >= sluice.Bytes(blocks(int64(mtu))) && n <= MaxBuffer
	}
	const rule = "must be 0, or hold an MTU in whole blocks of 64 bytes, and at most 64 GiB"
	k.That(p.Link.Rate > 0, p.Link.Rate, "must be positive", "Ports[%d].Link.Rate", i)
	k.That(p.Link.Delay >= 0 && p.Link.Delay <= sluice.Second, p.Link.Delay,
		"must be 0 to 1s", "Ports[%d].Link.Delay", i)
	k.That(buffer(p.Buffer), p.Buffer, rule, "Ports[%d].Buffer", i)
	k.That(buffer(p.PeerBuffer), p.PeerBuffer, rule, "Ports[%d].PeerBuffer", i)
	k.That(
		p.Period >= 0 && p.Period <= sluice.Second, p.Period, "must be 0 to 1s", "Ports[%d].Period", i,
	)
	k.That(p.KeepAlive == 0 || p.KeepAlive >= p.period() && p.KeepAlive <= sluice.Second, p.KeepAlive,
		"must be 0, or at least Period and at most 1s", "Ports[%d].KeepAlive", i)
}

func (p *PortConfig) period() sluice.Time {
	if p.Period != 0 || p.Link.Rate <= 0 {
		return p.Period
	}
	return min(p.Link.Rate.TimeOf(symbols), sluice.Second)
}

// filled returns a deep copy with the defaults filled in.
func (c Config) filled() Config {
	c.Ports = slices.Clone(c.Ports)
	c.Classes = c.Classes.OrAll()
	if c.MTU == 0 {
		c.MTU = DefaultMTU
	}
	for i := range c.Ports {
		p := &c.Ports[i]
		if p.Buffer == 0 {
			p.Buffer = MaxAnnounced
		}
		p.Period = p.period()
		if p.KeepAlive == 0 {
			p.KeepAlive = max(p.Period, min(p.Link.Rate.TimeOf(lanes*symbols), sluice.Second))
		}
	}
	if c.Quantum != [sluice.Classes]sluice.Bytes{} {
		for i, q := range c.Quantum {
			if q == 0 {
				c.Quantum[i] = c.MTU
			}
		}
	}
	return c
}

// blocks returns the blocks of a packet of n bytes.
func blocks(n int64) int32 { return int32((n + int64(Block) - 1) / int64(Block)) }
