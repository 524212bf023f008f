// Pfc-eventloop drives package pfc from a discrete-event loop of one's own, as a simulator would.
//
// A network card sends 200 packets at 100 Gb/s by way of two switches to a sink whose link has 25 Gb/s:
//
//	card --- s1 --- s2 -- sink
//
// Congestion begins at s2 and goes back hop by hop: s2 pauses s1, s1 fills and pauses the card. Printed are the pause
// frames, and then for each microsecond who was held (#), had packets that could go (=), or was empty (.).
//
// The embedding is in node.go: a machine, its FIFOs, and whether a transmitter is busy. The loop is in events.go;
// it asks the machines for their deadlines before it takes the next event, so timers need no events.
package main

import (
	"fmt"
	"log"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
)

const (
	class = 3 // the lossless one
	mtu   = 1500 * sluice.Byte
	burst = 200 // packets
)

func main() {
	card, s1, s2, sink := &node{name: "card"}, &node{name: "s1"}, &node{name: "s2"}, &node{name: "sink"}
	connect(card, s1, 100*sluice.Gbps)
	connect(s1, s2, 100*sluice.Gbps)
	connect(s2, sink, 25*sluice.Gbps)
	nodes := []*node{card, s1, s2}
	for _, n := range nodes {
		n.machine = newMachine(n.ports)
	}

	for range burst {
		schedule(0, func(now sluice.Time) {
			card.arrive(now, sluice.Local, &sluice.Packet{Size: int32(mtu), Class: class})
		})
	}
	picture := map[*node]string{}
	for at := sluice.Time(0); at <= 100*sluice.Microsecond; at += sluice.Microsecond {
		for _, n := range nodes {
			schedule(at, func(sluice.Time) { picture[n] += n.symbol() })
		}
	}
	run(nodes)

	fmt.Println()
	for _, n := range nodes {
		fmt.Printf("%-4s %s\n", n.name, picture[n])
		if err := n.machine.Quiescent(); err != nil {
			log.Fatal(n.name, err)
		}
	}
	fmt.Printf("arrived %d of %d\n", sink.arrived, burst)
}

// connect lays a cable of 100 metres from a new port of one node to a new port of another.
func connect(a, b *node, rate sluice.Rate) {
	link := sluice.Link{Rate: rate, Delay: pfc.Cable(100)}
	aPort, bPort := sluice.PortID(len(a.ports)), sluice.PortID(len(b.ports))
	a.ports = append(a.ports, port{link: link, peer: b, peerPort: bPort})
	b.ports = append(b.ports, port{link: link, peer: a, peerPort: aPort})
}

// newMachine makes the machine of a card, which pauses nobody, for its packets are its host's, or of a switch.
func newMachine(ports []port) *pfc.Switch {
	config := pfc.HostConfig(ports[0].link)
	if len(ports) > 1 {
		config = switchConfig(ports)
	}
	machine, err := pfc.New(config)
	if err != nil {
		log.Fatal(err)
	}
	return machine
}

func switchConfig(ports []port) pfc.Config {
	config := pfc.Config{Buffer: sluice.MiB, Lossless: sluice.MakeClassSet(class)}
	for _, p := range ports {
		port := pfc.PortConfig{Link: p.link, XOff: 30 * mtu, XOn: 20 * mtu}
		port.Headroom = port.HeadroomFor(mtu)
		config.Ports = append(config.Ports, port)
	}
	return config
}
