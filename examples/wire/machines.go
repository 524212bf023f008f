package main

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/portfc"
	"github.com/sluicefc/sluice/pyrrha"
)

// protocols makes the machine of a node: to choose another protocol is to choose another line.
var protocols = map[string]func(s *site) (kit.Machine, error){
	"none":   func(s *site) (kit.Machine, error) { return kit.WrapNew(pfc.New(noneConfig(s))) },
	"pfc":    func(s *site) (kit.Machine, error) { return kit.WrapNew(pfc.New(pfcConfig(s))) },
	"bfc":    func(s *site) (kit.Machine, error) { return kit.WrapNew(bfc.New(bfcConfig(s))) },
	"ofc":    func(s *site) (kit.Machine, error) { return kit.WrapNew(ofc.New(ofcConfig(s))) },
	"pyrrha": func(s *site) (kit.Machine, error) { return kit.WrapNew(pyrrha.New(pyrrhaConfig(s))) },
	"portfc": func(s *site) (kit.Machine, error) { return kit.WrapNew(portfc.New(portfcConfig(s))) },
}

// site is what a configuration depends on: the node, and what the user chose.
type site struct {
	*settings
	*place
	network portfc.NDC // only if hosts forward
}

// Frames get lost on a wire, so a protocol that can repeat its state does so this often.
const repair = 50 * sluice.Millisecond

func noneConfig(s *site) pfc.Config {
	c := pfcConfig(s)
	if s.kind == host {
		return c
	}
	return pfc.Config{Ports: c.Ports, Classes: sluice.NoClasses, Buffer: 200 * sluice.KB}
}

func pfcConfig(s *site) pfc.Config {
	if s.kind == host {
		c := pfc.HostConfig(s.link())
		c.MAC = s.mac()
		return c
	}
	c := pfc.Config{Classes: sluice.MakeClassSet(class), MAC: s.mac(), LossyPool: 1}
	lossy := sluice.Bytes(len(s.peers)) * 64 * sluice.KB
	c.Pools = []sluice.Bytes{lossy}
	c.Buffer = lossy
	for range s.peers {
		c.Ports = append(c.Ports, s.port())
		c.Buffer += s.share()
	}
	return c
}

func bfcConfig(s *site) bfc.Config {
	if s.kind == host {
		c := bfc.HostConfig(s.link())
		c.MAC, c.Period = s.mac(), repair // by which it knows when a pause is not repeated
		return c
	}
	c := bfc.Config{MAC: s.mac(), Buffer: s.buffer(), Period: repair, Seed: uint64(s.id) + 1}
	for _, peer := range s.peers {
		port := bfc.PortConfig{Link: s.link()}
		if peer.kind == host {
			port.UpstreamQueues = bfc.HostQueues
		}
		c.Ports = append(c.Ports, port)
	}
	return c
}

func ofcConfig(s *site) ofc.Config {
	if s.kind == host {
		c := ofc.HostConfig(s.link())
		c.MAC = s.mac()
		return c
	}
	c := ofc.Config{
		Classes: sluice.MakeClassSet(class), MAC: s.mac(), Buffer: s.buffer(), Refresh: repair,
	}
	xoff, xon := sluice.Bytes(s.xoff), sluice.Bytes(s.xon)
	for range s.peers {
		c.Ports = append(c.Ports, ofc.PortConfig{
			Link: s.link(), XOff: xoff, XOffCongested: (xoff + xon) / 2, XOn: xon,
		})
	}
	return c
}

func pyrrhaConfig(s *site) pyrrha.Config {
	c := pyrrha.Config{IQs: 16, Buffer: s.buffer()}
	if s.kind == host {
		c = pyrrha.HostConfig(s.link())
	} else {
		for _, peer := range s.peers {
			port := pyrrha.PortConfig{Link: s.link()}
			if peer.kind == host {
				port.Role = pyrrha.Host
			}
			c.Ports = append(c.Ports, port)
		}
	}
	c.Switch, c.MAC, c.Refresh = s.id, s.mac(), repair
	return c
}

func portfcConfig(s *site) portfc.Config {
	var c portfc.Config
	if s.kind == host {
		c = portfc.NodeConfig(s.network, s.id, s.link())
	} else {
		c = portfc.SwitchConfig(s.network, s.id, s.link())
		c.Buffer = s.buffer()
	}
	c.MAC, c.Refresh = s.mac(), repair
	return c
}

// buffer is the memory of the node: as much as PFC needs.
func (s *site) buffer() sluice.Bytes { return sluice.Bytes(len(s.peers)) * s.share() }
