// Onward-path predicts the ways of flows through a network whose switches choose by hash, and then
// fails a link.
//
// Four leaves with four hosts each are all connected to four spines. Package hashpath gets the
// cables, the switches' hash function and their seeds, so it knows the way of every flow; a Pyrrha
// switch asks it whether a packet is bound for a congested port far away. Printed are the ways of
// some flows, each hop as switch:port of the egress, before and after the link between leaf 100 and
// spine 202 failed. Then: of 10,000 flows, how many moved that had used the link, and how many that
// had not, for two ways of choosing among the ports that are left. With the resilient way only
// flows move that have to. At last, the way of a flow to an address outside, which leaves the
// network by one of the two ports that lead to the address's prefix.
package main

import (
	"fmt"
	"log"
	"math/rand/v2"
	"net/netip"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
)

// Hosts are named from 0, leaves from 100, spines from 200. Leaf ports 0 to 3 go to hosts, 4 to 7
// to the spines.
const (
	width = 4 // hosts of a leaf, leaves, and spines
	hosts = width * width
	leaf  = sluice.SwitchID(100)
	spine = sluice.SwitchID(200)
)

// broken is the link that fails, as the egress of either end.
var broken = [2]sluice.Hop{
	{Switch: leaf, Port: width + 2},
	{Switch: spine + 2, Port: 0},
}

// outside are addresses that are not of this network.
var outside = netip.MustParsePrefix("192.0.2.0/24")

func main() {
	flows := someFlows(10_000)
	fmt.Println("flow      way                        after the failure")
	for _, choice := range []hashpath.Selection{hashpath.Resilient, hashpath.Modulo} {
		network := leafSpine(choice)
		before := ways(network, flows)
		if err := network.FailLink(broken[0]); err != nil {
			log.Fatal(err)
		}
		after := ways(network, flows)
		if choice == hashpath.Resilient {
			printWays(flows, before, after)
		}
		printMoves(choice, before, after)
		if choice == hashpath.Modulo {
			printOutward(network)
		}
	}
}

// leafSpine declares the network.
func leafSpine(choice hashpath.Selection) *hashpath.Network {
	b := hashpath.NewBuilder()
	for i := range sluice.SwitchID(width) {
		b.AddSwitch(leaf + i)
		b.AddSwitch(spine + i)
	}
	for i := range sluice.SwitchID(width) {
		for j := range sluice.SwitchID(width) {
			b.AddHost(i*width + j)
			b.Connect(sluice.Hop{Switch: i*width + j}, sluice.Hop{Switch: leaf + i, Port: sluice.PortID(j)})
			up := sluice.Hop{Switch: leaf + i, Port: sluice.PortID(width + j)}
			b.Connect(up, sluice.Hop{Switch: spine + j, Port: sluice.PortID(i)})
		}
	}
	b.AddPrefix(outside, sluice.Hop{Switch: spine, Port: width})
	b.AddPrefix(outside, sluice.Hop{Switch: spine + 3, Port: width})
	network, err := b.Build(hashpath.Config{
		Hash: hashpath.Hash{Kind: hashpath.KindCRC32C, Select: choice},
		Seed: 1, // every switch gets its own from it
	})
	if err != nil {
		log.Fatal(err)
	}
	return network
}

// flow is a five-tuple between two hosts.
type flow struct {
	src, dst sluice.SwitchID
	tuple    hashpath.Flow
}

func someFlows(n int) []flow {
	random := rand.New(rand.NewPCG(1, 1))
	flows := make([]flow, n)
	for i := range flows {
		src := sluice.SwitchID(random.IntN(hosts))
		dst := (src + 1 + sluice.SwitchID(random.IntN(hosts-1))) % hosts
		const rocev2, udp = 4791, 17
		flows[i] = flow{src, dst, hashpath.FlowBetween(src, dst, uint16(49152+i), rocev2, udp)}
	}
	return flows
}

// ways returns the path of each flow from its host on.
func ways(network *hashpath.Network, flows []flow) []sluice.Path {
	paths := make([]sluice.Path, len(flows))
	for i, f := range flows {
		path, status := network.Path(f.src, sluice.Local, &f.tuple)
		if status != hashpath.OK {
			log.Fatal(status)
		}
		paths[i] = path
	}
	return paths
}
