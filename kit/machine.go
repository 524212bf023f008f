package kit

import (
	"io"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/fields"
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
	// WaitsFor reports whether queue q of port, which is held, waits for packet p to leave the next
	// device, at the other end of the port's link: whether the peer holds q on account of p among
	// others. There p waits in queue in; came says that it came in by this link. Its fields are as
	// that device has them: Path begins with the port where it waits. A queue that is held for a
	// reason of its own device waits for no packet, and neither does a queue that does not exist. The
	// answer depends on nothing of p but its Flow, Class, Ingress, UpstreamQueue and Path.
	WaitsFor(port sluice.PortID, q sluice.QueueID, p *sluice.Packet, in sluice.QueueID,
		came bool) bool
	Buffered() sluice.Bytes
	// Counters returns the counters of the port that all protocols have.
	Counters(port sluice.PortID) sluice.Counters
	Audit() error
	Quiescent() error
	// Snapshot returns a copy of the observable state, as the protocol's *Switch does: see [Dump].
	Snapshot() any
}

// Dump writes a snapshot of a machine, a switch, a port or anything within for people to read:
//
//	kit.Dump(os.Stdout, machine.Snapshot())
//
// A line has the fields that are neither zero nor a time that is never, and below it, indented, are
// the parts; equal parts that follow each other share their lines, and parts in which all is zero
// have none. The text is no format to parse.
func Dump(w io.Writer, snapshot any) error { return fields.Text(w, snapshot) }

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
	// Owes reports whether PollFrame has a frame, which costs less than to poll it. Where it answers
	// false, PollFrame need not be called.
	Owes() bool
}

// HooksOf returns the hooks of a machine's port, for machines that wrap another. If the machine has
// no Hooks, theirs always answer that a frame is owed, so that the machine is polled.
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

func (p *portOf) Owes() bool { return true }

// Port is what every protocol's *Port offers. F is its Frame, C its PortCounters.
type Port[F any, C Common] interface {
	Hooks
	ID() sluice.PortID
	PollFrame(now sluice.Time, f *F) bool
	Receive(now sluice.Time, f *F) sluice.Wake
	ReceiveWire(now sluice.Time, frame []byte) (sluice.Wake, error)
	LinkDown(now sluice.Time) sluice.Wake
	LinkUp(now sluice.Time) sluice.Wake
	// Backlog returns the bytes held in a queue; 0 for a queue that does not exist.
	Backlog(q sluice.QueueID) sluice.Bytes
	// Sendable reports whether nothing holds the queue: its head may go as soon as the scheduler comes
	// to it. False for a queue that does not exist.
	Sendable(q sluice.QueueID) bool
	// WaitsFor is what [Machine] says of it.
	WaitsFor(q sluice.QueueID, p *sluice.Packet, in sluice.QueueID, came bool) bool
	Counters() C
}

// Common is what counters of every protocol offer, by the sluice.Counters within them.
type Common interface {
	Common() sluice.Counters
}

// Switch is what every protocol's *Switch offers. P is its *Port, F its Frame, C its PortCounters
// and N its Snapshot.
type Switch[P Port[F, C], F any, C Common, N any] interface {
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
	// Quiescent returns nil when nothing is held back: no packet queued, no upstream paused, every
	// isolation resource free; else an error that says what is left.
	Quiescent() error
	// Snapshot returns a copy of the observable state.
	Snapshot() N
}

// Frame is what every protocol's *Frame offers.
type Frame[F any] interface {
	*F
	AppendTo(dst []byte) []byte
	Parse(src []byte) error
	// Kind names what the frame does, from a fixed set: "pause".
	Kind() string
}

type adapter[
	S Switch[P, F, C, N], P Port[F, C], F any, FP Frame[F], C Common, N any,
] struct {
	Switch[P, F, C, N] // an S
	ports              []P
	outgoing           F
}

