package main

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pyrrha"
)

// Each protocol has a configuration for a card and one for a switch.

func pfcConfig(n *node) pfc.Config {
	if len(n.ports) == 1 {
		return pfc.HostConfig(n.ports[0].link)
	}
	config := pfc.Config{Buffer: sluice.MiB, Classes: sluice.MakeClassSet(class)}
	for _, p := range n.ports {
		port := pfc.PortConfig{Link: p.link, Profile: pfc.Profile{XOff: 30 * mtu, XOn: 20 * mtu}}
		port.Headroom = port.HeadroomFor(mtu, 0).Total
		config.Ports = append(config.Ports, port)
	}
	return config
}

func bfcConfig(n *node) bfc.Config {
	if len(n.ports) == 1 {
		return bfc.HostConfig(n.ports[0].link)
	}
	config := bfc.Config{Queues: 32}
	for _, p := range n.ports {
		upstream := config.Queues
		if len(p.peer.ports) == 1 {
			upstream = bfc.HostQueues
		}
		config.Ports = append(config.Ports, bfc.PortConfig{Link: p.link, UpstreamQueues: upstream})
	}
	return config
}

func pyrrhaConfig(n *node) pyrrha.Config {
	if len(n.ports) == 1 {
		config := pyrrha.HostConfig(n.ports[0].link)
		config.Switch = n.id
		return config
	}
	config := pyrrha.Config{Switch: n.id, IQs: 8}
	for _, p := range n.ports {
		role := pyrrha.Down
		if len(p.peer.ports) == 1 {
			role = pyrrha.Host
		}
		config.Ports = append(config.Ports, pyrrha.PortConfig{Link: p.link, Role: role})
	}
	return config
}
