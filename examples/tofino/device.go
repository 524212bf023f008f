package main

import (
	"log"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// device is where the driver sends: it shows frames, and one port takes a packet when it is told
// to.
type device struct {
	store  *kit.Store[struct{}]
	driver *kit.Driver[struct{}]
	port   sluice.PortID
	takes  bool
	frames func(port sluice.PortID) bool // whether frames may leave by a port at any time
	show   func(port sluice.PortID, octets []byte, kind string)
}

// Free reports whether a port may send.
func (d *device) Free(port sluice.PortID) bool {
	return d.frames(port) || port == d.port && d.takes
}

// Send ends the way of a packet.
func (d *device) Send(_ sluice.PortID, h kit.Handle) {
	d.store.Release(h)
	d.takes = false
}

// SendFrame shows a frame.
func (d *device) SendFrame(port sluice.PortID, octets []byte, kind string) {
	d.show(port, octets, kind)
}

// Drop is what must not happen.
func (d *device) Drop(_ sluice.PortID, _ kit.Handle, why sluice.Reason) { log.Fatal(why) }
