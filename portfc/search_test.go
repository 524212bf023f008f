package portfc

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pfc"
)

// search visits all states of NDC(2,1) that real machines can come to while some packets are under
// way: every interleaving of transmissions, and of deliveries of packets and frames, which take any
// time on a wire but stay in order. States are merged by content. Time stands still.
//
// What a device does depends only on its own past: so the states of each device are numbered, and a
// step of one is carried out once, by a new machine that lives through a past that leads there. The
// states of the network are then vectors of numbers.
type search struct {
	testing.TB
	network NDC
	kind    kindOfMachine
	sizes   []int // packets of each flow
	atOnce  bool  // packets take no time on a wire
	settles bool  // nor do frames
	paths   []sluice.Path

	locals  []local // by number
	byKey   map[string]uint16
	wires   [][]signal // contents of a wire, by number
	byWire  map[string]uint16
	results map[stepKey]result
	initial [devices]uint16
}

const (
	devices  = 8 // of NDC(2,1): nodes 0 to 3, switches 4 to 7, each of two ports
	ports    = 2
	maxFlows = 8
)

// global is a state of the network.
type global struct {
	device    [devices]uint16
	wire      [devices * ports]uint16 // away from a port
	delivered [maxFlows]uint8
}

// signal is what travels: a packet of a flow, or a frame.
type signal struct {
	flow, number int8 // flow -1: a frame
	hop          int8 // hops that the packet has behind it
	frame        string
}

// local is a state of a device.
type local struct {
	device sluice.SwitchID
	past   []event
	heads  [ports][]bool // of its queues: one that may go
	due    [ports]bool   // a frame
	dump   string        // what it looks like
	quiet  error         // Quiescent
	holds  [ports][]bool // queues
	over   [ports]uint8  // detectors that pause, of PortFC
}

// event is what happens to a device.
type event struct {
	kind   eventKind
	port   sluice.PortID
	queue  sluice.QueueID
	signal signal
}

type eventKind uint8

const (
	arrives eventKind = iota
	polls
	sends
)

type stepKey struct {
	local uint16
	event event
}

type result struct {
	local uint16
	out   signal
}

func newSearch(t testing.TB, kind kindOfMachine, flows ...flowOf) *search {
	s := &search{
		TB: t, network: NDC{2, 1}, kind: kind,
		byKey: map[string]uint16{}, byWire: map[string]uint16{"": 0}, wires: [][]signal{nil},
		results: map[stepKey]result{},
	}
	own := [devices][]event{}
	for i, f := range flows {
		path, ok := s.network.Through(f.src, f.dst, f.layers...)
		require.True(t, ok)
		s.paths = append(s.paths, path)
		s.sizes = append(s.sizes, f.packets)
		for n := range f.packets {
			packet := signal{flow: int8(i), number: int8(n)}
			own[f.src] = append(own[f.src], event{kind: arrives, signal: packet})
		}
	}
	for device := range s.initial {
		s.initial[device], _ = s.live(sluice.SwitchID(device), own[device])
	}
	return s
}

// flowOf is packets from a node to another, which correct digits in that order.
type flowOf struct {
	src, dst sluice.SwitchID
	layers   []int
	packets  int
}

// life is a device that lives through events.
type life struct {
	m      kit.Machine
	queues [ports][][]item
	heard  uint32 // frames
}

// item is a packet that waits.
type item struct {
	signal
	packet sluice.Packet
}

// live lets a new machine live through events and returns the number of the state it comes to, and
// what the last event sent.
func (s *search) live(device sluice.SwitchID, past []event) (uint16, signal) {
	l := life{m: s.kind(s, s.network, device)}
	for port := range l.queues {
		l.queues[port] = make([][]item, l.m.Queues())
	}
	var out signal
	for i := range past {
		out = s.happen(&l, &past[i])
	}
	require.NoError(s, l.m.Audit())
	state := local{device: device, past: past, quiet: l.m.Quiescent()}
	var key strings.Builder
	for port := range l.queues {
		id := sluice.PortID(port)
		for q, waiting := range l.queues[port] {
			sendable := l.m.Sendable(id, sluice.QueueID(q))
			state.holds[port] = append(state.holds[port], !sendable)
			state.heads[port] = append(state.heads[port], sendable && len(waiting) > 0)
			fmt.Fprint(&key, sendable)
			for _, w := range waiting {
				fmt.Fprint(&key, " ", w.flow, ".", w.number)
			}
			fmt.Fprint(&key, ";")
		}
	}
	fmt.Fprintln(&key, device, stateOf(l.m))
	if s, ok := kit.Unwrap(l.m).(*Switch); ok {
		for port := range state.over {
			state.over[port] = s.ports[port].over
		}
	}
	var text strings.Builder
	require.NoError(s, l.m.Dump(&text))
	state.dump = text.String()
	for port := range l.queues {
		for frame := s.poll(&l, sluice.PortID(port)); frame != ""; frame = s.poll(&l, sluice.PortID(port)) {
			state.due[port] = true
			fmt.Fprintf(&key, "%d %x\n", port, frame)
		}
	}
	number, known := s.byKey[key.String()]
	if !known {
		number = uint16(len(s.locals))
		require.Less(s, len(s.locals), 65535)
		s.byKey[key.String()] = number
		s.locals = append(s.locals, state)
	}
	return number, out
}

