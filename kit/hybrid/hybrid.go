package hybrid

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pyrrha"
)

// Switch is Pyrrha over PFC at one node. It is a [kit.Machine].
type Switch struct {
	node        sluice.SwitchID
	clock       chassis.Clock // shows the latest time that an input to either machine had
	below       *pfc.Switch
	above       *pyrrha.Switch
	belowPorts  []*pfc.Port
	abovePorts  []*pyrrha.Port
	held        []bool // by port: PFC pauses it, and Pyrrha knows
	watched     bool   // PFC's watchdog may hold a queue anew
	woken       chassis.Woken
	pyrrhaFrame pyrrha.Frame
	pfcFrame    pfc.Frame
}

var _ kit.Machine = (*Switch)(nil)

// New composes two machines in which nothing is held. They are the hybrid's from then on: the
// caller may look at them, and calls none of their hooks. The error is a [*sluice.ConfigError].
func New(below *pfc.Switch, above *pyrrha.Switch) (*Switch, error) {
	config := above.Config()
	c := check.Of("hybrid", "pyrrha.Config")
	c.That(below.Ports() == above.Ports(), above.Ports(),
		fmt.Sprintf("must be PFC's, %d", below.Ports()), "Ports")
	c.That(config.Buffer == 0, config.Buffer, "must be 0: PFC guards the buffer", "Buffer")
	if err := c.Err(); err != nil {
		return nil, err
	}
	h := &Switch{
		node: config.Switch, clock: chassis.NewClock(), below: below, above: above,
		held:    make([]bool, below.Ports()),
		watched: below.Config().Watchdog.Detection > 0,
		woken:   chassis.NewWoken(below.Ports()),
	}
	for i := range below.Ports() {
		h.belowPorts = append(h.belowPorts, below.Port(sluice.PortID(i)))
		h.abovePorts = append(h.abovePorts, above.Port(sluice.PortID(i)))
	}
	return h, nil
}

// Ports implements kit.Machine.
func (h *Switch) Ports() int { return len(h.held) }

// Queues implements kit.Machine: the queues are Pyrrha's.
func (h *Switch) Queues() int { return h.above.Queues() }

// Enqueue has PFC admit a packet and Pyrrha choose its queue. Pyrrha alone refuses a packet whose
// path begins elsewhere, so that such a packet is not handed to PFC.
func (h *Switch) Enqueue(now sluice.Time, port sluice.PortID, p *sluice.Packet) sluice.Verdict {
	now = h.at(now)
	if p.Path.Len() > 0 && p.Path.At(0) != (sluice.Hop{Switch: h.node, Port: port}) {
		return h.abovePorts[port].Enqueue(now, p)
	}
	admitted := h.belowPorts[port].Enqueue(now, p)
	if admitted.Action() != sluice.Append {
		return h.merged(admitted, 0)
	}
	return h.merged(h.abovePorts[port].Enqueue(now, p), admitted.Wake())
}

// PollFrame implements kit.Machine. PFC's frames go first: they guard the buffer.
func (h *Switch) PollFrame(now sluice.Time, port sluice.PortID, buf []byte) ([]byte, string, bool) {
	if h.belowPorts[port].PollFrame(now, &h.pfcFrame) {
		return h.pfcFrame.AppendTo(buf), pfcKind(h.pfcFrame.Kind()), true
	}
	if h.abovePorts[port].PollFrame(now, &h.pyrrhaFrame) {
		return h.pyrrhaFrame.AppendTo(buf), h.pyrrhaFrame.Kind(), true
	}
	return buf, "", false
}

// pfcKind tells PFC's frames from Pyrrha's of the same name.
func pfcKind(kind string) string {
	if kind == "pause" {
		return "pfc pause"
	}
	return "pfc resume"
}

// Next implements kit.Machine. As it is no input, it does not tell the time.
func (h *Switch) Next(now sluice.Time, port sluice.PortID) (sluice.QueueID, bool) {
	return h.abovePorts[port].Next(now)
}

