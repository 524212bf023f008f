package fabric

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/sim"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pyrrha"
)

// hybrid is Pyrrha over PFC at one node (Pyrrha, section IV-E): PFC accounts the buffer by ingress and
// pauses the whole neighbour when it must, Pyrrha chooses the queues. A pause by PFC holds the port's
// queues under Pyrrha. PFC is there for its accounts: nobody asks its Next, its packets leave in any order, and
// what it says of queues is told to Pyrrha by Hold.
type hybrid struct {
	node        sluice.SwitchID
	now         sluice.Time // the latest that an input to either machine had
	below       *pfc.Switch
	above       *pyrrha.Switch
	belowPorts  []*pfc.Port
	abovePorts  []*pyrrha.Port
	held        []bool
	pfcFrame    pfc.Frame
	pyrrhaFrame pyrrha.Frame
}

// newHybrid composes two machines of equal ports. The one above has no limit on the buffer.
func newHybrid(node sluice.SwitchID, below *pfc.Switch, above *pyrrha.Switch) *hybrid {
	h := &hybrid{node: node, now: math.MinInt64, below: below, above: above, held: make([]bool, below.Ports())}
	for i := range below.Ports() {
		h.belowPorts = append(h.belowPorts, below.Port(sluice.PortID(i)))
		h.abovePorts = append(h.abovePorts, above.Port(sluice.PortID(i)))
	}
	return h
}

// at returns the time of an input, or that of the latest if it is later, so that both machines see the same.
func (h *hybrid) at(now sluice.Time) sluice.Time {
	h.now = max(h.now, now)
	return h.now
}

func (h *hybrid) Ports() int  { return h.below.Ports() }
func (h *hybrid) Queues() int { return h.above.Queues() }

// Enqueue has PFC admit a packet and Pyrrha choose its queue. What Pyrrha would refuse must not be admitted: taking it out
// of the accounts again would be an input to PFC whose frames may be pending. That is a path which begins
// elsewhere; whatever else it refuses PFC refuses too.
func (h *hybrid) Enqueue(now sluice.Time, port sluice.PortID, p *sluice.Packet) sluice.Verdict {
	now = h.at(now)
	if p.Path.Len() > 0 && p.Path.At(0) != (sluice.Hop{Switch: h.node, Port: port}) {
		return h.abovePorts[port].Enqueue(now, p)
	}
	admitted := h.belowPorts[port].Enqueue(now, p)
	if admitted.Action() != sluice.Append {
		return admitted
	}
	return h.abovePorts[port].Enqueue(now, p).WithWake(admitted.Wake())
}

func (h *hybrid) Next(now sluice.Time, port sluice.PortID) (sluice.QueueID, bool) {
	return h.abovePorts[port].Next(now)
}

func (h *hybrid) Dequeue(now sluice.Time, port sluice.PortID, q sluice.QueueID, p *sluice.Packet) sluice.Verdict {
	now = h.at(now)
	verdict := h.abovePorts[port].Dequeue(now, q, p)
	if verdict.Action() != sluice.Transmit {
		return verdict
	}
	return h.belowPorts[port].Dequeue(now, sluice.QueueID(p.Class), p).WithWake(verdict.Wake())
}

func (h *hybrid) Receive(now sluice.Time, port sluice.PortID, frame []byte) (sluice.Wake, error) {
	const macControl = 0x8808
	if len(frame) >= 14 && binary.BigEndian.Uint16(frame[12:]) == macControl {
		if err := h.pfcFrame.Parse(frame); err != nil {
			return 0, err
		}
		now = h.at(now)
		wake := withoutQueues(h.belowPorts[port].Receive(now, &h.pfcFrame))
		return wake.Merge(h.hold(now, port)), nil
	}
	if err := h.pyrrhaFrame.Parse(frame); err != nil {
		return 0, err
	}
	return h.abovePorts[port].Receive(h.at(now), &h.pyrrhaFrame), nil
}

// hold lets Pyrrha's queues follow PFC's pauses. They share the OQ, so that a pause of any class stops them all. What counts
// is which classes may send, not which were told to pause: the watchdog may overrule that.
func (h *hybrid) hold(now sluice.Time, port sluice.PortID) sluice.Wake {
	hold := false
	for class := range sluice.QueueID(sluice.Classes) {
		hold = hold || !h.belowPorts[port].Sendable(class)
	}
	if hold == h.held[port] {
		return 0
	}
	h.held[port] = hold
	return h.abovePorts[port].Hold(now, hold)
}

func (h *hybrid) Expire(now sluice.Time) sluice.Wake {
	now = h.at(now)
	var wake sluice.Wake
	if h.below.Deadline() <= now {
		wake = withoutQueues(h.below.Expire(now))
		for i := range h.held {
			wake = wake.Merge(h.hold(now, sluice.PortID(i)))
		}
	}
	return wake.Merge(h.above.Expire(now))
}

// withoutQueues returns w without the queues it released.
func withoutQueues(w sluice.Wake) sluice.Wake {
	return w & (sluice.WakeFrames | sluice.WakeDeadline)
}

func (h *hybrid) Deadline() sluice.Time { return min(h.below.Deadline(), h.above.Deadline()) }

func (h *hybrid) PollFrame(now sluice.Time, buf []byte) ([]byte, sluice.PortID, string, bool) {
	if port, ok := h.below.PollFrame(now, &h.pfcFrame); ok {
		return h.pfcFrame.AppendTo(buf), port, pfcKind(&h.pfcFrame), true
	}
	if port, ok := h.above.PollFrame(now, &h.pyrrhaFrame); ok {
		return h.pyrrhaFrame.AppendTo(buf), port, h.pyrrhaFrame.Kind(), true
	}
	return buf, 0, "", false
}

// pfcKind tells PFC's frames from Pyrrha's of the same name.
func pfcKind(f *pfc.Frame) string {
	if f.Kind() == "pause" {
		return "pfc pause"
	}
	return "pfc resume"
}

func (h *hybrid) Backlog(port sluice.PortID, q sluice.QueueID) sluice.Bytes {
	return h.abovePorts[port].Backlog(q)
}

func (h *hybrid) Sendable(port sluice.PortID, q sluice.QueueID) bool {
	return h.abovePorts[port].Sendable(q)
}

func (h *hybrid) Buffered() sluice.Bytes { return h.above.Buffered() }

func (h *hybrid) Audit() error {
	if h.above.Buffered() != h.below.Buffered() {
		return fmt.Errorf("hybrid: invariant 1: pyrrha holds %d bytes, pfc accounts %d", h.above.Buffered(), h.below.Buffered())
	}
	return errors.Join(h.below.Audit(), h.above.Audit())
}

func (h *hybrid) Quiescent() error { return errors.Join(h.below.Quiescent(), h.above.Quiescent()) }

// hybridFleet is a network of such nodes.
type hybridFleet struct {
	below *pfcFleet
	above *pyrrhaFleet
}

func buildHybrid(p *plan) fleet {
	const unguarded = 0 // PFC guards the buffer
	return hybridFleet{newPFCFleet(p, sluice.AllClasses), newPyrrhaFleet(p, pyrrha.Hierarchical, unguarded)}
}

func (f hybridFleet) machine(node sluice.SwitchID) (kit.Machine, error) {
	below, err := f.below.newSwitch(node)
	if err != nil {
		return nil, err
	}
	above, err := f.above.newSwitch(node)
	if err != nil {
		return nil, err
	}
	return newHybrid(node, below, above), nil
}

func (f hybridFleet) report(r *sim.Result) {
	f.below.report(r)
	f.above.report(r)
}
