package workload_test

import (
	"fmt"
	"log"
	"os"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// An incast of three flows into host 0, and web-server traffic that leaves host 0 alone.
func ExampleMerge() {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	g, err := topo.LeafSpine(topo.LeafSpineConfig{
		Racks: 2, Spines: 1, HostsPerRack: 2, HostLink: link, Uplink: link,
	})
	if err != nil {
		log.Fatal(err)
	}
	incast, err := workload.IncastBurst(g, workload.IncastConfig{
		Seed: 1, Destination: 0, Degree: 3, Racks: workload.OtherRacks, MinPackets: 30, MaxPackets: 40,
		PacketBytes: 1460,
	})
	if err != nil {
		log.Fatal(err)
	}
	traffic, err := workload.Poisson(g, workload.TrafficConfig{
		Seed: 1, Sizes: workload.WebServer, LoadPerMille: 800, Exclude: []sluice.SwitchID{0}, Flows: 2,
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := workload.WriteFlows(os.Stdout, workload.Merge(incast, traffic)); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %.0f bytes on average\n", workload.WebServer.Name(), workload.WebServer.Mean())
	// Output:
	// 5
	// 2 0 0 100 48180 0.000000000
	// 2 0 0 100 46720 0.000000000
	// 2 0 0 100 55480 0.000000000
	// 2 3 0 100 1866 0.000002360268
	// 3 2 0 100 1128 0.000003561105
	// webserver: 62561 bytes on average
}
