package fabric

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/tcd"
)

// detector is what every congestion detector offers: packages tcd and pcn say what the hooks mean.
type detector[D any] interface {
	*D
	Resumed(now sluice.Time, backlog sluice.Bytes)
	Dequeue(now sluice.Time, size, backlog sluice.Bytes, ecn sluice.ECN) sluice.ECN
}

// detectorSet is the detectors of a machine, one for each port or one for each of its queues.
type detectorSet[D any, P detector[D]] struct {
	all     []D // by port, then queue
	perPort int
}

// at returns a detector; where there is one for a port, q is 0.
func (d *detectorSet[D, P]) at(port sluice.PortID, q sluice.QueueID) P {
	return &d.all[int(port)*d.perPort+int(q)]
}

// Detector returns the detector of a queue: of the port, where queues are not classes.
func (d *detectorSet[D, P]) Detector(port sluice.PortID, q sluice.QueueID) *D {
	if d.perPort == 1 {
		q = 0
	}
	return d.at(port, q)
}

// DetectorState returns the state of the detector of a queue, "" if it has none.
func (d *detectorSet[D, P]) DetectorState(port sluice.PortID, q sluice.QueueID) string {
	if ternary, ok := any(d.Detector(port, q)).(*tcd.Detector); ok {
		return ternary.State().String()
	}
	return ""
}

// byClass detects at each queue of a machine whose queues are classes.
type byClass[D any, P detector[D]] struct {
	kit.Machine
	detectorSet[D, P]
	ports []classPort[D, P]
	held  []bool // by detector, as it was before the hook at hand
}

func newByClass[D any, P detector[D]](m kit.Machine, d detectorSet[D, P]) *byClass[D, P] {
	b := &byClass[D, P]{Machine: m, detectorSet: d, held: make([]bool, len(d.all))}
	for port := range sluice.PortID(m.Ports()) {
		b.ports = append(b.ports, classPort[D, P]{
			machine:   undetectedOf(m, port),
			detectors: d.all[int(port)*d.perPort:][:d.perPort],
		})
	}
	return b
}

func (d *byClass[D, P]) Unwrap() kit.Machine { return d.Machine }

func (d *byClass[D, P]) Hooks(port sluice.PortID) kit.Hooks { return &d.ports[port] }

// Dequeue marks what the machine transmits.
func (d *byClass[D, P]) Dequeue(
	now sluice.Time, port sluice.PortID, q sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	return d.ports[port].Dequeue(now, q, p)
}

// classPort is the hooks of a port of byClass.
type classPort[D any, P detector[D]] struct {
	machine   undetected
	detectors []D // by queue
}

func (c *classPort[D, P]) Enqueue(now sluice.Time, p *sluice.Packet) sluice.Verdict {
	return c.machine.Enqueue(now, p)
}

func (c *classPort[D, P]) Next(now sluice.Time) (sluice.QueueID, bool) {
	return c.machine.Next(now)
}

// Dequeue marks what the machine transmits.
func (c *classPort[D, P]) Dequeue(
	now sluice.Time, q sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	v := c.machine.Dequeue(now, q, p)
	if v.Action() != sluice.Transmit {
		return v
	}
	return v.WithMark(P(&c.detectors[q]).Dequeue(now, p.Size, c.machine.Backlog(q), v.Mark()))
}

func (c *classPort[D, P]) Owes() bool { return c.machine.Owes() }

func (c *classPort[D, P]) Unwrap() kit.Hooks { return c.machine }

// undetected is what byClass needs of a port of the machine that the detectors hang on.
type undetected interface {
	kit.Hooks
	Backlog(q sluice.QueueID) sluice.Bytes
}

// undetectedOf returns the port's own hooks if they implement undetected.
func undetectedOf(m kit.Machine, port sluice.PortID) undetected {
	hooks := kit.HooksOf(m, port)
	if direct, ok := hooks.(undetected); ok {
		return direct
	}
	return &polled{hooks, m, port}
}

