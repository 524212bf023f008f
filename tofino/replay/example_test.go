package replay_test

import (
	"fmt"
	"net/netip"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/fit"
	"github.com/sluicefc/sluice/tofino/ir"
	"github.com/sluicefc/sluice/tofino/replay"
)

// A switch of BFC with two ports, realised for the chip, and its program beside it. The tap is a
// machine like any other: here it is driven by hand.
func ExampleBFC() {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: 200 * sluice.Nanosecond}
	machine, changes, err := tofino.RealiseBFC(bfc.Config{
		Ports: []bfc.PortConfig{{Link: link}, {Link: link}}, Queues: 8, VFIDs: 1024,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("changed:", changes[0].Field, "and", len(changes)-1, "more fields")

	address := netip.MustParseAddr("10.0.0.1")
	made, err := tofino.NewBFC(tofino.BFCConfig{
		Machine: machine, Site: tofino.Site{Ports: []chip.DevPort{8, 16}},
		Routes: []tofino.Route{{To: netip.PrefixFrom(address, 32), Port: 0}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	config, err := replay.BFC(made, []netip.Addr{address})
	if err != nil {
		fmt.Println(err)
		return
	}
	tap, err := replay.New(config)
	if err != nil {
		fmt.Println(err)
		return
	}
	for now := sluice.Time(0); now < 50*sluice.Nanosecond; now += sluice.Nanosecond {
		tap.Enqueue(now, 0, &sluice.Packet{Flow: 42, Size: 1500, Ingress: 1, UpstreamQueue: 3})
	}
	if _, kind, ok := tap.PollFrame(0, 1, nil); ok {
		fmt.Println("port 1 sends", kind)
	}
	stats := tap.Stats()
	fmt.Println(stats.Packets, "packets and", stats.Frames, "frame compared; difference:", tap.Check())
	// Output:
	// changed: Index and 5 more fields
	// port 1 sends pause
	// 50 packets and 1 frame compared; difference: <nil>
}

// printChanges prints what the chip does otherwise than was asked for.
func printChanges(changes []tofino.Change) {
	for _, change := range changes {
		fmt.Println("changed:", change.Field, "becomes", change.To)
	}
}

// printCost prints what a program takes at least.
func printCost(p *ir.Program, filled *ir.Config) {
	cost := fit.Of(p, filled)
	fmt.Printf("%d tables, %d registers: at least %d of %d blocks\n", len(p.Tables),
		len(p.Registers), cost.Total.Blocks, chip.BlocksPerPipe)
}
