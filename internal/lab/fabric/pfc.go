package fabric

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pfc"
)

// pfcFleet is a network of pfc switches and cards; without lossless classes, a lossy one.
type pfcFleet struct {
	*plan
	classes  sluice.ClassSet // that are lossless
	trigger  pfc.Trigger
	stop     bool        // GFC's last stage is zero
	hostRate sluice.Rate // of the slowest host: alpha is scaled from there
	retag    []pfc.Retag // at nodes that forward
	groups   []pfc.Group // everywhere
	switches map[sluice.SwitchID]*pfc.Switch
}

func buildPFC(p *plan) fleet { return newPFCFleet(p, sluice.AllClasses) }

func buildNone(p *plan) fleet { return newPFCFleet(p, sluice.NoClasses) }

// buildVariant returns the builder of a variant of PFC, whose thresholds are static.
func buildVariant(trigger pfc.Trigger, stop bool) func(*plan) fleet {
	return func(p *plan) fleet {
		f := newPFCFleet(p, sluice.AllClasses)
		f.trigger, f.stop = trigger, stop
		return f
	}
}

func newPFCFleet(p *plan, classes sluice.ClassSet) *pfcFleet {
	f := &pfcFleet{
		plan: p, classes: classes, hostRate: 1 << 62, switches: make(map[sluice.SwitchID]*pfc.Switch),
	}
	for _, host := range p.graph.Hosts() {
		f.hostRate = min(f.hostRate, p.graph.FastestPort(host))
	}
	return f
}

func (f *pfcFleet) machine(node sluice.SwitchID) (kit.Machine, error) {
	return kit.WrapNew(f.newSwitch(node))
}

func (f *pfcFleet) newSwitch(node sluice.SwitchID) (*pfc.Switch, error) {
	s, err := pfc.New(f.config(node))
	if err == nil && !f.isCard(node) {
		f.switches[node] = s
	}
	return s, err
}

func (f *pfcFleet) config(node sluice.SwitchID) pfc.Config {
	if f.isCard(node) {
		c := pfc.HostConfig(f.graph.Nodes[node].Ports[0].Link)
		c.Classes, c.MAC, c.Trigger, c.Variant.Stop = f.classes, MAC(node), f.trigger, f.stop
		c.Groups = f.groups
		return c
	}
	c := pfc.Config{
		Buffer: f.buffer(node), Classes: f.classes, Seed: f.seed + uint64(node), MAC: MAC(node),
		Retag: f.retag, Groups: f.groups,
	}
	if f.classes != sluice.NoClasses {
		c.ReservedClasses = 1
	}
	c.Trigger, c.Variant.Stop = f.trigger, f.stop
	if v := f.values; f.trigger != pfc.AtIngress {
		c.Variant.Egress, c.Variant.Lower = v.Bytes("pfc.egress"), v.Bytes("pfc.lower")
		c.Variant.Ahead, c.Variant.Guard = v.Time("pfc.ahead"), ratio(v, "pfc.guard")
	}
	for _, end := range f.graph.Nodes[node].Ports {
		c.Ports = append(c.Ports, f.port(end.Link))
	}
	return c
}

func (f *pfcFleet) port(link sluice.Link) pfc.PortConfig {
	p := pfc.PortConfig{Link: link}
	if f.classes != sluice.NoClasses {
		p.Pause = sluice.Quanta(f.values.Int("pfc.quanta"))
		f.threshold(&p, link)
		p.Reserve = f.values.Bytes("pfc.reserve")
		p.Headroom = f.products("pfc.headroom", link)
	} else if f.values.IsSet("none.alpha") {
		p.LossyAlpha = ratio(f.values, "none.alpha")
	}
	if f.detect == detectECN {
		for class := range p.ECN {
			p.ECN[class] = f.marking(link.Rate)
		}
	}
	return p
}

// threshold sets when an ingress pauses its peer and when it resumes it.
func (f *pfcFleet) threshold(p *pfc.PortConfig, link sluice.Link) {
	offset := f.values.Bytes("pfc.resume")
	if f.values.IsSet("pfc.xoff") {
		p.XOff = f.values.Bytes("pfc.xoff")
		p.XOn = max(0, p.XOff-offset)
		if f.values.IsSet("pfc.xon") {
			p.XOn = f.values.Bytes("pfc.xon")
		}
		return
	}
	if f.values.IsSet("pfc.xoff-bdp") {
		p.XOff = f.products("pfc.xoff-bdp", link)
		p.XOn = max(0, p.XOff-offset)
		if f.values.IsSet("pfc.xon-bdp") {
			p.XOn = f.products("pfc.xon-bdp", link)
		}
		return
	}
	if f.trigger != pfc.AtIngress {
		p.XOff, p.XOn = 75*sluice.KB, 45*sluice.KB
		return
	}
	p.Alpha = pfc.ScaleAlpha(ratio(f.values, "pfc.alpha"), link.Rate, f.hostRate)
	if p.ResumeOffset = offset; offset == 0 {
		p.ResumeOffset = pfc.ResumeAtThreshold
	}
}

// products returns a parameter in one-way bandwidth-delay products as bytes.
func (f *pfcFleet) products(name string, link sluice.Link) sluice.Bytes {
	num, den := f.values.Rational(name)
	return link.Rate.BytesInUp(link.Delay) * sluice.Bytes(num) / sluice.Bytes(den)
}

// scaleBytes scales an amount that is given for 100 Gb/s to a port's rate.
func scaleBytes(n sluice.Bytes, rate sluice.Rate) sluice.Bytes {
	return n * sluice.Bytes(rate/sluice.Mbps) / sluice.Bytes(100*sluice.Gbps/sluice.Mbps)
}
