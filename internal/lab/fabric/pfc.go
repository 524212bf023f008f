package fabric

import (
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pfc/trigger"
)

// pfcSettings are the parameters of pfc and its variants, and of none.
type pfcSettings struct {
	config        pfc.Config     // its Variant alone is set
	port          pfc.PortConfig // of a switch, without the link and what depends on the link
	headroom      sluice.Ratio   // in bandwidth-delay products
	alpha         sluice.Ratio   // of a port as fast as a host's
	resume        sluice.Bytes
	xOff, xOn     *sluice.Bytes
	offBDP, onBDP *sluice.Ratio // X_off and X_on in bandwidth-delay products
}

// check builds a switch of one port, which knows the ranges of the parameters.
func (s *pfcSettings) check() error {
	c, port := s.config, s.port
	port.Link, port.XOff, port.XOn = anyLink, 75*sluice.KB, 45*sluice.KB
	c.Ports, c.Trigger = []pfc.PortConfig{port}, trigger.CAPFC
	_, err := pfc.New(c)
	return err
}

func (s *pfcSettings) lossy() []params.Field {
	return params.Checked(&s.port, s.check, params.Bind("none.alpha", &s.port.LossyAlpha, "",
		"dynamic threshold: a packet is dropped if its egress queue would become longer than this "+
			"share of the free buffer; unset: no limit but the buffer").Range(">0", ""))
}

func (s *pfcSettings) lossless() []params.Field {
	return params.Checked(&s.port, s.check,
		params.Bind("pfc.reserve", &s.port.Reserve, "4KiB",
			"bytes of each ingress and priority that are not charged to the shared buffer"),
		params.Bind("pfc.headroom", &s.headroom, "8",
			"headroom of an ingress port in one-way bandwidth-delay products of its link").
			Range("", "1024"),
		params.Bind("pfc.xoff", &s.xOff, "",
			"static threshold of an ingress and priority (X_off); X_on is pfc.resume below it; "+
				"unset: dynamic").Range("1B", "").As("XOff"),
		params.Bind("pfc.resume", &s.resume, "3KiB",
			"resume offset: how far below the threshold an ingress falls before it is resumed"),
		params.Bind("pfc.quanta", &s.port.Pause, "65535",
			"pause time sent, in quanta of 512 bit times; refreshed at a third").Range("1", ""),
	)
}

func (s *pfcSettings) dynamic() []params.Field {
	return []params.Field{params.Bind("pfc.alpha", &s.alpha, "1/4",
		"dynamic threshold: share of the free shared buffer that an ingress of a host-rate "+
			"port may hold; doubled for each doubling of the port's rate").
		Range("1/1024", "1024").As("Alpha")}
}

// static returns the parameter that goes with pfc.xoff.
func (s *pfcSettings) static() []params.Field {
	return []params.Field{params.Bind("pfc.xon", &s.xOn, "",
		"static X_on, where pfc.xoff is set; unset: pfc.resume below X_off").As("XOn")}
}

// products are thresholds where pfc.xoff is unset.
func (s *pfcSettings) products() []params.Field {
	return []params.Field{
		params.Bind("pfc.xoff-bdp", &s.offBDP, "",
			"static X_off of each port, in one-way bandwidth-delay products of its link, where "+
				"pfc.xoff is unset").Range("", "1024"),
		params.Bind("pfc.xon-bdp", &s.onBDP, "",
			"static X_on of each port, in one-way bandwidth-delay products of its link, where "+
				"pfc.xoff-bdp is set; unset: pfc.resume below X_off").Range("", "1024"),
	}
}

func (s *pfcSettings) variant() []params.Field {
	v := &s.config.Variant
	return params.Checked(v, s.check,
		params.Bind("pfc.egress", &v.Egress, "0",
			"egress threshold of capfc; 0: three times X_off"),
		params.Bind("pfc.guard", &v.Guard, "2",
			"multiple of X_off at which capfc and ppfc pause whatever the egress queues are").
			Range("1", "16"),
		params.Bind("pfc.ahead", &v.Ahead, "0",
			"how far ppfc-derivative looks ahead; 0: the round-trip time of the link and 1us"),
		params.Bind("pfc.lower", &v.Lower, "0",
			"lower threshold of gfc, 0: X_on, and of gpfc for classes 0 to 3, 0: 68/75 of X_off"),
	)
}

// pfcFleet is a network of pfc switches and cards; without lossless classes, a lossy one.
type pfcFleet struct {
	*plan
	pfcSettings
	classes  sluice.ClassSet // the lossless classes
	trigger  trigger.Kind
	hostRate sluice.Rate      // of the slowest host: alpha is scaled from there
	retag    []pfc.Retag      // at nodes that forward
	groups   []pfc.Group      // everywhere
	ports    []pfc.PortConfig // of the switch that was configured last
	switches map[sluice.SwitchID]*pfc.Switch
}

func buildPFC(p *plan) (fleet, error) {
	if p.sonic != nil {
		return withClasses(p, sluice.AllClasses), nil
	}
	return newPFCFleet(p, trigger.AtIngress), nil
}

func buildNone(p *plan) (fleet, error) {
	f := withClasses(p, sluice.NoClasses)
	p.fill(f.lossy())
	return f, nil
}

