package ofc

import "github.com/sluicefc/sluice"

// Frames to the device upstream under Config.TwoChoices: pause_frame_tab of an ingress and class.

// overCells is the end of over under Config.TwoChoices. The first packet after a resume names all
// flows of the queue that came by its ingress, in the order of their cells; each after that its
// own.
func (p *Port) overCells(a *account, packet *sluice.Packet, original bool) {
	class := packet.Class
	x, in := p.owner.cells, &p.owner.ports[packet.Ingress]
	a.active = true
	more := false
	if walked := &x.naming(in.id, class).walked; !walked.Has(int(p.id)) {
		walked.Add(int(p.id))
		for _, c := range x.of(x.flows, p.id, class) {
			if c.packets > 0 && c.ingress == uint16(in.id) && (original || p.pauses(c.flow, class)) {
				_, fresh := in.wantCell(class, c.flow)
				more = more || fresh
			}
		}
	} else if original || p.pauses(packet.Flow, class) {
		known, fresh := in.wantCell(class, packet.Flow)
		if !known {
			in.fallBack(a, class)
			return
		}
		more = fresh
	}
	if more {
		in.wantSome(a, class, in.id, original)
	}
}

// wantCell lets a frame pause a flow upstream. It reports whether there is room for the flow in
// pause_frame_tab, and whether it was not there.
func (p *Port) wantCell(class sluice.Class, flow uint64) (known, fresh bool) {
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

func (p *Port) pend(class sluice.Class, i int) {
	x := p.owner.cells
	at := int32(x.first(p.id, class) + i + 1)
	l := &x.naming(p.id, class).pending
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
	l := &x.naming(p.id, f.Class).pending
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

func (p *Port) fillAgainCells(f *Frame, a *account) {
	if a.cursor == 0 {
		return
	}
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

// forgetWanted forgets flows that were to be announced, and that any port was walked.
func (p *Port) forgetWanted(a *account, class sluice.Class) {
	x := p.owner.cells
	n := x.naming(p.id, class)
	for n.pending.head != 0 {
		c := &x.told[n.pending.head-1]
		n.pending.head = c.next
		p.vacate(c)
	}
	n.pending.tail = 0
	a.wanted.Remove(int(p.id))
	for i := n.walked.Next(0); i >= 0; i = n.walked.Next(i + 1) {
		n.walked.Remove(i)
	}
}

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
