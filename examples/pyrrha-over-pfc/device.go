package main

import (
	"fmt"
	"log"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/hybrid"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pyrrha"
)

// device is the embedder: the output of a driver. Frames leave at any time, packets while a port
// drains.
type device struct {
	now     sluice.Time
	machine *hybrid.Switch
	store   *kit.Store[struct{}]
	driver  *kit.Driver[struct{}]

	drains        bool
	towards, past int // the root: packets sent
}

// forward takes in a packet: PFC admits it, then Pyrrha says where it waits.
func (d *device) forward(ingress, egress sluice.PortID, next sluice.Hop) {
	h, _ := d.store.Take()
	p := &d.store.At(h).Packet
	*p = sluice.Packet{Size: mtu, Class: class, Ingress: ingress}
	p.Path, _ = sluice.MakePath(sluice.Hop{Switch: self, Port: egress}, next)
	d.driver.Enqueue(d.now, egress, h)
}

// transmit sends what may go by a port.
func (d *device) transmit(egress sluice.PortID) {
	d.towards, d.past = 0, 0
	for before := sluice.Bytes(-1); before != d.machine.Buffered(); d.now += rate.TimeOf(mtu) {
		before = d.machine.Buffered()
		d.driver.Expire(d.now)
		d.drains = true // a packet
		d.driver.Ready(d.now, egress)
	}
	d.drains = false
	fmt.Printf("%8v  port %d sent packets: %d towards %v, %d past it\n", d.now, egress, d.towards,
		root, d.past)
}

// receive takes in a frame of either kind.
func (d *device) receive(port sluice.PortID, wire []byte) {
	fmt.Printf("%8v  port %d got %s\n", d.now, port, describe(wire))
	if err := d.driver.Receive(d.now, port, wire); err != nil {
		log.Fatal(err)
	}
	d.transmit(port)
}

// describe puts a frame of either kind in words. Neither parser takes the other's frames.
func describe(wire []byte) string {
	var pause pfc.Frame
	if pause.Parse(wire) == nil {
		return fmt.Sprint("PFC ", &pause)
	}
	var frame pyrrha.Frame
	if err := frame.Parse(wire); err != nil {
		log.Fatal(err)
	}
	return fmt.Sprint("Pyrrha ", &frame)
}

// Free lets a packet leave in each round while a port drains. A port with no packets may have a
// frame, which leaves at once.
func (d *device) Free(port sluice.PortID) bool { return d.drains || d.driver.Waiting(port) == 0 }

// Send counts a packet. Its path begins at the next hop now.
func (d *device) Send(_ sluice.PortID, h kit.Handle) {
	if d.store.At(h).Path.At(0) == root {
		d.towards++
	} else {
		d.past++
	}
	d.store.Release(h)
	d.drains = false
}

// SendFrame prints a frame.
func (d *device) SendFrame(port sluice.PortID, wire []byte, _ string) {
	fmt.Printf("%8v  port %d sends %s\n", d.now, port, describe(wire))
}

// Drop is what must not happen.
func (d *device) Drop(port sluice.PortID, _ kit.Handle, why sluice.Reason) {
	log.Fatalf("%v a packet for port %d is dropped: %v", d.now, port, why)
}
