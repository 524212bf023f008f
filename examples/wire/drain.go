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
		before := l.sum(all)
		if all = l.snapshots(); l.sum(all) == before && before.waiting == 0 {
			quiet++
		} else {
			quiet = 0
		}
	}
	return all
}

// sums tell whether anything is under way. Protocols that repeat their state send frames for ever,
// and nodes are asked one after the other: a frame may be between one that was asked and one that
// was not. Then a port has heard less than was sent to it, which is the same again only if it is
// lost. What a foreign host has heard, nobody knows.
type sums struct{ packets, waiting, unheard int }

func (l *lab) sum(all []snapshot) (s sums) {
	for _, node := range all {
		for id, p := range node.ports {
			s.packets += int(p.Forwarded + p.Delivered)
			s.waiting += p.waiting
			if foreign := l.settings.foreign; node.place.name != foreign &&
				node.place.peers[id].name != foreign {
				s.unheard += int(p.Sent) - int(p.Received)
			}
		}
	}
	return s
}
