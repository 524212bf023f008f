package replay

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// arrives shows the program a data packet that the machine has decided on.
func (t *Tap) arrives(now sluice.Time, egress sluice.PortID, p *sluice.Packet, v sluice.Verdict) {
	if v.Action() != sluice.Append {
		t.stats.LeftOut["dropped by the machine: "+v.Reason().String()]++
		return
	}
	w := t.packets.push(&t.ports[egress].queues[v.Queue()])
	w.flow, w.cells = p.Flow, chip.Cells(int64(p.Size))
	octets, reason := t.config.Wiring.Packet(t.octets[:0], egress, p)
	t.octets = octets[:0]
	if int(p.Ingress) >= len(t.ports) {
		reason = "from no port of the chip"
	}
	if reason != "" {
		t.stats.LeftOut[reason]++
		return
	}
	taken, found := t.outcome(now, t.chip.Receive(t.clock(), t.config.Ports[p.Ingress], octets))
	if !found {
		t.differs("queue", "", fmt.Sprint("append to ", v.Queue()), "no packet in any queue")
		return
	}
	w.holds(taken)
	t.stats.Packets++
	shares := t.shares(egress)
	if taken.Port != t.config.Ports[egress] {
		t.differs("port", "", t.config.Ports[egress].String(), taken.Port.String())
		return
	}
	if shares {
		t.stats.LeftOut[sharesQueue]++
	} else {
		t.placed(egress, v.Queue(), taken.Queue)
	}
	if t.comparing() {
		t.depth(now, egress, taken.Queue, w.cells)
	}
}

// sharesQueue is why only the queue of a packet is not compared.
const sharesQueue = "in a queue that another set has"

// shares reports whether the packet that has just come for a port shares a queue.
func (t *Tap) shares(id sluice.PortID) bool {
	if t.config.Wiring.Shared == nil {
		return false
	}
	p, shared := &t.ports[id], t.config.Wiring.Shared(t.chip, id)
	more := shared != p.shared
	p.shared = shared
	return more
}

// placed compares the queue of a packet that is the last in the machine's queue q.
func (t *Tap) placed(egress sluice.PortID, q sluice.QueueID, program int) {
	p := &t.ports[egress]
	if program >= len(p.users) {
		t.differs("queue", "", fmt.Sprint(q), fmt.Sprintf("%d, which the port does not have", program))
		return
	}
	same := program == t.named[q]
	if t.config.Renamed {
		if len(p.queues[q]) == 1 && p.users[program] == none {
			p.names[q], p.users[program] = program, int(q)
		}
		same = p.names[q] == program
	}
	if !same {
		t.differs("queue", "", fmt.Sprint(q), fmt.Sprint(program))
	}
}

// chipQueue returns the chip's queue of a queue of the machine, none if it has no name now.
func (t *Tap) chipQueue(id sluice.PortID, q int) int {
	if t.config.Renamed {
		return t.ports[id].names[q]
	}
	return t.named[q]
}

// departs shows egress a packet that the machine let go.
func (t *Tap) departs(now sluice.Time, id sluice.PortID, q sluice.QueueID, p *sluice.Packet,
	v sluice.Verdict) {
	if v.Action() == sluice.Drop && v.Reason() == sluice.BadQueue {
		t.stats.LeftOut["dequeued and not there"]++ // it changes nothing
		return
	}
	if v.Action() != sluice.Transmit && v.Action() != sluice.Append {
		t.stats.LeftOut["dequeued and not sent: "+v.String()]++
		t.down = "after a packet that was dequeued and not sent"
		return
	}
	from := &t.ports[id].queues[q]
	w := t.packets.pop(from)
	if w == nil || w.flow != p.Flow {
		t.stats.LeftOut["dequeued out of order"]++
		t.down = "after a packet that was dequeued out of order"
		return
	}
	if name := t.ports[id].names[q]; name != none && len(*from) == 0 {
		t.ports[id].names[q], t.ports[id].users[name] = none, none
	}
	if v.Action() == sluice.Append {
		t.moves(now, id, q, v.Queue(), w)
		return
	}
	if !w.shown {
		t.stats.LeftOut["departure of a packet left out"]++
		return
	}
	depth := t.ports[id].cells[w.copy.Queue]
	sent := len(t.sent)
	t.outcome(now, t.chip.Depart(t.clock(), w.copy, int(depth)))
	t.leaves(id, q, p, v, sent)
	if t.comparing() {
		t.depth(now, id, w.copy.Queue, -w.cells)
	}
}

// moves shows egress a packet that the machine moved to another queue of the port.
func (t *Tap) moves(now sluice.Time, id sluice.PortID, from, to sluice.QueueID, w *waiting) {
	flow, cells, shown, out := w.flow, w.cells, w.shown, w.copy
	var taken ir.Copy
	if shown {
		depth, found := t.ports[id].cells[out.Queue], false
		taken, found = t.outcome(now, t.chip.Depart(t.clock(), out, int(depth)))
		if !found || taken.Port != out.Port {
			t.differs("move", fmt.Sprintf(" of port %d, from queue %d", id, from), fmt.Sprint("to ", to),
				"no packet in a queue of the port")
			return
		}
	} else {
		t.stats.LeftOut["move of a packet left out"]++
	}
	w = t.packets.push(&t.ports[id].queues[to])
	w.flow, w.cells = flow, cells
	if !shown {
		return
	}
	w.holds(taken)
	t.stats.Moves++
	t.placed(id, to, taken.Queue)
	if t.comparing() {
		t.depth(now, id, out.Queue, -cells)
		t.depth(now, id, taken.Queue, cells)
	}
}

// leaves looks at the data packet that a departure has sent, the first of the sent packets from an
// index on.
func (t *Tap) leaves(id sluice.PortID, q sluice.QueueID, p *sluice.Packet, v sluice.Verdict,
	from int) {
	if len(t.sent) == from || t.sent[from].port != id || t.sent[from].signal {
		t.differs("departure", "", fmt.Sprint("sent by port ", id), "nothing is sent there")
		return
	}
	fault := ""
	if t.config.Wiring.Left != nil {
		fault = t.config.Wiring.Left(t.sent[from].octets, q, p, v)
	}
	if fault != "" {
		t.differs("departure", "", "what it sends", fault)
	}
	t.unsend(from)
}

// hears shows the program a control frame, and compares the gates that it may have moved.
func (t *Tap) hears(now sluice.Time, id sluice.PortID, octets []byte) {
	if t.config.Wiring.Frame != nil {
		if reason := t.config.Wiring.Frame(id, octets); reason != "" {
			t.stats.LeftOut[reason]++
			return
		}
	}
	if t.config.Wiring.Control != nil {
		t.config.Wiring.Control(t.chip, id)
	}
	if _, found := t.outcome(now, t.chip.Receive(t.clock(), t.config.Ports[id], octets)); found {
		t.differs("frame", " that came in", "taken in", "sent on as a packet")
	}
	t.gates(id)
}
