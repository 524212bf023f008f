package ofc

import (
	"fmt"

	"github.com/sluicefc/sluice"
)

// auditFlowCells checks invariants 3 and 4 of the flows of a class under Config.TwoChoices.
func (p *Port) auditFlowCells(class sluice.Class) error {
	x, k := p.owner.cells, &p.classes[class]
	var sum egress
	packets, pausedPackets := int64(0), int64(0)
	for i, c := range x.of(x.flows, p.id, class) {
		if err := x.inPlace(i, &c); err != nil || c.packets == 0 {
			if err != nil {
				return fmt.Errorf("invariant 4: flow_in_port_tab: %w", err)
			}
			continue
		}
		packets += int64(c.packets)
		sum.present++
		if p.pauses(c.flow, class) {
			sum.presentCongested++
			pausedPackets += int64(c.packets)
		}
	}
	for i, c := range x.of(x.congested, p.id, class) {
		if err := x.inPlace(i, &c); err != nil {
			return fmt.Errorf("invariant 4: congested_flow_tab: %w", err)
		}
		sum.congested += c.packets
		if c.flags&deferred != 0 {
			sum.deferred++
		}
	}
	held := int64(k.packets[0]) + int64(k.packets[1]) + int64(k.packets[2])
	switch {
	case p.owner.classes.Has(class) && packets+int64(k.untracked) != held:
		return fmt.Errorf("invariant 4: flows have %d packets, %d are of unknown flows, queues have %d",
			packets, k.untracked, held)
	case int64(k.packets[k.paused]) > pausedPackets+int64(k.untracked):
		return fmt.Errorf("invariant 3: the paused queue has %d packets, paused flows %d",
			k.packets[k.paused], pausedPackets)
	case k.congested != sum.congested, k.deferred != sum.deferred, k.present != sum.present,
		k.presentCongested != sum.presentCongested:
		return fmt.Errorf("invariant 4: %d flows paused (%d deferred), %d present (%d paused), "+
			"counted %d (%d), %d (%d)", sum.congested, sum.deferred, sum.present, sum.presentCongested,
			k.congested, k.deferred, k.present, k.presentCongested)
	case k.serving == normal && k.deferred != 0:
		return fmt.Errorf("invariant 3: no rotation is under way, %d resumes are deferred", k.deferred)
	}
	return nil
}

// auditToldCells checks invariant 5 of what came in by this port under Config.TwoChoices: a flow of
// pause_frame_tab was told, or is pending once.
func (p *Port) auditToldCells(class sluice.Class) error {
	x, a := p.owner.cells, p.owner.account(uint(p.id), class)
	table, first := x.of(x.told, p.id, class), x.first(p.id, class)
	count, waiting := int32(0), 0
	for i, c := range table {
		if err := x.inPlace(i, &c); err != nil {
			return fmt.Errorf("invariant 5: pause_frame_tab: %w", err)
		}
		if c.flags&told != 0 {
			count++
		} else if c.packets > 0 {
			waiting++
		}
	}
	l, listed := &x.pending[int(p.id)*sluice.Classes+int(class)], 0
	for i := l.head; i != 0; i = x.told[i-1].next {
		if at := int(i) - 1 - first; at < 0 || at >= len(table) || table[at].flags&told != 0 {
			return fmt.Errorf("invariant 5: cell %d is pending", at)
		}
		if listed++; listed > waiting {
			break
		}
	}
	if count != a.count || listed != waiting || (waiting > 0) != a.has(int(p.id)) {
		return fmt.Errorf("invariant 5: %d flows told, the counter says %d; %d pending, %d listed",
			count, a.count, waiting, listed)
	}
	return nil
}

// inPlace checks that a flow is in one of its cells, and a free cell empty.
func (x *cells) inPlace(i int, c *cell) error {
	one, two := x.choices(c.flow)
	if c.packets < 0 || c.packets > 0 && i != one && i != two || c.packets == 0 && *c != (cell{}) {
		return fmt.Errorf("cell %d: flow %x with %d packets, flags %b", i, c.flow, c.packets, c.flags)
	}
	return nil
}

// knownCells counts the cells of the port that are taken.
func (p *Port) knownCells() (n int32) {
	x := p.owner.cells
	if x == nil {
		return 0
	}
	for class := range sluice.Class(sluice.Classes) {
		for _, table := range [...][]cell{x.flows, x.congested, x.told} {
			for _, c := range x.of(table, p.id, class) {
				if c.packets > 0 {
					n++
				}
			}
		}
	}
	return n
}
