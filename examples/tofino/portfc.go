package main

import (
	"fmt"
	"log"
	"net/netip"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/portfc"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
	"github.com/sluicefc/sluice/tofino/replay"
)

var network = portfc.NDC{N: 4, K: 1}

const id = 16 // the first switch of layer 0

// runPortFC makes the program of a PortFC switch for the Tofino 2 and runs it beside the
// machine.
//
// NewPortFC makes a program and what fills it of the machine's own configuration. An interpreter
// runs both, packet by packet: here a switch of NDC(4,1) gets packets until it tells the nodes to
// pause, and lets them go until it tells them to resume. A tap compares each decision with the
// machine's. Then the same with thresholds that are a packet too high.
func runPortFC() error {
	asked := portfc.SwitchConfig(
		network, id, sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond},
	)
	asked.Buffer = 5 * sluice.MB
	machine, changes, err := tofino.RealisePortFC(asked)
	if err != nil {
		return err
	}
	printChanges(changes)
	made, err := tofino.NewPortFC(tofino.PortFCConfig{Machine: machine,
		Ports:     []chip.DevPort{136, 144, 152, 160},
		Addresses: tofino.DigitLayout{Base: netip.MustParseAddr("10.0.0.0")}})
	if err != nil {
		return err
	}
	printCost(made.Program, made.Config)

	fmt.Println("with its entries:")
	if err := portfcReplayed(made); err != nil {
		return err
	}
	fmt.Println("with X_off a packet too high:")
	for _, filled := range made.Config.Tables {
		for at := range filled.Entries {
			if filled.Table.Name == "limits" && filled.Entries[at].Action.Name == "arrives" {
				filled.Entries[at].Data[0] = ir.Uint(filled.Entries[at].Data[0].Lo + 9) // cells
			}
		}
	}
	return portfcReplayed(made)
}

// portfcReplayed fills the IHFQs of port 1 and empties them, and prints what is told to whom.
func portfcReplayed(made *tofino.PortFC) error {
	config, err := replay.PortFC(made)
	if err != nil {
		return err
	}
	tap, err := replay.New(config)
	if err != nil {
		return err
	}
	path, _ := network.Through(0, 5, 0, 1) // node 0 by this switch to node 1, which passes it on
	path.Advance()
	store, err := kit.NewStore[struct{}](60)
	if err != nil {
		return err
	}
	d := &device{store: store, port: 1, frames: func(port sluice.PortID) bool { return port != 1 }}
	d.show = func(port sluice.PortID, octets []byte, kind string) {
		var f portfc.Frame
		if err := f.Parse(octets); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("  %2d packets wait: %s to node %d: %v\n", d.driver.Waiting(1), kind,
			network.NodeAt(id, int(port)), f)
	}
	d.driver = kit.NewDriver(tap, store, d)
	for h, ok := store.Take(); ok; h, ok = store.Take() {
		store.At(h).Packet = sluice.Packet{Size: 1518, Path: path}
		d.driver.Enqueue(0, 1, h)
	}
	for d.driver.Waiting(1) > 0 {
		d.takes = true
		d.driver.Ready(0, 1)
	}
	if err := tap.Check(); err != nil {
		lines := strings.SplitN(err.Error(), "\n", 2)
		fmt.Printf("  %.150s...\n", lines[0])
		return nil
	}
	fmt.Println("  the program decided as the machine did, in all", tap.Stats().Inputs, "inputs")
	return nil
}
