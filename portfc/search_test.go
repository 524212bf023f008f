package portfc

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pfc"
)

// search visits all states of NDC(2,1) that real machines can come to while some packets are under
// way: every interleaving of transmissions, and of deliveries of packets and frames, which take any
// time on a wire but stay in order. States are merged by content. Time stands still.
//
// What a device does depends only on its own past: so the states of each device are numbered, and a
// step of one is carried out once, by a new machine that lives through a past that leads there. The
// stateSet of the network are then vectors of numbers.
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
	require.NoError(s, kit.Dump(&text, l.m.Snapshot()))
	state.dump = text.String()
	for port := range l.queues {
		for frame := s.poll(
			&l, sluice.PortID(port),
		); frame != ""; frame = s.poll(&l, sluice.PortID(port)) {
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
			for q := range s.queues {
				fmt.Fprint(&b, s.ports[i].queue(q).holds)
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
		p := sluice.Packet{
			Size: testPacket, Flow: uint64(e.signal.flow), Ingress: e.port, Path: s.paths[e.signal.flow],
		}
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
