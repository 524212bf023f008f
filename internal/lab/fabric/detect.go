package fabric

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/cc"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/prng"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pcn"
	"github.com/sluicefc/sluice/tcd"
)

// Detectors of congestion, by the names of parameter detect.
const (
	detectNone  = "none"
	detectECN   = "ecn"
	detectTCD   = "tcd"
	detectFECN  = "fecn"
	detectNPECN = "npecn"
)

var detectors = []string{detectNone, detectECN, detectTCD, detectFECN, detectNPECN}

type detectorSettings struct {
	ternary tcd.Config
	maxTon  *sluice.Time
	epsilon sluice.Ratio
	gap     *sluice.Bytes
	credit  tcd.FECNConfig
	np      pcn.CPConfig
}

func (d *detectorSettings) parameters(detector string) []params.Field {
	switch detector {
	case detectTCD:
		return d.tcd()
	case detectFECN:
		return d.fecn()
	case detectNPECN:
		return d.npecn()
	}
	return nil
}

func (d *detectorSettings) tcd() []params.Field {
	return []params.Field{
		params.Bind("tcd.maxton", &d.maxTon, "",
			"longest time for which flow control lets a port send at a stretch (max(T_on)); unset: "+
				"section 3.2.2's formula with the port's rate and delay, tcd.gap and a packet; "+
				"cbfc.period under cbfc").Range("1ns", "").As("MaxTon"),
		params.Bind("tcd.drained", &d.ternary.Drained, "",
			"length to which an undetermined queue must fall; unset: two packets").
			Range("1B", "").As("Drained"),
		params.Bind("tcd.slack", &d.ternary.Slack, "0",
			"growth of a queue that is no congestion while packets leave that flow control held; 900B "+
				"in public code").As("Slack"),
	}
}

// formula returns the parameters of the formula that gives tcd.maxton where it is unset.
func (d *detectorSettings) formula() []params.Field {
	return []params.Field{
		params.Bind("tcd.epsilon", &d.epsilon, "1/20",
			"least degree of congestion, by which the rate into a queue exceeds the rate out of it "+
				"(epsilon)").Range("1/1000", "1000"),
		params.Bind("tcd.gap", &d.gap, "",
			"gap between the thresholds of a pause and of a resume (B1 - B0); unset: pfc.resume under "+
				"pfc, else two packets"),
	}
}

func (d *detectorSettings) fecn() []params.Field {
	return []params.Field{
		params.Bind("fecn.threshold", &d.credit.Threshold, "50KB",
			"queue above which packets are marked that did not wait for credit").Range("1B", "").
			As("Threshold"),
		params.Bind("fecn.head-only", &d.credit.HeadOnly, "off",
			"only the packet at the head is exempt when credit comes, not those behind it"),
	}
}

func (d *detectorSettings) npecn() []params.Field {
	return []params.Field{params.Bind("npecn.threshold", &d.np.Threshold, "0",
		"queue above which packets are marked that did not wait for a resume").As("Threshold")}
}

// detector returns the name of the detector of a run whose congestion control is known.
func (n *network) detector(control *cc.Kind, values *params.Values) string {
	switch {
	case n.detect != "":
		return n.detect
	case control.Detector != "":
		return control.Detector
	case values.IsSet("ecn.kmin"), n.sim.Balance.Kind == sim.PLB:
		return detectECN
	}
	return detectNone
}

// codePoint returns the code point of data packets that leave their host. ECT(0) is TCD's second
// mark, so that it means no unmarked packet to TCD's detector, or to a control that knows the mark.
func codePoint(detect string, control *cc.Kind) sluice.ECN {
	switch {
	case detect == detectNone:
		return sluice.NotECT
	case detect == detectTCD || control.Signals&cc.Ternary != 0:
		return sluice.ECT1
	}
	return sluice.ECT0
}

