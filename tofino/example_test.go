package tofino_test

import (
	"fmt"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

func ExampleRealisePFC() {
	if err := pfcStory(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// refused: Ports[0].Alpha
	// changed: CellSize becomes 176B
	// changed: Buffer becomes 33554400B
	// changed: Ports[0].Reserve becomes 4224B
	// changed: Ports[0].Headroom becomes 42416B
	// changed: Ports[0].ResumeOffset becomes 3168B
	// changed: Ports[1].Reserve becomes 4224B
	// changed: Ports[1].Headroom becomes 42416B
	// changed: Ports[1].ResumeOffset becomes 3168B
	// the machine pauses class 3 of port 0 at 8346184B, with a free pool of 33367840B
	// tf2.tm.ppg.cfg pipe 1
	// ppg_id 1
	// dev_port 136
	// pfc_enable true
	// pfc_skid_max_cells 241
	// icos_3 true
	// guaranteed_cells 24
	// hysteresis_cells 18
	// pool_id IG_APP_POOL_0
	// pool_max_cells 1
	// dynamic_baf 20%
	// left alone: ECN marking, pause watchdog, classic pause, address and time of pause frames
	// left alone: limits of the lossy classes {0 1 2 5 6 7}
}

// pfcStory makes what a Tofino 2 is loaded with of the configuration that makes a pfc.Switch.
//
// The chip counts cells of 176 bytes and has nine values of alpha: RealisePFC says what it changes,
// and the machine to compare the chip with is made of the changed configuration. NewPFC makes the
// entries of it, which name the driver's own tables: PFC needs no program.
func pfcStory() error {
	port := pfc.PortConfig{
		Link:    sluice.Link{Rate: 100 * sluice.Gbps, Delay: pfc.Cable(100)},
		Profile: pfc.Profile{Alpha: sluice.Ratio{Num: 1, Den: 3}, Reserve: 4 * sluice.KiB},
	}
	port.Headroom = port.HeadroomFor(1518, 0).Total
	config := pfc.Config{Buffer: 32 * sluice.MiB, Classes: sluice.MakeClassSet(3, 4),
		Ports: []pfc.PortConfig{port, port}}

	// We choose the alpha, because the traffic manager does not have the default.
	_, _, err := tofino.RealisePFC(config)
	fmt.Println("refused:", err.(*sluice.ConfigError).Field)
	for i := range config.Ports {
		config.Ports[i].Alpha = sluice.Ratio{Num: 1, Den: 4}
	}
	realised, changes, err := tofino.RealisePFC(config)
	if err != nil {
		return err
	}
	for _, change := range changes {
		fmt.Println("changed:", change.Field, "becomes", change.To)
	}
	machine, err := pfc.New(realised)
	if err != nil {
		return err
	}
	fmt.Printf("the machine pauses class 3 of port 0 at %v, with a free pool of %v\n",
		machine.Port(0).XOff(3), machine.Pool())

	made, err := tofino.NewPFC(tofino.PFCConfig{Machine: realised, Ports: []chip.DevPort{136, 144}})
	if err != nil {
		return err
	}
	for _, entry := range made.Config.Fixed {
		if entry.Table == ir.PriorityGroup {
			fmt.Println(entry.Table.Name, "pipe", entry.Pipe)
			for _, datum := range append(entry.Keys, entry.Data...) {
				fmt.Println(datum.Field, datum.Value)
			}
			break
		}
	}
	for _, omitted := range made.Omitted {
		fmt.Println("left alone:", strings.Split(omitted, ": ")[0])
	}
	return nil
}