// stateOf says what frames and queues do not show of a machine: the reasons for which queues are
// held, and which detectors pause.
func stateOf(m kit.Machine) string {
	var b strings.Builder
	switch s := kit.Unwrap(m).(type) {
	case *Switch:
		for i := range s.ports {
			fmt.Fprint(&b, s.ports[i].over, s.ports[i].out.paused, " ")
			for q := range s.ports[i].queues {
				fmt.Fprint(&b, s.ports[i].queues[q].holds)
			}
		}
	case *pfc.Switch:
		for _, p := range s.Snapshot().Ports {
			fmt.Fprint(&b, p.Paused, p.Told)
		}
	}
	if r, ok := m.(*rewriter); ok && r.state != nil {
		fmt.Fprint(&b, r.state())
	}
	return b.String()
}

// happen carries out an event and returns what goes out.
func (s *search) happen(l *life, e *event) (out signal) {
	for _, ok := l.m.PollPort(); ok; _, ok = l.m.PollPort() {
	}
	switch e.kind {
	case arrives:
		if e.signal.flow < 0 {
			l.heard++
			frame := []byte(e.signal.frame)
			if frame[12] == 0x88 && frame[13] == 0xB5 {
				binary.BigEndian.PutUint32(frame[20:], l.heard)
			}
			_, err := l.m.Receive(0, e.port, frame)
			require.NoError(s, err)
			return out
		}
		p := sluice.Packet{Size: testPacket, Flow: uint64(e.signal.flow), Ingress: e.port, Path: s.paths[e.signal.flow]}
		for range e.signal.hop {
			p.Path.Advance()
		}
		if e.signal.hop == 0 {
			p.Ingress = sluice.Local
		}
		port := p.Path.At(0).Port
		v := l.m.Enqueue(0, port, &p)
		require.Equal(s, sluice.Append, v.Action(), "%v", v)
		l.queues[port][v.Queue()] = append(l.queues[port][v.Queue()], item{e.signal, p})
	case polls:
		return signal{flow: -1, frame: s.poll(l, e.port)}
	case sends:
		queue := &l.queues[e.port][e.queue]
		head := (*queue)[0]
		v := l.m.Dequeue(0, e.port, e.queue, &head.packet)
		require.Equal(s, sluice.Transmit, v.Action(), "%v", v)
		*queue = (*queue)[1:]
		head.hop++
		return head.signal
	}
	return out
}

// poll polls a frame without its sequence number, "" if there is none.
func (s *search) poll(l *life, port sluice.PortID) string {
	frame, _, ok := l.m.PollFrame(0, port, nil)
	if !ok {
		return ""
	}
	if frame[12] == 0x88 && frame[13] == 0xB5 {
		binary.BigEndian.PutUint32(frame[20:], 0)
	}
	return string(frame)
}

// step returns the state of a device after an event, and what goes out.
func (s *search) step(at uint16, e event) (uint16, signal) {
	key := stepKey{at, e}
	if r, ok := s.results[key]; ok {
		return r.local, r.out
	}
	past := s.locals[at].past
	next, out := s.live(s.locals[at].device, append(past[:len(past):len(past)], e))
	s.results[key] = result{next, out}
	return next, out
}

// wire returns the number of the contents of a wire.
func (s *search) wire(contents []signal) uint16 {
	key := ""
	for _, on := range contents {
		key += string([]byte{byte(on.flow), byte(on.number), byte(on.hop)}) + on.frame
	}
	number, ok := s.byWire[key]
	if !ok {
		number = uint16(len(s.wires))
		require.Less(s, len(s.wires), 65535)
		s.byWire[key] = number
		s.wires = append(s.wires, append([]signal(nil), contents...))
	}
	return number
}

