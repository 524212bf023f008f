package fabric

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/cc"
	"github.com/sluicefc/sluice/internal/lab/params"
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

var detectParameters = []params.Definition{
	{Name: "detect", Kind: params.Choice, Default: "", Choices: detectors, Section: "network",
		Doc: "what marks data packets at switches: by queue length (ecn), TCD, InfiniBand's FECN, or " +
			"PCN's NP-ECN; unset: the one that cc is made for if it learns from marks, ecn if ecn.kmin " +
			"is set, else none"},
	{Name: "tcd.epsilon", Kind: params.Rational, Default: "1/20", Min: "1/1000", Max: "1000",
		Section: "tcd",
		Doc: "least degree of congestion, by which the rate into a queue exceeds what leaves it " +
			"(epsilon)"},
	{Name: "tcd.maxton", Kind: params.Time, Default: "", Min: "1ns", Section: "tcd",
		Doc: "longest time for which flow control lets a port send at a stretch (max(T_on)); unset: " +
			"section 3.2.2's formula with the port's rate and delay, tcd.gap and a packet; cbfc.period " +
			"under cbfc"},
	{Name: "tcd.gap", Kind: params.Bytes, Default: "", Section: "tcd",
		Doc: "gap between the thresholds of a pause and of a resume (B1 - B0); unset: pfc.resume under " +
			"pfc, else two packets"},
	{Name: "tcd.drained", Kind: params.Bytes, Default: "", Min: "1B", Section: "tcd",
		Doc: "length down to which a queue must come that was undetermined; unset: two packets"},
	{Name: "tcd.slack", Kind: params.Bytes, Default: "0", Section: "tcd",
		Doc: "growth of a queue, while what flow control held leaves, that is no congestion; 900B in " +
			"public code"},
	{Name: "fecn.threshold", Kind: params.Bytes, Default: "50KB", Min: "1B", Section: "fecn",
		Doc: "queue above which packets are marked that did not wait for credit"},
	{Name: "fecn.head-only", Kind: params.Bool, Default: "off", Section: "fecn",
		Doc: "only the packet at the head is exempt when credit comes, not those behind it"},
	{Name: "npecn.threshold", Kind: params.Bytes, Default: "0", Section: "npecn",
		Doc: "queue above which packets are marked that did not wait for a resume"},
}

// detector returns the name of the detector of the run's parameters.
func (r *Run) detector() string {
	if name := r.Values.String("detect"); name != "" {
		return name
	}
	control := r.control()
	switch {
	case control.Signals()&cc.Ternary != 0:
		return detectTCD
	case control == cc.IBCC:
		return detectFECN
	case control == cc.PCN:
		return detectNPECN
	case control.Signals()&cc.Marks != 0 || r.Values.IsSet("ecn.kmin"):
		return detectECN
	}
	return detectNone
}

// codePoint is the one with which data packets leave their host. ECT(0) is TCD's second mark, so
// that neither its detector nor controls that know it can have it unmarked.
func codePoint(detect string, control cc.Kind) sluice.ECN {
	switch {
	case detect == detectNone:
		return sluice.NotECT
	case detect == detectTCD || control.Signals()&cc.Ternary != 0:
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
	switch {
	case p.detect == detectTCD:
		return hang[tcd.Detector](p, node, m, p.newTCD)
	case p.detect == detectFECN:
		return hang[tcd.FECN](p, node, m, p.newFECN)
	case p.detect == detectNPECN:
		return hang[pcn.CongestionPoint](p, node, m, p.newNPECN)
	case p.detect == detectECN && !p.protocol.marks:
		return hang[tcd.ECN](p, node, m, p.newECN)
	}
	return m, nil
}

func (p *plan) newTCD(link sluice.Link, seed uint64) (*tcd.Detector, error) {
	packet := p.packet()
	c := tcd.Config{
		MaxTon: p.values.Time("tcd.maxton"), Marking: p.marking(link.Rate),
		Drained: p.values.Bytes("tcd.drained"), Slack: p.values.Bytes("tcd.slack"), Seed: seed,
	}
	if c.Drained == 0 {
		c.Drained = 2 * packet
	}
	if !p.values.IsSet("tcd.maxton") {
		c.MaxTon = p.maxTon(link)
	}
	return tcd.New(c)
}

// maxTon is the longest time for which flow control lets a port send at a stretch: pauses, or
// credit that comes once in a period.
func (p *plan) maxTon(link sluice.Link) sluice.Time {
	if p.protocol.Name == "cbfc" {
		return tcd.MaxTonInfiniBand(p.creditPeriod(link), sluice.Ratio{})
	}
	return tcd.MaxTonCEE(link, p.tcdGap(), p.packet(), ratio(p.values, "tcd.epsilon"))
}

// tcdGap is how far apart the thresholds of a pause and of a resume are.
func (p *plan) tcdGap() sluice.Bytes {
	switch {
	case p.values.IsSet("tcd.gap"):
		return p.values.Bytes("tcd.gap")
	case p.protocol.Name == "pfc":
		return p.values.Bytes("pfc.resume")
	}
	return 2 * p.packet()
}

func (p *plan) newFECN(sluice.Link, uint64) (*tcd.FECN, error) {
	return tcd.NewFECN(tcd.FECNConfig{
		Threshold: p.values.Bytes("fecn.threshold"), HeadOnly: p.values.Bool("fecn.head-only"),
	})
}

func (p *plan) newNPECN(sluice.Link, uint64) (*pcn.CongestionPoint, error) {
	point, err := pcn.NewCongestionPoint(pcn.CPConfig{Threshold: p.values.Bytes("npecn.threshold")})
	return &point, err
}

func (p *plan) newECN(link sluice.Link, seed uint64) (*tcd.ECN, error) {
	return tcd.NewECN(tcd.ECNConfig{Marking: p.marking(link.Rate), Seed: seed})
}

// packet is the size of a full data packet.
func (p *plan) packet() sluice.Bytes { return p.values.Bytes("payload") + p.values.Bytes("header") }

// marking returns the marking of a port of a rate.
func (p *plan) marking(rate sluice.Rate) sluice.Marking {
	kMin := p.values.Bytes("ecn.kmin")
	if !p.values.IsSet("ecn.kmin") {
		kMin = 400 * sluice.KB // HPCC's and Pyrrha's ns-3 settings for 100 Gb/s
	}
	return sluice.Marking{
		KMin: scaleBytes(kMin, rate), KMax: scaleBytes(p.values.Bytes("ecn.kmax"), rate),
		PMax: ratio(p.values, "ecn.pmax"),
	}
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
