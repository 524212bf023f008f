// Pyrrha-over-pfc puts two machines at one switch: Pyrrha towards neighbours that speak it, PFC for
// neighbours that do not (Pyrrha, section IV-E, incremental deployment).
//
//	port 0: a legacy switch, PFC only   port 1: a Pyrrha switch   port 2: a Pyrrha switch, downstream
//
// Neither machine knows of the other; package kit/hybrid composes them. PFC guards the buffer: it
// accounts packets to the port they came by, and pauses a neighbour that sent too much. Pyrrha
// chooses the queues: packets bound for a congestion root wait in an isolation queue (IQ), and the
// others pass. There is one switch here; the program says what its neighbours send.
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

const (
	legacy     = sluice.PortID(0)
	upstream   = sluice.PortID(1)
	downstream = sluice.PortID(2)

	self  = sluice.SwitchID(20)
	class = 3
	mtu   = 1500 * sluice.Byte
	rate  = 100 * sluice.Gbps
)

// root is a congested port of the switch downstream, other is a port that is not congested.
var (
	root  = sluice.Hop{Switch: 30, Port: 7}
	other = sluice.Hop{Switch: 30, Port: 8}
)

func main() {
	h := newDevice()

	fmt.Println("Downstream says that it is congested at", root)
	h.receive(
		downstream, (&pyrrha.Frame{Type: pyrrha.Pause, Root: root, Hop: 1, Sequence: 1}).AppendTo(nil),
	)

	fmt.Println(
		"\nBoth neighbours send there, and one packet past it each. Each is paused in its language, " +
			"the legacy switch altogether,",
	)
	fmt.Println("the Pyrrha switch for the root only. What is not bound for the root goes:")
	for range 20 {
		h.forward(legacy, downstream, root)
		h.forward(upstream, downstream, root)
	}
	h.forward(legacy, downstream, other)
	h.forward(upstream, downstream, other)
	h.transmit(downstream)

	fmt.Println(
		"\nThe legacy switch pauses us in turn, which holds all queues of that port, and later lets " +
			"us go on:",
	)
	h.forward(upstream, legacy, sluice.Hop{Switch: 5, Port: 0})
	pause := pfc.Frame{Opcode: pfc.OpcodePFC, Enabled: sluice.MakeClassSet(class)}
	pause.Time[class] = 1000
	h.receive(legacy, pause.AppendTo(nil))
	h.transmit(legacy)
	pause.Time[class] = 0
	h.receive(legacy, pause.AppendTo(nil))

	fmt.Println("\nDownstream recovers:")
	h.receive(downstream, (&pyrrha.Frame{Type: pyrrha.Resume, Root: root, Sequence: 2}).AppendTo(nil))
	fmt.Println("\nThe Pyrrha switch upstream gives up its IQ, so we give up ours:")
	h.receive(upstream, (&pyrrha.Frame{Type: pyrrha.Dealloc, Root: root, Sequence: 1}).AppendTo(nil))

	if err := h.machine.Quiescent(); err != nil {
		log.Fatal(err)
	}
	fmt.Println("\nNothing is held, no neighbour is paused, every isolation queue is free.")
}

func newDevice() *device {
	link := sluice.Link{Rate: rate, Delay: pfc.Cable(100)}
	above := pyrrha.Config{Switch: self, Ports: []pyrrha.PortConfig{
		legacy:     {Link: link, Role: pyrrha.Legacy},
		upstream:   {Link: link, Role: pyrrha.Down},
		downstream: {Link: link, Role: pyrrha.Down},
	}}
	below := pfc.Config{Buffer: sluice.MiB, Classes: sluice.MakeClassSet(class)}
	for range above.Ports {
		port := pfc.PortConfig{Link: link, Profile: pfc.Profile{XOff: 40 * mtu, XOn: 30 * mtu}}
		port.Headroom = port.HeadroomFor(mtu, 0).Total
		below.Ports = append(below.Ports, port)
	}
	below.Ports[legacy].XOff, below.Ports[legacy].XOn = 15*mtu, 10*mtu
	pause, err := pfc.New(below)
	if err != nil {
		log.Fatal(err)
	}
	isolate, err := pyrrha.New(above)
	if err != nil {
		log.Fatal(err)
	}
	machine, err := hybrid.New(pause, isolate)
	if err != nil {
		log.Fatal(err)
	}
	store, err := kit.NewStore[struct{}](100)
	if err != nil {
		log.Fatal(err)
	}
	d := &device{machine: machine, store: store}
	d.driver = kit.NewDriver(machine, store, d)
	return d
}
