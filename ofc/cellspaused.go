package ofc

import "github.com/sluicefc/sluice"

// What downstream pauses under Config.TwoChoices: congested_flow_tab of an egress and class.

// pauseCell is pause under Config.TwoChoices.
func (p *Port) pauseCell(k *egress, flow uint64, class sluice.Class, marks uint8) bool {
	x := p.owner.cells
	table := x.of(x.congested, p.id, class)
	i := x.place(table, flow)
	if i < 0 {
		p.state.counters.Spills++
		return false
	}
	c := &table[i]
	switch {
	case c.packets == 0:
		if !p.pauses(flow, class) {
			k.presentCongested += p.cellsOf(flow, class)
		}
		p.take(c, flow)
		k.congested++
		p.state.counters.FlowsPaused++
	case c.flags&deferred != 0:
		c.flags &^= deferred
		k.deferred--
	}
	c.flags |= marks
	return true
}

func (p *Port) cellsOf(flow uint64, class sluice.Class) (n int32) {
	x := p.owner.cells
	table := x.of(x.flows, p.id, class)
	one, two := x.choices(flow)
	for _, i := range [...]int{one, two} {
		if table[i].packets > 0 && table[i].flow == flow {
			n++
		}
	}
	return n
}

// resumeCells takes a flow out of congested_flow_tab, or in a rotation has that wait for its end.
// It reports whether the flow is out of a cell.
func (p *Port) resumeCells(k *egress, flow uint64, class sluice.Class) (resumed bool) {
	x := p.owner.cells
	table := x.of(x.congested, p.id, class)
	one, two := x.choices(flow)
	for _, i := range [...]int{one, two} {
		if c := &table[i]; c.packets > 0 && c.flow == flow {
			resumed = p.resumeCell(k, c, class) || resumed
		}
	}
	return resumed
}

func (p *Port) resumeCell(k *egress, c *cell, class sluice.Class) bool {
	if k.serving != normal {
		if c.flags&deferred == 0 {
			c.flags |= deferred
			k.deferred++
			p.state.counters.Deferrals++
		}
		return false
	}
	flow := c.flow
	p.vacate(c)
	k.congested--
	p.state.counters.FlowsResumed++
	if !p.pauses(flow, class) {
		k.presentCongested -= p.cellsOf(flow, class)
	}
	return true
}

// resumeAllCells resumes the flows of congested_flow_tab whose bits among flags equal want. It
// reports whether it took a flow out.
func (p *Port) resumeAllCells(k *egress, class sluice.Class, flags, want uint8) (resumed bool) {
	x := p.owner.cells
	table := x.of(x.congested, p.id, class)
	for i := range table {
		if c := &table[i]; c.packets > 0 && c.flags&flags == want {
			if want&deferred != 0 {
				c.flags &^= deferred
				k.deferred--
			}
			resumed = p.resumeCell(k, c, class) || resumed
		}
	}
	return resumed
}

func (p *Port) unmarkCells(class sluice.Class) {
	table := p.owner.cells.of(p.owner.cells.congested, p.id, class)
	for i := range table {
		table[i].flags &^= named
	}
}