// send puts what goes out on the wire of a port. A packet that arrives at its destination is
// consumed there, whenever that is: at once.
func (s *search) send(g *global, from sluice.Hop, out signal) {
	if out.flow >= 0 && int(out.hop) == s.paths[out.flow].Len() {
		require.EqualValues(s, g.delivered[out.flow], out.number, "in order")
		g.delivered[out.flow]++
		return
	}
	far, _ := s.network.Peer(from)
	if i := int(far.Switch); out.flow >= 0 && s.atOnce {
		g.device[i], _ = s.step(g.device[i], event{kind: arrives, port: far.Port, signal: out})
		s.flush(g, i)
		return
	}
	i := int(from.Switch)*ports + int(from.Port)
	contents := s.wires[g.wire[i]]
	g.wire[i] = s.wire(append(contents[:len(contents):len(contents)], out))
}

// move is an event of a port, for people.
type move struct {
	at   sluice.Hop
	kind eventKind
	of   signal
}

func (m move) String() string {
	if m.kind == arrives {
		return fmt.Sprintf("%v gets %v", m.at, m.of)
	}
	return fmt.Sprintf("%v sends %v", m.at, m.of)
}

// flush puts the frames that a device has due on its wires, one frame at a time on each. To let
// them wait would add nothing: on a wire they can wait as well, and no packet passes them at either
// place.
func (s *search) flush(g *global, device int) {
	for port := range ports {
		hop := sluice.Hop{Switch: sluice.SwitchID(device), Port: sluice.PortID(port)}
		for s.locals[g.device[device]].due[port] && !s.carriesFrame(g, hop) {
			var out signal
			g.device[device], out = s.step(g.device[device], event{kind: polls, port: hop.Port})
			s.send(g, hop, out)
			if s.settles {
				far, _ := s.network.Peer(hop)
				s.deliver(g, far)
			}
		}
	}
}

// deliver delivers what is first on the wire that leads to a port.
func (s *search) deliver(g *global, to sluice.Hop) signal {
	far, _ := s.network.Peer(to)
	i := int(far.Switch)*ports + int(far.Port)
	contents := s.wires[g.wire[i]]
	g.wire[i] = s.wire(contents[1:])
	at := &g.device[to.Switch]
	*at, _ = s.step(*at, event{kind: arrives, port: to.Port, signal: contents[0]})
	s.flush(g, int(to.Switch))
	if contents[0].flow < 0 {
		s.flush(g, int(far.Switch))
	}
	return contents[0]
}

func (s *search) carriesFrame(g *global, from sluice.Hop) bool {
	for _, on := range s.wires[g.wire[int(from.Switch)*ports+int(from.Port)]] {
		if on.flow < 0 {
			return true
		}
	}
	return false
}

// successors calls do for every state that one event leads to.
func (s *search) successors(g *global, do func(next *global, what move)) {
	for device := range g.device {
		here := &s.locals[g.device[device]]
		for port := range ports {
			hop := sluice.Hop{Switch: sluice.SwitchID(device), Port: sluice.PortID(port)}
			far, _ := s.network.Peer(hop)
			if g.wire[int(far.Switch)*ports+int(far.Port)] != 0 {
				next := *g
				first := s.deliver(&next, hop)
				do(&next, move{hop, arrives, first})
			}
			if s.atOnce && !s.mayPass(g, hop) || here.due[port] { // frames go first
				continue
			}
			for q, may := range s.served(here, port) {
				if may {
					next := *g
					var out signal
					next.device[device], out = s.step(g.device[device], event{kind: sends, port: hop.Port, queue: sluice.QueueID(q)})
					s.send(&next, hop, out)
					s.flush(&next, device)
					do(&next, move{hop, sends, out})
				}
			}
		}
	}
}

// mayPass reports whether nothing is on the wire of a port: what is there arrives first.
func (s *search) mayPass(g *global, hop sluice.Hop) bool {
	return g.wire[int(hop.Switch)*ports+int(hop.Port)] == 0
}

// served returns the queues that may be served next: at a node of PortFC the relay queue first,
// else any, for who has the turn does not matter here.
func (s *search) served(l *local, port int) []bool {
	relay := int(s.network.RelayQueue())
	if heads := l.heads[port]; s.network.IsNode(l.device) && len(heads) == relay+2 && heads[relay] {
		only := make([]bool, len(heads))
		only[relay] = true
		return only
	}
	return l.heads[port]
}

