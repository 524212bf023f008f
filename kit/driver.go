package kit

import (
	"fmt"

	"github.com/sluicefc/sluice"
)

// Output is where a Driver sends. Its methods may call Enqueue of the same driver, and no other
// hook.
type Output interface {
	// Free reports whether the transmitter of a port, which may have something to send, is free. If
	// it is not, the embedder calls Ready as soon as it is.
	Free(port sluice.PortID) bool
	// Send sends a packet, which leaves with the fields of its item: ECN, Class and UpstreamQueue as
	// the machine says, Path without the hop taken. The item is the embedder's from then on.
	Send(port sluice.PortID, h Handle)
	// SendFrame sends a control frame. Its bytes are good until SendFrame returns.
	SendFrame(port sluice.PortID, frame []byte, kind string)
	// Drop discards a packet. The item is the embedder's from then on.
	Drop(port sluice.PortID, h Handle, why sluice.Reason)
}

// Woken is an [Output] that hears of wakes: a host that gives its card packets only while they
// may go has to hear when that changes (pyrrha.Port.Blocked, whose answer changes with a wake).
type Woken interface {
	// Woken says that a wake named a port, after the port had its turn. Enqueue may be called.
	Woken(now sluice.Time, port sluice.PortID)
}

// Driver embeds one machine: it keeps the FIFOs of its ports in a store, calls its hooks, and sends
// what may go as soon as a transmitter is free. The embedder moves time, packets between nodes, and
// frames.
//
// It does what the protocols need of their driver: it polls frames before packets, stamps
// UpstreamQueue (bfc), advances Path (pyrrha, portfc), and never waits for Deadline to become
// Never, which for some protocols it does not. A hook costs a few nanoseconds more than without it.
// It allocates nothing after NewDriver. A port that the machine does not have panics.
//
// A packet touches two cache lines of its Driver, which all ports share, and a third where it polls
// for a frame; at Enqueue and again when it leaves, one or two lines of its port, one line of its
// queue if a port has no more than eight, and its own lines.
type Driver[T any] struct {
	store   *Store[T]
	ports   []portState
	queues  []Queue // by port, then queue
	perPort int32
	running bool // serve is under way
	moved   bool // the deadline
	tells   bool // the output is a Woken
	out     Output
	machine Machine
	kicks   []sluice.PortID // ports that are woken
	err     error

	hooksAt, hooksApart uintptr // see Foresee

	frame    []byte
	consumer Consumer // the machine, if it is one
}

// portState is what a Driver keeps of a port beside its queues.
type portState struct {
	hooks   Hooks
	waiting int32          // packets in its queues
	first   int32          // of Driver.queues
	joined  sluice.QueueID // by a packet last
	woken   bool           // it is in kicks
	named   bool           // a wake named it, and Woken was not called yet
}

// maxFrame is the longest control frame of any protocol, without its check sequence.
const maxFrame = 1514

// NewDriver returns the driver of a machine in which nothing is held.
func NewDriver[T any](m Machine, store *Store[T], out Output) *Driver[T] {
	ports, queues := m.Ports(), m.Queues()
	d := &Driver[T]{
		machine:  m,
		consumer: consumerOf(m),
		store:    store,
		out:      out,
		ports:    make([]portState, ports),
		queues:   make([]Queue, ports*queues),
		perPort:  int32(queues),
		kicks:    make([]sluice.PortID, 0, ports),
		moved:    true,
		frame:    make([]byte, 0, maxFrame),
	}
	for i := range d.ports {
		p := &d.ports[i]
		p.first, p.hooks = int32(i)*d.perPort, HooksOf(m, sluice.PortID(i))
	}
	_, d.tells = out.(Woken)
	d.locateHooks()
	return d
}

// Enqueue hands a packet to the egress port that it was routed to, and sends it if the transmitter
// is free and nothing holds it. A packet that is dropped goes to Output.Drop.
func (d *Driver[T]) Enqueue(now sluice.Time, port sluice.PortID, h Handle) sluice.Verdict {
	p := &d.ports[port]
	verdict := p.hooks.Enqueue(now, &d.store.At(h).Packet)
	if verdict.Action() == sluice.Append && int32(verdict.Queue()) < d.perPort {
		d.store.Push(d.queueOf(p, verdict.Queue()), h)
		p.waiting++
		p.joined = verdict.Queue()
	} else {
		verdict = d.check(port, verdict)
		d.out.Drop(port, h, verdict.Reason())
	}
	if wake := verdict.Wake(); wake != 0 || d.running {
		d.kick(port)
		d.Act(now, wake)
	} else {
		d.running = true
		if d.out.Free(port) {
			d.drain(now, port, p, false)
		}
		d.rest(now)
	}
	return verdict
}

