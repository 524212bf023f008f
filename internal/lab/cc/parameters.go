package cc

import (
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
)

// Definitions returns the parameters of all controls.
func Definitions() []params.Definition {
	var all []params.Definition
	for _, list := range [][]params.Definition{
		dcqcnParameters, dcqcnHPCCParameters, timelyParameters, timelyPCNParameters, hpccParameters,
		qcnParameters, dctcpParameters, ibccParameters, pcnParameters,
	} {
		all = append(all, list...)
	}
	return all
}

var dcqcnParameters = []params.Definition{
	ratio("dcqcn.g", "1/256", "gain of alpha"),
	ratio("dcqcn.alpha0", "1", "alpha at the first notice; 1/2 in public code"),
	span("dcqcn.alpha-timer", "55us", "time without a notice after which alpha decays (K)"),
	span("dcqcn.rate-timer", "55us", "timer of increases (T)"),
	amount("dcqcn.byte-counter", "10MB", "bytes of an increase (B)"),
	count("dcqcn.fast-recovery", "5", "steps of fast recovery (F)"),
	rate("dcqcn.ai", "", "additive increase; unset: 1/1000 of the line rate, 40Mb/s at 40Gb/s"),
	rate("dcqcn.hai", "", "hyper increase; unset: 1/200 of the line rate, 200Mb/s at 40Gb/s"),
	rate("dcqcn.min-rate", "100Mbps", "least rate"),
	choice("dcqcn.order", "cut-first",
		"cut the rate, then raise alpha; in public code alpha is first",
		"cut-first", "update-first"),
	choice("dcqcn.clamp", "always",
		"whether a notice sets the target to the rate: always, or after a stage",
		"always", "byte-stage", "any-stage"),
	onOff("dcqcn.cap-target", "on", "the target is at most the line rate; off in TCD's code"),
	onOff("dcqcn.halve-in-hyper", "on", "timer and counter are halved in hyper increase"),
	choice("dcqcn.hyper", "from-f",
		"hyper increase begins when timer and counter have both had F steps, as in public code, or with "+
			"the next one, as in the paper",
		"from-f", "past-f"),
	choice("dcqcn.np", "at-once",
		"a receiver sends a notice at once, or at the end of each dcqcn.cnp",
		"at-once", "interval"),
	span("dcqcn.cnp", "50us", "least time between the notices of a flow (N)"),
	ratio("dcqcn.np-share", "0",
		"with dcqcn.np=interval, the share of an interval's packets that must be marked; 19/20 as PCN's"),
}

var dcqcnHPCCParameters = []params.Definition{
	ratio("dcqcn-hpcc.g", "1/256", "gain of alpha"),
	span("dcqcn-hpcc.alpha-timer", "1us", "timer of alpha; 50us in the authors' dcqcn_paper"),
	span("dcqcn-hpcc.decrease-timer", "4us", "timer of decreases; 50us in dcqcn_paper"),
	span("dcqcn-hpcc.increase-timer", "300us", "timer of increases; 55us in dcqcn_paper"),
	count("dcqcn-hpcc.fast-recovery", "1", "steps of fast recovery (F)"),
	rate("dcqcn-hpcc.ai", "", "additive increase; unset: 1/5000 of the line rate, 20Mb/s at 100Gb/s"),
	rate("dcqcn-hpcc.hai", "", "hyper increase; unset: 1/500 of the line rate, 200Mb/s at 100Gb/s"),
	rate("dcqcn-hpcc.min-rate", "", "least rate; unset: 1/100 of the line rate"),
	ratio("dcqcn-hpcc.first-rate", "1", "share of the rate that the first mark leaves"),
	onOff("dcqcn-hpcc.clamp", "off", "a decrease right after another sets the target to the rate too"),
}

var timelyParameters = []params.Definition{
	ratio("timely.ewma", "7/8", "weight of a new difference of samples"),
	ratio("timely.beta", "4/5", "share of the rate that a gradient of 1 takes"),
	span("timely.tlow", "50us", "sample below which the rate rises"),
	span("timely.thigh", "500us", "sample above which the rate falls"),
	span("timely.min-rtt", "20us", "unit of the gradient"),
	rate("timely.ai", "", "increase; unset: 1/1000 of the line rate, 100Mb/s at 100Gb/s"),
	rate("timely.hai", "", "increase after timely.hai-after in a row; unset: 1/200 of the line rate"),
	count("timely.hai-after", "5", "increases in a row before timely.hai"),
	rate("timely.min-rate", "", "least rate; unset: 1/100 of the line rate"),
}

