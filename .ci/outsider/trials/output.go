package main

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// moved asks the driver whether the deadline moved.
func (n *node) moved() {
	if n.driver.DeadlineMoved() {
		n.plan()
	}
	if err := n.driver.Err(); err != nil {
		n.fail("4 no lost wake", "node %d: %v", n.id, err)
	}
}

// output is where a kit.Driver sends.
type output node

func (o *output) Free(port sluice.PortID) bool { o.calls++; return (*node)(o).isFree(port) }

func (o *output) Send(port sluice.PortID, h kit.Handle) {
	n := (*node)(o)
	n.calls += 2 // Next and Dequeue
	n.held -= n.inBuffer(n.store.At(h).Size)
	n.carry(n, port, h)
}

func (o *output) SendFrame(port sluice.PortID, frame []byte, kind string) {
	o.calls++
	(*node)(o).carryFrame((*node)(o), port, frame, kind)
}

func (o *output) Drop(_ sluice.PortID, h kit.Handle, why sluice.Reason) {
	n := (*node)(o)
	n.held -= n.inBuffer(n.store.At(h).Size)
	n.dropped(h, why)
}
