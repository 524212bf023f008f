package ofc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
)

// account counts the bytes that an ingress holds in one class, and lists in its pause_frame_tab the
// flows that it paused upstream.
type account struct {
	bytes        int64 // q_in
	peak         int64
	congestedOff int64 // X^c_OFF
	off          int64 // X_OFF
	on           int64 // X_ON
	limit        int64
	untracked    int32 // packets whose flow there was no room for
	active       bool  // something was paused since q_in was down to X_ON
	allWanted    bool  // the whole class is to be paused
	allTold      bool  // a frame asked the device upstream for it

	resume   bool       // a frame is to resume all flows of toldList
	telling  telling    // frames repeat toldList, from its beginning
	toldList list       // flows that a frame paused upstream, of any egress
	count    int32      // of them
	cursor   int32      // the next one to repeat
	part     uint16     // of how many frames that takes
	wanted   bitset.Set // egress ports with flows to announce
	_        [8]byte    // two cache lines, of which a packet touches the first
}

// telling says how frames repeat a list that they announced before.
type telling uint8

const (
	notAgain telling = iota
	asPause          // after LinkUp
	asState          // a refresh
)

// over is the end of Enqueue for a packet whose ingress holds X^c_OFF or more (Algorithm 1, lines 3
// to 15).
func (p *Port) over(a *account, k *egress, packet *sluice.Packet) {
	s := p.owner
	in, class := &s.ports[packet.Ingress], packet.Class
	switch {
	case a.bytes >= a.off:
		if !a.allWanted {
			in.state.counters.Overruns++
			in.pauseAll(a, class)
		}
		return
	case k.bytes[0]+k.bytes[1]+k.bytes[2] < a.congestedOff:
		return
	case a.untracked > 0:
		if !a.allWanted {
			in.state.counters.Fallbacks++
			in.pauseAll(a, class)
		}
		return
	}
	original := k.congested == 0 || s.config.Undistinguished
	g := s.group(p.id, packet.Ingress, class)
	more := g.congested.want()
	if original {
		more = g.plain.want() || more
	}
	if more {
		a.active = true
		in.wantSome(a, class, p.id, original)
	}
}

// wantSome notes that a packet found flows of an original or a local congestion that the device
// upstream must pause, which wait at an egress.
func (p *Port) wantSome(a *account, class sluice.Class, egress sluice.PortID, original bool) {
	if original {
		p.state.counters.Originals++
	} else {
		p.state.counters.Locals++
	}
	a.wanted.Add(int(egress))
	p.updateOwed(class)
	p.refreshSoon(class)
}

// want marks all flows of a list to be announced. It reports whether one was not marked before.
func (l *list) want() bool {
	if l.upTo == l.tail {
		return false
	}
	l.upTo = l.tail
	return true
}

// pauseAll wants the device upstream to hold the whole class.
func (p *Port) pauseAll(a *account, class sluice.Class) {
	a.active, a.allWanted = true, true
	p.updateOwed(class)
	p.refreshSoon(class)
}

// resumeUpstream plans a frame that resumes everything that frames paused upstream (Algorithm 1,
// lines 16 to 19).
func (p *Port) resumeUpstream(class sluice.Class) {
	s := p.owner
	a := s.account(p.id, class)
	a.active, a.allWanted = false, false
	for i := a.wanted.Next(0); i >= 0; i = a.wanted.Next(i) {
		g := s.group(sluice.PortID(i), p.id, class)
		g.plain.upTo, g.congested.upTo = 0, 0
		a.wanted.Remove(i)
	}
	a.resume = a.count > 0
	if p.state.Down { // no device receives the frame
		p.forgetAnnounced(a)
	}
	p.state.counters.Resumes++
	p.updateOwed(class)
}

// unwant notes that an egress has no more flows to announce.
func (p *Port) unwant(class sluice.Class, egress sluice.PortID) {
	p.owner.account(p.id, class).wanted.Remove(int(egress))
	p.updateOwed(class)
}

// updateOwed works out which frames the class owes, and wakes the port if it owes more than before.
func (p *Port) updateOwed(class sluice.Class) {
	a := p.owner.account(p.id, class)
	urgent, owed := p.urgent&^(1<<class), p.owed&^(1<<class)
	if !p.state.Down {
		if a.allWanted != a.allTold {
			urgent |= 1 << class
		}
		if a.telling != notAgain || a.resume || !a.wanted.Empty() {
			owed |= 1 << class
		}
	}
	more := urgent&^p.urgent | owed&^p.owed
	p.urgent, p.owed = urgent, owed
	if more != 0 {
		p.owner.woken.Port(p.id)
	}
}
