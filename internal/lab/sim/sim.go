package sim

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/lab/cc"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/internal/prefetch"
	"github.com/sluicefc/sluice/kit"
)

// Simulator is one run.
type Simulator struct {
	config Config
	window sluice.Bytes
	groups []workload.Group

	now    sluice.Time
	agenda agenda
	arena  arena
	nodes  []node
	drains []*drain // by node; nil for most
	ports  []port
	flows  []flow  // under way, by slot
	spare  []int32 // slots that are free
	hosts
	points       []cc.CongestionPoint  // by port, where switches send notices
	lateTo       map[int32]sluice.Time // by port: when the control frame that is held back goes on
	lateAnswers  map[int32]kit.Queue   // by host: answers that are held back
	slotOf       []int32               // by flow of the configuration
	order        []int32               // flows by stage and start
	stranded     []int32               // flows that have no way while links are down
	begun        int                   // of order: started, or the next to start
	stage        stage
	faults       faults
	answerFaults faults
	wire         faults // of packets that are no control frames
	sample       sampler
	between

	lastSent sluice.Time // when the last packet that is not a control frame was sent
	// the same, but for what was sent before; or when the last flow started
	lastNew          sluice.Time
	started          int           // flows
	consumes         bool          // some machine counts arrivals that no Enqueue sees
	idealKey         hashpath.Flow // kept here, as an interface would have it on the heap
	delivered, total sluice.Bytes
	result           Result
	frameKinds       []frameCount
	drops            map[dropKey]int
	stalled          bool
	before           heldBefore
	err              error
	watchedSlots     []int32        // of the flows that the observer watches, as seen last
	foreseen         prefetch.Lines // see foresee
}

// New builds the network.
func New(config Config) (*Simulator, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	s := &Simulator{
		config:      config,
		window:      config.Window,
		groups:      Groups(config.Topology, config.Flows),
		agenda:      newAgenda(horizon(&config), tick(&config)),
		arena:       newArena(),
		drops:       make(map[dropKey]int),
		lateTo:      make(map[int32]sluice.Time),
		lateAnswers: make(map[int32]kit.Queue),
		slotOf:      slices.Repeat([]int32{none}, len(config.Flows)),
	}
	if s.config.HopLimit == 0 {
		s.config.HopLimit = 64
	}
	if s.config.StallAfter == 0 {
		s.config.StallAfter = max(10*sluice.Millisecond, 2*config.RetransmitAfter, 2*horizon(&config))
	}
	if s.window == 0 {
		s.window = DefaultWindow(config.Topology, config.Payload)
	}
	if err := s.buildHosts(); err != nil {
		return nil, err
	}
	if err := s.buildNodes(); err != nil {
		return nil, err
	}
	if err := s.buildPoints(); err != nil {
		return nil, err
	}
	s.buildFaults()
	s.planFlows()
	s.planFailures()
	return s, nil
}

// DefaultWindow is one bandwidth-delay product of the longest path at the fastest host's rate, or a
// packet.
func DefaultWindow(graph *topo.Graph, payload sluice.Bytes) sluice.Bytes {
	var fastest sluice.Rate
	for _, host := range graph.Hosts() {
		fastest = max(fastest, graph.FastestPort(host))
	}
	return max(fastest.BDP(graph.BaseRTT(payload)), payload)
}

// horizon is twice the time that a packet takes on the slowest link: most of what is planned is no
// further ahead.
func horizon(config *Config) sluice.Time {
	var longest sluice.Time
	for i := range config.Topology.Nodes {
		for _, end := range config.Topology.Nodes[i].Ports {
			longest = max(longest, end.Link.Delay.Add(end.Link.Rate.TimeOf(config.Payload+config.Header)))
		}
	}
	return longest.Add(longest)
}

// tick is the time in which all ports together send two packets, if all are busy: with their
// answers and what else is planned, a tick then has some events, and sorts them with few steps. It
// is 0 for a network that stays in the processor's cache, where nothing need be foreseen.
func tick(config *Config) sluice.Time {
	const packets, small = 2, 256
	var rate sluice.Rate
	ports := 0
	for i := range config.Topology.Nodes {
		for _, end := range config.Topology.Nodes[i].Ports {
			rate += min(end.Link.Rate, math.MaxInt64/2-rate)
			ports++
		}
	}
	if ports < small {
		return 0
	}
	return max(rate, 1).TimeOf(packets * (config.Payload + config.Header))
}

func (s *Simulator) buildNodes() error {
	graph := s.config.Topology
	s.nodes = make([]node, len(graph.Nodes))
	s.drains = make([]*drain, len(graph.Nodes))
	for i := range s.config.Drains {
		d := &s.config.Drains[i]
		s.drains[d.Host] = &drain{Drain: d}
	}
	first := int32(0)
	for id := range graph.Nodes {
		m, err := s.config.NewMachine(sluice.SwitchID(id))
		if err != nil {
			return fmt.Errorf("node %d: %w", id, err)
		}
		ports := int32(len(graph.Nodes[id].Ports))
		if m.Ports() != int(ports) {
			return fmt.Errorf("node %d: its machine has %d ports, the topology %d", id, m.Ports(), ports)
		}
		if s.config.Observer != nil {
			m = s.config.Observer.Hang(sluice.SwitchID(id), m)
		}
		n := &s.nodes[id]
		*n = node{
			sim: s, firstPort: first, timerAt: sluice.Never,
			overhead: int32(kit.FrameOverhead(m)),
		}
		n.driver = *kit.NewDriver(m, s.arena.Store, n)
		s.consumes = s.consumes || kit.Consumes(m)
		first += ports
	}
	s.ports = make([]port, 0, first)
	for id := range graph.Nodes {
		for i, end := range graph.Nodes[id].Ports {
			s.ports = append(
				s.ports, s.newPort(id, i, end.Link, s.nodes[end.Peer].firstPort+int32(end.PeerPort)),
			)
		}
	}
	for id := range s.nodes {
		n, ports := &s.nodes[id], len(graph.Nodes[id].Ports)
		n.own = s.ports[n.firstPort:][:ports:ports]
		s.planTimer(int32(id), n)
	}
	return nil
}

