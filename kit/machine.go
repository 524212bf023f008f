package kit

import (
	"io"

	"github.com/sluicefc/sluice"
)

// Machine is a protocol's switch with its ports' hooks, for code that drives any protocol; the
// documentation of package sluice says what each hook means. Control frames pass as the bytes that
// go on the wire, without the frame check sequence. [Wrap] makes a Machine of a protocol's switch.
// A port that does not exist is the caller's mistake and panics.
type Machine interface {
	Ports() int
	// Queues returns how many queues each port has: QueueIDs are below it.
	Queues() int

	Enqueue(now sluice.Time, port sluice.PortID, p *sluice.Packet) sluice.Verdict
	// PollFrame appends the next control frame that port owes its peer to buf; ok is false, and frame
	// is buf, when there is none. kind names what the frame does: "pause".
	PollFrame(now sluice.Time, port sluice.PortID, buf []byte) (frame []byte, kind string, ok bool)
	Next(now sluice.Time, port sluice.PortID) (sluice.QueueID, bool)
	Dequeue(now sluice.Time, port sluice.PortID, q sluice.QueueID, p *sluice.Packet) sluice.Verdict
	// Receive hands a control frame that came in at port to the machine. If the bytes are no frame,
	// the error is a *sluice.FrameError, and the machine counts it.
	Receive(now sluice.Time, port sluice.PortID, frame []byte) (sluice.Wake, error)
	LinkDown(now sluice.Time, port sluice.PortID) sluice.Wake
	LinkUp(now sluice.Time, port sluice.PortID) sluice.Wake

	Expire(now sluice.Time) sluice.Wake
	Deadline() sluice.Time
	PollPort() (sluice.PortID, bool)
	Rebase(by sluice.Time)

	Backlog(port sluice.PortID, q sluice.QueueID) sluice.Bytes
	Sendable(port sluice.PortID, q sluice.QueueID) bool
	Buffered() sluice.Bytes
	// Counted returns the counters of the port that all protocols have.
	Counted(port sluice.PortID) sluice.Counters
	Audit() error
	Quiescent() error
	Dump(w io.Writer) error
}

// Hooks are a port's hooks that a packet passes. A Machine that has a method
//
//	Hooks(port sluice.PortID) Hooks
//
// which returns its own hooks, saves its Driver a call; machines of Wrap have it. Hooks that wrap
// others have a method
//
//	Unwrap() Hooks
//
// as a machine that wraps another has: a Driver foresees the memory of the hooks that do the work.
type Hooks interface {
	Enqueue(now sluice.Time, p *sluice.Packet) sluice.Verdict
	Next(now sluice.Time) (sluice.QueueID, bool)
	Dequeue(now sluice.Time, q sluice.QueueID, p *sluice.Packet) sluice.Verdict
}

// Owing is an optional part of Hooks: to ask whether there is a frame costs less than to poll it.
type Owing interface {
	// Owes reports whether PollFrame has a frame. Where it answers false, PollFrame need not be
	// called.
	Owes() bool
}

// HooksOf returns the hooks of a machine's port, for machines that wrap another.
func HooksOf(m Machine, port sluice.PortID) Hooks {
	if direct, ok := m.(interface {
		Hooks(port sluice.PortID) Hooks
	}); ok {
		return direct.Hooks(port)
	}
	return &portOf{m, port}
}

type portOf struct {
	machine Machine
	port    sluice.PortID
}

func (p *portOf) Enqueue(now sluice.Time, packet *sluice.Packet) sluice.Verdict {
	return p.machine.Enqueue(now, p.port, packet)
}

func (p *portOf) Next(now sluice.Time) (sluice.QueueID, bool) { return p.machine.Next(now, p.port) }

func (p *portOf) Dequeue(now sluice.Time, q sluice.QueueID, packet *sluice.Packet) sluice.Verdict {
	return p.machine.Dequeue(now, p.port, q, packet)
}

// Port is what every protocol's *Port offers. F is its Frame.
type Port[F any] interface {
	ID() sluice.PortID
	Enqueue(now sluice.Time, p *sluice.Packet) sluice.Verdict
	PollFrame(now sluice.Time, f *F) bool
	Next(now sluice.Time) (sluice.QueueID, bool)
	Dequeue(now sluice.Time, q sluice.QueueID, p *sluice.Packet) sluice.Verdict
	Receive(now sluice.Time, f *F) sluice.Wake
	ReceiveWire(now sluice.Time, frame []byte) (sluice.Wake, error)
	LinkDown(now sluice.Time) sluice.Wake
	LinkUp(now sluice.Time) sluice.Wake
	// Backlog returns the bytes held in a queue; 0 for a queue that does not exist.
	Backlog(q sluice.QueueID) sluice.Bytes
	// Sendable reports whether nothing holds the queue: its head may go as soon as the scheduler comes
	// to it. False for a queue that does not exist.
	Sendable(q sluice.QueueID) bool
	Counted() sluice.Counters
	// String describes the port's state in a line.
	String() string
}

