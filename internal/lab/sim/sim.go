package sim

import (
	"fmt"
	"math"
	"time"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/internal/prefetch"
	"github.com/sluicefc/sluice/kit"
)

// Simulator is one run.
type Simulator struct {
	config Config
	window sluice.Bytes
	groups []workload.Group // of flows of the configuration
	// by host: of messages that name none, where the configuration has no list of them
	groupTo []workload.Group

	nodes  []node
	drains []*drain // by node; nil for most
	ports  []port
	sites  []site // of ports
	hosts
	known        []ends  // by flow of the configuration
	partOf       []int16 // by node
	parts        []*part
	faults       faults
	answerFaults faults
	wire         faults       // of packets that are no control frames
	spread       *spread      // nil if no node chooses a way for every packet
	consumes     bool         // some machine counts arrivals that no Enqueue sees
	large        sluice.Bytes // larger packets have lanes of their own
	between
	jobs
	rows
	live *Live // nil unless messages are sent as the run goes on

	total        sluice.Bytes
	result       Result
	stalled      bool
	before       heldBefore
	err          error
	activities   []int64
	watchedSlots []int32 // of the flows that the observer watches, as seen last
}

// New builds the network.
func New(config Config) (*Simulator, error) {
	s, err := begun(config)
	if err != nil {
		return nil, err
	}
	if err := s.buildNodes(); err != nil {
		return nil, err
	}
	if err := s.buildPoints(); err != nil {
		return nil, err
	}
	if err := s.buildSpread(); err != nil {
		return nil, err
	}
	s.buildFaults()
	s.planFlows()
	s.planJobs()
	s.nextSample = s.firstSample()
	s.planFailures()
	return s, nil
}

// Check returns the error that New would return, but builds no network: of nodes of one kind, see
// topo.Graph.Kinds, it makes the machine of the first.
func Check(config Config) error {
	config.Threads, config.Parts = 0, 0
	s, err := begun(config)
	if err != nil {
		return err
	}
	for _, node := range config.Topology.Kinds() {
		if _, err := s.newMachine(node); err != nil {
			return err
		}
	}
	s.ports = make([]port, 1) // the congestion points of all ports are alike
	if err := s.buildPoints(); err != nil {
		return err
	}
	return s.buildSpread()
}

