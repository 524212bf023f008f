package pfc

import (
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc/qos"
)

// drawRuledConfig draws a configuration, as often as not with rules.
func drawRuledConfig(t *rapid.T) Config {
	c := drawConfig(t)
	if rapid.Bool().Draw(t, "rules") {
		for i := range c.Ports {
			c.Ports[i].ECN = [sluice.Classes]sluice.Marking{}
		}
		drawRules(t, &c)
	}
	return c
}

// drawRules draws rules for a configuration: WRED by steps, so that nothing is left to chance.
func drawRules(t *rapid.T, c *Config) {
	c.EgressPools = []sluice.Bytes{
		sluice.Bytes(rapid.IntRange(1, 60_000).Draw(t, "egress pool")), 20_000,
	}
	for i := range c.Ports {
		p := &c.Ports[i]
		if rapid.IntRange(0, 3).Draw(t, "no rules") == 0 {
			continue
		}
		p.QoS = drawQoS(t)
		p.QoS.Lossy &^= c.lossless(i)
		for rest := p.QoS.Lossy; rest != 0; rest &= rest - 1 {
			profile := *p.profile(lowest(rest))
			profile.Headroom = 0
			p.Profiles[lowest(rest)] = &profile
		}
		if rapid.Bool().Draw(t, "own groups") {
			p.Groups = drawGroups(t)
		}
	}
	c.Buffer = c.SetApart() + sluice.Bytes(rapid.IntRange(1, 60_000).Draw(t, "pool beside"))
}

func drawQoS(t *rapid.T) *qos.Port {
	q := &qos.Port{}
	often := func(what string) bool { return rapid.IntRange(0, 2).Draw(t, what) == 0 }
	anyMap := func(what string) *qos.Map {
		m := qos.Same()
		if often(what) {
			m[3], m[0] = sluice.Class(rapid.IntRange(0, 7).Draw(t, what)), 3
		}
		return &m
	}
	swap := func(what string) *qos.Map {
		m, c := qos.Same(), rapid.IntRange(0, 7).Draw(t, what)
		m[3], m[c] = m[c], m[3]
		return &m
	}
	q.Queue, q.Group = anyMap("queue map"), anyMap("group map")
	q.PauseQueue, q.PauseGroup = swap("pause queue map"), swap("pause group map")
	q.Lossy = sluice.ClassSet(rapid.IntRange(0, 0xff).Draw(t, "lossy groups"))
	limit := func(what string) (l qos.Limit) {
		switch rapid.IntRange(0, 2).Draw(t, what) {
		case 0:
			l.Static = sluice.Bytes(rapid.IntRange(1, 30_000).Draw(t, what))
		case 1:
			l.Alpha = drawRatio(t, what)
		}
		return l
	}
	if often("ingress limit") {
		q.Ingress = []qos.Limit{limit("ingress"), limit("ingress")}
		q.Shares = rapid.Bool().Draw(t, "shares")
	}
	if often("egress limit") {
		q.Egress = []qos.Limit{limit("egress")}
	}
	shaper := func(what string) (s qos.Shaper) {
		if often(what) {
			s.Rate = rapid.SampledFrom([]sluice.Rate{1 * sluice.Gbps, 7_777_777_777}).Draw(t, what)
			s.Burst = sluice.Bytes(rapid.SampledFrom([]int{0, 1500, 20_000}).Draw(t, what))
		}
		return s
	}
	q.Shaper = shaper("port shaper")
	for i := range sluice.Classes {
		if often("queue limit") {
			l := limit("queue")
			l.Pool = rapid.IntRange(0, 1).Draw(t, "egress pool of a queue")
			l.Reserve = sluice.Bytes(rapid.SampledFrom([]int{0, 2000}).Draw(t, "queue reserve"))
			q.Queues[i] = &l
		}
		q.Colors[i] = qos.Color(rapid.IntRange(0, 2).Draw(t, "colour"))
		if often("WRED") {
			q.WRED[i] = drawWRED(t)
		}
		q.Shapers[i] = shaper("queue shaper")
	}
	return q
}

func drawWRED(t *rapid.T) *qos.WRED {
	w := &qos.WRED{}
	for c := range w.Curves {
		at := sluice.Bytes(rapid.IntRange(1, 9000).Draw(t, "WRED step"))
		w.Curves[c] = sluice.Marking{KMin: at, KMax: at}
		w.Mark[c], w.Drop[c] = rapid.Bool().Draw(t, "mark"), rapid.Bool().Draw(t, "drop")
	}
	return w
}