// Wrap makes a Machine of a protocol's switch:
//
//	kit.Wrap(s) // of s, err := pfc.New(config)
func Wrap[S Switch[P, F, C, N], P Port[F, C], F any, FP Frame[F], C Common, N any](
	s S,
) Machine {
	a := adapter[S, P, F, FP, C, N]{Switch: s}
	for i := range s.Ports() {
		a.ports = append(a.ports, s.Port(sluice.PortID(i)))
	}
	var port P
	if _, consumes := any(port).(consumingPort); consumes {
		return &consumingAdapter[S, P, F, FP, C, N]{a}
	}
	if _, rooted := any(port).(rootedPort); rooted {
		return &rootedAdapter[S, P, F, FP, C, N]{a}
	}
	return &a
}

// WrapNew makes a Machine of what a protocol's New answered, so that to choose a protocol is one
// line:
//
//	machine, err := kit.WrapNew(pfc.New(config))
func WrapNew[S Switch[P, F, C, N], P Port[F, C], F any, FP Frame[F], C Common, N any](
	s S, err error,
) (Machine, error) {
	if err != nil {
		return nil, err
	}
	return Wrap[S, P, F, FP, C, N](s), nil
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

// Snapshot returns an N.
func (a *adapter[S, P, F, FP, C, N]) Snapshot() any { return a.Switch.Snapshot() }

func (a *adapter[S, P, F, FP, C, N]) unwrap() any { return a.Switch }

func (a *adapter[S, P, F, FP, C, N]) Enqueue(
	now sluice.Time, port sluice.PortID, p *sluice.Packet,
) sluice.Verdict {
	return a.ports[port].Enqueue(now, p)
}

// Hooks returns the protocol's port.
func (a *adapter[S, P, F, FP, C, N]) Hooks(port sluice.PortID) Hooks { return a.ports[port] }

func (a *adapter[S, P, F, FP, C, N]) PollFrame(
	now sluice.Time, port sluice.PortID, buf []byte,
) ([]byte, string, bool) {
	if !a.ports[port].PollFrame(now, &a.outgoing) {
		return buf, "", false
	}
	frame := FP(&a.outgoing)
	return frame.AppendTo(buf), frame.Kind(), true
}

func (a *adapter[S, P, F, FP, C, N]) Next(
	now sluice.Time, port sluice.PortID,
) (sluice.QueueID, bool) {
	return a.ports[port].Next(now)
}

func (a *adapter[S, P, F, FP, C, N]) Dequeue(
	now sluice.Time, port sluice.PortID, q sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	return a.ports[port].Dequeue(now, q, p)
}

func (a *adapter[S, P, F, FP, C, N]) Receive(
	now sluice.Time, port sluice.PortID, frame []byte,
) (sluice.Wake, error) {
	return a.ports[port].ReceiveWire(now, frame)
}

func (a *adapter[S, P, F, FP, C, N]) LinkDown(now sluice.Time, port sluice.PortID) sluice.Wake {
	return a.ports[port].LinkDown(now)
}

func (a *adapter[S, P, F, FP, C, N]) LinkUp(now sluice.Time, port sluice.PortID) sluice.Wake {
	return a.ports[port].LinkUp(now)
}

func (a *adapter[S, P, F, FP, C, N]) Backlog(port sluice.PortID, q sluice.QueueID) sluice.Bytes {
	return a.ports[port].Backlog(q)
}

func (a *adapter[S, P, F, FP, C, N]) Sendable(port sluice.PortID, q sluice.QueueID) bool {
	return a.ports[port].Sendable(q)
}

func (a *adapter[S, P, F, FP, C, N]) WaitsFor(
	port sluice.PortID, q sluice.QueueID, p *sluice.Packet, in sluice.QueueID, came bool,
) bool {
	return a.ports[port].WaitsFor(q, p, in, came)
}

func (a *adapter[S, P, F, FP, C, N]) Counters(port sluice.PortID) sluice.Counters {
	return a.ports[port].Counters().Common()
}
