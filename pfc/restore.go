package pfc

import (
	"errors"
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
	"github.com/sluicefc/sluice/pfc/trigger"
)

// Restore returns a switch that goes on from the Snapshot of another one: a warm restart, in which
// the packets stay in the embedder's queues. Thresholds may differ from the other's; the lossless
// classes, pools, cells and Retag must be the same. Counters begin at zero, and no storm event
// waits: a hold or a storm under way is under way, and counts from now on. A storm goes on if the
// watchdog of the new configuration looks at its class, and is over otherwise. The big red switch
// stays on or off. A snapshot that is Changing is refused, because its packets belong to two
// configurations. Every port owes its peer its state again: ask every idle port for a frame. The
// error is a [*sluice.ConfigError] of the configuration, or names the contradiction in the
// snapshot.
func Restore(config Config, from *Snapshot) (*Switch, error) {
	s, err := New(config)
	if err != nil {
		return nil, err
	}
	if config.Trigger != trigger.AtIngress {
		return nil, &sluice.ConfigError{
			Package: "pfc", Type: "Config", Field: "Trigger", Value: config.Trigger,
			Rule: "must be AtIngress to restore",
		}
	}
	if from.Changing {
		return nil, errors.New("pfc: a snapshot in which packets wait from before a change of Classes")
	}
	if len(from.Ports) != len(s.ports) {
		return nil, fmt.Errorf("pfc: a snapshot of %d ports for a switch of %d",
			len(from.Ports), len(s.ports))
	}
	for i := range from.Ports {
		for c := range sluice.Class(sluice.Classes) {
			switch of := &from.Ports[i].Class[c]; {
			case (of.Packets == 0) != (of.Backlog == 0):
				return nil, fmt.Errorf(
					"pfc: a snapshot in which %d packets of port %d and class %d are %d bytes",
					of.Packets, i, c, of.Backlog)
			case of.Ingress != 0 && !s.ports[i].lossless(c):
				return nil, fmt.Errorf(
					"pfc: a snapshot in which port %d holds bytes of class %d, which is not lossless", i, c)
			}
		}
	}
	s.clock.Advance(from.Now)
	s.setBigRedSwitch(from.BigRedSwitch)
	for c, n := range from.Local {
		s.local[c] = int64(n)
	}
	for i := range s.ports {
		s.ports[i].restoreFrom(&from.Ports[i])
	}
	s.setPools()
	s.peak = s.buffered
	for i := range s.ports {
		p := &s.ports[i]
		p.reconsider()
		p.pending = 0
		if wanted := p.wanted(); wanted != 0 && !p.down {
			p.pending = wanted
			p.state.refreshAt = chassis.After(s.clock.Now(), p.state.refreshEvery)
		}
		p.pending |= p.state.told
		p.reschedule()
	}
	if s.config.watches() {
		s.watchdog.pollAt = chassis.After(s.clock.Now(), s.config.Watchdog.Poll)
	}
	s.woken.Take()
	if err := s.Audit(); err != nil {
		return nil, err
	}
	return s, nil
}

func (p *Port) restoreFrom(from *PortSnapshot) {
	t, now := p.state, p.owner.clock.Now()
	p.down = from.Down
	t.told = from.Told & t.sends
	for i := range from.Class {
		c, a, q := &from.Class[i], p.account(sluice.Class(i)), &p.queues[i]
		q.bytes, q.lossy, q.peak = int64(c.Backlog), int64(c.Lossy), int64(c.Backlog)
		if t.rules != nil {
			t.rules.local[i] = int64(c.Local)
		}
		t.restored[i] = c.Packets
		p.owner.buffered += q.bytes
		if q.bytes > 0 {
			p.backlog |= 1 << i
		}
		a.bytes, a.headroom = int64(c.Ingress-c.Headroom), uint32(c.Headroom)
		if a.headroom > 0 {
			a.flags |= spilled
		}
		if from.Paused.Has(sluice.Class(i)) {
			a.flags |= pausing
			p.paused |= 1 << i
			t.pausedSince[i] = now
		}
		if from.Held.Has(sluice.Class(i)) && t.obeys.Has(sluice.Class(i)) {
			t.held |= 1 << i
			t.expiresAt[i], t.heldSince[i] = c.HeldUntil, min(c.HeldSince, now)
			t.counters.Class[i].HeldTime = -chassis.Span(t.heldSince[i], now) // the sum begins at zero
			t.watch[i].frameAt = now
		}
	}
	for rest := from.Storming & p.watched(); rest != 0; rest &= rest - 1 {
		p.beginStorm(lowest(rest))
		t.watch[lowest(rest)].frameAt = now
	}
	p.setPlain()
	p.reblock()
}
