package conformance

import (
	"encoding/binary"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/wire"
	"github.com/sluicefc/sluice/kit"
)

// subject is a machine with the packets that wait at it, for checks of what its state says. An act
// does to every subject the same, whatever happened to it before.
type subject struct {
	scene  *scene
	m      kit.Stateful
	now    sluice.Time
	fifos  [][]waiting // by port, then queue
	down   []bool      // by port: its link
	since  []sluice.Counters
	frames [][]byte // of its own, the last few
	steps  []step   // of the last act
}

// waiting is a packet in a queue: which of the scene, and what the machine wrote to it.
type waiting struct {
	which int
	note  uint64
}

// scene is the draws of a check: machines of one configuration, and their possible inputs.
type scene struct {
	make    func() kit.Machine
	words   func(frame []byte) string // Spec.Describe
	packets []flow
	frames  []forged
	spans   []sluice.Time
}

type forged struct {
	port  sluice.PortID
	bytes []byte
}

// act is an embedder's or a network's action at one moment.
type act struct {
	kind  actKind
	port  sluice.PortID
	which int // packet of the scene
	times int
	frame []byte
	ahead uint32      // by how much the frame's number is ahead of the newest that was heard
	span  sluice.Time // that passes
	late  bool        // timers are not served in it
}

type actKind uint8

const (
	actEnqueue actKind = iota
	actSend            // a transmitter is free
	actPoll            // frames only
	actReceive
	actPass
	actDeadline // time passes up to the next deadline
	actLink     // fails, or comes back
	actConsume
)

func newSubject(s *scene) (*subject, bool) {
	machine := s.make()
	m, ok := kit.StatefulOf(machine)
	if !ok {
		return nil, false
	}
	return &subject{
		scene: s, m: m, fifos: make([][]waiting, machine.Ports()*machine.Queues()),
		down: make([]bool, machine.Ports()),
	}, true
}

func (s *subject) machine() kit.Machine { return s.m.(kit.Machine) }

// clone returns a subject to which other things can happen.
func (s *subject) clone() *subject {
	c := *s
	c.m, _ = kit.StatefulOf(s.m.Clone())
	c.fifos, c.down = append([][]waiting(nil), s.fifos...), append([]bool(nil), s.down...)
	c.steps = nil
	return &c
}

// origin returns a copy for which it is time 0, and whose ports sent and heard number 0 last: as
// Stateful says, equal states are equal from such an origin on.
func (s *subject) origin() *subject {
	c := s.clone()
	c.machine().Rebase(c.now)
	c.now = 0
	for port := range sluice.PortID(len(c.down)) {
		c.m.Renumber(port, first(c.m.Numbers(port)), second(c.m.Numbers(port)))
		c.since = append(c.since, c.machine().Counters(port))
	}
	return c
}

func first(a, _ uint32) uint32  { return a }
func second(_, b uint32) uint32 { return b }

// key returns what the future of the machine and of the packets depends on.
func (s *subject) key() string {
	key := s.m.AppendState(nil, s.now)
	for i, fifo := range s.fifos {
		if len(fifo) == 0 {
			continue
		}
		key = binary.AppendUvarint(key, uint64(i)+1)
		key = binary.AppendUvarint(key, uint64(len(fifo)))
		for _, w := range fifo {
			key = binary.AppendUvarint(key, uint64(w.which))
			key = binary.AppendUvarint(key, w.note)
		}
	}
	for _, down := range s.down {
		if key = append(key, 0); down {
			key[len(key)-1] = 1
		}
	}
	return string(key)
}

