package chip_test

import (
	"fmt"

	"github.com/sluicefc/sluice/tofino/chip"
)

// The word that pauses queue 3 of a 100G port, on a port group that four such ports share.
func ExamplePause() {
	carving, err := chip.Breakout(4)
	if err != nil {
		fmt.Println(err)
		return
	}
	port, err := chip.NewDevPort(1, 2, 6)
	if err != nil {
		fmt.Println(err)
		return
	}
	queue, err := carving.Queue(port, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(port)
	fmt.Println(queue)
	fmt.Println("PAUSE", chip.Pause(queue), "RESUME", chip.Resume(queue))
	// Output:
	// 150 (pipe 1, group 2, channel 6)
	// pipe 1, group 2, queue 99
	// PAUSE 0xA4318001 RESUME 0xA4318000
}

// A depth in pairs of cells does not distinguish a threshold of 100 cells from one of 99.
func ExampleDepthUnit_Round() {
	var unit chip.DepthUnit // two cells
	_, exact := unit.Limit(chip.Above, 100)
	down, up := unit.Round(chip.Above, 100)
	limit, _ := unit.Limit(chip.Above, up)
	fmt.Println(exact, down, up)
	fmt.Printf("cells > %d is qlength > %d\n", up, limit)
	// Output:
	// false 99 101
	// cells > 101 is qlength > 50
}
