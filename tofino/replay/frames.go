package replay

import (
	"bytes"
	"fmt"

	"github.com/sluicefc/sluice"
)

// poll takes the frames that the machine has to send after an input, and compares them with the
// frames that the program has sent.
func (t *Tap) poll(now sluice.Time, wake sluice.Wake) {
	if id, one := wake.Port(); one {
		t.pollPort(now, id)
	}
	if wake.Has(sluice.WakeSeveral) {
		for id := range t.ports {
			t.pollPort(now, sluice.PortID(id))
		}
	}
}

func (t *Tap) pollPort(now sluice.Time, id sluice.PortID) {
	p := &t.ports[id]
	for {
		var octets []byte
		if last := len(p.free) - 1; last >= 0 {
			octets, p.free = p.free[last][:0], p.free[:last]
		}
		octets, kind, some := t.Machine.PollFrame(now, id, octets)
		if !some {
			p.free = append(p.free, octets)
			return
		}
		if t.comparing() {
			t.compareFrame(id, octets, kind)
		}
		if t.config.Lead {
			p.free = append(p.free, octets)
			continue
		}
		p.due, p.kinds = append(p.due, octets), append(p.kinds, kind)
	}
}

// compareFrame compares a frame of the machine with the first of the program's at the port.
func (t *Tap) compareFrame(id sluice.PortID, octets []byte, kind string) {
	t.stats.Frames++
	t.stats.Kinds[kind]++
	for at := range t.sent {
		if t.sent[at].port != id {
			continue
		}
		if t.config.Lead {
			t.hand(&t.sent[at])
		}
		if t.config.Turned && !t.same(octets, t.sent[at].octets) {
			t.turn(at, octets)
		}
		if !t.same(octets, t.sent[at].octets) {
			t.differs("frame", fmt.Sprintf(" of port %d, %s", id, kind), fmt.Sprintf("%x", octets),
				fmt.Sprintf("%x", t.sent[at].octets))
		}
		t.unsend(at)
		return
	}
	t.differs("frame", fmt.Sprintf(" of port %d, %s", id, kind), fmt.Sprintf("%x", octets), "none")
}

// turn exchanges a frame of the program with a later frame of the same port that equals the
// machine's frame, if there is one. Sequence numbers are not compared and stay in place.
func (t *Tap) turn(at int, machine []byte) {
	one := &t.sent[at]
	for other := at + 1; other < len(t.sent); other++ {
		f := &t.sent[other]
		if f.port == one.port && f.signal && one.signal && sameButNumbers(machine, f.octets) {
			one.octets, f.octets = f.octets, one.octets
			for octet := sequenceAt; octet < sequenceEnd; octet++ {
				one.octets[octet], f.octets[octet] = f.octets[octet], one.octets[octet]
			}
			t.stats.Turned++
			return
		}
	}
}

// Where a frame has its sequence number.
const sequenceAt, sequenceEnd = 20, 24

// same reports whether frames are the same octet by octet. Where differences are counted, frames
// may have different numbers: all numbers differ after the first difference.
func (t *Tap) same(machine, program []byte) bool {
	return bytes.Equal(machine, program) || t.config.Count && sameButNumbers(machine, program)
}

func sameButNumbers(machine, program []byte) bool {
	return len(machine) == len(program) && len(machine) > sequenceEnd &&
		bytes.Equal(machine[:sequenceAt], program[:sequenceAt]) &&
		bytes.Equal(machine[sequenceEnd:], program[sequenceEnd:])
}

// hand makes a frame of the program due.
func (t *Tap) hand(f *frame) {
	p := &t.ports[f.port]
	p.due, p.kinds = append(p.due, append([]byte(nil), f.octets...)), append(p.kinds, "frame")
}

// surplus notes the frames that the program sent and the machine did not.
func (t *Tap) surplus() {
	for at, f := range t.sent {
		if t.config.Lead {
			t.hand(&t.sent[at])
		}
		t.differs("frame", fmt.Sprint(" of port ", f.port), "none", fmt.Sprintf("%x", f.octets))
	}
	t.sent = t.sent[:0]
}
