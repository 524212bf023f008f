// Pyrrha-incast shows a congestion tree come and go along three switches.
//
//	host 1 --- 10 --- 20 --- 30 --- host 4
//	host 2 ---/               \---- host 5
//	                 host 3 --/
//
// Hosts 1 and 3 both send to host 4, more than its link carries: port 30:1 becomes a congestion
// root. PAUSE goes hop by hop to host 1; each switch puts what is bound for the root into an
// isolation queue (IQ), and tells its own upstream when much waits there. Host 3 gave its network
// card all at once, where nothing stops it, so the incast lasts. Host 2 sends to host 5 by the same
// links, but not by the root, and nothing holds it. When the root has drained, RESUME goes the same
// way, the IQs empty and are given up, and DEALLOC says so. At the end all are free.
//
// Printed are the frames, and a dump of the tree while it is complete. The embedding is in node.go;
// its step polls everything once in each packet time, see eventloop for an event list.
package main

import (
	"fmt"
	"log"
	"os"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pyrrha"
)

const (
	mtu  = 1500 * sluice.Byte
	rate = 100 * sluice.Gbps
)

func main() {
	fmt.Println("host 5 alone:")
	run(false)
	fmt.Println("\nwith an incast at host 4:")
	run(true)
}

// run lets the hosts send what they have until all has arrived and every IQ is free.
func run(incast bool) {
	store, err := kit.NewStore[struct{}](1000)
	if err != nil {
		log.Fatal(err)
	}
	n := map[sluice.SwitchID]*node{}
	ids := []sluice.SwitchID{1, 2, 3, 4, 5, 10, 20, 30}
	for _, id := range ids {
		n[id] = &node{id: id, store: store}
	}
	connect(n[1], pyrrha.NIC, n[10], pyrrha.Host, rate/2)
	connect(n[2], pyrrha.NIC, n[10], pyrrha.Host, rate/4)
	connect(n[10], pyrrha.Up, n[20], pyrrha.Down, rate)
	connect(n[20], pyrrha.Down, n[30], pyrrha.Up, rate)
	connect(n[30], pyrrha.Host, n[4], pyrrha.NIC, rate)
	connect(n[30], pyrrha.Host, n[5], pyrrha.NIC, rate)
	connect(n[3], pyrrha.NIC, n[30], pyrrha.Host, rate)
	for _, id := range ids {
		n[id].start()
	}

	n[2].send(100, 2, 0, 10, 2, 20, 1, 30, 2)
	if incast {
		n[1].send(150, 1, 0, 10, 2, 20, 1, 30, 1)
		n[3].send(150, 3, 0, 30, 1)
		for n[3].unsent > 0 {
			n[3].give()
		}
	}
	for now := sluice.Time(0); now < 80*sluice.Microsecond; now += rate.TimeOf(mtu) {
		for _, id := range ids {
			n[id].step(now)
		}
		if incast && now == 15*sluice.Microsecond {
			dump(n[30], n[20], n[10], n[1])
		}
	}
	for _, id := range ids {
		if err := n[id].machine.Quiescent(); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Printf("host 5 received %d packets, the last at %v\n", n[5].received, n[5].last)
	if incast {
		fmt.Printf("host 4 received %d packets, the last at %v\n", n[4].received, n[4].last)
	}
}

// dump prints what nodes know of congestion roots.
func dump(nodes ...*node) {
	fmt.Println()
	for _, n := range nodes {
		if err := kit.Dump(os.Stdout, n.machine.Snapshot()); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println()
}

// connect lays a cable of 480 ns between new ports of two nodes.
func connect(a *node, aRole pyrrha.Role, b *node, bRole pyrrha.Role, rate sluice.Rate) {
	link := sluice.Link{Rate: rate, Delay: 480 * sluice.Nanosecond}
	aPort, bPort := sluice.PortID(len(a.ports)), sluice.PortID(len(b.ports))
	a.ports = append(
		a.ports, &port{config: pyrrha.PortConfig{Link: link, Role: aRole}, peer: b, peerPort: bPort},
	)
	b.ports = append(
		b.ports, &port{config: pyrrha.PortConfig{Link: link, Role: bRole}, peer: a, peerPort: aPort},
	)
}

// start makes the machine of a node whose ports are connected.
func (n *node) start() {
	config := pyrrha.Config{Switch: n.id, IQs: 8}
	for _, p := range n.ports {
		config.Ports = append(config.Ports, p.config)
	}
	machine, err := pyrrha.New(config)
	if err != nil {
		log.Fatal(err)
	}
	n.machine = machine
	n.driver = kit.NewDriver(kit.Wrap(machine), n.store, n)
}

// send gives a host packets to send by a path: pairs of node and egress port.
func (n *node) send(packets int, hops ...int) {
	n.unsent = packets
	for i := 0; i < len(hops); i += 2 {
		n.path.Append(sluice.Hop{Switch: sluice.SwitchID(hops[i]), Port: sluice.PortID(hops[i+1])})
	}
}
