package ofc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
)

// cell is a place of one of the three tables under Config.TwoChoices; one without packets is free.
type cell struct {
	flow    uint64
	packets int32  // in flow_in_port_tab; 1 in the others if the cell is taken
	next    int32  // of pause_frame_tab: the next that is to be told, from 1
	ingress uint16 // of flow_in_port_tab: where the last packet came in
	flags   uint8  // of congested_flow_tab: deferred, named; of pause_frame_tab: told
}

const cellBytes = 24

// cells are the tables under Config.TwoChoices: flow_in_port_tab and congested_flow_tab of an
// egress and class, pause_frame_tab of an ingress and class. Each has two rows of half cells. The
// lower 32 bits of a flow choose its cell in the first row, the upper ones that in the second: a
// flow takes the first if that is free or its own, else the second. It may be in both, if the
// first was taken by another when it came into the second; what is said of one is said of either.
type cells struct {
	half      int
	flows     []cell // by port and class
	congested []cell
	told      []cell
	pending   []list       // by ingress and class: cells of told that a frame is to name
	walked    []bitset.Set // by ingress and class: egress ports of which all flows were named
}

func newCells(c *Config) *cells {
	n := len(c.Ports) * sluice.Classes
	x := &cells{half: 1}
	for 2*x.half*sluice.Classes < c.Flows {
		x.half *= 2
	}
	all := 2 * x.half * n
	x.flows, x.congested, x.told = make([]cell, all), make([]cell, all), make([]cell, all)
	x.pending, x.walked = make([]list, n), make([]bitset.Set, n)
	for i := range x.walked {
		x.walked[i] = bitset.New(len(c.Ports))
	}
	return x
}

// of returns the cells of a table that a port has for a class.
func (x *cells) of(table []cell, port sluice.PortID, class sluice.Class) []cell {
	first := x.first(port, class)
	return table[first : first+2*x.half]
}

// first returns the index of the first of them.
func (x *cells) first(port sluice.PortID, class sluice.Class) int {
	return (int(port)*sluice.Classes + int(class)) * 2 * x.half
}

// choices returns the two cells of a flow, as indexes.
func (x *cells) choices(flow uint64) (one, two int) {
	mask := uint64(x.half - 1)
	return int(flow & mask), x.half + int(flow>>32&mask)
}

// place returns the index of the cell that a flow has, or takes if it has packets 0 there; -1 if
// both are other flows'.
func (x *cells) place(table []cell, flow uint64) int {
	one, two := x.choices(flow)
	for _, i := range [...]int{one, two} {
		if c := &table[i]; c.packets == 0 || c.flow == flow {
			return i
		}
	}
	return -1
}

// holds reports whether a flow is in a table.
func (x *cells) holds(table []cell, flow uint64) bool {
	one, two := x.choices(flow)
	return table[one].packets > 0 && table[one].flow == flow ||
		table[two].packets > 0 && table[two].flow == flow
}

// take makes a free cell a flow's.
func (p *Port) take(c *cell, flow uint64) {
	*c = cell{flow: flow, packets: 1}
	p.known++
	p.state.counters.FlowsPeak = max(p.state.counters.FlowsPeak, uint64(p.known))
}

// vacate frees a cell.
func (p *Port) vacate(c *cell) {
	*c = cell{}
	p.known--
}

// enterCell is enterFirst under Config.TwoChoices.
func (p *Port) enterCell(
	a *account, k *egress, packet *sluice.Packet, row uint,
) sluice.Verdict {
	x := p.owner.cells
	table := x.of(x.flows, p.id, packet.Class)
	i := x.place(table, packet.Flow)
	if i < 0 {
		p.untracked(k, a)
		return p.entered(a, k, packet)
	}
	if c := &table[i]; c.packets == 0 {
		p.take(c, packet.Flow)
		k.present++
		if p.pauses(packet.Flow, packet.Class) {
			k.presentCongested++
		}
	} else {
		c.packets++
	}
	table[i].ingress = uint16(row)
	packet.Note = noteTag | uint64(x.first(p.id, packet.Class)+i+1)
	return p.entered(a, k, packet)
}

// dequeueCell is Dequeue under Config.TwoChoices.
func (p *Port) dequeueCell(a *account, k *egress, packet *sluice.Packet) sluice.Verdict {
	x, i := p.owner.cells, int(packet.Note&noteEntry)-1
	var c *cell
	switch first := x.first(p.id, packet.Class); {
	case i < 0 && !p.owner.classes.Has(packet.Class):
		return p.send(a, k, packet)
	case i < 0 && k.untracked > 0 && a.untracked > 0:
	case i < first || i >= first+2*x.half || x.flows[i].flow != packet.Flow || x.flows[i].packets == 0:
		return p.misused()
	default:
		c = &x.flows[i]
	}
	if p.pauses(packet.Flow, packet.Class) {
		return p.move(k, packet)
	}
	if c == nil {
		k.untracked--
		a.untracked--
	} else if c.packets--; c.packets == 0 {
		p.vacate(c)
		k.present--
	}
	return p.send(a, k, packet)
}

