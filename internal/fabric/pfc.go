package fabric

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/machine"
	"github.com/sluicefc/sluice/pfc"
)

// pfcFleet is a network of pfc switches and cards; without lossless classes, a lossy one.
type pfcFleet struct {
	*plan
	lossless pfc.ClassSet
	hostRate sluice.Rate // of the slowest host: alpha is scaled from there
	switches map[sluice.SwitchID]*pfc.Switch
}

func buildPFC(p *plan) (fleet, error) { return newPFCFleet(p, 0xff), nil }

func buildNone(p *plan) (fleet, error) { return newPFCFleet(p, 0), nil }

func newPFCFleet(p *plan, lossless pfc.ClassSet) *pfcFleet {
	f := &pfcFleet{plan: p, lossless: lossless, hostRate: 1 << 62, switches: make(map[sluice.SwitchID]*pfc.Switch)}
	for _, host := range p.graph.Hosts() {
		f.hostRate = min(f.hostRate, p.graph.Nodes[host].Ports[0].Link.Rate)
	}
	return f
}

func (f *pfcFleet) machine(node sluice.SwitchID) (machine.Machine, error) {
	s, err := f.newSwitch(node)
	if err != nil {
		return nil, err
	}
	return machine.Wrap[*pfc.Switch, *pfc.Port, pfc.Frame](s), nil
}

func (f *pfcFleet) newSwitch(node sluice.SwitchID) (*pfc.Switch, error) {
	config := pfc.Config{
		Buffer: f.values.Bytes("buffer"), Lossless: f.lossless, Seed: f.seed + uint64(node),
		MAC: macOf(node),
	}
	if f.lossless != 0 {
		config.ReservedClasses = 1
	}
	host := f.graph.IsHost(node)
	if host {
		config.Buffer = pfc.MaxBuffer // a card's queues are the host's memory
	}
	for _, end := range f.graph.Nodes[node].Ports {
		config.Ports = append(config.Ports, f.port(end.Link, host))
	}
	s, err := pfc.New(config)
	if err == nil && !host {
		f.switches[node] = s
	}
	return s, err
}

func (f *pfcFleet) port(link sluice.Link, host bool) pfc.PortConfig {
	p := pfc.PortConfig{Rate: link.Rate, Pause: sluice.Quanta(f.values.Int("pfc.quanta"))}
	if f.lossless != 0 {
		num, den := f.values.Rational("pfc.alpha")
		p.Alpha = pfc.ScaleAlpha(pfc.Ratio{Num: num, Den: den}, link.Rate, f.hostRate)
		p.ResumeOffset = f.values.Bytes("pfc.resume")
		p.Reserve = f.values.Bytes("pfc.reserve")
		p.Headroom = f.headroom(link)
	}
	if f.values.IsSet("ecn.kmin") && !host {
		num, den := f.values.Rational("ecn.pmax")
		for class := range p.ECN {
			p.ECN[class] = pfc.Marking{
				KMin: scaleBytes(f.values.Bytes("ecn.kmin"), link.Rate), KMax: scaleBytes(f.values.Bytes("ecn.kmax"), link.Rate),
				PMax: pfc.Ratio{Num: num, Den: den},
			}
		}
	}
	return p
}

// headroom is pfc.headroom one-way bandwidth-delay products.
func (f *pfcFleet) headroom(link sluice.Link) sluice.Bytes {
	num, den := f.values.Rational("pfc.headroom")
	return link.Rate.BytesInUp(link.Delay) * sluice.Bytes(num) / sluice.Bytes(den)
}

// scaleBytes scales an amount that is given for 100 Gb/s to a port's rate.
func scaleBytes(n sluice.Bytes, rate sluice.Rate) sluice.Bytes {
	return n * sluice.Bytes(rate/sluice.Mbps) / sluice.Bytes(100*sluice.Gbps/sluice.Mbps)
}
