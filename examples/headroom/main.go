// Headroom reads the configuration of a SONiC switch and says whether its headrooms are enough: of
// each lossless priority group that is short, by how much, and the burst that loses a packet. Last
// it gives each what it needs, and says what is left to share.
//
// The command sluice-headroom says more; `go run ./bench run -sonic config_db.json` runs traffic
// over switches that are configured so.
package main

import (
	_ "embed"
	"fmt"
	"log"

	"github.com/sluicefc/sluice/pfc/sonic"
)

//go:embed config_db.json
var config []byte

func main() {
	chip := sonic.Chip{Cell: 256, MACPHY: 1024, LosslessMTU: 4096} // the other figures are its own
	db, err := sonic.Parse(config)
	if err != nil {
		log.Fatal(err)
	}
	s, err := db.Import(chip)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d ports, %d bytes to share\n", len(s.Ports), s.Config.Buffer-s.Config.SetApart())
	for _, short := range s.Config.Shortages(chip.LosslessMTU) {
		port := &s.Config.Ports[short.Port]
		burst := port.Burst(chip.LosslessMTU, chip.Cell, short.Headroom)
		last := burst[len(burst)-1]
		fmt.Printf("%s|%d: %d bytes short: %d frames back to back lose the last, of %d bytes, at %v\n",
			s.Ports[short.Port], short.Class, short.Needed-short.Headroom, len(burst), last.Size,
			last.Begins)
		port.Profiles[short.Class].Headroom = short.Needed
	}
	fmt.Printf("with what they need, %d bytes to share\n", s.Config.Buffer-s.Config.SetApart())
}
