package main

import (
	"fmt"
	"log"
	"net/netip"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
)

// printWays prints a few flows of each kind.
func printWays(flows []flow, before, after []sluice.Path) {
	const each = 5
	var printed [2]int // flows that did not use the link, that did
	for i, f := range flows {
		k := usesBroken(&before[i])
		if printed[k]++; printed[k] > each {
			continue
		}
		now := "the same"
		if after[i] != before[i] {
			now = after[i].String()
		}
		fmt.Printf("%3d to %-3d %-26s %s\n", f.src, f.dst, before[i].String(), now)
	}
	fmt.Println()
}

// printMoves counts the flows that moved.
func printMoves(choice hashpath.Selection, before, after []sluice.Path) {
	var flows, moved [2]int // that did not use the link, that did
	for i := range before {
		k := usesBroken(&before[i])
		flows[k]++
		if after[i] != before[i] {
			moved[k]++
		}
	}
	fmt.Printf("%-9v  of %d flows by the link moved %d, of %d others %d\n",
		choice, flows[1], moved[1], flows[0], moved[0])
}

// printOutward prints the way from host 0 to an address outside.
func printOutward(network *hashpath.Network) {
	const https, tcp = 443, 6
	tuple := hashpath.MakeFlow(netip.AddrPortFrom(hashpath.HostAddress(0), 49152),
		netip.AddrPortFrom(outside.Addr().Next(), https), tcp)
	path, status := network.Path(0, sluice.Local, &tuple)
	if status != hashpath.OK {
		log.Fatal(status)
	}
	fmt.Printf("\n  0 to %v %v\n", outside.Addr().Next(), path.String())
}

// usesBroken returns 1 if a path goes over the link that breaks, else 0.
func usesBroken(path *sluice.Path) int {
	for _, hop := range path.Hops() {
		if hop == broken[0] || hop == broken[1] {
			return 1
		}
	}
	return 0
}
