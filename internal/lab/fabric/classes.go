package fabric

import (
	"math/bits"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/cc"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// classes are those of a run's packets.
type classes struct {
	data sluice.ClassSet
	// acks and notices are the classes of acknowledgements and of congestion notices; sluice.Classes
	// is that of the data.
	acks, notices sluice.Class
}

// classes chooses the classes of what comes back. Notices of congestion, which nothing should hold
// up, have a class that no data has, if such a class is left; acknowledgements have the class of
// the data, unless the protocol wants them apart.
func (n *network) classes(flows []workload.Flow, p Protocol, control *cc.Kind) classes {
	c := classes{acks: sluice.Classes}
	for i := range flows {
		c.data |= sluice.MakeClassSet(flows[i].Class)
	}
	free := sluice.Class(sluice.Classes)
	if c.data != sluice.AllClasses {
		free = sluice.Class(bits.Len8(^uint8(c.data)) - 1)
	}
	switch {
	case n.ackClass != nil:
		c.acks = *n.ackClass
	case p.acksApart:
		c.acks = free
	}
	switch {
	case n.noticeClass != nil:
		c.notices = *n.noticeClass
	case control == cc.None || n.ackClass != nil || free == sluice.Classes:
		c.notices = c.acks
	default:
		c.notices = free
	}
	return c
}

// all returns the classes of all packets.
func (c *classes) all() sluice.ClassSet { return c.data | c.back() }

// apart returns the classes of what comes back that no data has.
func (c *classes) apart() sluice.ClassSet { return c.back() &^ c.data }

// back returns the classes of what comes back; sluice.Classes is none of them.
func (c *classes) back() sluice.ClassSet {
	return sluice.MakeClassSet(c.acks) | sluice.MakeClassSet(c.notices)
}
