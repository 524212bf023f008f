package portfc_test

import (
	"fmt"
	"net/netip"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/portfc"
)

// Packets for node 12 come in at port 3 of switch 19 of NDC(4,1), from node 15. When the
// destination-direct queue of port 0 reaches X_off, the switch tells the nodes at all other ports.
// Node 15 holds its two-hop queue for port 0, and passes it on to its other switch, 23, which holds
// what node 15 would relay to port 0.
func Example() {
	network := portfc.NDC{N: 4, K: 1}
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	s, err := portfc.New(portfc.SwitchConfig(network, 19, link))
	if err != nil {
		fmt.Println(err)
		return
	}
	node, err := portfc.New(portfc.NodeConfig(network, 15, link))
	if err != nil {
		fmt.Println(err)
		return
	}
	var frame portfc.Frame // kept, and used for every frame
	tell := func() {       // all transmitters are free, and only node 15 is there
		for port, ok := s.PollPort(); ok; port, ok = s.PollPort() {
			for s.Port(port).PollFrame(0, &frame) {
				fmt.Printf("port %d: %v\n", port, frame)
				if port == 3 {
					node.Port(0).Receive(0, &frame)
				}
			}
		}
		for node.Port(1).PollFrame(0, &frame) {
			fmt.Printf("node 15, port 1: %v\n", frame)
		}
	}

	path, _ := network.Path(15, 12, 0)
	path.Advance() // the packets have left node 15
	var queue []*sluice.Packet
	for s.Buffered() < 75_000 { // X_off: 6 bandwidth-delay products
		p := &sluice.Packet{Size: 1000, Ingress: 3, Path: path}
		s.Port(0).Enqueue(0, p)
		queue = append(queue, p)
	}
	tell()
	fmt.Println("node 15 may send to node 12:", node.Port(0).Sendable(3))
	for _, p := range queue[:25] { // down to X_on
		q, _ := s.Port(0).Next(0)
		s.Port(0).Dequeue(0, q, p)
	}
	tell()
	fmt.Println("node 15 may send to node 12:", node.Port(0).Sendable(3))
	// Output:
	// port 1: pause queue 3 of port 0, layer 0
	// port 2: pause queue 3 of port 0, layer 0
	// port 3: pause queue 3 of port 0, layer 0
	// node 15, port 1: pause queue 3 of port 0, layer 0
	// node 15 may send to node 12: false
	// port 1: resume queue 3 of port 0, layer 0
	// port 2: resume queue 3 of port 0, layer 0
	// port 3: resume queue 3 of port 0, layer 0
	// node 15, port 1: resume queue 3 of port 0, layer 0
	// node 15 may send to node 12: true
}

// A node is host and switch: its own packets have the ingress sluice.Local, and what it relays goes
// before them.
func ExampleNodeConfig() {
	network := portfc.NDC{N: 4, K: 1}
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	node, err := portfc.New(portfc.NodeConfig(network, 15, link))
	if err != nil {
		fmt.Println(err)
		return
	}
	enqueue := func(what string, path sluice.Path, ingress sluice.PortID) {
		p := sluice.Packet{Size: 1000, Ingress: ingress, Path: path}
		fmt.Println(what, "by", path, "waits in queue", node.Port(0).Enqueue(0, &p).Queue())
	}
	fourHop, _ := network.Path(15, 0, 0)
	twoHop, _ := network.Path(15, 12, 0)
	relayed, _ := network.Through(11, 12, 1, 0)
	relayed.Advance() // node 11
	relayed.Advance() // switch 23
	enqueue("own", fourHop, sluice.Local)
	enqueue("own", twoHop, sluice.Local)
	enqueue("node 11's", relayed, 1)
	q, _ := node.Port(0).Next(0)
	fmt.Println("next:", q)
	// Output:
	// own by 15:0 19:0 12:1 20:0 waits in queue 0
	// own by 15:0 19:0 waits in queue 3
	// node 11's by 15:0 19:0 waits in queue 6
	// next: 6
}

// A flow whose two digits differ has two shortest routes.
func ExampleNDC_Path() {
	network := portfc.NDC{N: 4, K: 1}
	for order := range network.Orders(15, 0) {
		path, _ := network.Path(15, 0, order)
		fmt.Println(path)
	}
	// Output:
	// 15:0 19:0 12:1 20:0
	// 15:1 23:0 3:0 16:0
}

// A switch finds the queue of a packet by its destination's address alone (section IV-A).
func ExampleNDC_SwitchQueue() {
	network := portfc.NDC{N: 4, K: 1}
	base := netip.MustParseAddr("10.0.0.0")
	for _, address := range []string{"10.0.0.12", "10.0.0.14", "10.0.0.15"} {
		dst, _ := network.Node(base, netip.MustParseAddr(address))
		q, _ := network.SwitchQueue(23, dst, 0)
		fmt.Printf("%s: port %d, queue %d\n", address, network.Digit(dst, 1), q)
	}
	// Output:
	// 10.0.0.12: port 3, queue 0
	// 10.0.0.14: port 3, queue 2
	// 10.0.0.15: port 3, queue 3
}

// What a switch must have to lose nothing, whatever comes: the paper's 5 MB are enough for n = 4,
// not for n = 8.
func ExampleConfig_Headroom() {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	for _, n := range []int{4, 8} {
		network := portfc.NDC{N: n, K: 1}
		c := portfc.SwitchConfig(network, network.SwitchOf(0, 0), link)
		bound, err := c.Headroom(1048, portfc.Relay{Link: link, Backlog: 2 * 1048})
		fmt.Println(network, bound.Total, err)
	}
	// Output:
	// NDC(4,1) 1639864B <nil>
	// NDC(8,1) 6146800B <nil>
}

// Node 0 has 1.8 MB in flight towards its high-bandwidth domain, which 1 MB fill: so that nine
// tenths of it are used, half of the flows to node 15 take their first hop by the other domain.
func ExampleATE() {
	a, err := portfc.NewATE(portfc.ATEConfig{
		Network: portfc.NDC{N: 4, K: 1}, Node: 0, Capacity: sluice.MB, Seed: 1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	a.Sent(1800 * sluice.KB)
	layer, _ := a.First(15)
	path, _ := a.Path(15, layer)
	fmt.Println(float64(a.Weight(15))/float64(portfc.WeightOne), layer == portfc.HBD, path)
	a.Arrived(1800 * sluice.KB)
	// Output:
	// 0.5 false 0:1 20:3 12:0 19:3
}

// A frame is 60 bytes of Ethernet, the check sequence aside.
func ExampleFrame_AppendTo() {
	frame := portfc.Frame{
		Type: portfc.Pause, Source: sluice.MAC{2, 0, 0, 0, 0, 19}, Sequence: 1,
		Queue: 3, Port: 0, Layer: 0,
	}
	fmt.Printf("%x\n", frame.AppendTo(nil)[:29])
	// Output:
	// 0180c200000e02000000001388b5040101000005000000010003000000
}

// What is no frame is refused with where and why.
func ExampleFrame_Parse() {
	var frame portfc.Frame
	fmt.Println(frame.Parse(make([]byte, 59)))
	// Output:
	// portfc: frame offset 0: shorter than 60 bytes
}
