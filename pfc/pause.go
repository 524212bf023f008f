package pfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
	"github.com/sluicefc/sluice/pfc/trigger"
)

func (p *Port) pauseUpstream(class sluice.Class) {
	t := p.state
	p.account(class).flags |= pausing
	p.paused |= 1 << class
	t.pausedSince[class] = p.owner.clock.Now()
	t.counters.Class[class].XOffs++
	p.owner.troubled = true
	if p.down || !t.sends.Has(class) || t.mode == ClassicPause && t.told != 0 && p.pending == 0 {
		return // no peer listens, or the whole port is paused already
	}
	p.announce(class)
}

func (p *Port) resumeUpstream(class sluice.Class) {
	t := p.state
	p.account(class).flags &^= pausing
	p.paused &^= 1 << class
	counters := &t.counters.Class[class]
	counters.XOns++
	paused := chassis.Span(t.pausedSince[class], p.owner.clock.Now())
	counters.PausedTime = counters.PausedTime.Add(paused)
	if p.down || !t.sends.Has(class) || t.mode == ClassicPause && p.wanted() != 0 {
		return // no peer listens, or another class needs the pause
	}
	if p.wanted()|t.told == 0 {
		// The pause was never polled: the peer need not know of either.
		p.pending = 0
		t.refreshAt = sluice.Never
		p.reschedule()
		return
	}
	p.announce(class)
}

// wanted returns the classes that the peer is to be paused in.
func (p *Port) wanted() sluice.ClassSet { return p.paused & p.state.sends }

// mute sets the classes in which the peer is not paused though the configuration says so.
func (p *Port) mute(classes sluice.ClassSet) {
	t := p.state
	t.muted = classes
	t.sends = t.maySend &^ classes
	p.retell()
}

// retell makes a frame pending, after a change of sends, if the last frame differs from the state.
func (p *Port) retell() {
	t, wanted := p.state, p.wanted()
	if p.down {
		return
	}
	switch {
	case p.untold():
		p.pending |= wanted ^ t.told
		p.owner.woken.Port(p.id)
	case wanted == 0:
		p.pending = 0 // the pause was never polled: the peer need not know of it
	}
	switch {
	case wanted == 0:
		t.refreshAt = sluice.Never
	case t.refreshAt == sluice.Never:
		t.refreshAt = chassis.After(p.owner.clock.Now(), t.refreshEvery)
	}
	p.reschedule()
}

// announce makes a frame pending that speaks of a class, and of every class that is paused: the
// frame refreshes these pauses, so the refresh starts anew.
func (p *Port) announce(class sluice.Class) {
	p.state.refreshAt = sluice.Never
	if p.wanted() != 0 {
		p.state.refreshAt = chassis.After(p.owner.clock.Now(), p.state.refreshEvery)
	}
	p.pending |= 1 << class
	p.owner.woken.Port(p.id)
	p.reschedule()
}

// PollFrame builds the frame that this port owes its peer, from the state as it is now, for a
// transmitter that is free: it speaks of every class that is paused, and of every class resumed
// since the last frame. False, and f unchanged, when no frame is owed. O(1).
func (p *Port) PollFrame(_ sluice.Time, f *Frame) bool {
	if p.pending == 0 {
		return false
	}
	p.build(f)
	return true
}

// Owes reports whether PollFrame has a frame. O(1).
func (p *Port) Owes() bool { return p.pending != 0 }

func (p *Port) build(f *Frame) {
	t, wanted := p.state, p.wanted()
	*f = Frame{Source: t.mac, Opcode: OpcodePFC, Enabled: p.pending | wanted}
	if t.rules != nil {
		f.Enabled = t.maps.priority.Of(f.Enabled)
	}
	t.counters.FramesSent++
	if wanted != 0 {
		t.counters.PausesSent++
	} else {
		t.counters.ResumesSent++
	}
	if t.mode == ClassicPause {
		f.Opcode, f.Enabled = OpcodePause, 0
		if wanted != 0 {
			f.Time[0] = t.pause
		}
	}
	for rest := p.pending | wanted; rest != 0; rest &= rest - 1 {
		c := lowest(rest)
		if !wanted.Has(c) {
			t.counters.Class[c].ResumesSent++
			continue
		}
		t.counters.Class[c].PausesSent++
		if t.mode == PriorityPause {
			f.Time[t.maps.priority[c]] = t.pause
		}
		if p.owner.variant.kind == trigger.GFC {
			f.Time[c] = p.triggered(c).Stage
		}
	}
	t.told, p.pending = wanted, 0
}

// WaitsFor reports whether queue q, which the peer holds, waits for packet p to leave the peer's
// device: a pause of a class ends when what came in by its ingress in that class has left. In
// which queue p waits there makes no difference; came says that it came in by this port's link. A
// class that GFC paces, and a queue that is shaped, wait for time alone; a class that GPFC pauses,
// for all classes. The maps of [qos.Port] are taken to be the peer's, too.
func (p *Port) WaitsFor(q sluice.QueueID, packet *sluice.Packet, _ sluice.QueueID, came bool) bool {
	t := p.state
	if !came || q >= sluice.Classes || t.pacer.Paced.Has(sluice.Class(q)) || t.slow&^t.held>>q&1 != 0 {
		return false
	}
	return p.owner.config.Trigger == trigger.GPFC ||
		packet.Class < sluice.Classes && t.maps.group[packet.Class] == t.maps.groupOf[q]
}
