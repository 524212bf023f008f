package portfc

import (
	"encoding/binary"
	"net/netip"

	"github.com/sluicefc/sluice"
)

// Orders returns the number of shortest routes from one node to another: d! orders in which d
// differing digits can be corrected.
func (t NDC) Orders(src, dst sluice.SwitchID) int {
	orders := 1
	for d := range t.Differing(src, dst) {
		orders *= d + 1
	}
	return orders
}

// Path returns a shortest route from one node to another, from the egress port of the source on:
// node port, switch port, node port, and so on. Order 0 to Orders-1 chooses among them: order 0
// corrects the lowest digits first; the orders of equal first digits are consecutive, that digit
// rising. False if src or dst is no node, or there is no such order, or they are the same node.
func (t NDC) Path(src, dst sluice.SwitchID, order int) (path sluice.Path, ok bool) {
	if !t.IsNode(src) || !t.IsNode(dst) || src == dst || order < 0 || order >= t.Orders(src, dst) {
		return path, false
	}
	at, rest := src, t.Orders(src, dst)
	for left := t.Differing(src, dst); left > 0; left-- {
		rest /= left // orders of the hops after the next
		layer := t.differing(at, dst, order/rest)
		order %= rest
		at = t.step(&path, at, layer, t.Digit(dst, layer))
	}
	return path, true
}

// step appends the two hops that correct a digit and returns the node that they lead to.
func (t NDC) step(path *sluice.Path, at sluice.SwitchID, layer, digit int) sluice.SwitchID {
	path.Append(sluice.Hop{Switch: at, Port: sluice.PortID(layer)})
	path.Append(sluice.Hop{Switch: t.SwitchOf(at, layer), Port: sluice.PortID(digit)})
	return t.WithDigit(at, layer, digit)
}

// differing returns the i-th digit in which two nodes differ, the lowest first.
func (t NDC) differing(a, b sluice.SwitchID, i int) int {
	for layer := range t.Layers() {
		if t.Digit(a, layer) != t.Digit(b, layer) {
			if i == 0 {
				return layer
			}
			i--
		}
	}
	return -1
}

// Through returns the route that corrects digits in the order in which layers lists them, as a
// source that chooses its first hop needs it; false if that does not lead from src to dst in the
// fewest steps.
func (t NDC) Through(src, dst sluice.SwitchID, layers ...int) (path sluice.Path, ok bool) {
	if !t.IsNode(src) || !t.IsNode(dst) {
		return path, false
	}
	at := src
	for _, layer := range layers {
		if layer < 0 || layer > t.K || t.Digit(at, layer) == t.Digit(dst, layer) {
			return sluice.Path{}, false
		}
		at = t.step(&path, at, layer, t.Digit(dst, layer))
	}
	if at != dst || src == dst {
		return sluice.Path{}, false
	}
	return path, true
}

// Address returns the IPv4 address of a node in a network whose node 0 has the address base: base
// plus the node's number (PortFC, section IV-A). False if base is no IPv4 address, the node does
// not exist, or the sum does not fit.
func (t NDC) Address(base netip.Addr, node sluice.SwitchID) (netip.Addr, bool) {
	if !base.Is4() || !t.IsNode(node) {
		return netip.Addr{}, false
	}
	sum := uint64(number(base)) + uint64(node)
	if sum>>32 != 0 {
		return netip.Addr{}, false
	}
	var octets [4]byte
	binary.BigEndian.PutUint32(octets[:], uint32(sum))
	return netip.AddrFrom4(octets), true
}

// Node returns the node of an IPv4 address; false if it is none of the network.
func (t NDC) Node(base, address netip.Addr) (sluice.SwitchID, bool) {
	if !base.Is4() || !address.Is4() || address.Less(base) {
		return 0, false
	}
	node := sluice.SwitchID(number(address) - number(base))
	if !t.IsNode(node) {
		return 0, false
	}
	return node, true
}

func number(a netip.Addr) uint32 {
	octets := a.As4()
	return binary.BigEndian.Uint32(octets[:])
}
