package testnet

import "github.com/sluicefc/sluice"

// Fail takes the link of a port down. Packets on it are lost; control frames on it come in late.
// The queues of both ends may be flushed.
func (v *Node) Fail(port sluice.PortID, flush bool) {
	v.eachEnd(port, func(v *Node, port sluice.PortID) {
		l := v.Links[port]
		l.down = true
		l.life++
		v.Driver.LinkDown(v.network.Now, port)
		if flush {
			v.Driver.Flush(v.network.Now, port)
		}
		v.Acted()
	})
}

// Repair brings it up again, the far end so much later.
func (v *Node) Repair(port sluice.PortID, later sluice.Time) {
	n, first := v.network, true
	v.eachEnd(port, func(v *Node, port sluice.PortID) {
		up := func() {
			l := v.Links[port]
			l.down = false
			v.Driver.LinkUp(n.Now, port)
			if !l.busy {
				v.Driver.Ready(n.Now, port)
			}
			v.Acted()
		}
		if first {
			up()
		} else {
			n.At(n.Now+later, up)
		}
		first = false
	})
}

// eachEnd calls a function for both ends of a port's link. A sink's end has nothing to do.
func (v *Node) eachEnd(port sluice.PortID, do func(v *Node, port sluice.PortID)) {
	do(v, port)
	if l := v.Links[port]; l.Peer.Driver != nil {
		do(l.Peer, l.Port)
	}
}

// Restart replaces the machine of a node by a new one. Its packets are lost; its links fail and
// are there again, so that its neighbours get LinkDown and LinkUp.
func (v *Node) Restart() {
	n, old := v.network, v.Driver
	for port := range v.Links {
		for q := range old.Machine().Queues() {
			queue := old.Queue(sluice.PortID(port), sluice.QueueID(q))
			for h := n.Store.Pop(queue); h != 0; h = n.Store.Pop(queue) {
				v.discard(h)
			}
		}
	}
	v.renew()
	for port := range v.Links {
		v.Fail(sluice.PortID(port), false)
		v.Repair(sluice.PortID(port), 0)
	}
}
