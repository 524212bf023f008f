package bfc

import "github.com/sluicefc/sluice"

// hostConfig is a card with the given number of queues, whose link the lab fills in.
func hostConfig(queues int) Config {
	c := HostConfig(sluice.Link{})
	c.Queues = queues
	return c
}
