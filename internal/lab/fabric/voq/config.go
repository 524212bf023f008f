package voq

import (
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/check"
)

const (
	// DefaultQueues is what Config.Queues zero means: that commodity switches "can support thousands
	// of VOQs" (section VIII).
	DefaultQueues = 1024
	// MaxQueues is the largest Config.Queues.
	MaxQueues = bitset.Max - 1
	// DefaultQuantum is what Config.Quantum zero means: the largest untagged Ethernet frame.
	DefaultQuantum = 1518 * sluice.Byte
)

type PortConfig struct {
	// Link is the wire. Its rate must be positive; its delay is 0 to 1 s.
	Link sluice.Link
}

// Config configures a switch. New copies it.
type Config struct {
	// Ports of the switch, numbered by their index: 1 to 4,096.
	Ports []PortConfig
	// Queues is how many destinations have a queue at once, 1 to MaxQueues. Zero: DefaultQueues.
	Queues int
	// Pause and Resume are K_pause and K_resume, in bandwidth-delay products of the ingress link: its
	// rate times twice its delay. Zero: 2 and 1. At most 1,024, and Pause at least Resume.
	Pause, Resume sluice.Ratio
	// Buffer is the packet buffer; a packet beyond it is dropped, BufferFull. Zero: no bound.
	Buffer sluice.Bytes
	// Quantum is what a queue may send per round of deficit round robin, 1 byte to 1 GiB. Zero:
	// DefaultQuantum.
	Quantum sluice.Bytes
	// MAC is the source address of frames.
	MAC sluice.MAC
	// Seed is the seed of the table of destinations.
	Seed uint64
}

// HostConfig returns the configuration of a host's network card: one port of link.
func HostConfig(link sluice.Link) Config { return Config{Ports: []PortConfig{{Link: link}}} }

func (c Config) withDefaults() (Config, error) {
	c.Ports = slices.Clone(c.Ports)
	k := check.Of("voq", "Config")
	check.Within(k, len(c.Ports), 1, bitset.Max, "Ports")
	check.Default(&c.Queues, DefaultQueues)
	check.Within(k, c.Queues, 1, MaxQueues, "Queues")
	check.Default(&c.Quantum, DefaultQuantum)
	check.Within(k, c.Quantum, 1, 1<<30, "Quantum")
	check.Within(k, c.Buffer, 0, 1<<50, "Buffer")
	k.Products(&c.Pause, sluice.Ratio{Num: 2, Den: 1}, "Pause")
	k.Products(&c.Resume, sluice.Ratio{Num: 1, Den: 1}, "Resume")
	k.That(!k.Fine() || c.Pause.Num*c.Resume.Den >= c.Resume.Num*c.Pause.Den, c.Pause,
		"must not be below Resume", "Pause")
	for i := range c.Ports {
		k.Link(c.Ports[i].Link, "Ports[%d].Link", i)
	}
	return c, k.Err()
}
