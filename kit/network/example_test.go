package network_test

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit/network"
)

// topology has the hosts 0 to 5 at the switches 6 and 7, with two links between these.
const topology = `8 2 8
6 7
0 6 100Gbps 1us 0
1 6 100Gbps 1us 0
2 6 100Gbps 1us 0
3 7 100Gbps 1us 0
4 7 100Gbps 1us 0
5 7 100Gbps 1us 0
6 7 100Gbps 1us 0
6 7 100Gbps 1us 0
`

// A ring all-reduce of three ranks: each rank sends on what it got, twice 2 times.
func Example() {
	n, err := network.New(network.Config{Topology: topology, Protocol: "pyrrha"})
	if err != nil {
		fmt.Println(err)
		return
	}
	ranks := []sluice.SwitchID{0, 3, 1}
	send := func(rank int, step uint64) {
		if _, err := n.Send(ranks[rank], ranks[(rank+1)%3], 100_000, step); err != nil {
			fmt.Println(err)
		}
	}
	for rank := range ranks {
		send(rank, 1)
	}
	arrived := 0
	for {
		event, ok, err := n.Next(sluice.Never)
		if err != nil || !ok {
			fmt.Println(arrived, "messages,", n.Counters().Dropped, "packets dropped", err)
			return
		}
		if event.Kind != network.Arrived {
			continue
		}
		arrived++
		if event.Tag < 4 {
			for rank, host := range ranks {
				if host == event.Dst {
					send(rank, event.Tag+1)
				}
			}
		}
	}
	// Output: 12 messages, 0 packets dropped <nil>
}
