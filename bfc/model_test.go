package bfc

import (
	"math/big"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// model is BFC as one would write it on a whiteboard: lists of packets, and every quantity counted
// from them when it is asked for. It leaves out Config.ResumeLimit and the order of service, which
// have tests of their own.
type model struct {
	t      require.TestingT
	config Config // defaults filled in
	queues int
	now    sluice.Time
	held   []modelPacket
	flows  map[modelFlow]*modelEntry
	// paused is what downstream says of (port, queue).
	paused map[[2]int]bool
	// peer is what each device upstream believes of (port, its queue), from the frames it got.
	peer map[[2]int]bool

	// With Config.Ideal: the flow that owns (port, queue), and since which step the queue may be
	// taken from it.
	owners map[[2]int]uint64
	since  map[[2]int]int
	// stacks are the stacks of LastFreed, by port.
	stacks map[int][]int
	steps  int
}

type modelPacket struct {
	sluice.Packet
	port    int
	queue   int
	entry   modelFlow
	counted bool
}

// modelFlow names a flow table entry: a port, and a VFID or with Config.Ideal a flow.
type modelFlow struct {
	port int
	key  uint64
}

type modelEntry struct {
	last  sluice.Time
	queue int // -1: none
}

func newModel(t require.TestingT, s *Switch) *model {
	m := &model{
		t: t, config: s.config, queues: s.queues, now: s.clock.Now(),
		flows: map[modelFlow]*modelEntry{}, paused: map[[2]int]bool{}, peer: map[[2]int]bool{},
		owners: map[[2]int]uint64{}, since: map[[2]int]int{}, stacks: map[int][]int{},
	}
	for port := range m.config.Ports {
		for q := m.config.Queues - 1; q >= 0; q-- {
			m.stacks[port] = append(m.stacks[port], q)
		}
	}
	return m
}

func (m *model) count(match func(*modelPacket) bool) (n int) {
	for i := range m.held {
		if match(&m.held[i]) {
			n++
		}
	}
	return n
}

func (m *model) bytes(match func(*modelPacket) bool) (n sluice.Bytes) {
	for i := range m.held {
		if match(&m.held[i]) {
			n += m.held[i].Size
		}
	}
	return n
}

func in(port, queue int) func(*modelPacket) bool {
	return func(p *modelPacket) bool { return p.port == port && p.queue == queue }
}

// active is N_active of a port.
func (m *model) active(port int) (n int) {
	for q := range m.config.Queues {
		if m.count(in(port, q)) > 0 && !m.paused[[2]int{port, q}] {
			n++
		}
	}
	return n
}

// counter is the pause counter of an upstream queue.
func (m *model) counter(ingress, queue int) int {
	return m.count(func(p *modelPacket) bool {
		return p.counted && int(p.Ingress) == ingress && int(p.UpstreamQueue) == queue
	})
}

// open reports whether a queue is empty, and not paused if that matters.
func (m *model) open(port, queue int) bool {
	if m.count(in(port, queue)) > 0 {
		return false
	}
	return !m.paused[[2]int{port, queue}] || m.config.AssignPaused ||
		m.config.AssignForgotten && !m.named(port, queue)
}

// named reports whether an entry of the port's table has a queue, or had it last.
func (m *model) named(port, queue int) bool {
	for flow, e := range m.flows {
		if flow.port == port && e.queue == queue {
			return true
		}
	}
	return false
}

func (m *model) free(port, queue int) bool {
	_, owned := m.owners[[2]int{port, queue}]
	return m.open(port, queue) && !owned
}

// step notes which queues may be taken from their owners.
func (m *model) step() {
	m.steps++
	for place, flow := range m.owners {
		present := m.count(func(p *modelPacket) bool { return p.entry == modelFlow{place[0], flow} })
		if present > 0 || !m.open(place[0], place[1]) {
			delete(m.since, place)
		} else if _, ok := m.since[place]; !ok {
			m.since[place] = m.steps
		}
	}
}

// threshold is F x HRTT x rate / N_active in whole bytes, at least 1.
func (m *model) threshold(ingress, port int) sluice.Bytes {
	x := big.NewInt(int64(m.config.Ports[port].Link.Rate))
	x.Mul(x, big.NewInt(int64(m.config.Ports[ingress].HRTT)))
	x.Mul(x, big.NewInt(m.config.Factor.Num))
	x.Div(x, big.NewInt(int64(max(m.active(port), 1))))
	x.Div(x, big.NewInt(m.config.Factor.Den))
	x.Div(x, big.NewInt(8))
	x.Div(x, big.NewInt(int64(sluice.Second)))
	return max(sluice.Bytes(x.Int64()), 1)
}

// enqueue checks the machine's verdict on a packet, whose Note it has written.
func (m *model) enqueue(
	now sluice.Time, port int, key uint64, packet sluice.Packet, v sluice.Verdict,
) {
	m.now = max(m.now, now)
	all := func(*modelPacket) bool { return true }
	if m.config.Buffer > 0 && m.bytes(all)+packet.Size > m.config.Buffer {
		require.Equal(m.t, sluice.BufferFull, v.Reason())
		require.Equal(m.t, sluice.Drop, v.Action())
		return
	}
	require.Equal(m.t, sluice.Append, v.Action())
	p := modelPacket{Packet: packet, port: port, queue: int(v.Queue()), entry: modelFlow{port, key}}
	if !m.config.Classes.Has(packet.Class) {
		require.Equal(m.t, m.queues-1, p.queue, "the control queue is the last")
		p.entry.port = -1
		m.held = append(m.held, p)
		return
	}
	first := m.chose(&p)
	m.held = append(m.held, p)
	if !first {
		m.judge(&m.held[len(m.held)-1])
	}
	counted := packet.Note&noteCounted != 0
	require.Equal(m.t, m.held[len(m.held)-1].counted, counted, "counted")
	m.step()
}

// chose checks the queue that the machine chose. It reports whether that is the first-packet queue.
func (m *model) chose(p *modelPacket) (first bool) {
	size := m.count(func(other *modelPacket) bool { return other.entry == p.entry })
	e := m.flows[p.entry]
	idle := size == 0 && (e == nil || m.now-e.last > m.sticky(p))
	if e == nil {
		e = &modelEntry{queue: -1}
		m.flows[p.entry] = e
	}
	e.last = m.now
	if idle && m.config.FirstPacketQueue {
		require.Equal(m.t, m.config.Queues, p.queue, "the first-packet queue follows the data queues")
		e.queue = -1
		return true
	}
	require.Less(m.t, p.queue, m.config.Queues)
	place := [2]int{p.port, p.queue}
	owner, owned := m.owners[place]
	if m.config.Ideal && owned && owner == p.entry.key {
		e.queue = p.queue
		return false // a flow keeps the queue that it owns
	}
	if e.queue >= 0 && (size > 0 || !idle && !m.config.Ideal) {
		require.Equal(
			m.t, e.queue, p.queue,
			"a flow with packets here, or that left a short time ago, keeps its queue",
		)
		return false
	}
	for q := range m.config.Queues {
		other, ok := m.owners[[2]int{p.port, q}]
		require.False(m.t, ok && other == p.entry.key, "the flow owns queue %d, and got %d", q, p.queue)
	}
	m.assigned(p)
	e.queue = p.queue
	return false
}

func (m *model) assigned(p *modelPacket) {
	if m.config.Assignment == StaticHash {
		return
	}
	if m.config.Assignment == LastFreed {
		m.popped(p)
		return
	}
	lowest := -1
	for q := m.config.Queues - 1; q >= 0; q-- {
		if m.free(p.port, q) {
			lowest = q
		}
	}
	defer m.own(p)
	switch {
	case lowest < 0:
		m.reclaimed(p)
	case m.config.Assignment == LowestFree:
		require.Equal(m.t, lowest, p.queue, "the lowest free queue")
	default:
		require.True(m.t, m.free(p.port, p.queue), "queue %d is not free, and %d is", p.queue, lowest)
	}
}

// popped checks that the queue of a packet is the one on top of its port's stack, or any if the
// stack is empty.
func (m *model) popped(p *modelPacket) {
	if stack := m.stacks[p.port]; len(stack) > 0 {
		require.Equal(m.t, stack[len(stack)-1], p.queue, "the queue that emptied last, of %v", stack)
		m.stacks[p.port] = stack[:len(stack)-1]
	} else if m.config.Index == LowBits && m.config.Overflow == HashQueue {
		require.Equal(m.t, int(p.entry.key)%m.config.Queues, p.queue, "the low bits of the VFID")
	}
}

// reclaimed checks that a packet's queue is the queue that has been empty longest, if any may be
// taken from its owner. Queues that downstream resumed at once are as good as each other.
func (m *model) reclaimed(p *modelPacket) {
	longest := m.steps + 1
	for place, since := range m.since {
		if place[0] == p.port {
			longest = min(longest, since)
		}
	}
	if longest > m.steps {
		return
	}
	place := [2]int{p.port, p.queue}
	since, ok := m.since[place]
	require.True(
		m.t, ok && since == longest, "queue %d is not the one that has been empty longest", p.queue,
	)
	delete(m.owners, place)
	delete(m.since, place)
}

// own makes a flow the owner of its queue if that has none.
func (m *model) own(p *modelPacket) {
	place := [2]int{p.port, p.queue}
	if _, owned := m.owners[place]; m.config.Ideal && !owned {
		m.owners[place] = p.entry.key
	}
}

func (m *model) sticky(p *modelPacket) sluice.Time {
	switch m.config.Sticky {
	case NoSticky:
		return 0
	case 0:
		if p.Ingress == sluice.Local {
			return 2 * m.config.Ports[p.port].HRTT
		}
		return 2 * m.config.Ports[p.Ingress].HRTT
	}
	return m.config.Sticky
}

// judge decides whether a packet that has joined its data queue is counted.
func (m *model) judge(p *modelPacket) {
	if p.Ingress == sluice.Local || int(p.UpstreamQueue) >= m.config.Ports[p.Ingress].UpstreamQueues {
		return
	}
	if m.bytes(in(p.port, p.queue)) <= m.threshold(int(p.Ingress), p.port) {
		return
	}
	ofFlow := func(other *modelPacket) bool { return other.entry == p.entry }
	if m.count(ofFlow) == 1 && !m.config.CountLonePackets {
		return
	}
	for _, pair := range m.config.Withhold {
		if pair.Ingress == p.Ingress && int(pair.Egress) == p.port {
			return
		}
	}
	p.counted = true
}

// head returns the index in held of the head of a queue, -1 if it is empty.
func (m *model) head(port, queue int) int {
	for i := range m.held {
		if m.held[i].port == port && m.held[i].queue == queue {
			return i
		}
	}
	return -1
}

func (m *model) dequeue(now sluice.Time, i int) {
	m.now = max(m.now, now)
	if e := m.flows[m.held[i].entry]; e != nil {
		e.last = m.now
	}
	port, q := m.held[i].port, m.held[i].queue
	m.held = append(m.held[:i], m.held[i+1:]...)
	if q < m.config.Queues && m.count(in(port, q)) == 0 && !slices.Contains(m.stacks[port], q) {
		m.stacks[port] = append(m.stacks[port], q)
	}
	m.step()
}

// obey is what downstream says.
func (m *model) obey(now sluice.Time, port int, f *Frame) {
	m.now = max(m.now, now)
	for _, q := range f.Listed() {
		if int(q) < m.config.Queues {
			m.paused[[2]int{port, int(q)}] = f.Type == Pause
		}
	}
	if f.Type == Bitmap {
		for q := range m.config.Queues {
			m.paused[[2]int{port, q}] = f.Paused(sluice.QueueID(q))
		}
	}
	m.step()
}

// tell applies a frame to the model of port's upstream device.
func (m *model) tell(port int, f *Frame) {
	for _, q := range f.Listed() {
		m.peer[[2]int{port, int(q)}] = f.Type == Pause
	}
	for q := range f.Covered() {
		m.peer[[2]int{port, q}] = f.Paused(sluice.QueueID(q))
	}
}