// overCells is over between X^c_OFF and X_OFF, of a long egress queue, under Config.TwoChoices. The
// first packet after a resume names all flows of the queue that came by its ingress, in the order
// of their cells; each after that its own.
func (p *Port) overCells(a *account, k *egress, packet *sluice.Packet) sluice.Wake {
	s, class := p.owner, packet.Class
	x, in := s.cells, &s.ports[packet.Ingress]
	a.active = true
	original := k.congested == 0 || s.config.Undistinguished
	more := false
	if walked := &x.walked[int(in.id)*sluice.Classes+int(class)]; !walked.Has(int(p.id)) {
		walked.Add(int(p.id))
		for _, c := range x.of(x.flows, p.id, class) {
			if c.packets > 0 && c.ingress == uint16(in.id) && (original || p.pauses(c.flow, class)) {
				_, fresh := in.tellCell(class, c.flow)
				more = more || fresh
			}
		}
	} else if original || p.pauses(packet.Flow, class) {
		known, fresh := in.tellCell(class, packet.Flow)
		if !known {
			if !a.allWanted {
				in.state.counters.Fallbacks++
			}
			return in.pauseAll(a, class)
		}
		more = fresh
	}
	if !more {
		return 0
	}
	if original {
		in.state.counters.Originals++
	} else {
		in.state.counters.Locals++
	}
	a.wanted.Add(int(in.id))
	return in.settle(class) | in.hasten(class)
}

// tellCell has the device upstream be told to pause a flow. It reports whether there is room for
// the flow in pause_frame_tab, and whether it was not there.
func (p *Port) tellCell(class sluice.Class, flow uint64) (known, fresh bool) {
	x := p.owner.cells
	table := x.of(x.told, p.id, class)
	i := x.place(table, flow)
	if i < 0 {
		return false, false
	}
	if table[i].packets > 0 {
		return true, false
	}
	p.take(&table[i], flow)
	p.pend(class, i)
	return true, true
}

// pend appends a cell of pause_frame_tab to those that a frame is to name.
func (p *Port) pend(class sluice.Class, i int) {
	x := p.owner.cells
	at := int32(x.first(p.id, class) + i + 1)
	l := &x.pending[int(p.id)*sluice.Classes+int(class)]
	if l.tail == 0 {
		l.head = at
	} else {
		x.told[l.tail-1].next = at
	}
	l.tail = at
}

// fillPauseCells is fillPause under Config.TwoChoices.
func (p *Port) fillPauseCells(f *Frame, a *account) {
	x := p.owner.cells
	l := &x.pending[int(p.id)*sluice.Classes+int(f.Class)]
	for int(f.Count) < p.owner.config.MaxFlowsPerFrame && l.head != 0 {
		c := &x.told[l.head-1]
		f.add(c.flow)
		l.head, c.next, c.flags = c.next, 0, told
		a.count++
	}
	if l.head == 0 {
		l.tail = 0
		a.wanted.Remove(int(p.id))
	}
}

// fillResumeCells is fillResume under Config.TwoChoices: flows in the order of their cells.
func (p *Port) fillResumeCells(f *Frame, a *account) {
	x := p.owner.cells
	table := x.of(x.told, p.id, f.Class)
	for i := range table {
		if int(f.Count) == p.owner.config.MaxFlowsPerFrame || a.count == 0 {
			break
		}
		if c := &table[i]; c.packets > 0 && c.flags&told != 0 {
			f.add(c.flow)
			p.vacate(c)
			a.count--
		}
	}
	f.Last = a.count == 0
	a.resume = !f.Last
}

// fillAgainCells names the flows that were told from the cursor on, and moves that.
func (p *Port) fillAgainCells(f *Frame, a *account) {
	x := p.owner.cells
	table := x.of(x.told, p.id, f.Class)
	at := int(a.cursor) - 1
	for ; at < len(table); at++ {
		if table[at].flags&told == 0 {
			continue
		}
		if int(f.Count) == p.owner.config.MaxFlowsPerFrame {
			break
		}
		f.add(table[at].flow)
	}
	a.cursor = int32(at + 1)
	if at == len(table) {
		a.cursor = 0
	}
}

// forgetWanted forgets flows that are to be told and were not, and that any port was walked.
func (p *Port) forgetWanted(a *account, class sluice.Class) {
	x := p.owner.cells
	l := &x.pending[int(p.id)*sluice.Classes+int(class)]
	for l.head != 0 {
		c := &x.told[l.head-1]
		l.head = c.next
		p.vacate(c)
	}
	l.tail = 0
	a.wanted.Remove(int(p.id))
	walked := &x.walked[int(p.id)*sluice.Classes+int(class)]
	for i := walked.Next(0); i >= 0; i = walked.Next(i + 1) {
		walked.Remove(i)
	}
}

// untellCells forgets that any flow was told.
func (p *Port) untellCells(a *account, class sluice.Class) {
	x := p.owner.cells
	table := x.of(x.told, p.id, class)
	for i := range table {
		if table[i].flags&told != 0 {
			p.vacate(&table[i])
			a.count--
		}
	}
}

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

// cellsOf returns how many cells of flow_in_port_tab a flow has.
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

// resumeCell is resume of a cell of congested_flow_tab.
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

// resumeAllCells resumes the flows of congested_flow_tab with, of the given flags, exactly those of
// want. It reports whether one is out.
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

// unmarkCells takes the marks of a refresh off.
func (p *Port) unmarkCells(class sluice.Class) {
	table := p.owner.cells.of(p.owner.cells.congested, p.id, class)
	for i := range table {
		table[i].flags &^= named
	}
}

// bytes returns the memory of the tables.
func (x *cells) bytes() int { return 3 * len(x.flows) * cellBytes }
