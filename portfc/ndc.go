package portfc

import (
	"strconv"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
)

// Limits of an [NDC].
const (
	MaxN = 1024 // ports of a switch
	MaxK = 3    // one less than the ports of a node: sluice.MaxHops holds a path of 2(MaxK+1)
)

// maxDevices is how many nodes and switches a network may have: their numbers fit an int of 32
// bits.
const maxDevices = 1<<31 - 1

// NDC is the node-centric network NDC(n,k), recursively BCube (PortFC, section III-A): n^(k+1)
// nodes of k+1 ports, and k+1 layers of n^k switches of n ports.
//
// A node's number is the sum of digit i times n^i, for i = 0 to k. Port l of a node leads to its
// switch of layer l: the one whose number in that layer is the node's without digit l. Port p of
// that switch leads to the node whose digit l is p. As devices of one network nodes come first,
// then the switches of layer 0, of layer 1 and so on, which is the numbering of the paper's
// Figure 6. A route corrects one digit per switch.
//
// Methods expect an NDC whose Check is nil. The zero NDC is no network.
type NDC struct {
	N int // ports of a switch, 2 to MaxN
	K int // 1 to MaxK; a node has K+1 ports
}

// Check returns nil if t keeps the rules of its fields and has fewer than 2^31 devices, otherwise a
// [*sluice.ConfigError] with the field that does not.
func (t NDC) Check() error {
	c := check.Of("portfc", "NDC")
	c.That(t.N >= 2 && t.N <= MaxN, t.N, "must be 2 to 1,024", "N")
	c.That(t.K >= 1 && t.K <= MaxK, t.K, "must be 1 to 3", "K")
	if !c.Fine() {
		return c.Err()
	}
	switches := uint64(1)
	for range t.K {
		switches *= uint64(t.N)
	}
	c.That(switches*uint64(t.N+t.K+1) <= maxDevices, t.N,
		"must leave fewer than 2^31 nodes and switches in all", "N")
	return c.Err()
}

// checkIn notes what is wrong with t as a field of a configuration.
func (t NDC) checkIn(c *check.Config, field string) {
	fault := t.Check()
	c.That(fault == nil, t, "must be NDC(n,k) of n 2 to 1,024, k 1 to 3, below 2^31 devices", field)
}

// String formats t as the paper does: "NDC(4,1)".
func (t NDC) String() string {
	return "NDC(" + strconv.Itoa(t.N) + "," + strconv.Itoa(t.K) + ")"
}

// Layers returns the number of layers of switches, k+1, which is also the number of ports of a
// node.
func (t NDC) Layers() int { return t.K + 1 }

// Nodes returns the number of nodes, n^(k+1).
func (t NDC) Nodes() int { return t.power(t.K + 1) }

// SwitchesPerLayer returns the number of switches of each layer, n^k.
func (t NDC) SwitchesPerLayer() int { return t.power(t.K) }

// Devices returns the number of nodes and switches. Devices are numbered from 0, nodes first.
func (t NDC) Devices() int { return t.Nodes() + t.Layers()*t.SwitchesPerLayer() }

// IsNode reports whether a device is a node.
func (t NDC) IsNode(id sluice.SwitchID) bool { return uint64(id) < uint64(t.Nodes()) }

// Ports returns how many ports a device has: k+1 of a node, n of a switch; 0 for none of the
// network.
func (t NDC) Ports(id sluice.SwitchID) int {
	switch {
	case t.IsNode(id):
		return t.Layers()
	case uint64(id) < uint64(t.Devices()):
		return t.N
	}
	return 0
}

// Digit returns digit i of a node's number: (node / n^i) mod n. It is the port of the node's
// switch of layer i that leads to the node.
func (t NDC) Digit(node sluice.SwitchID, i int) int { return int(node) / t.power(i) % t.N }

// WithDigit returns the node that differs from another at most in digit i, which is d.
func (t NDC) WithDigit(node sluice.SwitchID, i, d int) sluice.SwitchID {
	return sluice.SwitchID(int(node) + (d-t.Digit(node, i))*t.power(i))
}

// SwitchOf returns the switch of a layer that a node is attached to, by its port of that number.
func (t NDC) SwitchOf(node sluice.SwitchID, layer int) sluice.SwitchID {
	low := t.power(layer)
	address := int(node)/(low*t.N)*low + int(node)%low
	return sluice.SwitchID(t.Nodes() + layer*t.SwitchesPerLayer() + address)
}

// Layer returns the layer of a switch.
func (t NDC) Layer(id sluice.SwitchID) int { return (int(id) - t.Nodes()) / t.SwitchesPerLayer() }

// NodeAt returns the node that a port of a switch leads to.
func (t NDC) NodeAt(id sluice.SwitchID, port int) sluice.SwitchID {
	layer := t.Layer(id)
	address := int(id) % t.SwitchesPerLayer() // nodes are n times as many
	low := t.power(layer)
	return sluice.SwitchID(address/low*low*t.N + port*low + address%low)
}

// Peer returns the port at the other end of a link; false if h is no port of the network.
func (t NDC) Peer(h sluice.Hop) (sluice.Hop, bool) {
	switch {
	case int(h.Port) >= t.Ports(h.Switch):
		return sluice.Hop{}, false
	case t.IsNode(h.Switch):
		layer := int(h.Port)
		port := sluice.PortID(t.Digit(h.Switch, layer))
		return sluice.Hop{Switch: t.SwitchOf(h.Switch, layer), Port: port}, true
	}
	node := t.NodeAt(h.Switch, int(h.Port))
	return sluice.Hop{Switch: node, Port: sluice.PortID(t.Layer(h.Switch))}, true
}

// Differing counts the digits in which two nodes differ: the switches on every shortest route.
func (t NDC) Differing(a, b sluice.SwitchID) (n int) {
	for i := range t.Layers() {
		if t.Digit(a, i) != t.Digit(b, i) {
			n++
		}
	}
	return n
}

// power returns n^i.
func (t NDC) power(i int) int {
	p := 1
	for range i {
		p *= t.N
	}
	return p
}
