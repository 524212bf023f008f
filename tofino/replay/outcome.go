package replay

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// frame is a packet that the program sent in an input.
type frame struct {
	port   sluice.PortID
	octets []byte
	signal bool
}

// outcome carries out what a packet led to: words move gates, signals leave at once. It returns the
// copy of a data packet, of which there is one at most. Copies of multicast groups have a replica
// number that is not 0, or they would be taken for data.
func (t *Tap) outcome(now sluice.Time, o *ir.Outcome) (data ir.Copy, found bool) {
	return t.apply(now, o, false)
}

// apply is outcome for a packet that may be a signal.
func (t *Tap) apply(now sluice.Time, o *ir.Outcome, signal bool) (data ir.Copy, found bool) {
	t.moved = t.moved[:0]
	for _, word := range o.Words {
		t.word(word.Word)
	}
	for _, gate := range t.moved { // when all have moved, for a gate may move twice
		t.gate(gate.port, gate.queue)
	}
	for _, sent := range o.Sent {
		t.leave(now, sent, signal)
	}
	first := len(t.copies)
	for _, c := range o.Copies {
		t.keep(c)
	}
	for at := first; at < len(t.copies); at++ {
		c := t.copies[at]
		switch {
		case c.Port.Internal():
			c.Replica = 0
			t.apply(now, t.chip.Depart(t.clock(), c, 0), true)
		case c.Mirrored || c.Replica != 0:
			t.apply(now, t.chip.Depart(t.clock(), c, 0), true)
		case found:
			t.differs("copies", "", "1", "2 data packets")
		default:
			data, found = c, true
		}
	}
	t.copies = t.copies[:first]
	return data, found
}

// keep copies a packet out of the interpreter, which uses its octets again.
func (t *Tap) keep(c ir.Copy) {
	var octets []byte
	if len(t.copies) < cap(t.copies) {
		octets = t.copies[:len(t.copies)+1][len(t.copies)].Octets[:0]
	}
	c.Octets = append(octets, c.Octets...)
	t.copies = append(t.copies, c)
}

// leave notes a packet that left by a port.
func (t *Tap) leave(now sluice.Time, sent ir.Sent, signal bool) {
	if sent.Port.Internal() {
		t.later.notices = append(t.later.notices, notice{now.Add(t.config.Latency.Notice), sent.Port,
			append([]byte(nil), sent.Octets...)})
		return
	}
	id, known := t.index[sent.Port]
	if !known {
		t.differs("departure", "", "a port of the switch", sent.Port.String())
		return
	}
	var octets []byte
	if len(t.sent) < cap(t.sent) {
		octets = t.sent[:len(t.sent)+1][len(t.sent)].octets[:0]
	}
	t.sent = append(t.sent, frame{id, append(octets, sent.Octets...), signal})
}

// unsend takes a packet out of the packets that were sent, whose octets are used again.
func (t *Tap) unsend(at int) {
	used := t.sent[at]
	copy(t.sent[at:], t.sent[at+1:])
	t.sent[len(t.sent)-1] = used
	t.sent = t.sent[:len(t.sent)-1]
}

// chipGate is the gate of a queue of the chip.
type chipGate struct {
	port  sluice.PortID
	queue int
}

// word moves the gate that a word of flow control names.
func (t *Tap) word(word chip.Word) {
	t.stats.Words++
	queue, credit, err := chip.Decode(word)
	if err != nil {
		t.differs("word", "", "a word of flow control", err.Error())
		return
	}
	dev, q, carved := t.config.Carving.Port(queue)
	id, known := t.index[dev]
	if !carved || !known || credit < 0 || credit > 1 {
		t.differs("word", "", "PAUSE or RESUME of a queue of the switch", fmt.Sprintf("%v, credit %d: %v",
			queue, credit, word))
		return
	}
	if credit == 1 {
		t.stats.Pauses++
	}
	t.ports[id].held[q] = credit == 1
	t.moved = append(t.moved, chipGate{id, q})
}

// gates compares all gates of a port.
func (t *Tap) gates(id sluice.PortID) {
	for q := range t.ports[id].queues {
		if name := t.chipQueue(id, q); name != none && name < len(t.ports[id].held) {
			t.compareGate(id, q, name)
		}
	}
}

// gate compares the gate of one of the chip's queues.
func (t *Tap) gate(id sluice.PortID, name int) {
	q := slices.Index(t.named, name)
	if t.config.Renamed {
		q = t.ports[id].users[name]
	}
	if q != none {
		t.compareGate(id, q, name)
	} else if !t.config.Renamed {
		t.differs("gate", fmt.Sprintf(" of port %d, queue %d", id, name), "no queue of the machine",
			"held")
	}
}

func (t *Tap) compareGate(id sluice.PortID, q, name int) {
	sendable, held := t.Machine.Sendable(id, sluice.QueueID(q)), t.ports[id].held[name]
	if sendable == held {
		t.differs("gate", fmt.Sprintf(" of port %d, queue %d", id, q), gateText(!sendable),
			gateText(held))
	}
}

func gateText(held bool) string {
	if held {
		return "held"
	}
	return "open"
}
