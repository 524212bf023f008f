package ofc

import (
	"fmt"

	"github.com/sluicefc/sluice"
)

// auditFlowCells checks invariants 3 and 4 of the flows of a class under Config.TwoChoices.
func (p *Port) auditFlowCells(class sluice.Class) error {
	x := p.owner.cells
	var packets, pausedPackets int64
	var sum egress
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
	return p.auditCounts(class, &sum, packets, pausedPackets)
}

// auditToldCells checks invariant 5 for packets that came in by this port under Config.TwoChoices:
// a flow of pause_frame_tab was announced, or is pending once.
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
	l, listed, last := &x.naming(p.id, class).pending, 0, int32(0)
	for i := l.head; i != 0; i = x.told[i-1].next {
		if at := int(i) - 1 - first; at < 0 || at >= len(table) || table[at].flags&told != 0 {
			return fmt.Errorf("invariant 5: cell %d is pending", at)
		}
		if last = i; listed == waiting {
			return fmt.Errorf("invariant 5: more than %d flows are pending", waiting)
		}
		listed++
	}
	if count != a.count || listed != waiting || l.tail != last ||
		(waiting > 0) != a.has(int(p.id)) {
		return fmt.Errorf("invariant 5: %d flows told, the counter says %d; %d pending, %d listed up "+
			"to %d, not %d", count, a.count, waiting, listed, last, l.tail)
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
