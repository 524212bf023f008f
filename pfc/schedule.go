package pfc

import (
	"math/bits"

	"github.com/sluicefc/sluice"
)

// Next returns the queue whose head goes next: of the queues that hold packets and are not held by
// a pause or a shaper, by strict priority among the groups and deficit round robin within one.
// Queues that the watchdog discards come before all, since they take no time on the wire. Asked
// again before an input, it answers the same. A pause that has run out holds until Expire: the time
// is not looked at. O(1).
func (p *Port) Next(sluice.Time) (sluice.QueueID, bool) {
	if top := bits.Len16(uint16(p.backlog & p.open)); top > 0 {
		return sluice.QueueID(top - 1), true
	}
	return p.nextOther()
}

// nextOther is Next where nothing may go, there are groups, or queues that the watchdog discards.
func (p *Port) nextOther() (sluice.QueueID, bool) {
	eligible := p.backlog &^ p.blocked
	switch doomed := p.backlog & p.discard; {
	case doomed != 0:
		return sluice.QueueID(highest(doomed)), true
	case eligible == 0:
		return 0, false
	}
	return sluice.QueueID(p.nextOfGroups(eligible)), true
}

func (p *Port) nextOfGroups(eligible sluice.ClassSet) sluice.Class {
	for i, group := range p.state.groups {
		if members := eligible & group; members != 0 {
			if group&(group-1) == 0 {
				return lowest(group)
			}
			return sluice.Class(p.state.ring.Next(&p.state.turns[i], uint8(members)))
		}
	}
	return highest(eligible) // there are no groups, which would cover all classes
}

// charge accounts n bytes sent of a class. An empty queue forfeits the rest of its quantum.
func (p *Port) charge(class sluice.Class, n int64) {
	if p.state.groups == nil {
		return
	}
	p.state.ring.Charge(int(class), n)
	if p.queues[class%sluice.Classes].bytes == 0 {
		p.state.ring.Forfeit(int(class))
	}
}

func (c *Config) groupsOf(port sluice.PortID) []Group {
	if own := c.Ports[port].Groups; own != nil {
		return own
	}
	return c.Groups
}

// strictly returns the classes of groups, nil if that is strict priority among the queues.
func strictly(groups []Group) (classes []sluice.ClassSet) {
	strict := true
	for i, g := range groups {
		classes = append(classes, g.Classes)
		strict = strict && g.Classes == 1<<(sluice.Classes-1-i)
	}
	if strict {
		return nil
	}
	return classes
}

// highest returns the largest class of a set that is not empty.
func highest(s sluice.ClassSet) sluice.Class { return sluice.Class(bits.Len8(uint8(s)) - 1) }

// lowest returns the smallest class of a set that is not empty.
func lowest(s sluice.ClassSet) sluice.Class { return sluice.Class(bits.TrailingZeros8(uint8(s))) }
