package main

import (
	"github.com/sluicefc/sluice"
)

// lookEvery is how often a node looks whether its links are up.
const lookEvery = 20 * sluice.Millisecond

func (n *node) watchLinks() {
	if n.now < n.lookLinks {
		return
	}
	n.lookLinks = n.now + lookEvery
	for i := range n.ports {
		n.watchLink(sluice.PortID(i))
	}
}

// watchLink tells the machine if a link went down or came up.
func (n *node) watchLink(id sluice.PortID) {
	p := &n.ports[id]
	switch up := p.socket.carrier(); {
	case up && p.down:
		// Not before what was on the link when it failed is gone: see LinkUp of the protocols.
		if n.now-p.downSince >= n.settings.link().Delay {
			p.down = false
			p.Ups++
			n.driver.LinkUp(n.now, id)
			n.driver.Ready(n.now, id)
		}
	case !up && !p.down:
		p.down, p.downSince = true, n.now
		p.Downs++
		n.driver.LinkDown(n.now, id)
		n.driver.Flush(n.now, id)
	}
}
