package sluice_test

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
)

// A switch of two ports with priority-based flow control: packets come in by port 0 faster than they leave
// by port 1. The machine decides; the FIFO, the wire and the clock are the embedder's.
func Example() {
	port := pfc.PortConfig{Link: sluice.Link{Rate: 100 * sluice.Gbps, Delay: pfc.Cable(100)}, XOff: 9000, XOn: 4500}
	port.Headroom = port.HeadroomFor(1500)
	machine, err := pfc.New(pfc.Config{
		Ports: []pfc.PortConfig{port, port}, Buffer: sluice.MiB, Lossless: sluice.MakeClassSet(3), MAC: [6]byte{2},
	})
	if err != nil {
		panic(err)
	}
	var fifo []*sluice.Packet // of class 3 at port 1
	var frame pfc.Frame       // kept, and used again and again

	// The one rule: after a hook whose word carries a flag, act on it before the next input.
	act := func(now sluice.Time, wake sluice.Wake) {
		for wake.Has(sluice.WakeFrames) {
			out, pending := machine.PollFrame(now, &frame)
			if !pending {
				break
			}
			fmt.Printf("%v: %s out of port %d, %d bytes on the wire\n", now, frame.Kind(), out, len(frame.AppendTo(nil)))
		}
	}
	egress := machine.Port(1)
	now := sluice.Time(0)
	for range 8 { // eight packets come in, routed to port 1
		packet := &sluice.Packet{Size: 1500, Class: 3, Ingress: 0}
		verdict := egress.Enqueue(now, packet)
		if verdict.Action() == sluice.Append {
			fifo = append(fifo, packet)
		}
		act(now, verdict.Wake())
	}
	for { // the transmitter of port 1 is free, again and again
		queue, ok := egress.Next(now)
		if !ok {
			break
		}
		packet := fifo[0]
		fifo = fifo[1:]
		verdict := egress.Dequeue(now, queue, packet)
		act(now, verdict.Wake())
		now += (100 * sluice.Gbps).TimeOf(sluice.Bytes(packet.Size))
	}
	fmt.Printf("%v: %d bytes left\n", now, machine.Buffered())

	// Output:
	// 0ps: pause out of port 0, 60 bytes on the wire
	// 480ns: resume out of port 0, 60 bytes on the wire
	// 960ns: 0 bytes left
}
