package topo_test

import (
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo"
)

// The network of the Pyrrha paper, and the window of one bandwidth-delay product that goes with it.
func ExampleLeafSpine() {
	host := sluice.Link{Rate: 100 * sluice.Gbps, Delay: 600 * sluice.Nanosecond}
	up := sluice.Link{Rate: 400 * sluice.Gbps, Delay: 600 * sluice.Nanosecond}
	g, err := topo.LeafSpine(topo.LeafSpineConfig{
		Racks: 10, Spines: 4, HostsPerRack: 16, HostLink: host, Uplink: up,
	})
	if err != nil {
		log.Fatal(err)
	}
	rtt := g.BaseRTT(1460)
	fmt.Println(g.Name, len(g.Hosts()), "hosts,", rtt, host.Rate.BDP(rtt))
	// Output: leaf-spine 10x4x16 160 hosts, 5.09us 63625B
}

func ExampleRead() {
	const file = "3 1 2\n2\n0 2 100Gbps 0.001ms 0\n1 2 100Gbps 1us 0\n"
	g, err := topo.Read(strings.NewReader(file), "pair")
	if err != nil {
		log.Fatal(err)
	}
	if err := g.WriteHPCC(os.Stdout); err != nil {
		log.Fatal(err)
	}
	_, err = topo.Read(
		strings.NewReader("3 1 2\n2\n0 2 100Gbps 0.001ms 0\n1 2 fast 1us 0\n"), "pair.txt",
	)
	fmt.Println(err)
	// Output:
	// 3 1 2
	// 2
	// 0 2 100Gbps 1us 0
	// 1 2 100Gbps 1us 0
	// pair.txt:4: rate "fast" is not a number with a unit (Tbps, Gbps, Mbps, kbps, bps)
}
