// Package fabric builds the network of a flow-control protocol by name and parameters, and
// runs flows over it.
package fabric

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/fields"
	"github.com/sluicefc/sluice/internal/lab/cc"
	"github.com/sluicefc/sluice/internal/lab/hol"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/transport"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pfc/sonic"
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

type plan struct {
	graph     *topo.Graph
	values    *params.Values
	hosts     *sim.Config // what hosts send
	seed      uint64
	classes   sluice.ClassSet // of all packets
	apart     sluice.ClassSet // of acknowledgements and notices, where no data has them
	detect    string          // what marks packets
	detectors detectorSettings
	control   *cc.Kind
	protocol  Protocol
	sonic     *sonic.Switch
	variable  *bool // window.variable; nil: unset
	// levels returns how far a congestion root can be from each port.
	levels func() (map[sluice.Hop]int, error)
	bound  [][]params.Field // parameters that were read
}

func (p *plan) fill(fields []params.Field) {
	p.values.Fill(fields)
	p.bound = append(p.bound, fields)
}

// isCard reports whether a node is a host that does not forward: its machine is a network card.
func (p *plan) isCard(node sluice.SwitchID) bool { return !p.graph.Forwards(node) }

// buffer returns the packet buffer of a switch, or of a host that forwards.
func (p *plan) buffer(node sluice.SwitchID) sluice.Bytes {
	into := new(sluice.Bytes)
	if p.graph.IsHost(node) {
		p.fill(hostBufferParameter(into))
	} else {
		p.fill(bufferParameter(into))
	}
	return *into
}

type fleet interface {
	// machine builds the flow control of a node.
	machine(node sluice.SwitchID) (kit.Machine, error)
	// report adds to a result what its reader should know, as notes and figures: what never acted and
	// how far it was from acting, what was lost and what was missing.
	report(*sim.Result)
}

// kept adds a switch to the switches that a report sums, unless it could not be made.
func kept[S any](in *[]S, s S, err error) (S, error) {
	if err == nil {
		*in = append(*in, s)
	}
	return s, err
}

// summed returns the sums of what switches counted.
func summed[C any, S interface{ Counters() C }](switches []S) (sum C) {
	for _, s := range switches {
		c := s.Counters()
		fields.Add(&sum, &c)
	}
	return sum
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

// Run is flows over a network under a protocol.
type Run struct {
	Protocol string
	Topology *topo.Graph
	Flows    []workload.Flow
	Routes   []Route // detours from the shortest paths
	Failures []sim.Failure
	Values   *params.Values
	SONiC    *sonic.Switch // what every switch is under "pfc"; nil: as the parameters say
	Seed     uint64
	// Until ends the run; 0 is when every flow has completed.
	Until       sluice.Time
	SampleEvery sluice.Time
	Progress    func(delivered, total sluice.Bytes)
	Observer    *probe.Observer // of this run alone; nil for none
	Watcher     sim.Watcher     // of this run alone; nil for none
	// Threads, Parts and Windows: see sim.Config.
	Threads, Parts int
	Windows        func(events []int64)
	// VerifyPaths, RunOn and Inspect are for tests: see sim.Config.
	VerifyPaths bool
	RunOn       sluice.Time
	Inspect     func(*sim.Simulator) error
	// Machine is for tests: the machine that it returns takes the place of the node's own, of which
	// reports then say nothing. With nil, and no error, the node keeps its own.
	Machine func(node sluice.SwitchID) (kit.Machine, error)
}

func (r *Run) Do() (*sim.Result, error) {
	p, fleet, simulator, err := r.prepare()
	if err != nil {
		return nil, err
	}
	result, err := simulator.Run()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Protocol, err)
	}
	fleet.report(result)
	noteRepair(p.hosts, result)
	p.noteControl(result)
	p.noteBalance(result)
	if s, ok := p.hosts.Steering.(*steering); ok {
		s.report(result)
	}
	return result, nil
}

// Check returns the error that Do would begin with, if the configuration has one. It builds the
// network, so that the parameters that the protocol reads have been read.
func (r *Run) Check() error {
	_, _, _, err := r.prepare()
	return err
}

