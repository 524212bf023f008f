package main

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// output is where a kit.Driver sends. It counts the hooks that the driver calls for that.
type output node

func (o *output) Free(port sluice.PortID) bool { o.calls++; return (*node)(o).isFree(port) }

func (o *output) Send(port sluice.PortID, h kit.Handle) {
	o.calls += 2 // Next and Dequeue
	(*node)(o).send(port, h)
}

func (o *output) SendFrame(port sluice.PortID, frame []byte, kind string) {
	o.calls++
	o.carryFrame((*node)(o), port, frame, kind)
}

func (o *output) Drop(_ sluice.PortID, h kit.Handle, why sluice.Reason) { (*node)(o).drop(h, why) }
