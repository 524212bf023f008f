package pfc

import (
	"fmt"

	"github.com/sluicefc/sluice"
)

// Shortage is a headroom with which packets can be lost.
type Shortage struct {
	Port     sluice.PortID
	Class    sluice.Class
	Headroom sluice.Bytes // what it has: of its own, or at most all of Config.HeadroomPool
	Needed   sluice.Bytes // what it needs: see PortConfig.HeadroomFor
}

// Error says what is short of what: "pfc: port 3 class 4: a headroom of 9000B, 12000B are needed".
func (s *Shortage) Error() string {
	return fmt.Sprintf("pfc: port %d class %d: a headroom of %dB, %dB are needed",
		s.Port, s.Class, s.Headroom, s.Needed)
}

// Shortages returns every (port, class) that is lossless and tells its peer to pause, but has less
// headroom than HeadroomFor says for lossless frames of up to mtu bytes; none if the switch loses
// no packet. New takes such a configuration, as some are meant to lose packets. A HeadroomPool that
// no single port exceeds may still be too small for several at a time. The configuration must be
// one that New takes. O(ports).
func (c Config) Shortages(mtu sluice.Bytes) (short []Shortage) {
	c = c.filled()
	for i := range c.Ports {
		p := &c.Ports[i]
		if p.Mode == ClassicObey || len(c.Ports) == 1 {
			continue // it tells nobody, or accounts nothing
		}
		needed := p.HeadroomFor(mtu, c.CellSize)
		for rest := p.Classes & p.Sends & sluice.AllClasses; rest != 0; rest &= rest - 1 {
			class := lowest(rest)
			has := p.profile(class).Headroom
			if c.HeadroomPool != 0 {
				has = min(has, c.HeadroomPool)
			}
			if has < needed {
				short = append(short, Shortage{sluice.PortID(i), class, has, needed})
			}
		}
	}
	return short
}
