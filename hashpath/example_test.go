package hashpath_test

import (
	"fmt"
	"net/netip"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
)

// leafSpine declares two leaves, 100 and 101, with two hosts each, and four spines, 200 to 203.
// Leaf ports 0 and 1 go to hosts, 2 to 5 to the spines.
func leafSpine() *hashpath.Builder {
	b := hashpath.NewBuilder()
	for spine := range sluice.SwitchID(4) {
		b.AddSwitch(200 + spine)
	}
	for leaf := range sluice.SwitchID(2) {
		b.AddSwitch(100 + leaf)
		for i := range sluice.SwitchID(2) {
			host := 2*leaf + i
			b.AddHost(host, netip.AddrFrom4([4]byte{10, 0, byte(leaf), byte(i)}))
			b.Connect(sluice.Hop{Switch: host}, sluice.Hop{Switch: 100 + leaf, Port: sluice.PortID(i)})
		}
		for spine := range sluice.SwitchID(4) {
			b.Connect(
				sluice.Hop{Switch: 100 + leaf, Port: sluice.PortID(2 + spine)},
				sluice.Hop{Switch: 200 + spine, Port: sluice.PortID(leaf)},
			)
		}
	}
	return b
}

func Example() {
	network, err := leafSpine().Build(hashpath.Config{
		Hash: hashpath.Hash{Kind: hashpath.KindCRC32C, Select: hashpath.Resilient},
	})
	if err != nil {
		panic(err)
	}
	for port := range uint16(4) {
		flow := hashpath.MakeFlow(
			netip.AddrPortFrom(netip.MustParseAddr("10.0.0.0"), 50000+port),
			netip.MustParseAddrPort("10.0.1.1:4791"), 17)
		path, status := network.Path(100, 0, &flow)
		fmt.Println(path.String(), status)
	}
	// Output:
	// 100:5 203:1 101:1 ok
	// 100:5 203:1 101:1 ok
	// 100:4 202:1 101:1 ok
	// 100:4 202:1 101:1 ok
}

// A link fails. The flow that used it moves; the other stays, as members are selected resiliently.
func ExampleNetwork_FailLink() {
	network, err := leafSpine().Build(hashpath.Config{Hash: hashpath.Hash{Select: hashpath.Resilient}})
	if err != nil {
		panic(err)
	}
	show := func() {
		for port := range uint16(2) {
			flow := hashpath.MakeFlow(
				netip.AddrPortFrom(netip.MustParseAddr("10.0.0.0"), 50000+port),
				netip.MustParseAddrPort("10.0.1.1:4791"), 17)
			path, _ := network.Path(0, sluice.Local, &flow) // from the host
			fmt.Println(path.String())
		}
	}
	show()
	if err := network.FailLink(sluice.Hop{Switch: 100, Port: 5}); err != nil {
		panic(err)
	}
	fmt.Println("port 5 of leaf 100 failed")
	show()
	// Output:
	// 0:0 100:5 203:1 101:1
	// 0:0 100:3 201:1 101:1
	// port 5 of leaf 100 failed
	// 0:0 100:3 201:1 101:1
	// 0:0 100:3 201:1 101:1
}

// A weight says how much of the traffic a port is to carry (WCMP).
func ExampleNetwork_SetWeight() {
	network, err := leafSpine().Build(hashpath.Config{})
	if err != nil {
		panic(err)
	}
	if err := network.SetWeight(sluice.Hop{Switch: 100, Port: 2}, 5); err != nil {
		panic(err)
	}
	var packets [6]int
	for port := range uint16(8000) {
		flow := hashpath.MakeFlow(
			netip.AddrPortFrom(netip.MustParseAddr("10.0.0.0"), 50000+port),
			netip.MustParseAddrPort("10.0.1.1:4791"), 17)
		egress, _ := network.Egress(100, 0, &flow)
		packets[egress]++
	}
	fmt.Println(packets[2:])
	// Output: [5094 969 986 951]
}