var timelyPCNParameters = []params.Definition{
	ratio("timely-pcn.ewma", "1/50", "weight of a new difference of samples"),
	ratio("timely-pcn.beta", "4/5", "share of the rate that a gradient of 1 takes"),
	span("timely-pcn.tlow", "50us", "sample below which the rate rises"),
	span("timely-pcn.thigh", "500us", "sample above which the rate falls"),
	span("timely-pcn.min-rtt", "30us", "unit of the gradient, and time of a full step"),
	rate("timely-pcn.delta", "", "increase; unset: 1/1000 of the line rate, 40Mb/s at 40Gb/s"),
	count("timely-pcn.n", "5", "increases at once after timely-pcn.n-after falling samples in a row"),
	count("timely-pcn.n-after", "5", "falling samples in a row before timely-pcn.n"),
	rate("timely-pcn.min-rate", "", "least rate; unset: 1/100 of the line rate"),
	count("timely-pcn.every", "64", "acknowledgements of a sample"),
	amount("timely-pcn.burst", "64kB", "bytes sent at once"),
}

var hpccParameters = []params.Definition{
	ratio("hpcc.eta", "95%", "target utilisation"),
	rate("hpcc.ai", "", "additive increase; unset: 1/2500 of the line rate, 40Mb/s at 100Gb/s"),
	count("hpcc.max-stage", "5", "additive increases in a row; 0 in the authors' run script: none"),
	rate("hpcc.min-rate", "", "least rate; unset: 1/100 of the line rate"),
	span("hpcc.rtt", "", "base round-trip time (T); unset: that of the longest path"),
	onOff("hpcc.fast-react", "on", "every acknowledgement changes the rate, not one a round trip"),
	onOff("hpcc.multi-rate", "off", "a rate for each hop, of which the least counts"),
	count("hpcc.int-unit", "0", "telemetry in units of 80B of queue, 128B sent, times this; 0: exact"),
}

var qcnParameters = []params.Definition{
	ratio("qcn.gd", "1/128", "share of the rate that a unit of feedback takes (rpgGd)"),
	ratio("qcn.min-decrease", "1/2", "share of the rate that a notice leaves at least (rpgMinDecFac)"),
	span("qcn.timer", "15ms", "timer of increases (rpgTimeReset)"),
	amount("qcn.byte-counter", "150kB", "bytes of an increase (rpgByteReset)"),
	count("qcn.fast-recovery", "5", "steps of fast recovery (rpgThreshold)"),
	rate("qcn.ai", "5Mbps", "additive increase (rpgAiRate)"),
	rate("qcn.hai", "50Mbps", "hyper increase (rpgHaiRate)"),
	rate("qcn.min-rate", "10Mbps", "least rate (rpgMinRate)"),
	ratio("qcn.jitter", "15%", "share by which timer, counter and sampling vary"),
	amount("qcn.setpoint", "26000B", "queue at which a switch sends no notices (cpQSp)"),
	factor("qcn.weight", "2", "weight of the change of the queue (w)"),
	amount("qcn.base", "150kB", "bytes between samples at least congestion (cpSampleBase)"),
}

var dctcpParameters = []params.Definition{
	ratio("dctcp.g", "1/16", "gain of alpha"),
	ratio("dctcp.alpha0", "1", "alpha at the start"),
	rate("dctcp.ai", "", "increase a window; unset: 615Mb/s at 100Gb/s, a packet of 1kB in 13us"),
	rate("dctcp.min-rate", "", "least rate; unset: 1/100 of the line rate"),
}

var ibccParameters = []params.Definition{
	count("ibcc.increase", "1", "steps of the index per notice (CCTI_Increase)"),
	count("ibcc.limit", "127", "largest index (CCTI_Limit)"),
	count("ibcc.min", "0", "least index (CCTI_Min)"),
	span("ibcc.timer", "150us",
		"time after which the index falls by one (CCTI_Timer); 30us in IBM's model"),
	ratio("ibcc.step", "1/8",
		"entry i of the table of delays (CCT) is i times this, in packet times; an entry counts "+
			"at least eighths"),
	define("ibcc.becn", params.Time, "0", "", "1s",
		"least time between the notices of a flow; 0: one for each marked packet"),
}