// Switch is what every protocol's *Switch offers. P is its *Port, F its Frame.
type Switch[P Port[F], F any] interface {
	// Port returns a port, nil for a port that does not exist.
	Port(id sluice.PortID) P
	Ports() int
	Queues() int
	Expire(now sluice.Time) sluice.Wake
	Deadline() sluice.Time
	PollPort() (sluice.PortID, bool)
	Rebase(by sluice.Time)
	// Buffered returns the bytes held in all queues of all ports.
	Buffered() sluice.Bytes
	// Audit recomputes the numbered invariants the slow way and names the first one broken.
	Audit() error
	// Quiescent returns nil when nothing is held back: no packet queued, nobody paused, every
	// isolation resource free; else an error that says what is left.
	Quiescent() error
	// Dump writes the state of the switch for people to read.
	Dump(w io.Writer) error
}

// Frame is what every protocol's *Frame offers.
type Frame[F any] interface {
	*F
	AppendTo(dst []byte) []byte
	Parse(src []byte) error
	// Kind names what the frame does, from a fixed set: "pause".
	Kind() string
}

type adapter[S Switch[P, F], P Port[F], F any, FP Frame[F]] struct {
	Switch[P, F] // an S
	ports        []P
	outgoing     F
}

// Wrap makes a Machine of a protocol's switch:
//
//	kit.Wrap(s) // of s, err := pfc.New(config)
func Wrap[S Switch[P, F], P Port[F], F any, FP Frame[F]](s S) Machine {
	a := adapter[S, P, F, FP]{Switch: s}
	for i := range s.Ports() {
		a.ports = append(a.ports, s.Port(sluice.PortID(i)))
	}
	var port P
	if _, consumes := any(port).(consumingPort); consumes {
		return &consumingAdapter[S, P, F, FP]{a}
	}
	return &a
}

// WrapNew makes a Machine of what a protocol's New answered, so that to choose a protocol is one
// line:
//
//	machine, err := kit.WrapNew(pfc.New(config))
func WrapNew[S Switch[P, F], P Port[F], F any, FP Frame[F]](s S, err error) (Machine, error) {
	if err != nil {
		return nil, err
	}
	return Wrap[S, P, F, FP](s), nil
}

// Unwrap returns the protocol's switch that Wrap was given, nil for another kind of Machine: for
// code that looks inside. It looks through machines that wrap another and have a method Unwrap.
func Unwrap(m Machine) any {
	for {
		switch w := m.(type) {
		case interface{ unwrap() any }:
			return w.unwrap()
		case interface{ Unwrap() Machine }:
			m = w.Unwrap()
		default:
			return nil
		}
	}
}

func (a *adapter[S, P, F, FP]) unwrap() any { return a.Switch }

func (a *adapter[S, P, F, FP]) Enqueue(
	now sluice.Time, port sluice.PortID, p *sluice.Packet,
) sluice.Verdict {
	return a.ports[port].Enqueue(now, p)
}

// Hooks returns the protocol's port.
func (a *adapter[S, P, F, FP]) Hooks(port sluice.PortID) Hooks { return a.ports[port] }

func (a *adapter[S, P, F, FP]) PollFrame(
	now sluice.Time, port sluice.PortID, buf []byte,
) ([]byte, string, bool) {
	if !a.ports[port].PollFrame(now, &a.outgoing) {
		return buf, "", false
	}
	frame := FP(&a.outgoing)
	return frame.AppendTo(buf), frame.Kind(), true
}

func (a *adapter[S, P, F, FP]) Next(now sluice.Time, port sluice.PortID) (sluice.QueueID, bool) {
	return a.ports[port].Next(now)
}

func (a *adapter[S, P, F, FP]) Dequeue(
	now sluice.Time, port sluice.PortID, q sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	return a.ports[port].Dequeue(now, q, p)
}

func (a *adapter[S, P, F, FP]) Receive(
	now sluice.Time, port sluice.PortID, frame []byte,
) (sluice.Wake, error) {
	return a.ports[port].ReceiveWire(now, frame)
}

func (a *adapter[S, P, F, FP]) LinkDown(now sluice.Time, port sluice.PortID) sluice.Wake {
	return a.ports[port].LinkDown(now)
}

func (a *adapter[S, P, F, FP]) LinkUp(now sluice.Time, port sluice.PortID) sluice.Wake {
	return a.ports[port].LinkUp(now)
}

func (a *adapter[S, P, F, FP]) Backlog(port sluice.PortID, q sluice.QueueID) sluice.Bytes {
	return a.ports[port].Backlog(q)
}

func (a *adapter[S, P, F, FP]) Sendable(port sluice.PortID, q sluice.QueueID) bool {
	return a.ports[port].Sendable(q)
}

func (a *adapter[S, P, F, FP]) Counted(port sluice.PortID) sluice.Counters {
	return a.ports[port].Counted()
}