// Dequeue takes the head of one of Pyrrha's queues. A packet that Pyrrha transmits leaves PFC's
// accounts, and PFC says how it goes on.
func (h *Switch) Dequeue(
	now sluice.Time, port sluice.PortID, q sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	now = h.at(now)
	verdict := h.abovePorts[port].Dequeue(now, q, p)
	if verdict.Action() != sluice.Transmit {
		return h.merged(verdict, 0)
	}
	below := h.belowPorts[port]
	q = sluice.QueueID(below.Leaving(p.Ingress, p.Class))
	return h.merged(below.Dequeue(now, q, p), verdict.Wake())
}

// Receive hands a frame to the machine that it is for.
func (h *Switch) Receive(now sluice.Time, port sluice.PortID, frame []byte) (sluice.Wake, error) {
	const macControl = 0x8808
	before := h.clock
	now = h.at(now)
	pauses := len(frame) >= 14 && binary.BigEndian.Uint16(frame[12:]) == macControl
	var wake sluice.Wake
	var err error
	if pauses {
		wake, err = h.belowPorts[port].ReceiveWire(now, frame)
	} else {
		wake, err = h.abovePorts[port].ReceiveWire(now, frame)
	}
	if err != nil { // what is no frame does not tell the time either
		h.clock = before
		return 0, err
	}
	h.note(wake)
	if pauses {
		h.follow(now, port)
	}
	return h.woken.Take(), nil
}

// LinkDown implements kit.Machine.
func (h *Switch) LinkDown(now sluice.Time, port sluice.PortID) sluice.Wake {
	now = h.at(now)
	h.note(h.belowPorts[port].LinkDown(now))
	h.note(h.abovePorts[port].LinkDown(now))
	h.follow(now, port)
	return h.woken.Take()
}

// LinkUp implements kit.Machine.
func (h *Switch) LinkUp(now sluice.Time, port sluice.PortID) sluice.Wake {
	now = h.at(now)
	h.note(h.belowPorts[port].LinkUp(now))
	h.note(h.abovePorts[port].LinkUp(now))
	h.follow(now, port)
	return h.woken.Take()
}

// Expire implements kit.Machine.
func (h *Switch) Expire(now sluice.Time) sluice.Wake {
	if now < h.Deadline() {
		return 0 // a refused input may have told a later time, by which no timer is due
	}
	now = h.at(now)
	if h.below.Deadline() <= now {
		wake := h.below.Expire(now)
		h.woken.Note(wake)
		if port, ok := wake.Port(); ok {
			h.follow(now, port)
		}
		if wake.Has(sluice.WakeSeveral) {
			for port, ok := h.below.PollPort(); ok; port, ok = h.below.PollPort() {
				h.woken.Port(port)
				h.follow(now, port)
			}
		}
		for i := range h.held {
			if h.watched { // a port may be held without a word
				h.follow(now, sluice.PortID(i))
			}
		}
	}
	h.note(h.above.Expire(now))
	return h.woken.Take()
}

// Deadline implements kit.Machine.
func (h *Switch) Deadline() sluice.Time { return min(h.below.Deadline(), h.above.Deadline()) }

// PollPort implements kit.Machine.
func (h *Switch) PollPort() (sluice.PortID, bool) { return h.woken.Poll() }

// Rebase implements kit.Machine.
func (h *Switch) Rebase(by sluice.Time) {
	by = h.clock.Rebase(by)
	h.below.Rebase(by)
	h.above.Rebase(by)
}

// Backlog implements kit.Machine.
func (h *Switch) Backlog(port sluice.PortID, q sluice.QueueID) sluice.Bytes {
	return h.abovePorts[port].Backlog(q)
}

// Sendable implements kit.Machine.
func (h *Switch) Sendable(port sluice.PortID, q sluice.QueueID) bool {
	return h.abovePorts[port].Sendable(q)
}

// PausedByPeer implements kit.Paused: a pause of PFC stops the OQ, a PAUSE of Pyrrha an IQ.
func (h *Switch) PausedByPeer(port sluice.PortID, q sluice.QueueID) bool {
	return h.abovePorts[port].PausedByPeer(q)
}

// PausedFor implements kit.Rooted: the root of an IQ; a pause of PFC names none.
func (h *Switch) PausedFor(port sluice.PortID, q sluice.QueueID) (root sluice.Hop, ok bool) {
	return h.abovePorts[port].PausedFor(q)
}