// begun returns what New begins with: what hosts have, and no nodes.
func begun(config Config) (*Simulator, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	s := &Simulator{
		config: config,
		window: config.Window,
		known:  make([]ends, config.listed()),
	}
	if err := s.planMessages(); err != nil {
		return nil, err
	}
	for i := range s.known {
		f := &config.Flows[i]
		s.known[i] = ends{node: [2]int32{int32(f.Src), int32(f.Dst)}, slot: [2]int32{none, none}}
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
	s.cut()
	return s, s.buildHosts()
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

// manyEvents returns how many events one of several parts has where more memory is in use than
// stays in the processor's cache, so that it is worth asking for ahead of time.
func manyEvents(parts int) int {
	const all = 512
	if !prefetch.Enabled {
		return math.MaxInt
	}
	return all / parts
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
		m, err := s.newMachine(sluice.SwitchID(id))
		if err != nil {
			return err
		}
		if s.config.Observer != nil {
			m = s.config.Observer.Hang(sluice.SwitchID(id), m)
		}
		if s.config.Watcher != nil {
			m = s.config.Watcher.Hang(sluice.SwitchID(id), m)
		}
		n := &s.nodes[id]
		overhead := kit.FrameOverhead(m)
		if s.watchesStays() {
			m = n.watchStays(sluice.SwitchID(id), m)
		}
		*n = node{
			part: s.at(sluice.SwitchID(id)), firstPort: first, timerAt: sluice.Never,
			overhead: overhead,
		}
		n.driver = *kit.NewDriver(m, n.part.arena.Store, n)
		s.consumes = s.consumes || kit.Consumes(m)
		first += int32(len(graph.Nodes[id].Ports))
	}
	s.ports = make([]port, 0, first)
	for id := range graph.Nodes {
		for i, end := range graph.Nodes[id].Ports {
			s.ports = append(
				s.ports, s.newPort(id, i, end.Link, s.nodes[end.Peer].firstPort+int32(end.PeerPort)),
			)
		}
	}
	if s.watchesStays() {
		s.startStays()
	}
	s.assignLanes()
	s.sites = make([]site, 0, len(s.ports))
	for i := range s.ports {
		s.sites = append(s.sites, s.ports[i].site)
	}
	for id := range s.nodes {
		n, ports := &s.nodes[id], len(graph.Nodes[id].Ports)
		n.own = s.ports[n.firstPort:][:ports:ports]
		n.part.nodes, n.part.ports, n.part.sites = s.nodes, s.ports, s.sites
		n.part.planTimer(int32(id), n)
	}
	return nil
}

func (s *Simulator) newMachine(node sluice.SwitchID) (kit.Machine, error) {
	m, err := s.config.NewMachine(node)
	if err != nil {
		return nil, fmt.Errorf("node %d: %w", node, err)
	}
	if ports := len(s.config.Topology.Nodes[node].Ports); m.Ports() != ports {
		return nil, fmt.Errorf("node %d: its machine has %d ports, the topology %d", node, m.Ports(), ports)
	}
	return m, nil
}

func (s *Simulator) newPort(node, i int, link sluice.Link, peer int32) port {
	p := newPort(link)
	p.node, p.id, p.peer = int32(node), sluice.PortID(i), peer
	p.host = s.config.Topology.IsHost(p.nodeID())
	p.relays = p.host && s.config.Topology.Forwards(p.nodeID())
	far := s.config.Topology.Nodes[node].Ports[i].Peer
	if s.partOf[node] != s.partOf[far] {
		p.beyond = s.partOf[far] + 1
	}
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
	workers := s.hire()
	for s.goOn() {
		workers.window()
		s.showWindow()
	}
	workers.dismiss()
	s.progress()
	s.result.Simulated = s.Now()
	s.result.Wall = time.Since(began)
	s.finish()
	result := s.result
	return &result, s.err
}

// showWindow reports what each part did in a window to Config.Windows.
func (s *Simulator) showWindow() {
	if s.config.Windows == nil {
		return
	}
	s.activities = s.activities[:0]
	for _, p := range s.parts {
		s.activities = append(s.activities, p.activity)
	}
	s.config.Windows(s.activities)
}

// progress says how far the run is.
func (s *Simulator) progress() {
	if s.config.Progress != nil {
		s.config.Progress(sluice.Bytes(s.sum(func(p *part) int64 { return int64(p.delivered) })), s.total)
	}
}

// sum adds up what all parts have.
func (s *Simulator) sum(of func(*part) int64) (sum int64) {
	for _, p := range s.parts {
		sum += of(p)
	}
	return sum
}

// latestOf returns the largest of an instant of all parts.
func (s *Simulator) latestOf(of func(*part) sluice.Time) (latest sluice.Time) {
	for _, p := range s.parts {
		latest = max(latest, of(p))
	}
	return latest
}

// at returns the part of a node.
func (s *Simulator) at(node sluice.SwitchID) *part { return s.parts[s.partOf[node]] }

// Now returns the instant of the event at hand.
func (s *Simulator) Now() sluice.Time {
	return s.latestOf(func(p *part) sluice.Time { return p.now })
}

// Machine returns the flow control of a node.
func (s *Simulator) Machine(node sluice.SwitchID) kit.Machine { return s.nodes[node].machine() }

// FramesSent returns how many control frames were sent so far.
func (s *Simulator) FramesSent() (n int64) {
	for _, p := range s.parts {
		for _, k := range p.frameKinds {
			n += k.count
		}
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
			for h := n.driver.Queue(id, q).Head(); h != 0; h = n.part.arena.After(h) {
				visit(id, q, &n.part.arena.At(h).Packet)
			}
		}
	}
}

// Reroute changes the forwarding state: packets under way keep the path they left with.
func (s *Simulator) Reroute(network Routes) { s.config.Network = network }

func (s *part) fail(format string, args ...any) {
	if s.err == nil {
		s.stop(fmt.Errorf("at %v: "+format, append([]any{s.now}, args...)...))
	}
}

// stop ends the window, and the run, with an error; nil does nothing.
func (s *part) stop(err error) {
	if s.err = err; err != nil {
		s.end = math.MinInt64
	}
}

// FlowSlots returns how many flows there is state for: the most that were under way at once.
func (s *Simulator) FlowSlots() int {
	return int(s.sum(func(p *part) int64 { return int64(len(p.flows)) }))
}
