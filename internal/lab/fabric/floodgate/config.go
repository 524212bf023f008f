package floodgate

import (
	"math"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/check"
)

// Defaults, as in the authors' configurations, except Destinations.
const (
	DefaultDestinations = 1024
	DefaultThreshold    = 10_240 * sluice.Byte
	DefaultInterval     = 10 * sluice.Microsecond
	DefaultTimeout      = sluice.Millisecond
	DefaultMTU          = 1518 * sluice.Byte
	// MaxDestinations is the largest Config.Destinations.
	MaxDestinations = bitset.Max - 1
)

type PortConfig struct {
	// Link is the wire. Its rate must be positive; its delay is 0 to 1 s.
	Link sluice.Link
	// Edge says that a host is at the other end, or that this is a host's card: no window, no credit.
	Edge bool
}

// Config configures a switch. New copies it.
type Config struct {
	// Ports of the switch, numbered by their index: 1 to 2,048.
	Ports []PortConfig
	// Destinations is how many the switch can know, 1 to MaxDestinations. Zero: DefaultDestinations.
	Destinations int
	// Window is m, in bandwidth-delay products of the next hop. Zero: 3/2. At most 1,024.
	Window sluice.Ratio
	// Delay is the threshold of delayCredit, what may wait in the VOQs of a destination before its
	// credit is withheld, in bandwidth-delay products. Zero: 3/2; a fraction of 0: credit is never
	// withheld.
	Delay sluice.Ratio
	// Threshold is K, the credit of all destinations for one upstream that makes a frame, 1 byte to 1
	// GiB. Zero: DefaultThreshold.
	Threshold sluice.Bytes
	// Interval is T, after which less makes one, 1 ps to 1 s. Zero: DefaultInterval.
	Interval sluice.Time
	// Timeout is how long no credit may come before a SYN asks for it, 1 ns to 1 s. Zero:
	// DefaultTimeout.
	Timeout sluice.Time
	// Classes are the classes under windows; others pass. Zero means all.
	Classes sluice.ClassSet
	// MTU is the largest packet, 1 byte to 1 GiB: what a VOQ must have room for. Zero: DefaultMTU.
	MTU sluice.Bytes
	// Buffer is the packet buffer; a packet beyond it is dropped, BufferFull. Zero: no bound.
	Buffer sluice.Bytes
	// MAC is the source address of frames.
	MAC sluice.MAC
	// Seed is the seed of the table of destinations.
	Seed uint64
}

// HostConfig returns the configuration of a host's network card: one edge port of link.
func HostConfig(link sluice.Link) Config {
	return Config{Ports: []PortConfig{{Link: link, Edge: true}}, Destinations: 1}
}

func (c Config) withDefaults() (Config, error) {
	c.Ports = slices.Clone(c.Ports)
	k := check.Of("floodgate", "Config")
	check.Within(k, len(c.Ports), 1, bitset.Max/2, "Ports")
	check.Default(&c.Destinations, DefaultDestinations)
	check.Within(k, c.Destinations, 1, MaxDestinations, "Destinations")
	check.Default(&c.Threshold, DefaultThreshold)
	check.Within(k, c.Threshold, 1, sluice.GiB, "Threshold")
	check.Default(&c.Interval, DefaultInterval)
	check.Within(k, c.Interval, 1, sluice.Second, "Interval")
	check.Default(&c.Timeout, DefaultTimeout)
	check.Within(k, c.Timeout, sluice.Nanosecond, sluice.Second, "Timeout")
	check.Default(&c.MTU, DefaultMTU)
	check.Within(k, c.MTU, 1, sluice.GiB, "MTU")
	check.Within(k, c.Buffer, 0, 1<<50, "Buffer")
	k.Classes(&c.Classes, sluice.AllClasses, "Classes")
	k.Products(&c.Window, sluice.Ratio{Num: 3, Den: 2}, "Window")
	k.That(c.Window.Num > 0, c.Window, "must be positive", "Window")
	k.Products(&c.Delay, sluice.Ratio{Num: 3, Den: 2}, "Delay")
	for i := range c.Ports {
		k.Link(c.Ports[i].Link, "Ports[%d].Link", i)
	}
	return c, k.Err()
}

// window returns m bandwidth-delay products of a link and K, at least an MTU.
func (c *Config) window(link sluice.Link) int64 {
	products := check.BDPs(c.Window, link.Rate, link.RoundTrip())
	return int64(min(max(products+c.Threshold, c.MTU), math.MaxInt32))
}
