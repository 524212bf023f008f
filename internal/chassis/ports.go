package chassis

import "github.com/sluicefc/sluice"

// Ports are the ports of a switch, by number.
type Ports[P any] []P

// At returns a port, nil for one that does not exist.
func (p Ports[P]) At(id sluice.PortID) *P {
	if int(id) >= len(p) {
		return nil
	}
	return &p[id]
}

// Each returns what a function says of every port.
func Each[P, S any](ports []P, of func(*P) S) (all []S) {
	for i := range ports {
		all = append(all, of(&ports[i]))
	}
	return all
}

// Fault returns what is wrong with a packet at a switch of so many ports, NoReason if nothing is.
func Fault(p *sluice.Packet, ports int) sluice.Reason {
	switch {
	case int(p.Ingress) >= ports && p.Ingress != sluice.Local:
		return sluice.BadIngress
	case p.Class >= sluice.Classes:
		return sluice.BadClass
	case p.Size <= 0:
		return sluice.BadSize
	}
	return sluice.NoReason
}
