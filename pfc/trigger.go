package pfc

import (
	"cmp"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/pfc/trigger"
)

func (c *Config) checkTrigger(k *check.Config) {
	v := &c.Variant
	k.That(c.Trigger < trigger.Kinds, c.Trigger, "must be one of the triggers", "Trigger")
	k.That(within(v.Egress), v.Egress, ruleLimit, "Variant.Egress")
	k.That(within(v.Lower), v.Lower, ruleLimit, "Variant.Lower")
	k.That(aSecond(v.Ahead), v.Ahead, ruleSecond, "Variant.Ahead")
	k.That(!given(v.Guard) || v.Guard.Valid() && v.Guard.Num >= v.Guard.Den &&
		v.Guard.Num <= 16*v.Guard.Den,
		v.Guard, "must be 1 to 16, both terms at most 2^20", "Variant.Guard")
	if c.Trigger == trigger.AtIngress || !k.Fine() {
		return
	}
	k.That(!c.watches(), c.Watchdog.Detection,
		"must be zero, and of every port, where Trigger is not AtIngress", "Watchdog.Detection")
	for i := range c.Ports {
		k.That(c.Ports[i].Mode == PriorityPause, c.Ports[i].Mode,
			"must be PriorityPause where Trigger is not AtIngress", "Ports[%d].Mode", i)
		for rest := c.lossless(i); rest != 0 && len(c.Ports) > 1; rest &= rest - 1 {
			p := c.Ports[i].profile(lowest(rest))
			k.That(p.XOff > 0 && p.XOff <= maxLimit/16, p.XOff,
				"must be given, at most 2^27-1, where Trigger is not AtIngress", "Ports[%d].XOff", i)
			k.That(v.Lower <= p.XOff, v.Lower, "must be at most every XOff", "Variant.Lower")
		}
	}
}

type variant struct {
	kind trigger.Kind
	stop bool
	of   []trigger.State // by ingress port, then class; nil with AtIngress
}

// setTrigger takes over the trigger for the accounts of a port, whose limits are set: headroom is
// for the bytes after the guard.
func (p *Port) setTrigger() {
	s := p.owner
	c := &s.config
	if c.Trigger == trigger.AtIngress {
		return
	}
	if s.variant.of == nil {
		s.variant = variant{c.Trigger, c.Variant.Stop, make([]trigger.State, len(s.accounts))}
	}
	for class := range sluice.Class(sluice.Classes) {
		a, t := p.account(class), p.triggered(class)
		profile := c.Ports[p.id].profile(class)
		if a.flags&lossy != 0 || profile.XOff == 0 {
			continue
		}
		a.flags |= byTrigger
		t.Off = int64(profile.XOff)
		t.Egress = cmp.Or(int64(c.Variant.Egress), 3*t.Off)
		lower := t.Off * 68 / 75
		if c.Trigger == trigger.GFC {
			lower = int64(profile.XOn)
		}
		t.Lower = cmp.Or(int64(c.Variant.Lower), lower)
		t.Ahead = cmp.Or(c.Variant.Ahead, c.Ports[p.id].Link.RoundTrip().Add(sluice.Microsecond))
		guard := t.Off
		if c.Trigger == trigger.CAPFC || c.Trigger == trigger.PPFC {
			guard *= 2
			if g := c.Variant.Guard; given(g) {
				guard = t.Off * g.Num / g.Den
			}
		}
		a.setLimit(staticThreshold(max(0, guard-int64(profile.Reserve))), sluice.Bytes(guard)-profile.XOn)
	}
}

func (p *Port) triggered(class sluice.Class) *trigger.State {
	return &p.owner.variant.of[int(p.id)*sluice.Classes+int(class)]
}

func (a *account) held() int64 { return a.bytes + int64(a.headroom) }

// arrived is the end of Enqueue at an egress whose switch has a trigger: the packet's ingress may
// pause. over says that it is at its guard.
func (p *Port) arrived(a *account, packet *sluice.Packet, over bool) {
	s, class := p.owner, packet.Class
	in := &s.ports[packet.Ingress]
	t := in.triggered(class)
	switch s.variant.kind {
	case trigger.CAPFC:
		over = over || a.held() >= t.Off && p.queues[class].bytes >= t.Egress
	case trigger.PPFC:
		over = over || a.held() >= t.Off && p.occupied()*int64(len(s.ports)) >= s.buffered
	case trigger.PPFCDerivative:
		over = over || a.held()+t.Grown(a.held(), s.clock.Now()) >= t.Off
	case trigger.GPFC:
		threshold := t.Off
		if class < sluice.Classes/2 {
			threshold = t.Lower
		}
		over = over || in.ingressSum() >= threshold
	case trigger.GFC:
		in.setStage(a, class)
		return
	}
	if over && a.flags&pausing == 0 {
		in.pauseUpstream(class)
	}
}

// departed is the end of Dequeue: what the ingress of a packet has paused may resume.
func (p *Port) departed(a *account, packet *sluice.Packet) {
	s, class := p.owner, packet.Class
	in := &s.ports[packet.Ingress]
	switch s.variant.kind {
	case trigger.GFC:
		in.setStage(a, class)
		return
	case trigger.GPFC:
		if in.paused == 0 {
			return
		}
		sum := in.ingressSum()
		for rest := in.paused; rest != 0; rest &= rest - 1 {
			c := lowest(rest)
			if on := int64(s.config.Ports[in.id].profile(c).XOn); sum <= on {
				in.resumeUpstream(c)
			}
		}
		return
	}
	if a.flags&pausing != 0 && a.under(s.free[a.pool%maxPools]) {
		in.resumeUpstream(class)
	}
}

func (p *Port) occupied() (sum int64) {
	for i := range p.queues {
		sum += p.queues[i].bytes
	}
	return sum
}

func (p *Port) ingressSum() (sum int64) {
	for class := range sluice.Class(sluice.Classes) {
		sum += p.account(class).held()
	}
	return sum
}

// setStage computes the stage of GFC that an account is in and makes a frame pending if it changed.
func (p *Port) setStage(a *account, class sluice.Class) {
	t := p.triggered(class)
	stage := t.StageOf(a.held(), p.state.rate, p.owner.variant.stop)
	if stage == t.Stage {
		return
	}
	t.Stage = stage
	switch {
	case stage == 0:
		p.resumeUpstream(class)
	case a.flags&pausing == 0:
		p.pauseUpstream(class)
	case !p.down && p.state.sends.Has(class):
		p.announce(class)
	}
}

// setRate obeys the time of a frame of GFC: 0 is full rate.
func (p *Port) setRate(class sluice.Class, time sluice.Quanta) {
	t := p.state
	t.pacer.Set(class, time)
	t.slow &^= 1 << class
	if t.pacer.Paced.Has(class) {
		if t.ready[class] = t.pacer.Next(class); t.ready[class] > p.owner.clock.Now() {
			t.slow |= 1 << class
		}
	}
}

func (p *Port) pace(class sluice.Class, size int64) {
	g := &p.state.pacer
	g.Begin(class, p.owner.clock.Now(), p.state.rate.TimeOf(sluice.Bytes(size)))
	if !g.Paced.Has(class) {
		return
	}
	p.state.slow |= 1 << class
	p.state.ready[class] = g.Next(class)
	p.reblock()
	p.reschedule()
}

func (t *state) blocks() sluice.ClassSet { return t.held&^t.bypass&^t.pacer.Paced | t.slow }
