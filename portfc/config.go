package portfc

import (
	"cmp"
	"math"
	"math/bits"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/check"
)

// DefaultQuantum is what Config.Quantum zero means: the largest untagged Ethernet frame.
const DefaultQuantum = 1518 * sluice.Byte

const (
	maxSpan            = sluice.Second // the longest span a configuration may name
	maxQuantum         = 1 << 30
	maxQuantaPerPacket = 16        // bounds the work of Next
	maxBuffer          = 1<<50 - 1 // sums of it do not overflow
	maxFactor          = 1024      // of a threshold, in bandwidth-delay products
	maxDenominator     = 1 << 22   // of one
)

// PortConfig describes a port.
type PortConfig struct {
	// Link is the wire. The rate must be positive, the delay 0 to a second.
	Link sluice.Link
}

// Config describes a device of an NDC, a node or a switch. Make it with [SwitchConfig] or
// [NodeConfig]: then the zero value of every other field is the form of the paper.
type Config struct {
	// Network is the NDC that the device is part of. K above 1 needs HopClasses.
	Network NDC
	// Switch is the device's number in it: see [NDC].
	Switch sluice.SwitchID
	// Ports are the device's ports, as many as it has: n of a switch, by the digit of the node
	// behind them, k+1 of a node, by layer.
	Ports []PortConfig
	// MAC is the source address of its frames. Zero is allowed.
	MAC sluice.MAC
	// HopClasses separates packets by how many relays they have left. It is this library's
	// extension for K above 1, where the rules of the paper lose packets: see Deviations in the
	// package documentation. With K = 1 it changes nothing.
	HopClasses bool
	// High are the classes whose packets take the HQ: acknowledgements and CNPs. Zero: class 7;
	// sluice.NoClasses: none.
	High sluice.ClassSet

	// XOff and XOn are the thresholds of the IHFQs of a switch port together, DirectXOff and
	// DirectXOn the thresholds of its DDQ, X_off and X_on with a hat: in bandwidth-delay products
	// of the port's own rate and one-way delay, 0 to 1,024. XOn must not be above XOff. Zero: 6 and
	// 4 (section V-A), and for the DDQ the same as for the IHFQs. A threshold to pause is at least
	// a byte. A node has no use for them.
	XOff, XOn, DirectXOff, DirectXOn sluice.Ratio
	// RelayXOff is the threshold above which the relay queue of a node port pauses the IHFQs of
	// the node's other switches towards it, RelayXOn where it resumes them: the paper has none, and
	// the queue no bound. In the same unit. Zero: no threshold where K is 1, else XOff; RelayXOn
	// two thirds of RelayXOff.
	RelayXOff, RelayXOn sluice.Ratio
	// RelayInTurn serves the relay queue of a node port in turn with its other queues; by default
	// it goes before them.
	RelayInTurn bool

	// Marking is the ECN marking of each queue but the HQ. The zero value marks nothing.
	Marking sluice.Marking
	// Seed seeds the draws of Marking.
	Seed uint64
	// Quantum is what a queue may send per round of deficit round robin, 1 byte to 1 GiB. Zero:
	// DefaultQuantum.
	Quantum sluice.Bytes
	// Buffer is how many bytes all queues may hold; a packet beyond it is dropped. Zero: no limit.
	Buffer sluice.Bytes

	// Refresh is how often every pause that holds is sent again, which repairs whatever a lost,
	// doubled or swapped frame did. Zero: never, as in the paper, which assumes that no frame is
	// lost.
	Refresh sluice.Time
	// Expiry is how long a pause received is obeyed if it is not repeated. It must be above the
	// neighbours' Refresh; several times, if frames are lost. Zero: four times Refresh, and for
	// ever if that is zero.
	Expiry sluice.Time
}

// SwitchConfig returns the configuration of a switch of a network, all of whose links are alike.
func SwitchConfig(network NDC, id sluice.SwitchID, link sluice.Link) Config {
	c := Config{Network: network, Switch: id}
	for range min(network.N, MaxN) {
		c.Ports = append(c.Ports, PortConfig{Link: link})
	}
	return c
}

// NodeConfig returns the configuration of a node of a network, which forwards what is not for it.
// Its links are given by layer; if there are fewer than k+1, the last is for the other layers
// too. The ingress of the node's own packets is sluice.Local.
func NodeConfig(network NDC, node sluice.SwitchID, links ...sluice.Link) Config {
	c := Config{Network: network, Switch: node}
	for layer := 0; layer < min(network.Layers(), MaxK+1) && len(links) > 0; layer++ {
		c.Ports = append(c.Ports, PortConfig{Link: links[min(layer, len(links)-1)]})
	}
	return c
}

// withDefaults returns a copy with every default filled in, or the first rule that c breaks.
func (c Config) withDefaults() (Config, error) {
	c = c.clone()
	k := check.Of("portfc", "Config")
	c.checkNetwork(k)
	c.fill()
	c.checkThresholds(k)
	c.checkRest(k)
	return c, k.Err()
}

