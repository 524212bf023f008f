package cc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/pcn"
)

// PCN is PCN (NSDI 2020): see package pcn.
var PCN = &Kind{
	Name: "pcn", Signals: Marks | Notices, Detector: "npecn",
	law: func() law { return new(pcnLaw) },
}

type pcnLaw struct {
	each[pcnFlow]
	receiver pcn.NPConfig
	sender   pcn.RPConfig

	begins pcnFlow             // the receiver of a flow that begins
	points []pcn.ReactionPoint // by class
}

type pcnFlow struct {
	reaction     pcn.ReactionPoint
	notification pcn.NotificationPoint
}

func (k *pcnLaw) parameters() []params.Field {
	receiver := func() error {
		_, err := pcn.NewNotificationPoint(k.receiver)
		return err
	}
	sender := func() error {
		_, err := k.point(100 * sluice.Gbps)
		return err
	}
	return append(params.In("pcn", params.Checked(&k.receiver, receiver,
		span("pcn.t", &k.receiver.Period, "50us", "period of the receiver's notices (T)"),
		share("pcn.share", &k.receiver.Share, "19/20",
			"share of packets marked from which on a flow is congested"))...),
		params.Checked(&k.sender, sender,
			share("pcn.wmin", &k.sender.WMin, "1/128",
				"discount of a decrease and weight of the first increase (w_min)"),
			share("pcn.wmax", &k.sender.WMax, "1/2", "weight that increases tend to (w_max)"),
			rate("pcn.min-rate", &k.sender.MinRate, "1Mbps", "least rate"))...)
}

func (k *pcnLaw) prepare() (err error) {
	if _, err = k.point(MaxRate); err == nil {
		k.begins.notification, err = pcn.NewNotificationPoint(k.receiver)
	}
	return k.config.Values.Explain(err, k.parameters())
}

// point returns the reaction point of a flow that begins.
func (k *pcnLaw) point(line sluice.Rate) (pcn.ReactionPoint, error) {
	c := k.sender
	c.LineRate, c.MinRate = line, min(c.MinRate, line)
	return pcn.NewReactionPoint(c)
}

func (k *pcnLaw) class(line sluice.Rate) class {
	point, err := k.point(line)
	if err != nil {
		panic(err) // prepare has asked for one
	}
	k.points = append(k.points, point)
	return class{least: k.sender.MinRate}
}

func (k *pcnLaw) start(_ sluice.Time, i int32) {
	k.state[i] = k.begins
	k.state[i].reaction = k.points[k.flows[i].class]
}

func (k *pcnLaw) notice(_ sluice.Time, i int32, n Notice) bool {
	if n.RecRate == 0 {
		return false
	}
	p := &k.state[i].reaction
	p.Receive(&pcn.CNP{Congested: n.Mark == sluice.CE, RecRate: n.RecRate})
	k.set(&k.flows[i], p.Rate())
	return true
}

func (k *pcnLaw) arrive(now sluice.Time, i int32, size sluice.Bytes, ecn, _ sluice.ECN) (n Notice) {
	k.state[i].notification.Arrive(now, size, ecn)
	return n
}

func (k *pcnLaw) noticeDue(i int32) sluice.Time { return k.state[i].notification.Deadline() }

func (k *pcnLaw) takeNotice(now sluice.Time, i int32) (n Notice, ok bool) {
	cnp, ok := k.state[i].notification.Expire(now)
	if n.RecRate = cnp.RecRate; cnp.Congested {
		n.Mark = sluice.CE
	}
	return n, ok
}
