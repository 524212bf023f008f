package cbfc

import (
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

	// symbols is how often an FCP is sent at least, in symbol times, and DefaultPeriod in byte times.
	symbols = 65_536
	// lanes of the link that the symbol time is taken from.
	lanes = 4
)

// PortConfig configures one port.
type PortConfig struct {
	// Link is the wire. Its rate must be positive; its delay is 0 to 1 s.
	Link sluice.Link
	// Buffer is the ingress buffer of each VL of this port, in bytes; only whole blocks count. It
	// holds at least an MTU. Zero means MaxAnnounced.
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

// withDefaults returns a copy with every default filled in, or the first rule that c breaks.
func (c Config) withDefaults() (Config, error) {
	c.Ports = slices.Clone(c.Ports)
	k := check.Of("cbfc", "Config")
	check.Within(k, len(c.Ports), 1, MaxPorts, "Ports")
	check.Default(&c.Classes, sluice.AllClasses)
	k.That(c.Classes <= sluice.AllClasses, uint16(c.Classes), "must be classes of 0 to 7", "Classes")
	check.Default(&c.MTU, DefaultMTU)
	check.Within(k, c.MTU, 0, MaxMTU, "MTU")
	strict := c.Quantum == [sluice.Classes]sluice.Bytes{}
	for i := range c.Quantum {
		if !strict {
			check.Default(&c.Quantum[i], c.MTU)
		}
		check.Within(k, c.Quantum[i], 0, 1<<31-1, "Quantum[%d]", i)
	}
	for i := range c.Ports {
		c.Ports[i].check(k, i, c.MTU)
	}
	return c, k.Err()
}

// check gives the zeros of a port their meaning and checks it.
func (p *PortConfig) check(k *check.Config, i int, mtu sluice.Bytes) {
	buffer := func(n sluice.Bytes) bool {
		return n/Block >= sluice.Bytes(blocks(int64(mtu))) && n <= MaxBuffer
	}
	const rule = "must be 0, or hold an MTU in whole blocks of 64 bytes, and at most 64 GiB"
	k.Link(p.Link, "Ports[%d].Link", i)
	check.Default(&p.Buffer, MaxAnnounced)
	k.That(buffer(p.Buffer), p.Buffer, rule, "Ports[%d].Buffer", i)
	k.That(p.PeerBuffer == 0 || buffer(p.PeerBuffer), p.PeerBuffer, rule, "Ports[%d].PeerBuffer", i)
	check.Default(&p.Period, min(p.Link.Rate.TimeOf(symbols), sluice.Second))
	check.Within(k, p.Period, 1, sluice.Second, "Ports[%d].Period", i)
	check.Default(&p.KeepAlive, max(p.Period, min(p.Link.Rate.TimeOf(lanes*symbols), sluice.Second)))
	k.That(p.KeepAlive >= p.Period && p.KeepAlive <= sluice.Second, p.KeepAlive,
		"must be 0, or at least Period and at most 1s", "Ports[%d].KeepAlive", i)
}

func blocks(n int64) int32 { return int32(uint64(n+int64(Block)-1) / uint64(Block)) }
