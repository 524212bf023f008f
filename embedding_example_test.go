package sluice_test

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
)

// A switch of two ports with priority-based flow control: packets come in by port 0 faster than
// they leave by port 1. The machine decides; the FIFO, the wire and the clock are the embedder's.
func Example() {
	port := pfc.PortConfig{
		Link:    sluice.Link{Rate: 100 * sluice.Gbps, Delay: pfc.Cable(100)},
		Profile: pfc.Profile{XOff: 9000, XOn: 4500},
	}
	port.Headroom = port.HeadroomFor(1500, 0).Total
	machine, err := pfc.New(pfc.Config{
		Ports: []pfc.PortConfig{port, port}, Buffer: sluice.MiB, Classes: sluice.MakeClassSet(3),
		MAC: sluice.MAC{2},
	})
	if err != nil {
		panic(err)
	}
	var fifo []*sluice.Packet // of class 3 at port 1, the only one with packets here
	var frame pfc.Frame       // kept, and used again and again

	// A transmitter that is free sends a frame if its port has one, else a packet.
	transmit := func(now sluice.Time, port *pfc.Port) (sent sluice.Bytes) {
		if port.PollFrame(now, &frame) {
			fmt.Printf("%v: %s out of port %d\n", now, frame.Kind(), port.ID())
			return sluice.Bytes(len(frame.AppendTo(nil)))
		}
		queue, ok := port.Next(now)
		if !ok {
			return 0
		}
		packet := fifo[0]
		fifo = fifo[1:]
		wake := port.Dequeue(now, queue, packet).Wake()
		if woken, ok := wake.Port(); ok && woken != port.ID() {
			fmt.Printf("%v: port %d may have something to send\n", now, woken)
		}
		return packet.Size
	}
	now := sluice.Time(0)
	for range 8 { // eight packets come in, routed to port 1
		packet := &sluice.Packet{Size: 1500, Class: 3, Ingress: 0}
		if machine.Port(1).Enqueue(now, packet).Action() == sluice.Append {
			fifo = append(fifo, packet)
		}
	}
	for machine.Buffered() > 0 { // both transmitters are free, again and again
		transmit(now, machine.Port(0))
		now += (100 * sluice.Gbps).TimeOf(transmit(now, machine.Port(1)))
	}
	transmit(now, machine.Port(0))
	fmt.Printf("%v: %d bytes left\n", now, machine.Buffered())

	// Output:
	// 0ps: pause out of port 0
	// 480ns: port 0 may have something to send
	// 600ns: resume out of port 0
	// 960ns: 0 bytes left
}
