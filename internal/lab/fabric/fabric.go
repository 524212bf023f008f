// Package fabric builds the network of a flow-control protocol by name and parameters, and
// runs flows over it.
package fabric

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/fields"
	"github.com/sluicefc/sluice/internal/lab/cc"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/schedule"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/transport"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pfc/sonic"
)

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
	// buffers are the packet buffers of switches, and of hosts that forward; nil until they are read.
	buffers [2]*sluice.Bytes
}

func (p *plan) fill(fields []params.Field) {
	p.values.Fill(fields)
	p.bound = append(p.bound, fields)
}

// isCard reports whether a node is a host that does not forward: its machine is a network card.
func (p *plan) isCard(node sluice.SwitchID) bool { return !p.graph.Forwards(node) }

// buffer returns the packet buffer of a switch, or of a host that forwards.
func (p *plan) buffer(node sluice.SwitchID) sluice.Bytes {
	into, parameter := &p.buffers[0], bufferParameter
	if p.graph.IsHost(node) {
		into, parameter = &p.buffers[1], hostBufferParameter
	}
	if *into == nil {
		*into = new(sluice.Bytes)
		p.fill(parameter(*into))
	}
	return **into
}

type fleet interface {
	// machine builds the flow control of a node.
	machine(node sluice.SwitchID) (kit.Machine, error)
	// report adds to a result what its reader should know, as notes and figures: what never acted and
	// how far it was from acting, what was lost and what was missing.
	report(*sim.Result)
}

// kept builds a switch and adds it to the switches that a report sums, unless it cannot be built.
func kept[S, C any](in *[]S, build func(C) (S, error), config C) (S, error) {
	s, err := build(config)
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

// Run is flows over a network under a protocol.
type Run struct {
	Protocol string
	Topology *topo.Graph
	Flows    []workload.Flow
	Jobs     []schedule.Job // whose messages are the last of Flows
	Routes   []Route        // detours from the shortest paths
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
	p.report(fleet, result)
	return result, nil
}

// report adds to a result what its reader should know.
func (p *plan) report(fleet fleet, result *sim.Result) {
	fleet.report(result)
	noteRepair(p.hosts, result)
	p.noteControl(result)
	p.noteBalance(result)
	if s, ok := p.hosts.Steering.(*steering); ok {
		s.report(result)
	}
}

// Check returns the error that Do would begin with, if the configuration has one. It makes the
// machine of a node of each kind, so that the parameters that the protocol reads have been read.
func (r *Run) Check() error {
	p, _, err := r.configure()
	if err != nil {
		return err
	}
	return r.Values.Explain(sim.Check(*p.hosts), p.bound...)
}

func (r *Run) prepare() (*plan, fleet, *sim.Simulator, error) {
	defer holdCollector(len(r.Topology.Nodes))()
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
		Topology: r.Topology, Flows: r.Flows, Jobs: r.Jobs, Seed: r.Seed, Until: r.Until,
		SampleEvery: r.SampleEvery, Progress: r.Progress, VerifyPaths: r.VerifyPaths, RunOn: r.RunOn,
		Inspect: r.Inspect, Threads: r.Threads, Parts: r.Parts, Windows: r.Windows,
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

// noteRepair notes that senders repair losses by default, where a network that should lose nothing
// lost packets.
func noteRepair(c *sim.Config, r *sim.Result) {
	if c.RetransmitFromLoss && r.Dropped > 0 && c.Transport.Kind == transport.GoBackN {
		r.Note("what was lost was sent again: from the first loss on senders went back after %v "+
			"without progress, %d times (rto=0 for never)", c.RetransmitAfter, r.Timeouts)
	}
}

// MAC is the locally administered address of a node.
func MAC(node sluice.SwitchID) sluice.MAC {
	return sluice.MAC{2, 0, byte(node >> 24), byte(node >> 16), byte(node >> 8), byte(node)}
}