// detected hangs the detector that the parameters ask for on the machine of a switch; network cards
// detect nothing.
func (p *plan) detected(node sluice.SwitchID, m kit.Machine) (kit.Machine, error) {
	if p.isCard(node) {
		return m, nil
	}
	d := &p.detectors
	switch {
	case p.detect == detectTCD:
		return hang[tcd.Detector](p, node, m, p.newTCD)
	case p.detect == detectFECN:
		return hang(p, node, m, func(sluice.Link, uint64) (*tcd.FECN, error) {
			return tcd.NewFECN(d.credit)
		})
	case p.detect == detectNPECN:
		return hang(p, node, m, func(sluice.Link, uint64) (*pcn.CongestionPoint, error) {
			point, err := pcn.NewCongestionPoint(d.np)
			return &point, err
		})
	case p.detect == detectECN && !p.protocol.marks:
		return hang(p, node, m, func(link sluice.Link, seed uint64) (*tcd.ECN, error) {
			return tcd.NewECN(tcd.ECNConfig{Marking: p.marking(link.Rate), Seed: seed})
		})
	}
	return m, nil
}

func (p *plan) newTCD(link sluice.Link, seed uint64) (*tcd.Detector, error) {
	c := p.detectors.ternary
	c.Marking, c.Seed = p.marking(link.Rate), seed
	if c.Drained == 0 {
		c.Drained = 2 * p.packet()
	}
	if set := p.detectors.maxTon; set != nil {
		c.MaxTon = *set
	} else {
		c.MaxTon = p.maxTon(link)
	}
	return tcd.New(c)
}

// maxTon is the longest time for which flow control lets a port send at a stretch: between pauses,
// or with the credit of a period.
func (p *plan) maxTon(link sluice.Link) sluice.Time {
	if p.protocol.Name == "cbfc" {
		var c cbfcSettings
		if p.values.Fill(c.creditPeriod()); c.port.Period == 0 {
			c.port.Period = link.Rate.TimeOf(65_536)
		}
		return tcd.MaxTonInfiniBand(c.port.Period, sluice.Ratio{})
	}
	p.values.Fill(p.detectors.formula())
	return tcd.MaxTonCEE(link, p.tcdGap(), p.packet(), p.detectors.epsilon)
}

// tcdGap is how far apart the thresholds of a pause and of a resume are.
func (p *plan) tcdGap() sluice.Bytes {
	switch {
	case p.detectors.gap != nil:
		return *p.detectors.gap
	case p.protocol.Name == "pfc":
		return p.values.Bytes("pfc.resume")
	}
	return 2 * p.packet()
}

func (p *plan) packet() sluice.Bytes { return p.hosts.Payload + p.hosts.Header }

func (p *plan) marking(rate sluice.Rate) sluice.Marking {
	m := sluice.Marking{KMin: 400 * sluice.KB} // HPCC's and Pyrrha's ns-3 settings for 100 Gb/s
	p.values.Fill(markingParameters(&m))
	m.KMin, m.KMax = scaleBytes(m.KMin, rate), scaleBytes(m.KMax, rate)
	return m
}

// hang makes a detector for each port of a switch, or for each queue where queues are classes, and
// hangs them on its machine.
func hang[D any, P detector[D]](
	p *plan, node sluice.SwitchID, m kit.Machine, build func(sluice.Link, uint64) (*D, error),
) (kit.Machine, error) {
	d := detectorSet[D, P]{perPort: 1}
	if p.protocol.classes {
		d.perPort = m.Queues()
	}
	seeds := prng.New(prng.Mix(p.seed + uint64(node)))
	for _, end := range p.graph.Nodes[node].Ports {
		for range d.perPort {
			one, err := build(end.Link, seeds.Uint64())
			if err != nil {
				return nil, err
			}
			d.all = append(d.all, *one)
		}
	}
	if p.protocol.classes {
		return newByClass(m, d), nil
	}
	return &byPort[D, P]{
		Machine: m, detectorSet: d,
		backlog: make([]sluice.Bytes, m.Ports()), held: make([]bool, m.Ports()),
	}, nil
}