func (c *Config) fill() {
	check.Default(&c.XOff, sluice.Ratio{Num: 6, Den: 1})
	check.Default(&c.XOn, sluice.Ratio{Num: 4, Den: 1})
	check.Default(&c.DirectXOff, c.XOff)
	check.Default(&c.DirectXOn, c.XOn)
	if c.Network.K > 1 {
		check.Default(&c.RelayXOff, c.XOff)
	}
	check.Default(&c.RelayXOn, twoThirds(c.RelayXOff))
	check.Default(&c.Quantum, DefaultQuantum)
	check.Default(&c.Expiry, 4*c.Refresh)
}

// twoThirds returns two thirds of a factor, rounded down if the denominator is too large.
func twoThirds(r sluice.Ratio) sluice.Ratio {
	if r.Den > maxDenominator/3 {
		return sluice.Ratio{Num: r.Num / 3 * 2, Den: r.Den}
	}
	return sluice.Ratio{Num: r.Num * 2, Den: r.Den * 3}
}

func (c *Config) checkNetwork(k *check.Config) {
	c.Network.checkIn(k, "Network")
	if !k.Fine() {
		return
	}
	k.That(c.Network.K == 1 || c.HopClasses, c.Network,
		"of more than two layers loses packets without HopClasses", "Network")
	items := c.Network.Layers() * (c.Network.K*c.Network.N + 1) // of a node: see Switch.items
	k.That(items <= bitset.Max, c.Network, "has too many queues for this library", "Network")
	devices := c.Network.Devices()
	k.That(uint64(c.Switch) < uint64(devices), c.Switch, "must be a device of Network", "Switch")
	k.That(len(c.Ports) == c.Network.Ports(c.Switch), len(c.Ports),
		"must be n ports of a switch, k+1 of a node", "Ports")
	for i, p := range c.Ports {
		k.Link(p.Link, "Ports[%d].Link", i)
	}
}

func (c *Config) checkThresholds(k *check.Config) {
	for _, pair := range []struct {
		off, on         sluice.Ratio
		offName, onName string
	}{
		{c.XOff, c.XOn, "XOff", "XOn"},
		{c.DirectXOff, c.DirectXOn, "DirectXOff", "DirectXOn"},
		{c.RelayXOff, c.RelayXOn, "RelayXOff", "RelayXOn"},
	} {
		if pair.off == (sluice.Ratio{}) { // of the relay queue: the others have defaults
			k.That(pair.on == (sluice.Ratio{}), pair.on, "must be 0 without RelayXOff", pair.onName)
			continue
		}
		const rule = "must be a fraction of 0 to 1,024 with a denominator of 1 to 2^22"
		k.That(isFactor(pair.off), pair.off, rule, pair.offName)
		k.That(isFactor(pair.on), pair.on, rule, pair.onName)
		k.That(pair.on.Num*pair.off.Den <= pair.off.Num*pair.on.Den, pair.on,
			"must not be above "+pair.offName, pair.onName)
	}
}

// isFactor reports whether r is 0 to maxFactor. Products of two terms of such ratios fit an int64.
func isFactor(r sluice.Ratio) bool {
	return r.Den >= 1 && r.Den <= maxDenominator && r.Num >= 0 && r.Num <= maxFactor*r.Den
}

func (c *Config) checkRest(k *check.Config) {
	k.Classes(&c.High, sluice.MakeClassSet(7), "High")
	k.Part(c.Marking.Check(), "Marking")
	check.Within(k, c.Quantum, 1, maxQuantum, "Quantum")
	check.Within(k, c.Buffer, 0, maxBuffer, "Buffer")
	check.Within(k, c.Refresh, 0, maxSpan, "Refresh")
	k.That(c.Expiry == 0 || c.Expiry > c.Refresh && c.Expiry <= 4*maxSpan, c.Expiry,
		"must be 0 or above Refresh, at most 4s", "Expiry")
}

// threshold returns factor bandwidth-delay products of a link, rounded down. It saturates.
func threshold(factor sluice.Ratio, link sluice.Link) sluice.Bytes {
	bdp := uint64(link.Rate.BDP(link.Delay))
	return sluice.Bytes(min(share(bdp, uint64(factor.Num), uint64(factor.Den)), math.MaxInt64))
}

// share returns x times num/den, rounded down. It saturates. den is not 0.
func share(x, num, den uint64) uint64 {
	high, low := bits.Mul64(x, num)
	if high >= den {
		return math.MaxUint64
	}
	part, _ := bits.Div64(high, low, den)
	return part
}

// room returns how many bytes an empty device has room for.
func (c *Config) room() sluice.Bytes { return cmp.Or(c.Buffer, maxBuffer) }

// clone returns a copy that shares nothing with c.
func (c Config) clone() Config {
	c.Ports = append([]PortConfig(nil), c.Ports...)
	return c
}
