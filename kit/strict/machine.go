package strict

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// Machine is a machine that checks its embedder. It is a [kit.Machine]; the optional parts of the
// machine within it are found by Unwrap, and are not checked.
type Machine struct {
	kit.Machine
	mistakes

	now     sluice.Time
	started bool
	several bool // a wake said WakeSeveral, and PollPort did not answer false since
	ports   []port
}

// port is what a Machine remembers of a port.
type port struct {
	queues []queue
	woken  string // the hook whose wake named the port, "" when the port was asked since
	polled bool   // PollFrame answered that there is no frame, and nothing happened since
	next   sluice.QueueID
	named  bool // next is what Next answered, and nothing happened since

	in, out int // packets by ingress, packets sent
}

// NewDriver returns a driver of m that notes its embedder's mistakes. The output need not know.
func NewDriver[T any](
	m kit.Machine, store *kit.Store[T], out kit.Output,
) (*kit.Driver[T], *Machine) {
	checks := New(m)
	return kit.NewDriver(checks, store, checks.Output(out)), checks
}

// New returns a machine that decides as m does. Nothing may be held in m, and all calls have to go
// through the returned machine from now on.
func New(m kit.Machine) *Machine {
	c := &Machine{Machine: m, ports: make([]port, m.Ports())}
	for at := range c.ports {
		c.ports[at].queues = make([]queue, m.Queues())
	}
	return c
}

// Unwrap returns the machine within.
func (c *Machine) Unwrap() kit.Machine { return c.Machine }

// Enqueue checks the packet, and hands it on.
func (c *Machine) Enqueue(
	now sluice.Time, at sluice.PortID, p *sluice.Packet,
) sluice.Verdict {
	c.clock("Enqueue", now)
	c.arrives(at, p)
	verdict := c.Machine.Enqueue(now, at, p)
	if verdict.Action() == sluice.Append {
		c.ports[at].push(verdict.Queue(), p)
		c.ports[at].woken = "Enqueue"
	}
	c.changed(at)
	c.note("Enqueue", verdict.Wake())
	return verdict
}

// PollFrame hands the call on.
func (c *Machine) PollFrame(
	now sluice.Time, at sluice.PortID, buf []byte,
) (frame []byte, kind string, ok bool) {
	c.clock("PollFrame", now)
	frame, kind, ok = c.Machine.PollFrame(now, at, buf)
	p := &c.ports[at]
	if p.polled = !ok; !ok && p.waiting() == 0 {
		p.woken = "" // there is nothing that Next could name
	}
	return frame, kind, ok
}

// Next checks that a frame would have gone first.
func (c *Machine) Next(now sluice.Time, at sluice.PortID) (sluice.QueueID, bool) {
	c.clock("Next", now)
	p := &c.ports[at]
	if !p.polled {
		c.mistake("frames first", "Next of port %d at %v without PollFrame before: frames go first", at,
			now)
	}
	p.woken = ""
	p.next, p.named = c.Machine.Next(now, at)
	return p.next, p.named
}

// Dequeue checks that the packet is the head of the queue that Next named.
func (c *Machine) Dequeue(
	now sluice.Time, at sluice.PortID, q sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	c.clock("Dequeue", now)
	state := &c.ports[at]
	switch {
	case !state.named:
		c.mistake("next first", "Dequeue of port %d queue %d at %v without Next before", at, q, now)
	case state.next != q:
		c.mistake("another queue", "Dequeue of port %d queue %d at %v: Next named queue %d", at, q, now,
			state.next)
	}
	if rule := state.pop(q, p); rule != "" {
		c.mistake("head", "Dequeue of port %d queue %d at %v: %s", at, q, now, rule)
	}
	verdict := c.Machine.Dequeue(now, at, q, p)
	switch verdict.Action() {
	case sluice.Append:
		state.push(verdict.Queue(), p)
	case sluice.Transmit:
		state.out++
	}
	c.changed(at)
	c.note("Dequeue", verdict.Wake())
	return verdict
}

// Receive hands a frame on.
func (c *Machine) Receive(
	now sluice.Time, at sluice.PortID, frame []byte,
) (sluice.Wake, error) {
	c.clock("Receive", now)
	wake, err := c.Machine.Receive(now, at, frame)
	if err != nil {
		c.mistake("no frame", "Receive of port %d at %v: %v: were its bytes kept after SendFrame?", at,
			now, err)
	}
	c.changed(at)
	return c.note("Receive", wake), err
}

// LinkDown hands the call on.
func (c *Machine) LinkDown(now sluice.Time, at sluice.PortID) sluice.Wake {
	c.clock("LinkDown", now)
	c.changed(at)
	return c.note("LinkDown", c.Machine.LinkDown(now, at))
}

// LinkUp hands the call on.
func (c *Machine) LinkUp(now sluice.Time, at sluice.PortID) sluice.Wake {
	c.clock("LinkUp", now)
	c.changed(at)
	return c.note("LinkUp", c.Machine.LinkUp(now, at))
}

// Expire hands the call on.
func (c *Machine) Expire(now sluice.Time) sluice.Wake {
	c.time("Expire", now)
	for at := range c.ports {
		c.changed(sluice.PortID(at))
	}
	return c.note("Expire", c.Machine.Expire(now))
}

// PollPort hands the call on.
func (c *Machine) PollPort() (sluice.PortID, bool) {
	at, ok := c.Machine.PollPort()
	if c.several = c.several && ok; ok {
		c.ports[at].woken = "PollPort"
	}
	return at, ok
}

// Rebase moves the origin of time.
func (c *Machine) Rebase(by sluice.Time) {
	c.Machine.Rebase(by)
	c.now -= by
}
