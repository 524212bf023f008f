// Tofino makes what a Tofino 2 is loaded with of the machines' own configurations, and runs it
// beside the machines: of the protocols that are named, or of all.
//
//	go run ./examples/tofino bfc portfc
package main

import (
	"fmt"
	"log"
	"os"
	"slices"

	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/fit"
	"github.com/sluicefc/sluice/tofino/ir"
)

var protocols = []struct {
	name string
	run  func() error
}{
	{"pfc", runPFC}, {"bfc", runBFC}, {"ofc", runOFC}, {"pyrrha", runPyrrha}, {"portfc", runPortFC},
}

func main() {
	names := os.Args[1:]
	for _, protocol := range protocols {
		if len(names) > 0 && !slices.Contains(names, protocol.name) {
			continue
		}
		fmt.Printf("== %s\n", protocol.name)
		if err := protocol.run(); err != nil {
			log.Fatal(err)
		}
	}
}

// printChanges prints what the chip does otherwise than was asked for.
func printChanges(changes []tofino.Change) {
	for _, change := range changes {
		fmt.Println("changed:", change)
	}
}

// printCost prints what a program takes at least.
func printCost(p *ir.Program, filled *ir.Config) {
	cost := fit.Of(p, filled)
	fmt.Printf("%d tables, %d registers: at least %d of %d blocks\n", len(p.Tables),
		len(p.Registers), cost.Total.Blocks, chip.BlocksPerPipe)
}