func (o signal) String() string {
	if o.flow >= 0 {
		return fmt.Sprintf("packet %d of flow %d", o.number, o.flow)
	}
	var f Frame
	if f.Parse([]byte(o.frame)) == nil {
		return f.String()
	}
	return "a frame of PFC"
}

// verdict is what a search finds.
type verdict struct {
	states int
	wrong  string   // what is wrong with a state; "" if nothing is with any
	trace  []string // the events that lead there
	dump   string   // that state
}

// run visits all states, breadth first, up to a number. It ends at the first that is stuck, with
// all delivered and nobody paused being the only good end, or in which frames are at rest and rule
// finds something wrong.
func (s *search) run(most int, rule func(*search, *global) string) verdict {
	first := global{device: s.initial}
	type origin struct {
		from int32
		what move
	}
	numbers := map[global]int32{first: 0}
	all, origins := []global{first}, []origin{{from: -1}}
	for i := 0; i < len(all); i++ {
		g := all[i]
		moves := 0
		s.successors(&g, func(next *global, what move) {
			moves++
			if _, known := numbers[*next]; !known {
				numbers[*next] = int32(len(all))
				all = append(all, *next)
				origins = append(origins, origin{int32(i), what})
			}
		})
		wrong := ""
		if moves == 0 {
			wrong = s.end(&g)
		}
		if wrong == "" && rule != nil && s.atRest(&g) {
			wrong = rule(s, &g)
		}
		if wrong != "" || len(all) > most {
			v := verdict{states: len(all), wrong: wrong}
			if wrong == "" {
				v.wrong = "too many states"
			}
			for j := int32(i); j > 0; j = origins[j].from {
				v.trace = append(v.trace, origins[j].what.String())
			}
			slices.Reverse(v.trace)
			for _, number := range g.device {
				v.dump += s.locals[number].dump
			}
			return v
		}
	}
	return verdict{states: len(all)}
}

// end says what is wrong with a state in which nothing can happen any more.
func (s *search) end(g *global) string {
	for i, size := range s.sizes {
		if int(g.delivered[i]) != size {
			return fmt.Sprintf("stuck: %d of %d packets of flow %d arrived", g.delivered[i], size, i)
		}
	}
	for device, number := range g.device {
		if err := s.locals[number].quiet; err != nil {
			return fmt.Sprintf("device %d at the end: %v", device, err)
		}
	}
	return ""
}

// atRest reports whether no frame is under way or due.
func (s *search) atRest(g *global) bool {
	for device, number := range g.device {
		for port := range ports {
			if s.locals[number].due[port] {
				return false
			}
			for _, on := range s.wires[g.wire[device*ports+port]] {
				if on.flow < 0 {
					return false
				}
			}
		}
	}
	return true
}

// The four loop flows, each round half of the ring, and four two-hop flows, all the same way round:
// 00, 01, 11, 10 (Figure 19's topology).
func ringFlows(loop, direct int) (flows []flowOf) {
	for _, f := range []flowOf{
		{0, 3, []int{0, 1}, loop}, {1, 2, []int{1, 0}, loop},
		{3, 0, []int{0, 1}, loop}, {2, 1, []int{1, 0}, loop},
		{0, 1, []int{0}, direct}, {1, 3, []int{1}, direct},
		{3, 2, []int{0}, direct}, {2, 0, []int{1}, direct},
	} {
		if f.packets > 0 {
			flows = append(flows, f)
		}
	}
	return flows
}

// crossing is flows both ways through node 1, and its own to both sides.
func crossing() []flowOf {
	return []flowOf{
		{0, 3, []int{0, 1}, 3}, {3, 0, []int{1, 0}, 3}, {1, 3, []int{1}, 3}, {1, 0, []int{0}, 3},
	}
}

// walk takes one random way through the states to an end.
func (s *search) walk(random *prng.Source, rule func(*search, *global) string) verdict {
	g := global{device: s.initial}
	var v verdict
	for v.wrong == "" {
		var nexts []global
		var moves []move
		s.successors(&g, func(next *global, what move) {
			nexts = append(nexts, *next)
			moves = append(moves, what)
		})
		if len(nexts) == 0 {
			v.wrong = s.end(&g)
			break
		}
		i := random.Below(uint64(len(nexts)))
		g = nexts[i]
		v.states++
		v.trace = append(v.trace, moves[i].String())
		if rule != nil && s.atRest(&g) {
			v.wrong = rule(s, &g)
		}
	}
	return v
}