var pcnParameters = []params.Definition{
	span("pcn.t", "50us", "period of the receiver's notices (T)"),
	ratio("pcn.share", "19/20", "share of packets marked from which on a flow is congested"),
	ratio("pcn.wmin", "1/128", "discount of a decrease and weight of the first increase (w_min)"),
	ratio("pcn.wmax", "1/2", "weight that increases tend to (w_max)"),
	rate("pcn.min-rate", "1Mbps", "least rate"),
}

// Configure returns the configuration of a kind by its parameters. Window, BaseRTT, Packet and Seed
// are left to the caller.
func Configure(kind Kind, v *params.Values) Config {
	c := Config{Kind: kind}
	switch kind.family() {
	case DCQCN:
		c.DCQCN = configureDCQCN(v)
	case DCQCNHPCC:
		c.DCQCNHPCC = configureDCQCNHPCC(v)
	case Timely:
		c.Timely = configureTimely(v)
	case TimelyPCN:
		c.TimelyPCN = configureTimelyPCN(v)
	case HPCC:
		c.HPCC = configureHPCC(v)
	case QCN:
		c.QCN = configureQCN(v)
	case DCTCP:
		c.DCTCP = DCTCPConfig{
			G: fraction(v, "dctcp.g"), Alpha0: fraction(v, "dctcp.alpha0"),
			AI: v.Rate("dctcp.ai"), MinRate: v.Rate("dctcp.min-rate"),
		}
	case IBCC:
		c.IBCC = IBCCConfig{
			Increase: int32(v.Int("ibcc.increase")), Limit: int32(v.Int("ibcc.limit")),
			Min: int32(v.Int("ibcc.min")), Timer: v.Time("ibcc.timer"),
			Step: fraction(v, "ibcc.step"), NoticeSpacing: v.Time("ibcc.becn"),
		}
	case PCN:
		c.PCN = PCNConfig{
			Period: v.Time("pcn.t"), Share: fraction(v, "pcn.share"),
			WMin: fraction(v, "pcn.wmin"), WMax: fraction(v, "pcn.wmax"), MinRate: v.Rate("pcn.min-rate"),
		}
	}
	return c
}

func configureDCQCN(v *params.Values) DCQCNConfig {
	return DCQCNConfig{
		G: fraction(v, "dcqcn.g"), Alpha0: fraction(v, "dcqcn.alpha0"),
		AlphaTimer: v.Time("dcqcn.alpha-timer"), RateTimer: v.Time("dcqcn.rate-timer"),
		ByteCounter:  v.Bytes("dcqcn.byte-counter"),
		FastRecovery: int32(v.Int("dcqcn.fast-recovery")),
		AI:           v.Rate("dcqcn.ai"), HAI: v.Rate("dcqcn.hai"), MinRate: v.Rate("dcqcn.min-rate"),
		UpdateFirst:   v.String("dcqcn.order") == "update-first",
		Clamp:         v.String("dcqcn.clamp") == "always",
		ClampStages:   v.String("dcqcn.clamp") == "any-stage",
		CapTarget:     v.Bool("dcqcn.cap-target"),
		HalveInHyper:  v.Bool("dcqcn.halve-in-hyper"),
		HyperPastF:    v.String("dcqcn.hyper") == "past-f",
		NoticeWindow:  v.String("dcqcn.np") == "interval",
		NoticeSpacing: v.Time("dcqcn.cnp"),
		NoticeShare:   fraction(v, "dcqcn.np-share"),
	}
}

func configureDCQCNHPCC(v *params.Values) DCQCNHPCCConfig {
	return DCQCNHPCCConfig{
		G:             fraction(v, "dcqcn-hpcc.g"),
		AlphaTimer:    v.Time("dcqcn-hpcc.alpha-timer"),
		DecreaseTimer: v.Time("dcqcn-hpcc.decrease-timer"),
		IncreaseTimer: v.Time("dcqcn-hpcc.increase-timer"),
		FastRecovery:  int32(v.Int("dcqcn-hpcc.fast-recovery")),
		AI:            v.Rate("dcqcn-hpcc.ai"), HAI: v.Rate("dcqcn-hpcc.hai"),
		MinRate:   v.Rate("dcqcn-hpcc.min-rate"),
		FirstRate: fraction(v, "dcqcn-hpcc.first-rate"),
		Clamp:     v.Bool("dcqcn-hpcc.clamp"),
	}
}

