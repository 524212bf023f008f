package explore_test

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/explore"
	"github.com/sluicefc/sluice/pfc"
)

// Two hosts send to a third through a switch with room for two packets of each: whatever comes
// first, PFC loses none, wakes the ports that it must, and pauses none in the end.
func Example() {
	link := sluice.Link{Rate: 100 * sluice.Gbps}
	host := explore.Node{New: func() (kit.Machine, error) {
		return kit.WrapNew(pfc.New(pfc.HostConfig(link)))
	}}
	middle := explore.Node{New: func() (kit.Machine, error) {
		port := pfc.PortConfig{Link: link, Profile: pfc.Profile{XOff: 1000, XOn: 500, Headroom: 2000}}
		return kit.WrapNew(pfc.New(pfc.Config{
			Classes: 1, Ports: []pfc.PortConfig{port, port, port},
		}))
	}}
	at := func(node sluice.SwitchID, port sluice.PortID) sluice.Hop {
		return sluice.Hop{Switch: node, Port: port}
	}
	packets := func(from sluice.SwitchID) explore.Flow {
		return explore.Flow{
			Packet: sluice.Packet{Size: 1000}, Way: []sluice.Hop{at(from, 0), at(3, 2)}, Packets: 3,
		}
	}
	network := explore.Network{
		Nodes: []explore.Node{host, host, host, middle},
		Links: []explore.Link{
			{A: at(0, 0), B: at(3, 0)}, {A: at(1, 0), B: at(3, 1)}, {A: at(2, 0), B: at(3, 2)},
		},
		Flows:  []explore.Flow{packets(0), packets(1)},
		Timers: explore.TimersNever,
	}
	result, err := network.Explore(explore.Options{})
	fmt.Println(err, result.Whole, result.Violation == nil)
	// Output: <nil> true true
}
