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