func (s *Simulator) newPort(node, i int, link sluice.Link, peer int32) port {
	p := newPort(link)
	p.node, p.id, p.peer = int32(node), sluice.PortID(i), peer
	p.host = s.config.Topology.IsHost(p.nodeID())
	p.relays = p.host && s.config.Topology.Forwards(p.nodeID())
	return p
}

func (s *Simulator) planFlows() {
	s.result.Flows = make([]FlowResult, len(s.config.Flows))
	for i := range s.config.Flows {
		f := s.config.Flows[i]
		f.Group = s.groups[i]
		s.result.Flows[i] = FlowResult{Flow: f, FCT: sluice.Never, Acknowledged: sluice.Never}
		s.total += f.Bytes
	}
	s.orderFlows()
	s.planNextFlow()
	s.sample.next = s.firstSample()
}

// Run carries the simulation to its end. It returns an error if the simulation broke one of its own
// rules: a packet without a way, a refused frame, a path other than predicted. The result is the
// caller's, and no part of the simulator, which runs once.
func (s *Simulator) Run() (*Result, error) {
	began := time.Now()
	until := s.config.Until
	if until == 0 {
		until = sluice.Never
	}
	s.begin(until)
	watched := s.config.Inspect != nil || s.config.Progress != nil
	for s.err == nil {
		if !s.agenda.ready() || s.agenda.first().at >= s.check {
			if !s.goOn() {
				break
			}
			continue
		}
		s.foresee()
		e := s.agenda.first()
		s.now = e.at
		s.result.Events++
		if e.kind() == eventArrival {
			s.arrived(e.place())
		} else {
			s.handle(e)
		}
		if watched {
			s.tell()
		}
	}
	if s.config.Progress != nil {
		s.config.Progress(s.delivered, s.total)
	}
	s.result.Simulated = s.now
	s.result.Wall = time.Since(began)
	s.finish()
	result := s.result
	return &result, s.err
}

// tell lets those look in who asked for it.
func (s *Simulator) tell() {
	const progressEvery = 1 << 16
	if s.config.Inspect != nil && s.err == nil {
		s.err = s.config.Inspect(s)
	}
	if s.config.Progress != nil && s.result.Events%progressEvery == 0 {
		s.config.Progress(s.delivered, s.total)
	}
}

// handle removes the first event, which is no arrival, from the agenda and carries it out.
func (s *Simulator) handle(e event) {
	s.agenda.drop()
	switch e.kind() {
	case eventSent:
		s.sent(e.place())
	case eventFlow:
		s.start(e.place())
		s.planNextFlow()
	case eventTimer:
		s.timer(e.place(), e.at)
	case eventDrained:
		s.drained(e.place())
	case eventLateAnswer:
		s.deliverAnswer(e.place())
	case eventRelease:
		s.releaseLate(e.place())
	default:
		if slot := s.slotOf[e.place()]; slot != none {
			s.handleFlow(e, slot)
		}
	}
}

// handleFlow carries out an event of a flow that is under way.
func (s *Simulator) handleFlow(e event, slot int32) {
	switch e.kind() {
	case eventRetransmit:
		s.retransmit(slot, e.at)
	case eventPace:
		s.paced(slot, e.at)
	case eventNotice:
		s.noticed(slot, e.at)
	}
}

// Now returns the instant of the event at hand.
func (s *Simulator) Now() sluice.Time { return s.now }

// Machine returns the flow control of a node.
func (s *Simulator) Machine(node sluice.SwitchID) kit.Machine { return s.nodes[node].machine() }

// FramesSent returns how many control frames were sent so far.
func (s *Simulator) FramesSent() (n int64) {
	for _, k := range s.frameKinds {
		n += k.count
	}
	return n
}

// Buffered calls visit for every packet that waits in a queue of a node.
func (s *Simulator) Buffered(
	node sluice.SwitchID, visit func(port sluice.PortID, q sluice.QueueID, p *sluice.Packet),
) {
	n := &s.nodes[node]
	for i := range len(n.own) {
		id := sluice.PortID(i)
		for q := range sluice.QueueID(n.machine().Queues()) {
			for h := n.driver.Queue(id, q).Head(); h != 0; h = s.arena.After(h) {
				visit(id, q, &s.arena.At(h).Packet)
			}
		}
	}
}

// Reroute changes the forwarding state: packets under way keep the path they left with.
func (s *Simulator) Reroute(network Routes) { s.config.Network = network }

func (s *Simulator) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf("at %v: "+format, append([]any{s.now}, args...)...)
	}
}

// FlowSlots returns how many flows there is state for: the most that were under way at once.
func (s *Simulator) FlowSlots() int { return len(s.flows) }