// polled is a port that is asked through its machine.
type polled struct {
	kit.Hooks
	machine kit.Machine
	port    sluice.PortID
}

func (p *polled) Backlog(q sluice.QueueID) sluice.Bytes { return p.machine.Backlog(p.port, q) }

// Receive tells the detectors of the port which queues the frame released.
func (d *byClass[D, P]) Receive(
	now sluice.Time, port sluice.PortID, frame []byte,
) (sluice.Wake, error) {
	d.before(port)
	wake, err := d.Machine.Receive(now, port, frame)
	d.after(now, port, wake)
	return wake, err
}

// LinkDown tells the detectors of the port which queues the peer holds no more.
func (d *byClass[D, P]) LinkDown(now sluice.Time, port sluice.PortID) sluice.Wake {
	d.before(port)
	wake := d.Machine.LinkDown(now, port)
	d.after(now, port, wake)
	return wake
}

// LinkUp tells the detectors of the port which queues were released.
func (d *byClass[D, P]) LinkUp(now sluice.Time, port sluice.PortID) sluice.Wake {
	d.before(port)
	wake := d.Machine.LinkUp(now, port)
	d.after(now, port, wake)
	return wake
}

// Expire tells the detectors of all ports which queues were released.
func (d *byClass[D, P]) Expire(now sluice.Time) sluice.Wake {
	for port := range sluice.PortID(d.Ports()) {
		d.before(port)
	}
	wake := d.Machine.Expire(now)
	for port := range sluice.PortID(d.Ports()) {
		d.after(now, port, wake)
	}
	return wake
}

func (d *byClass[D, P]) before(port sluice.PortID) {
	for q := range sluice.QueueID(d.perPort) {
		d.held[int(port)*d.perPort+int(q)] = !d.Machine.Sendable(port, q)
	}
}

// after says that queues which were held before a hook are not any more. A hook that released one
// says so in its wake.
func (d *byClass[D, P]) after(now sluice.Time, port sluice.PortID, wake sluice.Wake) {
	if wake == 0 {
		return
	}
	for q := range sluice.QueueID(d.perPort) {
		if d.held[int(port)*d.perPort+int(q)] && d.Machine.Sendable(port, q) {
			d.at(port, q).Resumed(now, d.Machine.Backlog(port, q))
		}
	}
}

// byPort detects at each port, for machines whose queues are not classes. The port is held while it
// has packets and Next names none; what releases it wakes it, so that Next is called again, or the
// transmitter was busy all the time and the port never off.
type byPort[D any, P detector[D]] struct {
	kit.Machine
	detectorSet[D, P]
	backlog []sluice.Bytes // by port
	held    []bool         // by port
}

func (d *byPort[D, P]) Unwrap() kit.Machine { return d.Machine }

func (d *byPort[D, P]) Enqueue(
	now sluice.Time, port sluice.PortID, p *sluice.Packet,
) sluice.Verdict {
	v := d.Machine.Enqueue(now, port, p)
	if v.Action() == sluice.Append {
		d.backlog[port] += p.Size
	}
	return v
}

// Next notices that the port is held, and that it is held no more.
func (d *byPort[D, P]) Next(now sluice.Time, port sluice.PortID) (sluice.QueueID, bool) {
	q, ok := d.Machine.Next(now, port)
	if ok && d.held[port] {
		d.at(port, 0).Resumed(now, d.backlog[port])
	}
	d.held[port] = !ok && d.backlog[port] > 0
	return q, ok
}

// Dequeue marks what the machine transmits.
func (d *byPort[D, P]) Dequeue(
	now sluice.Time, port sluice.PortID, q sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	v := d.Machine.Dequeue(now, port, q, p)
	if v.Action() == sluice.Append {
		return v
	}
	d.backlog[port] -= p.Size
	if v.Action() != sluice.Transmit {
		return v
	}
	return v.WithMark(d.at(port, 0).Dequeue(now, p.Size, d.backlog[port], v.Mark()))
}
