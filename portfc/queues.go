package portfc

import "github.com/sluicefc/sluice"

// The queues of a port, with m = n-1, and "relays left" the nodes that still forward the packet
// after the next switch (at a node) or after this one (at a switch):
//
//	switch port   0..m-1      IHFQ (A): one relay left, by the egress port of the next switch
//	              m           DDQ (B): the next node is the destination
//	              m+1         HQ
//	node port     0..m-1      a, four-hop: one relay left, by the egress port of the next switch
//	              m..2m-1     b, two-hop: none left, likewise
//	              2m          relay queue (c)
//	              2m+1        HQ
//
// In general, with Config.HopClasses, the queues of j relays left begin at (k-j)m in both: a switch
// port has A_k to A_1, DDQ and HQ, km+2 in all; a node port a_k to a_0, c and HQ, (k+1)m+2.

// SwitchQueues returns the number of queues of a switch port: n+1 for k = 1 (PortFC, section
// III-B), in general k(n-1)+2.
func (t NDC) SwitchQueues() int { return t.K*(t.N-1) + 2 }

// NodeQueues returns the number of queues of a node port: (k+1)(n-1)+2 (PortFC, section III-B).
func (t NDC) NodeQueues() int { return (t.K+1)*(t.N-1) + 2 }

// DDQ returns the number of the destination-direct queue of a switch port.
func (t NDC) DDQ() sluice.QueueID { return sluice.QueueID(t.K * (t.N - 1)) }

// RelayQueue returns the number of the relay queue of a node port.
func (t NDC) RelayQueue() sluice.QueueID { return sluice.QueueID((t.K + 1) * (t.N - 1)) }

// HQ returns the number of the high-priority queue of a port of a device.
func (t NDC) HQ(id sluice.SwitchID) sluice.QueueID {
	if t.IsNode(id) {
		return t.RelayQueue() + 1
	}
	return t.DDQ() + 1
}

// SwitchQueue returns the queue of a switch for a packet to dst by address arithmetic alone,
// without a table (PortFC, section IV-A): it leaves by port (dst / n^l) mod n, l the layer of the
// switch, to a node whose next switch, if the node is not dst, is of layer next. For k = 1
// there is only one other layer. False if there is no such route.
func (t NDC) SwitchQueue(id, dst sluice.SwitchID, next int) (sluice.QueueID, bool) {
	if t.IsNode(id) || t.Ports(id) == 0 || !t.IsNode(dst) {
		return 0, false
	}
	node := t.NodeAt(id, t.Digit(dst, t.Layer(id)))
	left := t.Differing(node, dst)
	if left == 0 {
		return t.DDQ(), true
	}
	return t.byEgress(node, dst, next, left)
}

// NodeQueue returns the queue of a node for a packet of its own to dst whose first switch is the
// switch of layer first, by address arithmetic alone. False if there is no such route.
func (t NDC) NodeQueue(node, dst sluice.SwitchID, first int) (sluice.QueueID, bool) {
	if !t.IsNode(node) || !t.IsNode(dst) {
		return 0, false
	}
	return t.byEgress(node, dst, first, t.Differing(node, dst)-1)
}

// byEgress returns the queue of packets with left relays to come, through a switch of a layer.
func (t NDC) byEgress(node, dst sluice.SwitchID, layer, left int) (sluice.QueueID, bool) {
	if layer < 0 || layer > t.K || t.Digit(node, layer) == t.Digit(dst, layer) {
		return 0, false
	}
	i := compact(t.Digit(dst, layer), t.Digit(node, layer))
	return sluice.QueueID((t.K-left)*(t.N-1) + i), true
}

// compact returns the index of an egress port e of a switch as a node at its port own sees it: a
// packet never leaves by the port it came from, so that n-1 indices do. e is not own.
func compact[T int | int32](e, own T) T {
	if e > own {
		return e - 1
	}
	return e
}

func expand(i, own int32) int32 {
	if i >= own {
		return i + 1
	}
	return i
}
