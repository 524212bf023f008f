package pfc

import (
	"math/bits"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/internal/enum"
)

// Trigger is what makes an ingress pause its upstream: the threshold of PFC, or that of one of its
// variants. The papers of the variants are not all public: what is published is quoted with each,
// and the rest is ours. All resume when the ingress has come down to XOn, and need XOff.
type Trigger uint8

// Triggers.
const (
	// AtIngress is PFC: what the (ingress, class) holds comes to its threshold.
	AtIngress Trigger = iota
	// CAPFC pauses if the (ingress, class) holds XOff and the egress queue of the packet holds
	// Variant.Egress. Published: the state of an ingress follows from its own and from the egress
	// queues that it contributes to (Avci, Li, Liu: Congestion Aware PFC, IFIP Networking 2016; US
	// patent 10,003,544, claim 1); "a fixed egress threshold to the standard PFC" (Xiao et al.,
	// OFC, section IV-A4). Ours: the guard, and the threshold (see Variant.Egress).
	CAPFC
	// PPFC pauses if the (ingress, class) holds XOff and the egress port of the packet holds no
	// less than the mean of all. Published: "a dynamic egress threshold (average buffer occupancy
	// of all egress ports)" (OFC, section IV-A4). Ours: the guard. It differs from AtIngress only
	// where what an ingress holds goes to several egresses, some of them shorter than the mean: a
	// queue that one ingress fills is above it. The abstract of P-PFC says otherwise: see
	// PPFCDerivative.
	PPFC
	// PPFCDerivative pauses ahead of time: if what the (ingress, class) holds, and as much as it
	// grows in Variant.Ahead, come to XOff. Published: the derivative of the occupancy is watched
	// to predict the trigger (Tian et al.: P-PFC, TPDS 2020, abstract). Ours: the growth is that
	// from the last arrival that was at least Variant.Ahead earlier, in proportion.
	PPFCDerivative
	// GFC lowers the rate of the upstream in stages. In stage k it sends at 2^-k of the rate of the
	// link, from B_k = XOff - (XOff - Variant.Lower) / 2^(k-1) on; the stage is in the time field
	// of the frame. Published: "buffer-based GFC" (Qian, Cheng, Zhang, Ren: Gentle Flow Control,
	// SIGCOMM 2019), whose rate is never 0, so that no circle of waiting ports can form: from XOff
	// on it is the least, but not less than 8 kb/s. With Variant.Stop it is 0 there, as OFC
	// describes it: "gradually decreases transmission rates to zero" (section IV-A4). Ours: pacing
	// is by packet, and both ends must have this trigger.
	GFC
	// GPFC has a lower threshold for classes 0 to 3, so that those of low priority are paused
	// first: an arrival pauses its class if all classes of the ingress port together hold
	// Variant.Lower, for classes 4 to 7 XOff. Published: "selectively pauses low-priority flows
	// using a lower ingress threshold" (OFC, section IV-A4; Cui, Rim: G-PFC, APNOMS 2020). Ours:
	// the sum, and which classes are low.
	GPFC
	numTriggers
)

// String names the trigger.
func (t Trigger) String() string { return enum.Name(triggerNames[:], "Trigger", t) }

var triggerNames = [...]string{"ingress", "caPFC", "P-PFC", "P-PFC derivative", "GFC", "G-PFC"}

// Variant is what triggers other than AtIngress need. Zero fields have the meaning that OFC's
// evaluation gives them (section IV-A), but for Egress, of which it says nothing.
type Variant struct {
	// Egress is the egress threshold of CAPFC in bytes. Zero means three times XOff: an egress is
	// congested if more than one ingress fills it. One of at most XOff never acts where an ingress
	// sends to one egress, which holds all that the ingress does. The factor is chosen by its outcome:
	// of 4/3 to 16/3 tried in OFC's Figure 9, it is the one with as many fewer deadlocks than PFC as
	// OFC's two ranges imply.
	Egress sluice.Bytes
	// Guard is for CAPFC and PPFC: an ingress that holds so many times XOff pauses whatever the
	// egress queues are, or there would be no bound on the headroom. At least 1. Zero means 2.
	Guard sluice.Ratio
	// Ahead is how far PPFCDerivative looks, at most a second. Zero means the round-trip time of
	// the link and a microsecond.
	Ahead sluice.Time
	// Lower is the threshold in bytes from which GFC lowers the rate, and GPFC pauses classes 0 to
	// 3. At most XOff. Zero means XOn for GFC, 68/75 of XOff for GPFC.
	Lower sluice.Bytes
	// Stop makes the rate 0 in the last stage of GFC.
	Stop bool
}

// slowest is the rate that no stage of GFC goes below.
const slowest = 8 * sluice.Kbps

