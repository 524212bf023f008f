// Tofino makes what a Tofino 2 is loaded with of a switch of BFC, and runs it beside the machine.
// Examples of the other protocols are in the documentation of packages tofino and replay.
package main

import (
	"fmt"
	"log"
	"net/netip"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/kit"
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

// run makes the program of a BFC switch for the Tofino 2 and runs it beside the machine.
//
// The chip cannot search for a free queue, multiply by 64 bits or draw at random: RealiseBFC says
// what it takes instead. The machine of that configuration and the program are given the same
// packets: a flow fills a queue until the queue upstream that it came from is paused, and empties
// it until that is resumed.
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
	config := tofino.BFCConfig{Machine: machine,
		Site: tofino.Site{Ports: []chip.DevPort{136, 144, 152}}}
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
	fmt.Printf("%d tables, %d registers: at least %d of %d blocks\n", len(made.Program.Tables),
		len(made.Program.Registers), cost.Total.Blocks, chip.BlocksPerPipe)
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

// fill gives port 2 packets of a flow that waited in queue 5 of the device behind port 0, and lets
// them leave.
func fill(tap *replay.Tap) error {
	store, err := kit.NewStore[struct{}](40)
	if err != nil {
		return err
	}
	d := &device{store: store}
	d.driver = kit.NewDriver(tap, store, d)
	for h, ok := store.Take(); ok; h, ok = store.Take() {
		store.At(h).Packet = sluice.Packet{Flow: 0xC0FFEE, Size: 1518, UpstreamQueue: 5}
		d.driver.Enqueue(0, 2, h)
	}
	for d.driver.Waiting(2) > 0 {
		d.takes = true
		d.driver.Ready(0, 2)
	}
	if err := tap.Check(); err != nil {
		return err
	}
	fmt.Println("the program decided as the machine did, in all", tap.Stats().Inputs, "inputs")
	return nil
}

// device is the driver's sender: it prints frames, which leave by port 0 at any time; port 2 sends
// one packet each time takes is set.
type device struct {
	store  *kit.Store[struct{}]
	driver *kit.Driver[struct{}]
	takes  bool
}

// Free reports whether a port may send.
func (d *device) Free(port sluice.PortID) bool { return port == 0 || port == 2 && d.takes }

// Send ends the way of a packet.
func (d *device) Send(_ sluice.PortID, h kit.Handle) {
	d.store.Release(h)
	d.takes = false
}

// SendFrame shows a frame.
func (d *device) SendFrame(_ sluice.PortID, octets []byte, kind string) {
	var f bfc.Frame
	if err := f.Parse(octets); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%2d packets wait: %s of queue %d upstream, number %d, %d octets\n",
		d.driver.Waiting(2), kind, f.Queues[0], f.Sequence, len(octets))
}

// Drop is what must not happen.
func (d *device) Drop(_ sluice.PortID, _ kit.Handle, why sluice.Reason) { log.Fatal(why) }
