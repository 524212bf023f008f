package main

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
	"github.com/sluicefc/sluice/tofino/replay"
)

// Flows are hashes of five-tuples: here two CRCs side by side.
const (
	flowA = 0xA1B2C3D4_00000001
	flowB = 0xB5A69788_00000002
	class = 3
)

// runOFC makes the program of an OFC switch for the Tofino 2 and runs it beside the machine.
//
// A packet of a paused flow that comes out of its queue goes round by the recirculation port into
// another queue, which is held; a frame that resumes the flow goes round behind it, and has that
// queue served first. Here flow A is paused while packets of flows A and B wait, and resumed. A tap
// compares each decision with the machine's. Then the same with a word of flow control that names
// the wrong queue.
func runOFC() error {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	asked := ofc.Config{Ports: []ofc.PortConfig{{Link: link}, {Link: link}}}
	machine, changes, err := tofino.RealiseOFC(asked)
	if err != nil {
		return err
	}
	printChanges(changes)
	routes := []netip.Addr{netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.1.1")}
	c := tofino.OFCConfig{Machine: machine, Ports: []chip.DevPort{136, 144}}
	for at, to := range routes {
		c.Routes = append(c.Routes, tofino.Route{To: netip.PrefixFrom(to, 32), Port: sluice.PortID(at)})
	}
	made, err := tofino.NewOFC(c)
	if err != nil {
		return err
	}
	printCost(made.Program, made.Config)

	fmt.Println("with its entries:")
	if err := ofcReplayed(made, routes); err != nil {
		return err
	}
	fmt.Println("with a word of the wrong queue:")
	for _, filled := range made.Config.Tables {
		if filled.Table.Name == "afc" {
			word := &filled.Entries[24+3*class+1].Data[0] // of port 1, first backup queue
			*word = ir.Uint(word.Lo + 1<<15)
		}
	}
	return ofcReplayed(made, routes)
}

// ofcReplayed lets packets of two flows wait at port 1 and go, one flow paused for a while, and
// prints by which queue each leaves.
func ofcReplayed(made *tofino.OFC, routes []netip.Addr) error {
	config, err := replay.OFC(made, routes)
	if err != nil {
		return err
	}
	tap, err := replay.New(config)
	if err != nil {
		return err
	}
	store, err := kit.NewStore[struct{}](10)
	if err != nil {
		return err
	}
	d := &ofcDevice{Tap: tap, store: store}
	d.driver = kit.NewDriver(d, store, d)
	for _, flow := range []uint64{flowA, flowB, flowA, flowB, flowA} {
		h, _ := store.Take()
		store.At(h).Packet = sluice.Packet{Flow: flow, Size: 1000, Class: class}
		d.driver.Enqueue(0, 1, h)
	}
	d.tell(ofc.Pause, 1)
	d.send(2)
	d.tell(ofc.Resume, 2)
	d.send(3)
	if err := tap.Check(); err != nil {
		lines := strings.SplitN(err.Error(), "\n", 2)
		fmt.Printf("  %.150s...\n", lines[0])
		return nil
	}
	fmt.Println("  the program decided as the machine did, in all", tap.Stats().Inputs, "inputs")
	return nil
}