// equal is the rule that when frames are at rest Equations 1 and 2 hold, both ways: what they say
// is held, and nothing else.
func equal(s *search, g *global) string {
	want := map[spot]bool{}
	for held, full := range equations(s.network) {
		for at := range full {
			l := &s.locals[g.device[at.Switch]]
			class := uint8(1)
			if at.queue == s.network.DDQ() {
				class = 0
			}
			want[held] = want[held] || l.over[at.Port]>>class&1 != 0
		}
	}
	for device, number := range g.device {
		for port, queues := range s.locals[number].holds {
			for q, held := range queues {
				at := spot{sluice.Hop{Switch: sluice.SwitchID(device), Port: sluice.PortID(port)}, sluice.QueueID(q)}
				if held != want[at] {
					return fmt.Sprintf("%v: held %t, by Equations 1 and 2 %t", at, held, want[at])
				}
			}
		}
	}
	return ""
}

// NDC(2,1), X_off one packet: "PortFC guarantees deadlock-free operation" (section V-F). All
// interleavings of transmissions, where packets and frames take no time on their wires, end with
// all delivered in order and nobody paused; and so do those where frames take any time, of fewer
// flows. With SLUICE_EXHAUSTIVE=1 of more.
func TestNoStuckState(t *testing.T) {
	type row struct {
		loop, direct, flows int
		delayed             bool
	}
	rows := []row{{1, 0, 4, false}, {0, 1, 4, true}}
	if !testing.Short() {
		rows = append(rows,
			row{1, 1, 8, false}, row{2, 0, 2, true}, row{2, 0, 4, false}, row{1, 0, 3, true})
	}
	if os.Getenv("SLUICE_EXHAUSTIVE") != "" {
		rows = append(rows, row{2, 1, 8, false}, row{1, 0, 4, true})
	}
	for _, r := range rows {
		s := newSearch(t, onePacket, ringFlows(r.loop, r.direct)[:r.flows]...)
		s.atOnce, s.settles = true, !r.delayed
		v := s.run(8_000_000, equal)
		require.Empty(t, v.wrong, "%+v\n%s\n%s", r, strings.Join(v.trace, "\n"), v.dump)
		t.Logf("%d loop flows of %d packets, %d flows in all, frames take time %t: %d states",
			min(4, r.flows), r.loop, r.flows, r.delayed, v.states)
	}
}

// Random ways through the states of all eight flows of two packets, where packets and frames take
// any time.
func TestNoStuckWalk(t *testing.T) {
	walks := 300
	if testing.Short() {
		walks = 30
	}
	for _, flows := range [][]flowOf{ringFlows(2, 2), crossing()} {
		s := newSearch(t, onePacket, flows...)
		random := prng.New(1)
		for range walks {
			v := s.walk(&random, equal)
			require.Empty(t, v.wrong, "%s\n%s", strings.Join(v.trace, "\n"), v.dump)
		}
	}
}

// The same search finds the deadlock of PFC, and what is wrong with mutants of PortFC: one flag for
// both detectors of a port, as Algorithms 1 and 2 have it if read literally; no relay of DDQ state;
// a relayed Resume that is lost to another layer's pause.
func TestSearchFindsFaults(t *testing.T) {
	t.Run("pfc", func(t *testing.T) {
		s := newSearch(t, plainPFC, ringFlows(2, 0)...)
		s.atOnce, s.settles = true, true
		v := s.run(100_000, nil)
		require.Contains(t, v.wrong, "stuck")
		t.Logf("%d states: %s\n%s", v.states, v.wrong, strings.Join(v.trace, "\n"))
		delayed := newSearch(t, plainPFC, ringFlows(2, 2)...)
		random, stuck := prng.New(1), 0
		for range 50 {
			if delayed.walk(&random, nil).wrong != "" {
				stuck++
			}
		}
		require.Positive(t, stuck)
	})
	for name, kind := range map[string]kindOfMachine{
		"one flag": oneFlag, "no relay": noRelay, "lost resume": lostResume,
	} {
		t.Run(name, func(t *testing.T) {
			ways := []*search{
				newSearch(t, kind, crossing()...), newSearch(t, kind, ringFlows(2, 2)...),
			}
			random := prng.New(1)
			for i := range 600 {
				s := ways[i%2]
				if v := s.walk(&random, equal); v.wrong != "" {
					t.Logf("%s\n%s", v.wrong, strings.Join(v.trace, "\n"))
					return
				}
			}
			t.Fatal("nothing found")
		})
	}
}
