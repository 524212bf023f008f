package sonic

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pfc/qos"
)

type groupValue struct {
	shared   bool        // the lossless pool has a headroom pool: what the size is
	p        pfc.Profile // with pool 0
	pool     string
	lossless bool
}

type limitValue struct {
	l    qos.Limit // with pool 0
	pool string
}

type wredValue struct {
	ecn sluice.Marking
	w   qos.WRED
}

type schedulerValue struct {
	weight int // 0: strict; -1: of a port
	s      qos.Shaper
}

func (u *updater) groupOf(c *pfc.Config, p *pfc.PortConfig, number sluice.Class) any {
	v := groupValue{p: p.Profile, lossless: p.Classes.Has(number)}
	v.shared = v.lossless && c.HeadroomPool != 0
	if !v.lossless && (p.QoS == nil || !p.QoS.Lossy.Has(number)) {
		return nil
	}
	if own := p.Profiles[number]; own != nil {
		v.p = *own
	}
	v.pool, v.p.Pool = nameOf(u.pools, v.p.Pool), 0
	return v
}

// nameOf returns the name of a pool of the old or of the new configuration.
func nameOf(names []string, pool int) string {
	if pool < len(names) {
		return names[pool]
	}
	return "" // of the old one, and there is none now
}

func (u *updater) queueOf(_ *pfc.Config, p *pfc.PortConfig, number sluice.Class) any {
	if p.QoS == nil || p.QoS.Queues[number] == nil {
		return nil
	}
	v := limitValue{l: *p.QoS.Queues[number]}
	v.pool, v.l.Pool = nameOf(u.egress, v.l.Pool), 0
	return v
}

func (u *updater) ingressOf(_ *pfc.Config, p *pfc.PortConfig, number sluice.Class) any {
	if p.QoS == nil {
		return nil
	}
	return limitOf(p.QoS.Ingress, u.pools, int(number))
}

func (u *updater) egressOf(_ *pfc.Config, p *pfc.PortConfig, number sluice.Class) any {
	if p.QoS == nil {
		return nil
	}
	return limitOf(p.QoS.Egress, u.egress, int(number))
}

func limitOf(limits []qos.Limit, names []string, pool int) any {
	if pool >= len(limits) || limits[pool] == (qos.Limit{}) {
		return nil
	}
	return limitValue{limits[pool], nameOf(names, pool)}
}

func (u *updater) wredOf(_ *pfc.Config, p *pfc.PortConfig, number sluice.Class) any {
	v := wredValue{ecn: p.ECN[number]}
	if p.QoS != nil && p.QoS.WRED[number] != nil {
		v.w = *p.QoS.WRED[number]
	}
	if v == (wredValue{}) {
		return nil
	}
	return v
}

func (u *updater) schedulerOf(c *pfc.Config, p *pfc.PortConfig, number sluice.Class) any {
	groups := p.Groups
	if groups == nil {
		groups = c.Groups
	}
	var v schedulerValue
	if p.QoS != nil {
		v.s = p.QoS.Shapers[number]
	}
	if groups == nil && v.s == (qos.Shaper{}) {
		return nil
	}
	weights, _ := weightsOf(groups)
	v.weight = weights[number]
	return v
}

func (u *updater) shaperOf(_ *pfc.Config, p *pfc.PortConfig, _ sluice.Class) any {
	if p.QoS == nil || p.QoS.Shaper == (qos.Shaper{}) {
		return nil
	}
	return schedulerValue{-1, p.QoS.Shaper}
}