func configureTimely(v *params.Values) TimelyConfig {
	return TimelyConfig{
		EWMA: fraction(v, "timely.ewma"), Beta: fraction(v, "timely.beta"),
		Low: v.Time("timely.tlow"), High: v.Time("timely.thigh"), MinRTT: v.Time("timely.min-rtt"),
		AI: v.Rate("timely.ai"), HAI: v.Rate("timely.hai"),
		HAIAfter: int32(v.Int("timely.hai-after")),
		MinRate:  v.Rate("timely.min-rate"),
	}
}

func configureTimelyPCN(v *params.Values) TimelyPCNConfig {
	return TimelyPCNConfig{
		EWMA: fraction(v, "timely-pcn.ewma"), Beta: fraction(v, "timely-pcn.beta"),
		Low: v.Time("timely-pcn.tlow"), High: v.Time("timely-pcn.thigh"),
		MinRTT: v.Time("timely-pcn.min-rtt"), Delta: v.Rate("timely-pcn.delta"),
		HAIFactor: int32(v.Int("timely-pcn.n")), HAIAfter: int32(v.Int("timely-pcn.n-after")),
		MinRate: v.Rate("timely-pcn.min-rate"),
		Every:   int32(v.Int("timely-pcn.every")), Burst: v.Bytes("timely-pcn.burst"),
	}
}

func configureHPCC(v *params.Values) HPCCConfig {
	return HPCCConfig{
		Eta: fraction(v, "hpcc.eta"), AI: v.Rate("hpcc.ai"),
		MaxStage: int32(v.Int("hpcc.max-stage")), MinRate: v.Rate("hpcc.min-rate"),
		RTT: v.Time("hpcc.rtt"), FastReact: v.Bool("hpcc.fast-react"),
		MultiRate: v.Bool("hpcc.multi-rate"), INTUnit: int32(v.Int("hpcc.int-unit")),
	}
}

func configureQCN(v *params.Values) QCNConfig {
	return QCNConfig{
		Gd: fraction(v, "qcn.gd"), MinDecrease: fraction(v, "qcn.min-decrease"),
		Timer: v.Time("qcn.timer"), ByteCounter: v.Bytes("qcn.byte-counter"),
		FastRecovery: int32(v.Int("qcn.fast-recovery")),
		AI:           v.Rate("qcn.ai"), HAI: v.Rate("qcn.hai"), MinRate: v.Rate("qcn.min-rate"),
		Jitter: fraction(v, "qcn.jitter"),
		Point: PointConfig{
			Setpoint: v.Bytes("qcn.setpoint"), Weight: fraction(v, "qcn.weight"),
			Base: v.Bytes("qcn.base"), Jitter: fraction(v, "qcn.jitter"),
		},
	}
}

func fraction(v *params.Values, name string) sluice.Ratio {
	num, den := v.Rational(name)
	return sluice.Ratio{Num: num, Den: den}
}

func define(name string, kind params.Kind, initial, low, high, doc string) params.Definition {
	section, _, _ := strings.Cut(name, ".")
	return params.Definition{
		Name: name, Kind: kind, Default: initial, Min: low, Max: high, Section: section, Doc: doc,
	}
}

func ratio(name, initial, doc string) params.Definition {
	return define(name, params.Rational, initial, "", "1", doc)
}

func factor(name, initial, doc string) params.Definition {
	return define(name, params.Rational, initial, "", "64", doc)
}

func span(name, initial, doc string) params.Definition {
	return define(name, params.Time, initial, "1ns", "1000s", doc)
}

func amount(name, initial, doc string) params.Definition {
	return define(name, params.Bytes, initial, "1B", "1000GB", doc)
}

func count(name, initial, doc string) params.Definition {
	return define(name, params.Int, initial, "", "65536", doc)
}

func rate(name, initial, doc string) params.Definition {
	return define(name, params.Rate, initial, "1bps", "1000Tbps", doc)
}

func onOff(name, initial, doc string) params.Definition {
	return define(name, params.Bool, initial, "", "", doc)
}

func choice(name, initial, doc string, choices ...string) params.Definition {
	d := define(name, params.Choice, initial, "", "", doc)
	d.Choices = choices
	return d
}
