package ofc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// The rarer ways through the hooks are functions of their own that are not inlined, so that the
// common way keeps its values in registers.

// A packet's note: a tag, and the entry of its flow, 0 if there was no room for one or the class is
// not under OFC.
const (
	noteTag   uint64 = 0x0fc << 40
	noteEntry uint64 = 1<<32 - 1
)

// refused answers a packet that is not well-formed.
//
//go:noinline
func (p *Port) refused(packet *sluice.Packet) sluice.Verdict {
	return p.dropped(chassis.Fault(packet, len(p.owner.ports)))
}

// overfull answers a packet that there is no room for.
//
//go:noinline
func (p *Port) overfull(packet *sluice.Packet, n int64) sluice.Verdict {
	if n > p.owner.room {
		return p.dropped(sluice.BufferFull)
	}
	p.owner.ports[packet.Ingress].state.counters.HeadroomDrops++
	return p.dropped(sluice.HeadroomExhausted)
}

func (p *Port) dropped(reason sluice.Reason) sluice.Verdict {
	p.state.counters.Dropped[reason]++
	return sluice.DropBecause(reason)
}

// misused counts and answers a Dequeue that does not fit what was enqueued.
//
//go:noinline
func (p *Port) misused() sluice.Verdict {
	p.state.counters.Misuse++
	return sluice.DropBecause(sluice.BadQueue)
}

// untracked accounts a packet whose flow there is no room for: while such packets wait, their
// ingress can pause only the whole class.
//
//go:noinline
func (p *Port) untracked(k *egress, a *account) {
	k.untracked++
	a.untracked++
	p.state.counters.Untracked++
}

// dequeueUntracked is Dequeue of a packet that has no entry. Its flow may be known by now.
func (p *Port) dequeueUntracked(a *account, k *egress, packet *sluice.Packet) sluice.Verdict {
	if packet.Note&noteEntry != 0 {
		return p.misused()
	}
	if !p.owner.classes.Has(packet.Class) {
		return p.send(a, k, packet)
	}
	if k.untracked == 0 || a.untracked == 0 {
		return p.misused()
	}
	if p.pauses(packet.Flow, packet.Class) {
		return p.move(k, packet)
	}
	k.untracked--
	a.untracked--
	return p.send(a, k, packet)
}

func (p *Port) pauses(flow uint64, class sluice.Class) bool {
	for i := p.find(flow, class); i != 0; i = p.owner.entries[i].sibling {
		if e := &p.owner.entries[i]; e.is(flow, class) && e.flags&congested != 0 {
			return true
		}
	}
	return false
}