// Receive hands a control frame that came in at a port to the machine. Bytes that are no frame
// change nothing but a counter; the error says why.
func (d *Driver[T]) Receive(now sluice.Time, port sluice.PortID, frame []byte) error {
	wake, err := d.machine.Receive(now, port, frame)
	d.Act(now, wake)
	return err
}

// Ready says that the transmitter of a port is free: the next frame or packet goes, if there is
// one.
func (d *Driver[T]) Ready(now sluice.Time, port sluice.PortID) {
	if d.running {
		d.kick(port)
		return
	}
	d.running = true
	if d.out.Free(port) {
		d.drain(now, port, &d.ports[port], false)
	}
	d.rest(now)
}

// Expire serves the timers that are due. Early calls do nothing.
func (d *Driver[T]) Expire(now sluice.Time) { d.Act(now, d.machine.Expire(now)) }

// Deadline returns when Expire has something to do, Never if nothing is planned.
func (d *Driver[T]) Deadline() sluice.Time { return d.machine.Deadline() }

// Rebase moves the origin of time: see the documentation of package sluice.
func (d *Driver[T]) Rebase(by sluice.Time) {
	d.machine.Rebase(by)
	d.moved = true
}

// DeadlineMoved reports whether the deadline may have moved, or the machine broke its first rule,
// since it was asked last: for embedders that keep the deadline in an agenda.
func (d *Driver[T]) DeadlineMoved() bool {
	moved := d.moved
	d.moved = false
	return moved
}

// LinkDown says that the link of a port failed. Packets stay in its queues, unless Flush discards
// them. Output.Free should answer false for the port until the link is up.
func (d *Driver[T]) LinkDown(now sluice.Time, port sluice.PortID) {
	d.Act(now, d.machine.LinkDown(now, port))
}

// LinkUp says that the link of a port is there again, or that the device at its other end started
// anew.
func (d *Driver[T]) LinkUp(now sluice.Time, port sluice.PortID) {
	d.Act(now, d.machine.LinkUp(now, port))
}

// Flush takes every packet out of the queues of a port, whose link is down, and hands them to
// Output.Drop for the reason LinkDown, in the order in which they would have left.
func (d *Driver[T]) Flush(now sluice.Time, port sluice.PortID) {
	if p := &d.ports[port]; p.waiting > 0 {
		d.drain(now, port, p, true)
	}
	d.serve(now)
}

// Act does what a wake asks for, if it is from a method of the machine that the driver does not
// call: pfc.Switch.Reconfigure, or pyrrha.Port.Congested.
func (d *Driver[T]) Act(now sluice.Time, wake sluice.Wake) {
	d.note(wake)
	d.serve(now)
}

// Waiting returns how many packets wait in the queues of a port.
func (d *Driver[T]) Waiting(port sluice.PortID) int { return int(d.ports[port].waiting) }

// Queue returns a queue of a port, for code that looks inside: Head and Store.After walk it.
func (d *Driver[T]) Queue(port sluice.PortID, q sluice.QueueID) *Queue { return d.queue(port, q) }

// Err returns the first rule of the contract that the machine broke, nil if it kept them all. A
// port whose Next names an empty queue is not asked again until something wakes it.
func (d *Driver[T]) Err() error { return d.err }

// Machine returns the machine.
func (d *Driver[T]) Machine() Machine { return d.machine }

// note takes note of what a hook said.
func (d *Driver[T]) note(wake sluice.Wake) {
	if wake == 0 {
		return
	}
	if port, ok := wake.Port(); ok {
		d.wake(port)
	}
	if wake.Has(sluice.WakeSeveral) {
		for port, ok := d.machine.PollPort(); ok; port, ok = d.machine.PollPort() {
			d.wake(port)
		}
	}
	d.moved = d.moved || wake.Has(sluice.WakeDeadline)
}

// wake notes that a hook named a port.
func (d *Driver[T]) wake(port sluice.PortID) {
	d.kick(port)
	if d.tells && int(port) < len(d.ports) {
		d.ports[port].named = true
	}
}

