// Package machine is the contract of package sluice as interfaces, for those who drive any
// protocol alike: the simulator and the conformance suite. Control frames pass as the bytes that
// would go on the wire, so that every run exercises every wire format.
package machine

import "github.com/sluicefc/sluice"

// Machine is a protocol's switch with its ports' hooks.
type Machine interface {
	Ports() int
	Queues() int
	Enqueue(now sluice.Time, port sluice.PortID, p *sluice.Packet) sluice.Verdict
	Next(now sluice.Time, port sluice.PortID) (sluice.QueueID, bool)
	Dequeue(now sluice.Time, port sluice.PortID, q sluice.QueueID, p *sluice.Packet) sluice.Verdict
	// Receive parses a control frame that came in at port and hands it to the machine.
	Receive(now sluice.Time, port sluice.PortID, frame []byte) (sluice.Wake, error)
	Expire(now sluice.Time) sluice.Wake
	Deadline() sluice.Time
	// PollFrame appends the next control frame to buf; ok is false when there is none.
	PollFrame(now sluice.Time, buf []byte) (frame []byte, port sluice.PortID, kind string, ok bool)

	Backlog(port sluice.PortID, q sluice.QueueID) sluice.Bytes
	Sendable(port sluice.PortID, q sluice.QueueID) bool
	Buffered() sluice.Bytes
	Audit() error
	Quiescent() error
}

// Port is what every protocol's *Port offers.
type Port[F any] interface {
	Enqueue(now sluice.Time, p *sluice.Packet) sluice.Verdict
	Next(now sluice.Time) (sluice.QueueID, bool)
	Dequeue(now sluice.Time, q sluice.QueueID, p *sluice.Packet) sluice.Verdict
	Receive(now sluice.Time, f *F) sluice.Wake
	// Backlog returns the bytes held in a queue; 0 for a queue that does not exist.
	Backlog(q sluice.QueueID) sluice.Bytes
	// Sendable reports whether nothing holds the queue: its head may go as soon as the
	// scheduler comes to it.
	Sendable(q sluice.QueueID) bool
}

// Switch is what every protocol's *Switch offers. P is its *Port, F its Frame.
type Switch[P Port[F], F any] interface {
	// Port returns a port, nil for one that does not exist.
	Port(id sluice.PortID) P
	Ports() int
	// Queues returns how many queues each port has: QueueIDs are below it.
	Queues() int
	Expire(now sluice.Time) sluice.Wake
	PollFrame(now sluice.Time, f *F) (sluice.PortID, bool)
	Deadline() sluice.Time
	// Buffered returns the bytes held in all queues of all ports.
	Buffered() sluice.Bytes
	// Audit recomputes the numbered invariants the slow way and names the first one broken.
	Audit() error
	// Quiescent returns nil when nothing is held back: no packet queued, nobody paused, every
	// isolation resource free; else an error that says what is left.
	Quiescent() error
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
	owner    S
	ports    []P
	incoming F
	outgoing F
}

// Wrap makes a Machine of a protocol's switch:
//
//	machine.Wrap[*pfc.Switch, *pfc.Port, pfc.Frame](s)
func Wrap[S Switch[P, F], P Port[F], F any, FP Frame[F]](s S) Machine {
	a := &adapter[S, P, F, FP]{owner: s}
	for i := range s.Ports() {
		a.ports = append(a.ports, s.Port(sluice.PortID(i)))
	}
	return a
}

// Unwrap returns the protocol's switch that Wrap was given, nil for another kind of Machine: for tests that
// look inside.
func Unwrap(m Machine) any {
	if w, ok := m.(interface{ unwrap() any }); ok {
		return w.unwrap()
	}
	return nil
}

func (a *adapter[S, P, F, FP]) unwrap() any { return a.owner }

func (a *adapter[S, P, F, FP]) Ports() int  { return len(a.ports) }
func (a *adapter[S, P, F, FP]) Queues() int { return a.owner.Queues() }

func (a *adapter[S, P, F, FP]) Enqueue(now sluice.Time, port sluice.PortID, p *sluice.Packet) sluice.Verdict {
	return a.ports[port].Enqueue(now, p)
}

func (a *adapter[S, P, F, FP]) Next(now sluice.Time, port sluice.PortID) (sluice.QueueID, bool) {
	return a.ports[port].Next(now)
}

func (a *adapter[S, P, F, FP]) Dequeue(now sluice.Time, port sluice.PortID, q sluice.QueueID, p *sluice.Packet) sluice.Verdict {
	return a.ports[port].Dequeue(now, q, p)
}

func (a *adapter[S, P, F, FP]) Receive(now sluice.Time, port sluice.PortID, frame []byte) (sluice.Wake, error) {
	if err := FP(&a.incoming).Parse(frame); err != nil {
		return 0, err
	}
	return a.ports[port].Receive(now, &a.incoming), nil
}

func (a *adapter[S, P, F, FP]) Expire(now sluice.Time) sluice.Wake { return a.owner.Expire(now) }
func (a *adapter[S, P, F, FP]) Deadline() sluice.Time              { return a.owner.Deadline() }

func (a *adapter[S, P, F, FP]) PollFrame(now sluice.Time, buf []byte) ([]byte, sluice.PortID, string, bool) {
	port, ok := a.owner.PollFrame(now, &a.outgoing)
	if !ok {
		return buf, 0, "", false
	}
	frame := FP(&a.outgoing)
	return frame.AppendTo(buf), port, frame.Kind(), true
}

func (a *adapter[S, P, F, FP]) Backlog(port sluice.PortID, q sluice.QueueID) sluice.Bytes {
	return a.ports[port].Backlog(q)
}

func (a *adapter[S, P, F, FP]) Sendable(port sluice.PortID, q sluice.QueueID) bool {
	return a.ports[port].Sendable(q)
}

func (a *adapter[S, P, F, FP]) Buffered() sluice.Bytes { return a.owner.Buffered() }
func (a *adapter[S, P, F, FP]) Audit() error           { return a.owner.Audit() }
func (a *adapter[S, P, F, FP]) Quiescent() error       { return a.owner.Quiescent() }
