package ofc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
)

// cell is a place of one of the three tables under Config.TwoChoices; one without packets is free.
type cell struct {
	flow    uint64
	packets int32  // in flow_in_port_tab; 1 in the others if the cell is taken
	next    int32  // of pause_frame_tab: the next to announce, from 1
	ingress uint16 // of flow_in_port_tab: where the last packet came in
	flags   uint8  // of congested_flow_tab: deferred, named; of pause_frame_tab: told
}

const cellBytes = 24

// cells are the tables under Config.TwoChoices: flow_in_port_tab and congested_flow_tab of an
// egress and class, pause_frame_tab of an ingress and class. Each has two rows of half cells. The
// lower 32 bits of a flow choose its cell in the first row, the upper bits its cell in the second:
// a flow takes the first if that is free or its own, else the second. It may be in both, if another
// flow had the first when it came into the second; what is said of one cell is then said of both.
type cells struct {
	half                   int
	flows, congested, told []cell   // by port and class
	ingress                []naming // by port and class
}

type naming struct {
	pending list       // cells of told, by next
	walked  bitset.Set // egress ports all of whose flows were named since the last resume
}

func newCells(c *Config) *cells {
	n := len(c.Ports) * sluice.Classes
	x := &cells{half: 1}
	for 2*x.half*sluice.Classes < c.Flows {
		x.half *= 2
	}
	all := 2 * x.half * n
	x.flows, x.congested, x.told = make([]cell, all), make([]cell, all), make([]cell, all)
	x.ingress = make([]naming, n)
	for i := range x.ingress {
		x.ingress[i].walked = bitset.New(len(c.Ports))
	}
	return x
}

func (x *cells) of(table []cell, port sluice.PortID, class sluice.Class) []cell {
	first := x.first(port, class)
	return table[first : first+2*x.half]
}

func (x *cells) first(port sluice.PortID, class sluice.Class) int {
	return (int(port)*sluice.Classes + int(class)) * 2 * x.half
}

// naming returns the pause_frame_tab of an ingress and class.
func (x *cells) naming(ingress sluice.PortID, class sluice.Class) *naming {
	return &x.ingress[int(ingress)*sluice.Classes+int(class)]
}

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

func (x *cells) holds(table []cell, flow uint64) bool {
	one, two := x.choices(flow)
	return table[one].packets > 0 && table[one].flow == flow ||
		table[two].packets > 0 && table[two].flow == flow
}

func (p *Port) take(c *cell, flow uint64) {
	*c = cell{flow: flow, packets: 1}
	p.known++
	p.state.counters.FlowsPeak = max(p.state.counters.FlowsPeak, uint64(p.known))
}

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

func (x *cells) bytes() int { return 3 * len(x.flows) * cellBytes }
