package fabric

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sluicefc/sluice/internal/lab/hol"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/pfc/trigger"
	"github.com/sluicefc/sluice/pyrrha"
)

type Protocol struct {
	Name string
	Doc  string
	// Lossless: a loss under it is an error of its configuration.
	Lossless bool
	// acksApart: acknowledgements have a class of their own, unless ack.class says otherwise.
	acksApart bool

	build   func(*plan) (fleet, error)
	classes bool                              // its queues are the classes
	marks   bool                              // its machines mark packets themselves, by queue length
	model   func(*params.Values) hol.Strategy // nil: it has none
}

// Model returns the protocol as the analysis of head-of-line blocking sees it; nil for a protocol
// that holds nothing or is not modelled.
func (p *Protocol) Model(v *params.Values) hol.Strategy {
	if p.model == nil {
		return nil
	}
	return p.model(v)
}

// Protocols returns the choices that any network has, in the order of a comparison.
func Protocols() []Protocol { return slices.Clone(protocols) }

// NodeCentric returns the choices beyond Protocols that are about networks whose hosts forward.
func NodeCentric() []Protocol { return slices.Clone(nodeCentric) }

var nodeCentric = []Protocol{
	{Name: "portfc", Doc: "per-port flow control, on topology=ndc only",
		Lossless: true, acksApart: true, build: buildPortFC, model: always(hol.PortFC)},
	{Name: "pfcstar",
		Doc:      "PFC with a class for each queue that a packet passes, free of deadlock (PFC*)",
		Lossless: true, build: buildPFCStar, classes: true, marks: true, model: always(hol.PFCStar)},
	{Name: "pfc-forward",
		Doc:      "PFC at switches; hosts that forward pass pause frames on and send none of their own",
		Lossless: true, build: buildPFCForward, classes: true, marks: true},
}

// Variants returns the variants of PFC, beyond Protocols: their thresholds are static, by default
// as in OFC's evaluation.
func Variants() []Protocol { return slices.Clone(variants) }

var variants = []Protocol{
	variantOfPFC("capfc", trigger.CAPFC, false,
		"PFC with a fixed egress threshold beside the ingress threshold (caPFC)"),
	variantOfPFC("ppfc", trigger.PPFC, false,
		"PFC with the mean of all egress ports as egress threshold (P-PFC as OFC describes it)"),
	variantOfPFC("ppfc-derivative", trigger.PPFCDerivative, false,
		"PFC that pauses ahead of time, by the derivative of the occupancy (P-PFC)"),
	variantOfPFC("gfc", trigger.GFC, false,
		"gentle flow control: rates fall in stages, never to zero (GFC)"),
	variantOfPFC("gfc-zero", trigger.GFC, true,
		"gentle flow control with zero as the last stage, as OFC describes it"),
	variantOfPFC("gpfc", trigger.GPFC, false,
		"PFC with a lower threshold for classes 0 to 3, on what an ingress port holds of all (G-PFC)"),
}

func variantOfPFC(name string, kind trigger.Kind, stop bool, doc string) Protocol {
	return Protocol{Name: name, Doc: doc, Lossless: true, build: buildVariant(kind, stop),
		classes: true, marks: true, model: always(hol.PFC)}
}

var protocols = []Protocol{
	{Name: "none", Doc: "lossy shared buffer, drop tail; senders go back to the first lost packet",
		build: buildNone, classes: true, marks: true},
	{Name: "pfc", Doc: "IEEE 802.1Qbb priority-based flow control, dynamic thresholds",
		Lossless: true, build: buildPFC, classes: true, marks: true, model: always(hol.PFC)},
	{Name: "cbfc", Doc: "credit-based flow control of InfiniBand: a buffer for each ingress and " +
		"class, one virtual lane a class", Lossless: true, build: buildCBFC, classes: true},
	formOfBFC("bfc", authorsBFC(31),
		"backpressure flow control as its authors' ns-3 has it, 31 data queues in a port"),
	formOfBFC("bfc-128", authorsBFC(127), "as bfc, with 127 data queues in a port"),
	formOfBFC("bfc-ideal", idealBFC(1023),
		"as bfc, without collisions: exact flow table, 1,023 data queues in a port"),
	formOfBFC("bfc-pyrrha", pyrrhaBFC(), "backpressure flow control as Pyrrha's ns-3 has it: lowest "+
		"queue first, acknowledgements among data"),
	{Name: "ofc", Doc: "original-congestion-based fine-grained PFC: congested flows wait in a " +
		"queue beside the normal one",
		Lossless: true, acksApart: true, build: buildOFC, model: always(hol.OFC)},
	{Name: "pyrrha", Doc: "congestion-root flow control, hierarchical isolation queues",
		Lossless: true, build: buildPyrrha(pyrrha.Hierarchical), model: always(hol.PyrrhaHIQ)},
	{Name: "pyrrha-single",
		Doc:      "congestion-root flow control, an isolation queue for each set of roots",
		Lossless: true, build: buildPyrrha(pyrrha.SingleTier), model: always(hol.PyrrhaSingleTier)},
	{Name: "pyrrha+pfc",
		Doc:      "congestion-root flow control over 802.1Qbb, which guards the buffer",
		Lossless: true, build: buildHybrid, marks: true},
	{Name: "voq", Doc: "a queue and backpressure for every destination",
		Lossless: true, build: buildVOQ, model: always(hol.PerDestination)},
	{Name: "floodgate", Doc: "a window for every destination at every hop, credits, and VOQs where " +
		"windows are exhausted",
		acksApart: true, build: buildFloodgate, model: always(hol.PerDestination)},
	{Name: "ideal", Doc: "a queue for every flow, unlimited buffer, no flow control",
		Lossless: true, build: buildIdeal, model: always(hol.PerFlow)},
}

func formOfBFC(name string, form bfcForm, doc string) Protocol {
	return Protocol{Name: name, Doc: doc, Lossless: true, acksApart: true, build: form.build,
		model: form.model}
}

// always returns a model that no parameter changes.
func always(strategy hol.Strategy) func(*params.Values) hol.Strategy {
	return func(*params.Values) hol.Strategy { return strategy }
}

func Find(name string) (Protocol, error) {
	var names []string
	for _, p := range slices.Concat(protocols, variants, nodeCentric) {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Protocol{}, fmt.Errorf(
		"flow control %q: must be one of %s%s", name, strings.Join(names, ", "),
		params.DidYouMean(name, names),
	)
}
