package cc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pcn"
)

// pcnFlow is both ends of a flow under PCN.
type pcnFlow struct {
	reaction     pcn.ReactionPoint
	notification pcn.NotificationPoint
}

// reaction returns the reaction point of a flow that begins. The configuration was checked.
func (c *PCNConfig) reaction(line, least sluice.Rate) pcn.ReactionPoint {
	p, err := pcn.NewReactionPoint(pcn.RPConfig{
		LineRate: line, MinRate: least, WMin: c.WMin, WMax: c.WMax,
	})
	if err != nil {
		panic(err)
	}
	return p
}

// notification returns the notification point of a flow that begins. The configuration was checked.
func (c *PCNConfig) notification() pcn.NotificationPoint {
	p, err := pcn.NewNotificationPoint(pcn.NPConfig{Period: c.Period, Share: c.Share})
	if err != nil {
		panic(err)
	}
	return p
}

// noticePCN adjusts the rate to what the receiver says.
func (c *Control) noticePCN(i int32, n Notice) {
	f, p := &c.flows[i], &c.pcn[i].reaction
	p.Receive(&pcn.CNP{Congested: n.Mark == sluice.CE, RecRate: n.RecRate})
	c.set(f, p.Rate())
}

// takeRate ends a period of the receiver.
func (c *Control) takeRate(now sluice.Time, i int32) (n Notice, ok bool) {
	cnp, ok := c.pcn[i].notification.Expire(now)
	if !ok {
		return Notice{}, false
	}
	c.counters.Notices++
	n.RecRate = cnp.RecRate
	if cnp.Congested {
		n.Mark = sluice.CE
	}
	return n, true
}