// buildVariant returns the builder of a variant of PFC, whose thresholds are static.
func buildVariant(kind trigger.Kind, stop bool) func(*plan) (fleet, error) {
	return func(p *plan) (fleet, error) {
		f := newPFCFleet(p, kind)
		f.pfcSettings.config.Variant.Stop = stop
		return f, nil
	}
}

func withClasses(p *plan, lossless sluice.ClassSet) *pfcFleet {
	return &pfcFleet{
		plan: p, classes: lossless, switches: make(map[sluice.SwitchID]*pfc.Switch),
	}
}

func newPFCFleet(p *plan, kind trigger.Kind) *pfcFleet {
	f := withClasses(p, sluice.AllClasses)
	f.trigger, f.hostRate = kind, 1<<62
	for _, host := range p.graph.Hosts() {
		f.hostRate = min(f.hostRate, p.graph.FastestPort(host))
	}
	p.fill(f.lossless())
	switch {
	case f.xOff != nil:
		p.fill(f.static())
	default:
		p.fill(f.products())
		if f.offBDP == nil && kind == trigger.AtIngress {
			p.fill(f.dynamic())
		}
	}
	if kind != trigger.AtIngress {
		p.fill(f.variant())
	}
	return f
}

func (f *pfcFleet) machine(node sluice.SwitchID) (kit.Machine, error) {
	return kit.WrapNew(f.newSwitch(node))
}

func (f *pfcFleet) newSwitch(node sluice.SwitchID) (*pfc.Switch, error) {
	config, err := f.configured(node)
	if err != nil {
		return nil, err
	}
	s, err := pfc.New(config)
	if err == nil && !f.isCard(node) {
		f.switches[node] = s
	}
	return s, err
}

// configured is configOf, or what a configuration of SONiC says.
func (f *pfcFleet) configured(node sluice.SwitchID) (pfc.Config, error) {
	switch {
	case f.sonic == nil || f.protocol.Name != "pfc":
		return f.configOf(node), nil
	case f.isCard(node):
		c := f.configOf(node)
		f.cardOfSONiC(&c)
		return c, nil
	}
	return f.likeSONiC(node)
}

func (f *pfcFleet) configOf(node sluice.SwitchID) pfc.Config {
	card := f.isCard(node)
	c := f.pfcSettings.config
	if card {
		stop := c.Variant.Stop
		c = pfc.HostConfig(f.graph.Nodes[node].Ports[0].Link)
		c.Variant.Stop = stop
	}
	c.Classes, c.MAC, c.Trigger, c.Groups = f.classes, MAC(node), f.trigger, f.groups
	if card {
		return c
	}
	c.Buffer, c.Seed, c.Retag = f.buffer(node), f.seed+uint64(node), f.retag
	if f.classes != sluice.NoClasses {
		c.ReservedClasses = 1
	}
	c.Ports = f.portsOf(node)
	return c
}

// portsOf returns the ports of a switch: if they are the same, the ports of the one before.
func (f *pfcFleet) portsOf(node sluice.SwitchID) []pfc.PortConfig {
	ends := f.graph.Nodes[node].Ports
	if slices.EqualFunc(ends, f.ports, func(end topo.Port, p pfc.PortConfig) bool {
		return end.Link == p.Link
	}) {
		return f.ports
	}
	f.ports = make([]pfc.PortConfig, len(ends))
	for i := range ends {
		f.ports[i] = f.portOf(ends[i].Link)
	}
	return f.ports
}

func (f *pfcFleet) portOf(link sluice.Link) pfc.PortConfig {
	p := f.port
	p.Link = link
	if f.classes != sluice.NoClasses {
		f.threshold(&p, link)
		p.Headroom = products(f.headroom, link)
	}
	if f.detect == detectECN {
		marking := f.marking(link.Rate)
		for class := range p.ECN {
			p.ECN[class] = marking
		}
	}
	return p
}

// threshold sets when an ingress pauses its peer and when it resumes it.
func (f *pfcFleet) threshold(p *pfc.PortConfig, link sluice.Link) {
	switch {
	case f.xOff != nil:
		p.XOff = *f.xOff
		if p.XOn = max(0, p.XOff-f.resume); f.xOn != nil {
			p.XOn = *f.xOn
		}
	case f.offBDP != nil:
		p.XOff = products(*f.offBDP, link)
		if p.XOn = max(0, p.XOff-f.resume); f.onBDP != nil {
			p.XOn = products(*f.onBDP, link)
		}
	case f.trigger != trigger.AtIngress:
		p.XOff, p.XOn = 75*sluice.KB, 45*sluice.KB
	default:
		p.Alpha = pfc.ScaleAlpha(f.alpha, link.Rate, f.hostRate)
		if p.ResumeOffset = f.resume; f.resume == 0 {
			p.ResumeOffset = pfc.ResumeAtThreshold
		}
	}
}

// products returns one-way bandwidth-delay products as bytes.
func products(n sluice.Ratio, link sluice.Link) sluice.Bytes {
	return link.Rate.BytesInUp(link.Delay) * sluice.Bytes(n.Num) / sluice.Bytes(n.Den)
}

// scaleBytes scales an amount that is given for 100 Gb/s to a port's rate.
func scaleBytes(n sluice.Bytes, rate sluice.Rate) sluice.Bytes {
	return n * sluice.Bytes(rate/sluice.Mbps) / sluice.Bytes(100*sluice.Gbps/sluice.Mbps)
}