func (r *Run) prepare() (*plan, fleet, *sim.Simulator, error) {
	p, fleet, err := r.configure()
	if err != nil {
		return nil, nil, nil, err
	}
	simulator, err := sim.New(*p.hosts)
	return p, fleet, simulator, r.Values.Explain(err, p.bound...)
}

// Embedding returns what the run is made of, for embedders that are not package sim: how to make
// the machine of a node, forwarding, a *hashpath.Network, and what hosts send. Of Flows it reads
// the classes alone.
func (r *Run) Embedding() (*sim.Config, error) {
	p, _, err := r.configure()
	if err != nil {
		return nil, err
	}
	c, build := *p.hosts, p.hosts.NewMachine
	if c.Balance.Kind != sim.ECMP || c.Resequence.Timeout > 0 {
		return nil, fmt.Errorf("lb %v, resequence %v: they are of this simulator alone",
			c.Balance.Kind, c.Resequence.Timeout)
	}
	c.NewMachine = func(node sluice.SwitchID) (kit.Machine, error) {
		m, err := build(node)
		return m, r.Values.Explain(err, p.bound...)
	}
	return &c, nil
}

func (r *Run) configure() (*plan, fleet, error) {
	protocol, err := Find(r.Protocol)
	if err != nil {
		return nil, nil, err
	}
	network, err := r.Forwarding()
	if err != nil {
		return nil, nil, err
	}
	p := r.plan(protocol, func() (*hashpath.Network, error) { return network, nil })
	fleet, err := protocol.build(p)
	if err != nil {
		return nil, nil, err
	}
	c := p.hosts
	if err := p.repair(); err != nil {
		return nil, nil, err
	}
	if err := p.balance(); err != nil {
		return nil, nil, err
	}
	c.NewMachine = func(node sluice.SwitchID) (kit.Machine, error) {
		if r.Machine != nil {
			if m, err := r.Machine(node); m != nil || err != nil {
				return m, err
			}
		}
		m, err := fleet.machine(node)
		if err != nil {
			return nil, err
		}
		return p.detected(node, m)
	}
	c.Network = network
	if steering, err := r.steering(); err != nil {
		return nil, nil, err
	} else if steering != nil {
		c.Steering = steering
	}
	if c.Drains, err = drains(p, fleet); err != nil {
		return nil, nil, err
	}
	return p, fleet, nil
}

// plan returns what the run's network is built from. Its forwarding is asked for only where the
// protocol depends on it.
func (r *Run) plan(protocol Protocol, forwarding func() (*hashpath.Network, error)) *plan {
	n := &network{sim: sim.Config{
		Topology: r.Topology, Flows: r.Flows, Seed: r.Seed, Until: r.Until, SampleEvery: r.SampleEvery,
		Progress: r.Progress, VerifyPaths: r.VerifyPaths, RunOn: r.RunOn, Inspect: r.Inspect,
		Threads: r.Threads, Parts: r.Parts, Windows: r.Windows,
		Failures: r.Failures, Observer: r.Observer, Watcher: r.Watcher,
	}}
	p := &plan{
		graph: r.Topology, values: r.Values, hosts: &n.sim, seed: r.Seed, protocol: protocol,
		sonic: r.SONiC,
		levels: func() (map[sluice.Hop]int, error) {
			network, err := forwarding()
			if err != nil {
				return nil, err
			}
			return r.levels(network)
		},
	}
	p.fill(n.parameters())
	n.takeEffect(p)
	p.fill(p.detectors.parameters(p.detect))
	return p
}

// noteRepair says that senders send again what a network lost that should lose nothing, if nobody
// asked for it.
func noteRepair(c *sim.Config, r *sim.Result) {
	if c.RetransmitFromLoss && r.Dropped > 0 && c.Transport.Kind == transport.GoBackN {
		r.Note("what was lost was sent again: from the first loss on senders went back after %v "+
			"without progress, %d times (rto=0 for never)", c.RetransmitAfter, r.Timeouts)
	}
}

// MAC is the locally administered address of a node.
func MAC(node sluice.SwitchID) [6]byte {
	return [6]byte{2, 0, byte(node >> 24), byte(node >> 16), byte(node >> 8), byte(node)}
}