// do makes an act happen; what does not fit does nothing. Its steps are in s.steps.
func (s *subject) do(a *act) {
	s.steps = s.steps[:0]
	switch a.kind {
	case actEnqueue:
		for range a.times {
			s.enqueue(a.which)
		}
	case actSend:
		for range a.times {
			s.send(a.port)
		}
	case actPoll:
		for range a.times {
			s.poll(a.port)
		}
	case actReceive:
		s.receive(a)
	case actPass:
		s.pass(s.now.Add(a.span), a.late)
	case actDeadline:
		if at := s.machine().Deadline(); at != sluice.Never {
			s.pass(max(s.now, at), a.late)
		}
	case actLink:
		kind := stepLinkDown
		if s.down[a.port] {
			kind = stepLinkUp
		}
		s.down[a.port] = !s.down[a.port]
		s.call(step{kind: kind, port: a.port}, nil)
	case actConsume:
		p := s.scene.packets[a.which].template
		p.Ingress = a.port
		s.call(step{kind: stepConsume, port: a.port, packet: p}, &p)
	}
}

func (s *subject) enqueue(which int) {
	f := &s.scene.packets[which]
	p := f.template
	p.Note = 0
	v := s.call(step{kind: stepEnqueue, port: f.port, packet: p}, &p).verdict
	if v.Action() == sluice.Append {
		s.push(f.port, v.Queue(), waiting{which, p.Note})
	}
}

// send serves a free transmitter: a frame, or else a packet.
func (s *subject) send(port sluice.PortID) {
	if s.poll(port) {
		return
	}
	queues := s.machine().Queues()
	packets := 0
	for _, fifo := range s.fifos[int(port)*queues : int(port+1)*queues] {
		packets += len(fifo)
	}
	for range packets * (queues + 1) {
		next := s.call(step{kind: stepNext, port: port}, nil)
		q, ok := next.next, next.ok
		if !ok || int(q) >= queues || len(s.fifos[int(port)*queues+int(q)]) == 0 {
			return
		}
		at := &s.fifos[int(port)*queues+int(q)]
		w := (*at)[0]
		*at = (*at)[1:]
		p := s.scene.packets[w.which].template
		p.Note = w.note
		v := s.call(step{kind: stepDequeue, port: port, queue: q, packet: p}, &p).verdict
		switch v.Action() {
		case sluice.Append:
			s.push(port, v.Queue(), waiting{w.which, p.Note})
		case sluice.Transmit:
			return
		}
	}
}

func (s *subject) poll(port sluice.PortID) bool {
	polled := s.call(step{kind: stepPoll, port: port}, nil)
	if polled.ok && len(s.frames) < 8 {
		s.frames = append(s.frames, polled.polled)
	}
	return polled.ok
}

// receive delivers a frame. A frame of this library's own gets a number near the newest heard.
func (s *subject) receive(a *act) {
	frame := append([]byte(nil), a.frame...)
	if number := wire.Number(frame); number != nil {
		_, heard := s.m.Numbers(a.port)
		binary.BigEndian.PutUint32(number, heard+a.ahead)
	}
	s.call(step{kind: stepReceive, port: a.port, frame: frame}, nil)
}

// pass lets time pass. Timers that are due meanwhile are served, the last ones of many late.
func (s *subject) pass(to sluice.Time, late bool) {
	const most = 20
	for i := 0; !late && s.machine().Deadline() <= to; i++ {
		if s.now = max(s.now, s.machine().Deadline()); i == most {
			s.now = to
		}
		s.call(step{kind: stepExpire}, nil)
		if i == most {
			break
		}
	}
	s.now = max(s.now, to)
}

// push appends a packet to a queue, whose memory other subjects may share.
func (s *subject) push(port sluice.PortID, q sluice.QueueID, w waiting) {
	if int(q) < s.machine().Queues() {
		at := &s.fifos[int(port)*s.machine().Queues()+int(q)]
		*at = append((*at)[:len(*at):len(*at)], w)
	}
}

// call calls a hook and the ports that it woke.
func (s *subject) call(st step, p *sluice.Packet) *answer {
	st.now, st.id, st.words = s.now, -1, s.scene.words
	st.answer = st.call(s.machine(), s.now, p, append([]byte(nil), st.frame...))
	st.done = true
	s.steps = append(s.steps, st)
	called := &s.steps[len(s.steps)-1].answer
	if called.wake.Has(sluice.WakeSeveral) {
		for range len(s.down) + 1 {
			port, ok := s.machine().PollPort()
			if !ok {
				break
			}
			called.woken = append(called.woken, port)
		}
	}
	return called
}