// A source route names the ports; the path names the switches too.
func ExampleNetwork_Follow() {
	network, err := leafSpine().Build(hashpath.Config{})
	if err != nil {
		panic(err)
	}
	path, status := network.Follow(100, []sluice.PortID{3, 1, 0})
	fmt.Println(path.String(), status)
	// Output: 100:3 201:1 101:0 ok
}

// A Pyrrha switch isolates roots by their distance. How far they can be is another matter at each
// port.
func ExampleNetwork_Levels() {
	network, err := leafSpine().Build(hashpath.Config{})
	if err != nil {
		panic(err)
	}
	levels := network.Levels()
	fmt.Println("card:", levels[sluice.Hop{Switch: 0}])
	fmt.Println("uplink:", levels[sluice.Hop{Switch: 100, Port: 2}])
	fmt.Println("spine:", levels[sluice.Hop{Switch: 200, Port: 0}])
	fmt.Println("port to a host:", levels[sluice.Hop{Switch: 100, Port: 0}])
	// Output:
	// card: 3
	// uplink: 2
	// spine: 1
	// port to a host: 0
}

// Three servers in a line, without a switch: the middle one forwards.
func ExampleBuilder_AddForwardingHost() {
	b := hashpath.NewBuilder()
	for id := range sluice.SwitchID(3) {
		b.AddForwardingHost(id)
	}
	b.Connect(sluice.Hop{Switch: 0}, sluice.Hop{Switch: 1, Port: 0})
	b.Connect(sluice.Hop{Switch: 1, Port: 1}, sluice.Hop{Switch: 2})
	network, err := b.Build(hashpath.Config{})
	if err != nil {
		panic(err)
	}
	flow := hashpath.FlowBetween(0, 2, 50000, 4791, 17)
	path, status := network.Path(0, sluice.Local, &flow)
	fmt.Println(path.String(), status)
	// Output: 0:0 1:1 ok
}

// The tables of a leaf, and their changes after a failed link.
func ExampleNetwork_Snapshot() {
	network, err := leafSpine().Build(hashpath.Config{Hash: hashpath.Hash{Kind: hashpath.KindCRC32C}})
	if err != nil {
		panic(err)
	}
	before := network.Snapshot()
	leaf := before.Nodes[4]
	for destination, entry := range before.Replicas[leaf.Replica] {
		if entry.Kind == hashpath.ToGroup && destination != leaf.Destination {
			fmt.Print("leaf ", leaf.Name, " to destination ", destination, " by ports")
			for _, link := range before.Groups[entry.Index] {
				fmt.Print(" ", leaf.Links[link].Port)
			}
			fmt.Println()
		}
	}
	if err := network.FailLink(sluice.Hop{Switch: 100, Port: 5}); err != nil {
		panic(err)
	}
	d, err := hashpath.Compare(before, network.Snapshot())
	if err != nil {
		panic(err)
	}
	for _, c := range d.Slots {
		fmt.Println("group", c.Group, "slot", c.Slot, "was link", c.Old, "is", c.New)
	}
	for _, c := range d.Entries {
		fmt.Println("replica", c.Replica, "destination", c.Destination, "was", c.Old, "is", c.New)
	}
	// Output:
	// leaf 100 to destination 1 by ports 2 3 4 5
	// group 0 slot 3 was link 3 is -1
	// replica 2 destination 0 was none is link 1
	// replica 2 destination 1 was none is link 1
}

// A switch that hashes the five-tuple with CRC-16 and uses the four bits from bit 8 up.
func ExampleHasher() {
	hasher, err := hashpath.NewHasher(hashpath.Hash{
		Kind: hashpath.KindCRC16CCITT, Seed: 0x1234, Offset: 8, Width: 4,
	})
	if err != nil {
		panic(err)
	}
	flow := hashpath.MakeFlow(
		netip.MustParseAddrPort("10.0.0.1:50000"), netip.MustParseAddrPort("10.0.1.1:4791"), 17,
	)
	fmt.Printf("%x of % x\n", hasher.Sum(0, &flow), hasher.AppendInput(nil, 0, &flow))
	// Output: c of 0a 00 00 01 0a 00 01 01 c3 50 12 b7 11
}
