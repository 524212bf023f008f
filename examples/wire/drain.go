package main

import (
	"time"

	"github.com/sluicefc/sluice"
)

// snapshots asks every node what it counted, and the kernel what it did not pass on.
func (l *lab) snapshots() []snapshot {
	all := make([]snapshot, len(l.nodes))
	for i, n := range l.nodes {
		ask := func() { all[i] = n.snapshot() }
		if !n.do(ask) {
			ask() // it does not run, or not any more
		}
		for port := range all[i].ports {
			all[i].ports[port].Severed = l.cables.severed(n.place, sluice.PortID(port))
		}
	}
	return all
}

// drain stops the sources, waits until all that they sent has arrived or is lost, and returns what
// was counted.
func (l *lab) drain() []snapshot {
	for _, n := range l.nodes {
		n.do(n.stopSources)
	}
	const look, calm, most = 50 * time.Millisecond, 4, 100
	all := l.snapshots()
	for quiet, looks := 0, 0; quiet < calm && looks < most; looks++ {
		time.Sleep(look)
		before := moved(all)
		if all = l.snapshots(); moved(all) == before && waiting(all) == 0 {
			quiet++
		} else {
			quiet = 0
		}
	}
	return all
}

// moved counts packets.
func moved(all []snapshot) (sum uint64) {
	for _, s := range all {
		for _, p := range s.ports {
			sum += p.Forwarded + p.Delivered
		}
	}
	return sum
}

func waiting(all []snapshot) (sum int) {
	for _, s := range all {
		for _, p := range s.ports {
			sum += p.waiting
		}
	}
	return sum
}
