// Tofino-bfc makes the program of a BFC switch for the Tofino 2 and runs it beside the machine.
//
// The chip cannot search for a free queue, multiply by 64 bits or draw at random: RealiseBFC says
// what it takes instead. The machine of that configuration and the program are given the same
// packets: a flow fills a queue until the queue upstream that it came from is paused, and empties
// it until that is resumed.
package main

import (
	"fmt"
	"log"
	"net/netip"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/fit"
	"github.com/sluicefc/sluice/tofino/replay"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	machine, changes, err := tofino.RealiseBFC(bfc.Config{Queues: 24,
		Ports: []bfc.PortConfig{{Link: link}, {Link: link}, {Link: link}}})
	if err != nil {
		return err
	}
	for _, change := range changes {
		fmt.Println("changed:", change)
	}
	config := tofino.BFCConfig{Machine: machine, Ports: []chip.DevPort{136, 144, 152}}
	var routes []netip.Addr
	for port := range config.Ports {
		to := netip.AddrFrom4([4]byte{10, 0, byte(port), 1})
		routes = append(routes, to)
		config.Routes = append(
			config.Routes, tofino.Route{To: netip.PrefixFrom(to, 32), Port: sluice.PortID(port)},
		)
	}
	made, err := tofino.NewBFC(config)
	if err != nil {
		return err
	}
	cost := fit.Of(made.Program, made.Config)
	fmt.Printf("%d tables, %d registers, %d of %d blocks\n", len(made.Program.Tables),
		len(made.Program.Registers),
		cost.Total.Blocks, chip.BlocksPerPipe)
	beside, err := replay.BFC(made, routes)
	if err != nil {
		return err
	}
	tap, err := replay.New(beside)
	if err != nil {
		return err
	}
	return fill(tap)
}

// fill gives port 2 packets of a flow that waited in queue 5 of the device behind port 0.
func fill(tap *replay.Tap) error {
	var waiting []*sluice.Packet
	for range 40 {
		p := &sluice.Packet{Flow: 0xC0FFEE, Size: 1518, Ingress: 0, UpstreamQueue: 5}
		tap.Enqueue(0, 2, p)
		waiting = append(waiting, p)
		tell(tap, len(waiting))
	}
	for len(waiting) > 0 {
		q, _ := tap.Next(0, 2)
		tap.Dequeue(0, 2, q, waiting[0])
		waiting = waiting[1:]
		tell(tap, len(waiting))
	}
	if err := tap.Check(); err != nil {
		return err
	}
	fmt.Println("the program decided as the machine did, in all", tap.Stats().Inputs, "inputs")
	return nil
}

// tell prints the frames that are due.
func tell(tap *replay.Tap, packets int) {
	for {
		octets, kind, ok := tap.PollFrame(0, 0, nil)
		if !ok {
			return
		}
		var f bfc.Frame
		if f.Parse(octets) == nil {
			fmt.Printf("%2d packets wait: %s of queue %d upstream, number %d, %d octets\n", packets, kind,
				f.Queues[0],
				f.Sequence, len(octets))
		}
	}
}
