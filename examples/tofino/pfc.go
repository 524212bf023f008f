package main

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// runPFC makes what a Tofino 2 is loaded with of the configuration that makes a pfc.Switch.
//
// The chip counts cells of 176 bytes and has nine values of alpha: RealisePFC says what it changes,
// and the machine to compare the chip with is made of the changed configuration. NewPFC makes the
// entries of it, which name the driver's own tables: PFC needs no program.
func runPFC() error {
	port := pfc.PortConfig{
		Link:    sluice.Link{Rate: 100 * sluice.Gbps, Delay: pfc.Cable(100)},
		Profile: pfc.Profile{Alpha: sluice.Ratio{Num: 1, Den: 3}, Reserve: 4 * sluice.KiB},
	}
	port.Headroom = port.HeadroomFor(1518, 0)
	config := pfc.Config{Buffer: 32 * sluice.MiB, Classes: sluice.MakeClassSet(3, 4),
		Ports: []pfc.PortConfig{port, port}}

	// An alpha that the traffic manager does not have is nobody's to choose but ours.
	_, _, err := tofino.RealisePFC(config)
	fmt.Println("refused:", err)
	for i := range config.Ports {
		config.Ports[i].Alpha = sluice.Ratio{Num: 1, Den: 4}
	}
	realised, changes, err := tofino.RealisePFC(config)
	if err != nil {
		return err
	}
	printChanges(changes)
	machine, err := pfc.New(realised)
	if err != nil {
		return err
	}
	fmt.Printf("the machine pauses class 3 of port 0 at %v, the chip when it has 20 %% of what it "+
		"and the free pool of %v have\n",
		machine.Port(0).XOff(3), machine.Pool())

	made, err := tofino.NewPFC(tofino.PFCConfig{Machine: realised, Ports: []chip.DevPort{136, 144}})
	if err != nil {
		return err
	}
	for _, entry := range made.Config.Fixed {
		if entry.Table == ir.PriorityGroup {
			fmt.Print(entry.Table.Name, " pipe ", entry.Pipe)
			for _, datum := range append(entry.Keys, entry.Data...) {
				fmt.Printf(" %s=%v", datum.Field, datum.Value)
			}
			fmt.Println()
		}
	}
	for _, omitted := range made.Omitted {
		fmt.Println("left as the driver has it:", omitted)
	}
	return nil
}
