// Eventloop drives any protocol from a discrete-event loop, as a simulator would.
//
// A network card sends 200 packets at 100 Gb/s by way of two switches to a sink whose link has 25
// Gb/s:
//
//	card --- s1 --- s2 -- sink
//
// Congestion begins at s2 and goes back hop by hop: s2 pauses s1, s1 fills and pauses the card.
// It prints, for each microsecond, who was held (#), had packets that could go (=), or was empty
// (.), and the control frames by kind.
//
// The same embedder runs PFC, BFC and Pyrrha: what differs is one line for each, in machineOf. The
// embedding is in node.go: a driver of package kit, and where it sends. The loop is in events.go;
// it asks the drivers for their deadlines before it takes the next event, so timers need no events.
package main

import (
	"fmt"
	"log"
	"maps"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pyrrha"
)

const (
	class = 3
	mtu   = 1500 * sluice.Byte
	burst = 200 // packets
)

func main() {
	for _, protocol := range []string{"pfc", "bfc", "pyrrha"} {
		run(protocol)
	}
}

// machineOf makes the machine of a node: to swap protocols is to choose another line.
func machineOf(protocol string, n *node) (kit.Machine, error) {
	switch protocol {
	case "pfc":
		return kit.WrapNew(pfc.New(pfcConfig(n)))
	case "bfc":
		return kit.WrapNew(bfc.New(bfcConfig(n)))
	default:
		return kit.WrapNew(pyrrha.New(pyrrhaConfig(n)))
	}
}

func run(protocol string) {
	store, err := kit.NewStore[struct{}](burst)
	if err != nil {
		log.Fatal(err)
	}
	loop := &loop{store: store, frames: map[string]int{}}
	for id, name := range []string{"card", "s1", "s2", "sink"} {
		loop.nodes = append(loop.nodes, &node{loop: loop, id: sluice.SwitchID(id), name: name})
	}
	card, s1, s2, sink := loop.nodes[0], loop.nodes[1], loop.nodes[2], loop.nodes[3]
	connect(card, s1, 100*sluice.Gbps)
	connect(s1, s2, 100*sluice.Gbps)
	connect(s2, sink, 25*sluice.Gbps)
	for _, n := range loop.nodes {
		machine, err := machineOf(protocol, n)
		if err != nil {
			log.Fatal(err)
		}
		n.driver = kit.NewDriver(machine, store, n)
	}

	for range burst {
		card.send()
	}
	for at := sluice.Time(0); at <= 100*sluice.Microsecond; at += sluice.Microsecond {
		loop.schedule(at, func() {
			for _, n := range loop.nodes[:3] {
				n.picture += n.symbol()
			}
		})
	}
	loop.run()

	fmt.Println(protocol)
	for _, n := range loop.nodes[:3] {
		fmt.Printf("%-4s %s\n", n.name, n.picture)
	}
	for _, kind := range slices.Sorted(maps.Keys(loop.frames)) {
		fmt.Printf("     %d %s frames\n", loop.frames[kind], kind)
	}
	fmt.Printf("     arrived %d of %d\n\n", sink.arrived, burst)
}

// connect lays a cable of 100 metres from a new port of one node to a new port of another.
func connect(a, b *node, rate sluice.Rate) {
	link := sluice.Link{Rate: rate, Delay: pfc.Cable(100)}
	aPort, bPort := sluice.PortID(len(a.ports)), sluice.PortID(len(b.ports))
	a.ports = append(a.ports, port{link: link, peer: b, peerPort: bPort})
	b.ports = append(b.ports, port{link: link, peer: a, peerPort: aPort})
}