// kick notes that a port may have something to send.
func (d *Driver[T]) kick(port sluice.PortID) {
	if int(port) >= len(d.ports) {
		d.blame("a wake names port %d of %d", port, len(d.ports))
		return
	}
	if p := &d.ports[port]; !p.woken {
		p.woken = true
		d.kicks = append(d.kicks, port)
	}
}

// serve lets every port send that may have something to send. Ports that are woken meanwhile have
// their turn too. A call from within Output leaves the work to the call that is under way.
func (d *Driver[T]) serve(now sluice.Time) {
	if d.running {
		return
	}
	d.running = true
	for len(d.kicks) > 0 {
		last := len(d.kicks) - 1
		port := d.kicks[last]
		d.kicks = d.kicks[:last]
		p := &d.ports[port]
		p.woken = false
		if d.out.Free(port) {
			d.drain(now, port, p, false)
		}
		if p.named {
			p.named = false
			d.out.(Woken).Woken(now, port)
		}
	}
	d.running = false
}

// rest ends what the driver does for a port that nothing has kicked, and serves ports that were
// kicked meanwhile: the common case of serve, without the list.
func (d *Driver[T]) rest(now sluice.Time) {
	d.running = false
	if len(d.kicks) > 0 {
		d.serve(now)
	}
}

// drain sends the frames and packets of a port that may go, while its transmitter is free, as it is
// at first. If the port is flushed, it hands all its packets to Output.Drop instead. It takes the
// head of the queue that the machine names, and puts it into another if the machine says so.
func (d *Driver[T]) drain(now sluice.Time, port sluice.PortID, p *portState, flush bool) {
	for free := true; free; free = flush || d.out.Free(port) {
		if !flush && p.hooks.Owes() && d.sendFrame(now, port) {
			continue
		}
		if p.waiting == 0 {
			return
		}
		q, ok := p.hooks.Next(now)
		if !ok {
			return
		}
		if int32(q) >= d.perPort || d.queueOf(p, q).Empty() {
			d.blame("Next of port %d names queue %d, which is empty", port, q)
			return
		}
		from := d.queueOf(p, q)
		h := from.head
		item := d.store.At(h)
		verdict := p.hooks.Dequeue(now, q, &item.Packet)
		from.head, item.next = item.next, 0
		if wake := verdict.Wake(); wake != 0 {
			d.note(wake)
		}
		if verdict.Action() != sluice.Transmit {
			d.putAside(port, p, h, verdict)
			continue
		}
		item.Depart(q, verdict)
		p.waiting--
		if flush {
			d.out.Drop(port, h, sluice.LinkDown)
		} else {
			d.out.Send(port, h)
		}
		if p.waiting == 0 {
			return
		}
	}
}

// putAside does what a verdict says of a packet that was taken out of a queue and is not sent.
func (d *Driver[T]) putAside(
	port sluice.PortID, p *portState, h Handle, verdict sluice.Verdict,
) {
	if verdict = d.check(port, verdict); verdict.Action() == sluice.Append {
		d.store.Push(d.queueOf(p, verdict.Queue()), h)
		return
	}
	p.waiting--
	d.out.Drop(port, h, verdict.Reason())
}

// sendFrame sends the next frame of a port, if there is one.
func (d *Driver[T]) sendFrame(now sluice.Time, port sluice.PortID) bool {
	frame, kind, ok := d.machine.PollFrame(now, port, d.frame[:0])
	if ok {
		d.out.SendFrame(port, frame, kind)
	}
	return ok
}

// check returns a verdict, or a drop in place of a verdict that names a queue which does not exist.
func (d *Driver[T]) check(port sluice.PortID, v sluice.Verdict) sluice.Verdict {
	if v.Action() == sluice.Append && int32(v.Queue()) >= d.perPort {
		d.blame("a verdict of port %d names queue %d of %d", port, v.Queue(), d.perPort)
		return sluice.DropBecause(sluice.BadQueue).WithWake(v.Wake())
	}
	return v
}

func (d *Driver[T]) blame(format string, args ...any) {
	if d.err == nil {
		d.moved, d.err = true, fmt.Errorf("kit: "+format, args...)
	}
}

func (d *Driver[T]) queue(port sluice.PortID, q sluice.QueueID) *Queue {
	return d.queueOf(&d.ports[port], q)
}

func (d *Driver[T]) queueOf(p *portState, q sluice.QueueID) *Queue {
	return &d.queues[p.first+int32(q)]
}