// stopped is the stage in which GFC sends nothing; it is what the time field says.
const stopped = 0xffff

// checkTrigger checks the trigger of a configuration whose ports are right.
func (c *Config) checkTrigger(k *check.Config) {
	v := &c.Variant
	k.That(c.Trigger < numTriggers, c.Trigger, "must be one of the triggers", "Trigger")
	k.That(within(v.Egress), v.Egress, ruleLimit, "Variant.Egress")
	k.That(within(v.Lower), v.Lower, ruleLimit, "Variant.Lower")
	k.That(aSecond(v.Ahead), v.Ahead, ruleSecond, "Variant.Ahead")
	k.That(!given(v.Guard) || v.Guard.Valid() && v.Guard.Num >= v.Guard.Den &&
		v.Guard.Num <= 16*v.Guard.Den,
		v.Guard, "must be 1 to 16, both terms at most 2^20", "Variant.Guard")
	if c.Trigger == AtIngress || !k.Fine() {
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

// variant is what a Switch keeps of its trigger.
type variant struct {
	kind Trigger
	stop bool
	of   []triggered // by ingress port, then class; nil with AtIngress
}

// triggered is what a trigger knows of an (ingress, class).
type triggered struct {
	off, lower, egress int64
	ahead              sluice.Time
	sampled            int64 // what it held
	sampledAt          sluice.Time
	growth             int64 // in the time that PPFCDerivative looks ahead
	stage              sluice.Quanta
}

// setTrigger takes over the trigger for the accounts of a port, whose limits are set: headroom is
// for what comes after the guard.
func (p *Port) setTrigger() {
	s := p.owner
	c := &s.config
	if c.Trigger == AtIngress {
		return
	}
	if s.variant.of == nil {
		s.variant = variant{c.Trigger, c.Variant.Stop, make([]triggered, len(s.accounts))}
	}
	for class := range sluice.Class(sluice.Classes) {
		a, t := p.account(class), p.triggered(class)
		profile := c.Ports[p.id].profile(class)
		if a.flags&lossy != 0 || profile.XOff == 0 {
			continue
		}
		a.flags |= byTrigger
		t.off = int64(profile.XOff)
		t.egress, t.lower = int64(c.Variant.Egress), int64(c.Variant.Lower)
		if t.egress == 0 {
			t.egress = 3 * t.off
		}
		if t.lower == 0 && c.Trigger == GFC {
			t.lower = int64(profile.XOn)
		} else if t.lower == 0 {
			t.lower = t.off * 68 / 75
		}
		if t.ahead = c.Variant.Ahead; t.ahead == 0 {
			t.ahead = c.Ports[p.id].Link.RoundTrip().Add(sluice.Microsecond)
		}
		guard := t.off
		if c.Trigger == CAPFC || c.Trigger == PPFC {
			guard *= 2
			if g := c.Variant.Guard; given(g) {
				guard = t.off * g.Num / g.Den
			}
		}
		a.setLimit(staticThreshold(max(0, guard-int64(profile.Reserve))), sluice.Bytes(guard)-profile.XOn)
		a.setMargin(MaxBuffer)
	}
}

func (p *Port) triggered(class sluice.Class) *triggered {
	return &p.owner.variant.of[int(p.id)*sluice.Classes+int(class)]
}

// held returns the bytes of an account, headroom included.
func (a *account) held() int64 { return a.bytes + int64(a.headroom) }

// arrived is the end of Enqueue at an egress whose switch has a trigger: the packet's ingress may
// pause. over says that it is at its guard.
func (p *Port) arrived(a *account, packet *sluice.Packet, over bool) sluice.Wake {
	s, class := p.owner, packet.Class
	in := &s.ports[packet.Ingress]
	t := in.triggered(class)
	switch s.variant.kind {
	case CAPFC:
		over = over || a.held() >= t.off && p.queues[class].bytes >= t.egress
	case PPFC:
		over = over || a.held() >= t.off && p.occupied()*int64(len(s.ports)) >= s.buffered
	case PPFCDerivative:
		over = over || a.held()+t.grown(a.held(), s.clock.Now()) >= t.off
	case GPFC:
		threshold := t.off
		if class < sluice.Classes/2 {
			threshold = t.lower
		}
		over = over || in.ingressSum() >= threshold
	case GFC:
		return in.setStage(a, class)
	}
	if over && a.flags&pausing == 0 {
		return in.pauseUpstream(class)
	}
	return 0
}

// departed is the end of Dequeue: what the ingress of a packet has paused may resume.
func (p *Port) departed(a *account, packet *sluice.Packet) sluice.Wake {
	s, class := p.owner, packet.Class
	in := &s.ports[packet.Ingress]
	switch s.variant.kind {
	case GFC:
		return in.setStage(a, class)
	case GPFC:
		var wake sluice.Wake
		if in.paused == 0 {
			return 0
		}
		sum := in.ingressSum()
		for rest := in.paused; rest != 0; rest &= rest - 1 {
			c := lowest(rest)
			if on := int64(s.config.Ports[in.id].profile(c).XOn); sum <= on {
				wake |= in.resumeUpstream(c)
			}
		}
		return wake
	}
	if a.flags&pausing != 0 && a.under(s.free[a.pool%maxPools]) {
		return in.resumeUpstream(class)
	}
	return 0
}

// occupied returns the bytes in all queues of the port.
func (p *Port) occupied() (sum int64) {
	for i := range p.queues {
		sum += p.queues[i].bytes
	}
	return sum
}

// ingressSum returns what the ingress holds in all lossless classes.
func (p *Port) ingressSum() (sum int64) {
	for class := range sluice.Class(sluice.Classes) {
		sum += p.account(class).held()
	}
	return sum
}

// grown returns by how much the account will have grown, if it goes on as it did.
func (t *triggered) grown(held int64, now sluice.Time) int64 {
	span := now - t.sampledAt
	if span >= t.ahead || span < 0 {
		high, low := bits.Mul64(uint64(max(0, held-t.sampled)), uint64(t.ahead))
		growth, _ := bits.Div64(high%uint64(max(span, 1)), low, uint64(max(span, 1)))
		t.growth = int64(growth)
		t.sampled, t.sampledAt = held, now
	}
	return t.growth
}

// setStage works out the stage of GFC that an account is in and tells the upstream if it changed.
func (p *Port) setStage(a *account, class sluice.Class) sluice.Wake {
	t := p.triggered(class)
	stage := p.stageOf(t, a.held())
	if stage == t.stage {
		return 0
	}
	t.stage = stage
	switch {
	case stage == 0:
		return p.resumeUpstream(class)
	case a.flags&pausing == 0:
		return p.pauseUpstream(class)
	case p.down || !p.state.sends.Has(class):
		return 0
	}
	return p.tell(class)
}

// stageOf returns the stage of so many bytes: k from XOff - (XOff - lower) / 2^(k-1) on, and from
// XOff on the last.
func (p *Port) stageOf(t *triggered, held int64) sluice.Quanta {
	last := lastStage(p.state.rate)
	switch {
	case held < t.lower:
		return 0
	case held >= t.off && p.owner.variant.stop:
		return stopped
	case held >= t.off:
		return last
	}
	return min(sluice.Quanta(bits.Len64(uint64((t.off-t.lower)/(t.off-held)))), last)
}

// lastStage returns the stage of the least rate on a link.
func lastStage(rate sluice.Rate) sluice.Quanta {
	stage := sluice.Quanta(1)
	for rate>>(stage+1) >= slowest {
		stage++
	}
	return stage
}

// pacer is GFC at the device upstream: what it was told, and when it may send again.
type pacer struct {
	stage  [sluice.Classes]uint8       // of classes that may send at 2^-stage of the rate
	paced  sluice.ClassSet             // those with a stage
	begun  [sluice.Classes]sluice.Time // when the last packet began
	lasted [sluice.Classes]sluice.Time // and how long it took at full rate
}

// setRate obeys the time of a frame of GFC: 0 is full rate.
func (p *Port) setRate(class sluice.Class, time sluice.Quanta) {
	t, g := p.state, &p.state.pacer
	g.paced &^= 1 << class
	t.slow &^= 1 << class
	if time > 0 && time != stopped {
		g.paced |= 1 << class
		g.stage[class] = uint8(min(time, 40))
		if t.ready[class] = g.next(class); t.ready[class] > p.owner.clock.Now() {
			t.slow |= 1 << class
		}
	}
}

// next returns when a class may send its next packet.
func (g *pacer) next(class sluice.Class) sluice.Time {
	lasted, stage := g.lasted[class], g.stage[class]
	if lasted > sluice.Never>>2>>stage {
		return sluice.Never - 1
	}
	return g.begun[class].Add(lasted << stage)
}

// pace accounts a packet of a class that is sent now.
func (p *Port) pace(class sluice.Class, size int64) sluice.Wake {
	g := &p.state.pacer
	g.begun[class], g.lasted[class] = p.owner.clock.Now(), p.state.rate.TimeOf(sluice.Bytes(size))
	if !g.paced.Has(class) {
		return 0
	}
	p.state.slow |= 1 << class
	p.state.ready[class] = g.next(class)
	return p.reblock() | p.reschedule()
}

// blocks returns the classes that may not send.
func (t *state) blocks() sluice.ClassSet { return t.held&^t.bypass&^t.pacer.paced | t.slow }
