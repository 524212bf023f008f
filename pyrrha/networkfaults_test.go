package pyrrha

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// fail takes a link down, from a port of a node. Packets on it are lost; control frames on it come
// in late. The queues of both ends may be flushed.
func (n *network) fail(id sluice.SwitchID, port sluice.PortID, flush bool) {
	n.note("%s port %d fails", n.nodes[id].name, port)
	n.eachEnd(id, port, func(v *node, port sluice.PortID) {
		p := &v.ports[port]
		p.down = true
		p.life++
		v.driver.LinkDown(n.now, port)
		if flush {
			v.driver.Flush(n.now, port)
		}
		n.after(v)
	})
}

// repair brings it up again, the far end so much later.
func (n *network) repair(id sluice.SwitchID, port sluice.PortID, later sluice.Time) {
	n.note("%s port %d is repaired", n.nodes[id].name, port)
	first := true
	n.eachEnd(id, port, func(v *node, port sluice.PortID) {
		up := func() {
			p := &v.ports[port]
			p.down = false
			v.driver.LinkUp(n.now, port)
			if !p.busy {
				v.driver.Ready(n.now, port)
			}
			n.after(v)
		}
		if first {
			up()
		} else {
			n.at(n.now+later, up)
		}
		first = false
	})
}

func (n *network) eachEnd(
	id sluice.SwitchID, port sluice.PortID, do func(v *node, port sluice.PortID),
) {
	p := n.nodes[id].ports[port]
	do(n.nodes[id], port)
	do(n.nodes[p.peer], p.peerPort)
}

// restart replaces the switch of a node by an empty one. Its packets are lost; its links fail and
// are there again, and its neighbours get LinkDown and LinkUp.
func (n *network) restart(id sluice.SwitchID) {
	v := n.nodes[id]
	n.note("%s starts anew", v.name)
	for port := range v.ports {
		for q := range v.s.Queues() {
			queue := v.driver.Queue(sluice.PortID(port), sluice.QueueID(q))
			for h := n.store.Pop(queue); h != 0; h = n.store.Pop(queue) {
				n.discard(h)
			}
		}
	}
	s, err := New(v.s.Config())
	if err != nil {
		n.t.Fatal(err)
	}
	v.s, v.driver, v.timer = s, kit.NewDriver(kit.Wrap(s), n.store, v), sluice.Never
	for port := range v.ports {
		n.fail(id, sluice.PortID(port), false)
		n.repair(id, sluice.PortID(port), 0)
	}
}

// congest says that a host can take no more, or can again.
func (n *network) congest(id sluice.SwitchID, on bool) {
	v := n.nodes[id]
	v.s.Port(0).Congested(n.now, on)
	v.driver.Ready(n.now, 0)
	n.after(v)
}
