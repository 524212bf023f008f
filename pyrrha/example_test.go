package pyrrha_test

import (
	"fmt"
	"os"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pyrrha"
)

// A top-of-rack switch with a host and two uplinks: a PAUSE names a congestion root two hops away.
// The switch isolates the packets that pass it, and pauses the host when too many wait.
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
	if err := kit.Dump(os.Stdout, tor.Snapshot()); err != nil {
		panic(err)
	}
	// Output:
	// to port 0 - pause 161:7 hop 3
	// anything to send: false
	// pyrrha: Switch 160, Buffered 31000B
	//   Roots 0: Root 161:7, Level 2
	//     IQs 0: Port 1, Level 2, State paused, Queue 1, Bytes 31000B
	//     Upstreams 0: State paused, Bytes 31000B
	//   Ports 0: Role host
	//   Ports 1: Port 1, Role up, Isolated 1, IQs 1
	//   Ports 2: Port 2, Role up
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