// WaitsFor implements kit.Machine: what PFC holds waits for packets of the class, else Pyrrha says.
func (h *Switch) WaitsFor(
	port sluice.PortID, q sluice.QueueID, p *sluice.Packet, in sluice.QueueID, came bool,
) bool {
	if h.held[port] {
		return came && int(q) < h.Queues() && h.belowPorts[port].Held().Has(p.Class)
	}
	return h.abovePorts[port].WaitsFor(q, p, in, came)
}

// Buffered implements kit.Machine.
func (h *Switch) Buffered() sluice.Bytes { return h.above.Buffered() }

// Counters returns what the port's PFC counted of packets, and both machines of frames.
func (h *Switch) Counters(port sluice.PortID) sluice.Counters {
	counted, above := h.belowPorts[port].Counters().Common(), h.abovePorts[port].Counters().Common()
	badPath := above.Dropped[sluice.BadPath]
	above.Enqueued, above.Transmitted, above.Outside = 0, 0, 0
	above.Dropped = [sluice.NumReasons]uint64{sluice.BadPath: badPath}
	counted.Add(&above)
	return counted
}

// Snapshot is the observable state of both machines.
type Snapshot struct {
	PFC    pfc.Snapshot
	Pyrrha pyrrha.Snapshot
}

// Snapshot implements kit.Machine: it returns a Snapshot.
func (h *Switch) Snapshot() any { return Snapshot{h.below.Snapshot(), h.above.Snapshot()} }

// Below returns PFC, to look at.
func (h *Switch) Below() *pfc.Switch { return h.below }

// Above returns Pyrrha, to look at.
func (h *Switch) Above() *pyrrha.Switch { return h.above }

// Audit checks both machines, and that they hold the same bytes; where PFC counts cells, that the
// cells could hold the bytes.
func (h *Switch) Audit() error {
	held, accounted := h.above.Buffered(), h.below.Buffered()
	cells := accounted > held && held > 0 && h.below.Config().CellSize > 1
	if held != accounted && !cells {
		return fmt.Errorf("hybrid: invariant 1: pyrrha holds %d bytes, pfc accounts %d", held,
			accounted)
	}
	return errors.Join(h.below.Audit(), h.above.Audit())
}

// Quiescent implements kit.Machine.
func (h *Switch) Quiescent() error { return errors.Join(h.below.Quiescent(), h.above.Quiescent()) }

// at returns the time of an input, or the time of the latest input if that is later, so that both
// machines see the same.
func (h *Switch) at(now sluice.Time) sluice.Time {
	if now != sluice.Never {
		return h.clock.Advance(now)
	}
	return now
}

// follow lets Pyrrha's queues follow PFC's pauses of a port: the classes that may send count, not
// the pauses received, because the watchdog may overrule these.
func (h *Switch) follow(now sluice.Time, port sluice.PortID) {
	hold := false
	for class := range sluice.QueueID(sluice.Classes) {
		hold = hold || !h.belowPorts[port].Sendable(class)
	}
	if hold != h.held[port] {
		h.held[port] = hold
		h.note(h.abovePorts[port].Hold(now, hold))
	}
}

// merged returns a verdict with a wake that says what its own wake and another say.
func (h *Switch) merged(v sluice.Verdict, other sluice.Wake) sluice.Verdict {
	if v.Wake() == 0 && other == 0 {
		return v
	}
	h.note(other)
	h.note(v.Wake())
	return v.WithoutWake().WithWake(h.woken.Take())
}

// note takes what a wake of either machine says, and the ports that they name one by one.
func (h *Switch) note(wake sluice.Wake) {
	h.woken.Note(wake &^ sluice.WakeSeveral)
	if !wake.Has(sluice.WakeSeveral) {
		return
	}
	for port, ok := h.below.PollPort(); ok; port, ok = h.below.PollPort() {
		h.woken.Port(port)
	}
	for port, ok := h.above.PollPort(); ok; port, ok = h.above.PollPort() {
		h.woken.Port(port)
	}
}
