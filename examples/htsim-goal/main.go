// Htsim-goal runs a schedule over package network with the rule of SPCL's htsim: a message ends, at
// its receiver too, when its last acknowledgement has come back to its sender.
//
//	go run ./examples/htsim-goal [SCHEDULE TOPOLOGY SETTINGS SEED]
//
// Without arguments it runs a small one of its own. It reads what compare.py writes of GOAL: lines
// of send, recv and calc with labels, and of requires. Rank r is host r.
package main

import (
	_ "embed"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice/kit/network"
)

//go:embed testdata/ring.goal
var ring string

//go:embed testdata/star.txt
var star string

func main() {
	log.SetFlags(0)
	schedule, config := ring, network.Config{Topology: star}
	if len(os.Args) == 5 {
		schedule, config.Topology = text(os.Args[1]), text(os.Args[2])
		config.Settings = strings.Split(os.Args[3], ",")
		seed, err := strconv.ParseUint(os.Args[4], 10, 64)
		check(err)
		config.Seed = seed
	} else if len(os.Args) != 1 {
		log.Fatal("usage: htsim-goal [SCHEDULE TOPOLOGY SETTINGS SEED]")
	}
	operations, err := read(schedule)
	check(err)
	n, err := network.New(config)
	check(err)
	r := run{network: n, sends: map[network.MessageID]*operation{}, pairs: map[pair]*messages{}}
	check(r.all(operations))
	fmt.Printf("last %.3f us, %d messages, mean %.3f us\n",
		r.last.Microseconds(), len(r.sends), r.took.Microseconds()/float64(max(len(r.sends), 1)))
}

func text(file string) string {
	text, err := os.ReadFile(file)
	check(err)
	return string(text)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
