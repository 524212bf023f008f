package pyrrha_test

import (
	"fmt"
	"os"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pyrrha"
)

// A top-of-rack switch with a host and two uplinks: it is told of a congestion root two hops
// away, isolates what passes it, and when too much waits, tells the host.
func Example() {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: 600 * sluice.Nanosecond}
	tor, err := pyrrha.New(pyrrha.Config{
		Switch: 160,
		Ports: []pyrrha.PortConfig{
			{Link: link, Role: pyrrha.Host}, {Link: link, Role: pyrrha.Up}, {Link: link, Role: pyrrha.Up},
		},
	})
	if err != nil {
		panic(err)
	}
	uplink := tor.Port(1)

	root := sluice.Hop{Switch: 161, Port: 7}
	uplink.Receive(0, &pyrrha.Frame{Type: pyrrha.Pause, Root: root, Hop: 2, Sequence: 1})

	var frame pyrrha.Frame
	for range 31 {
		packet := sluice.Packet{Size: 1000, Ingress: 0}
		packet.Path.Append(sluice.Hop{Switch: 160, Port: 1})
		packet.Path.Append(sluice.Hop{Switch: 170, Port: 1})
		packet.Path.Append(root)
		verdict := uplink.Enqueue(0, &packet)
		if port, ok := verdict.Wake().Port(); ok && tor.Port(port).PollFrame(0, &frame) {
			fmt.Println("to port", port, "-", &frame)
		}
	}
	_, ok := uplink.Next(0)
	fmt.Println("anything to send:", ok)
	if err := tor.Dump(os.Stdout); err != nil {
		panic(err)
	}
	// Output:
	// to port 0 - pause 161:7 hop 3
	// anything to send: false
	// pyrrha switch 160: 3 ports, 31000B held, now 0ps, deadline never
	//   port 0, host: OQ 0B
	//   port 1, up: OQ 0B, 1 root in 1 IQ
	//   port 2, up: OQ 0B
	//   root 161:7, 2 hops away
	//     port 1 queue 1: paused, 31000B
	//     upstream 0: paused, 31000B
}

// A host that pulls packets from its flows asks before it takes one.
func ExamplePort_Blocked() {
	config := pyrrha.HostConfig(sluice.Link{Rate: 100 * sluice.Gbps})
	config.Switch = 3
	card, err := pyrrha.New(config)
	if err != nil {
		panic(err)
	}
	root := sluice.Hop{Switch: 161, Port: 7}
	card.Port(0).Receive(0, &pyrrha.Frame{Type: pyrrha.Pause, Root: root, Hop: 3, Sequence: 1})

	path, _ := sluice.MakePath(
		sluice.Hop{Switch: 3}, sluice.Hop{Switch: 160, Port: 1}, sluice.Hop{Switch: 170, Port: 1}, root,
	)
	fmt.Println(card.Port(0).Blocked(&path))
	wake := card.Port(0).Receive(0, &pyrrha.Frame{Type: pyrrha.Resume, Root: root, Sequence: 2})
	fmt.Println("ask again:", wake)
	// Output:
	// 161:7 true
	// ask again: port 0
}
