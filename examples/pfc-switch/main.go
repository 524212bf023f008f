// Pfc-switch is the smallest embedding: a software switch that polls its ports, with priority-based
// flow control.
//
// The switch has its own packets and clock; package pfc decides, and a driver of package kit keeps
// the FIFOs. At its three 100 Gb/s ports are two senders and a receiver. The receiver asks for a
// pause itself, which runs out, and then is slower than the two senders together, so that the
// switch pauses them again and again. Printed are the pause frames, the first pause and the first
// resume as the bytes on the wire. At the end every packet has arrived, in order.
//
// Look first at forwarder, which is all that a driver asks of its embedder. Cables have no length
// here, and senders obey at once; eventloop has cables, and headroom says what they cost.
package main

import (
	"encoding/hex"
	"fmt"
	"log"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pfc"
)

const (
	rate     = 100 * sluice.Gbps
	mtu      = 1500 * sluice.Byte
	class    = 3 // the lossless class
	senders  = 2 // at ports 0 and 1
	receiver = sluice.PortID(senders)
	quota    = 60 // packets each sender has
)

// forwarder is the software switch. It is the output of its driver: a port sends one packet or
// frame in each round.
type forwarder struct {
	now       sluice.Time
	store     *kit.Store[int] // packets with their number, which their sender counts
	driver    *kit.Driver[int]
	busyUntil [senders + 1]sluice.Time
	delivered [senders]int
	hear      func(port sluice.PortID, frame *pfc.Frame, wire []byte)
}

// Free says whether a port has sent what it began.
func (f *forwarder) Free(port sluice.PortID) bool { return f.now >= f.busyUntil[port] }

// Send delivers a packet to the receiver.
func (f *forwarder) Send(port sluice.PortID, h kit.Handle) {
	p := f.store.At(h)
	f.busyUntil[port] = f.now + rate.TimeOf(p.Size)
	if p.Value != f.delivered[p.Ingress] {
		log.Fatal("lost, or out of order")
	}
	f.delivered[p.Ingress]++
	f.store.Release(h)
}

// SendFrame delivers a pause frame to a sender.
func (f *forwarder) SendFrame(port sluice.PortID, wire []byte, _ string) {
	var frame pfc.Frame
	if err := frame.Parse(wire); err != nil {
		log.Fatal(err)
	}
	f.busyUntil[port] = f.now + rate.TimeOf(pfc.WireLength)
	f.hear(port, &frame, wire)
}

// Drop is what must not happen to a lossless packet.
func (f *forwarder) Drop(port sluice.PortID, _ kit.Handle, why sluice.Reason) {
	log.Fatalf("%v a packet for port %d is dropped: %v", f.now, port, why)
}

// forward takes in a packet that was routed to the receiver.
func (f *forwarder) forward(ingress sluice.PortID, number int) {
	h, ok := f.store.Take()
	if !ok {
		log.Fatal("the store is full")
	}
	p := f.store.At(h)
	p.Packet = sluice.Packet{Size: mtu, Class: class, Ingress: ingress}
	p.Value = number
	f.driver.Enqueue(f.now, receiver, h)
}

// poll serves the timers and every port.
func (f *forwarder) poll() {
	f.driver.Expire(f.now) // early calls do nothing
	for port := range sluice.PortID(senders + 1) {
		f.driver.Ready(f.now, port)
	}
}

// main plays the senders, the receiver and the clock.
func main() {
	port := pfc.PortConfig{
		Link: sluice.Link{Rate: rate}, Pause: 1000, Profile: pfc.Profile{XOff: 20 * mtu, XOn: 10 * mtu},
	}
	port.Headroom = port.HeadroomFor(mtu, 0).Total
	machine, err := pfc.New(pfc.Config{
		Ports:   []pfc.PortConfig{port, port, port},
		Buffer:  sluice.MiB,
		Classes: sluice.MakeClassSet(class),
		MAC:     sluice.MAC{2, 0, 0, 0, 0, 1},
	})
	if err != nil {
		log.Fatal(err)
	}
	store, err := kit.NewStore[int](1000)
	if err != nil {
		log.Fatal(err)
	}
	var sent [senders]int
	var pausedUntil [senders]sluice.Time
	dumped := map[string]bool{}
	f := &forwarder{store: store}
	f.hear = func(port sluice.PortID, frame *pfc.Frame, wire []byte) {
		pausedUntil[port] = f.now + rate.TimeOfQuanta(frame.Time[class])
		fmt.Printf("%8v  switch -> sender %d: %v\n", f.now, port, frame)
		if !dumped[frame.Kind()] {
			fmt.Print(hex.Dump(wire))
		}
		dumped[frame.Kind()] = true
	}
	f.driver = kit.NewDriver(kit.Wrap(machine), store, f)

	pause := pfc.Frame{Opcode: pfc.OpcodePFC, Enabled: sluice.MakeClassSet(class)}
	pause.Time[class] = 800
	if err := f.driver.Receive(0, receiver, pause.AppendTo(nil)); err != nil {
		log.Fatal(err)
	}
	until := machine.Port(receiver).HeldUntil(class)
	fmt.Printf("%8v  receiver -> switch: %v, until %v\n", f.now, pause, until)
	for ; f.now < 20*sluice.Microsecond; f.now += rate.TimeOf(mtu) {
		f.poll()
		for i := range sent {
			if f.now >= pausedUntil[i] && sent[i] < quota {
				f.forward(sluice.PortID(i), sent[i])
				sent[i]++
			}
		}
	}
	c := machine.Counters()
	fmt.Printf("delivered %v, dropped %d, most in the buffer %d bytes\n", f.delivered, c.Drops(),
		c.BufferPeak)
}
