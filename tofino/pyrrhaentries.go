package tofino

import (
	"cmp"
	"math"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// entries fills tables, stacks and the chip's own tables.
func (b *pyrrhaBuilder) entries() {
	b.filled.Tables = b.found
	numbers, old := b.numberEntries()
	b.rows("port_in", b.each(func(at int) (ir.Call, int) {
		p := b.full.Ports[at]
		return b.call("from_port", at, bit(b.abdicates(at)), bit(!legacy(p)),
			bit(p.Role != pyrrha.Host)), int(b.Ports[at])
	}))
	b.rows("peers", b.each(func(at int) (ir.Call, int) {
		role := b.full.Ports[at].Role
		return b.call("peer_is", int(b.Ports[at]), b.ingressClass(at), bit(role == pyrrha.Host)), at
	}))
	b.rows("port_out", b.each(func(at int) (ir.Call, int) {
		claims := b.full.Ports[at].Role != pyrrha.Up || b.full.UpPorts != pyrrha.UpNever
		return b.call("leave_by", at, b.egressClass(at), bit(claims), at), int(b.Ports[at])
	}))
	b.sized("limits", "LIMITS", b.limitEntries())
	b.rows("packet_cells", b.cellEntries())
	b.sized("root_number", "ROOT_NUMBERS", numbers)
	b.sized("old_number", "OLD_NUMBERS", old)
	b.rows("afc", b.wordEntries())
	b.rows("signals", b.sends())
	if b.Depth == Ghost {
		var depths []ir.Entry
		for at := range b.Ports {
			depths = append(depths, b.reports("report", at, 0, at))
		}
		b.rows("depth", depths)
	}
	b.stacks()
	b.fixed()
}

// ingressClass returns the first port with the thresholds that a port has as an ingress.
func (b *pyrrhaBuilder) ingressClass(at int) int {
	return slices.IndexFunc(b.full.Ports, func(p pyrrha.PortConfig) bool {
		return p.Link.Delay == b.full.Ports[at].Link.Delay && legacy(p) == legacy(b.full.Ports[at])
	})
}

// legacy reports whether the device at the end of a port speaks no Pyrrha.
func legacy(p pyrrha.PortConfig) bool { return p.Role == pyrrha.Legacy }

// neverPaused is a K_pause beyond all depths, in cells.
const neverPaused = math.MaxInt32

// limitEntries say the thresholds of pairs of classes in cells. A sum exceeds K_pause bytes if it
// has at least the cells that over returns; it is less than K_resume bytes if it has fewer cells
// than K_resume, rounded up.
func (b *pyrrhaBuilder) limitEntries() (entries []ir.Entry) {
	for out := range b.full.Ports {
		if b.egressClass(out) != out {
			continue
		}
		port := b.machine.Port(sluice.PortID(out))
		most := sluice.Bytes(0)
		for in := range b.full.Ports {
			_, resume := port.Thresholds(sluice.PortID(in))
			most = max(most, resume)
		}
		for in := range b.full.Ports {
			if b.ingressClass(in) != in {
				continue
			}
			pause, resume := port.Thresholds(sluice.PortID(in))
			beyond := b.over(pause)
			if legacy(b.full.Ports[in]) {
				beyond = neverPaused
			}
			entries = append(entries, b.exact(b.call("limits_are", beyond, b.under(resume),
				b.under(most)), out, in))
		}
	}
	return entries
}

// over returns the fewest cells that exceed a threshold in bytes, under the cells below which a sum
// is less than a threshold in bytes. With ghost as the source both are thresholds that whole units
// can distinguish.
func (b *pyrrhaBuilder) over(bytes sluice.Bytes) int {
	cells := int64(bytes) / chip.CellBytes
	if b.Depth == Ghost {
		cells, _ = b.Unit.Round(chip.Above, cells)
	}
	return int(cells) + 1
}

func (b *pyrrhaBuilder) under(bytes sluice.Bytes) int {
	cells := chip.Cells(int64(bytes))
	if b.Depth == Ghost {
		cells, _ = b.Unit.Round(chip.Below, cells)
	}
	return int(cells)
}

// numberEntries say where ports are on paths from this switch, nearest first. The switch's own
// ports are at distance 0. An old root has the same numbers.
func (b *pyrrhaBuilder) numberEntries() (numbers, old []ir.Entry) {
	type numbered struct {
		port   sluice.Hop
		number int
	}
	root, oldRoot := b.src.Action("root_at"), b.src.Action("old_at")
	add := func(port sluice.Hop, level, number int) {
		keys := []int{int(port.Switch), int(port.Port)}
		numbers = append(numbers, b.exact(b.entryRoom.call(root, level, 1<<level, number), keys...))
		old = append(old, b.exact(b.entryRoom.call(oldRoot, level, number), keys...))
	}
	for own := range b.full.Ports {
		add(sluice.Hop{Switch: b.full.Switch, Port: sluice.PortID(own)}, 0, own)
	}
	for level := 1; level <= b.levels; level++ {
		roots := b.paths.hops[level].roots
		ports := slices.Grow([]numbered(nil), len(roots))
		for port, number := range roots {
			ports = append(ports, numbered{port, number})
		}
		slices.SortFunc(ports, func(x, y numbered) int { return cmp.Compare(x.port.Key(), y.port.Key()) })
		for _, one := range ports {
			add(one.port, level, one.number)
		}
	}
	return numbers, old
}

func (b *pyrrhaBuilder) wordEntries() (entries []ir.Entry) {
	for at := range b.Ports {
		for qid := 1; qid < b.spill(); qid++ {
			entries = append(entries, b.says(at, qid, at, qid))
		}
	}
	return entries
}

// stacks fills the stacks of free slots and of free queues, the first slot or queue on top.
func (b *pyrrhaBuilder) stacks() {
	for level := 1; level <= b.levels; level++ {
		for place := range b.full.Roots {
			b.element(b.src.Register("slot_id"), level<<slotBits|place, b.full.Roots-place)
		}
	}
	for at := range b.full.Ports {
		for place := range b.full.IQs - 1 {
			b.element(b.src.Register("free_id"), at<<b.queueBits|place, b.full.IQs-1-place)
		}
	}
}

// fixed fills the chip's tables of queues, mirrors and multicast.
func (b *pyrrhaBuilder) fixed() {
	for at := range b.Ports {
		b.queueEntries(at)
	}
	b.chipTables()
	b.mirror("SIGNAL_SESSION", "INGRESS", clonedOctets, false)
	b.mirror("NOTICE_SESSION", "EGRESS", noticeOctets, true)
	b.mirror("THREAD_SESSION", "INGRESS", clonedOctets, true)
	b.copies(b.number("GROUP_PORTS"), len(b.Ports))
	b.copies(b.number("GROUP_QUEUES"), b.full.IQs-1)
}

// copies fills a multicast group whose copies all go round, numbered from 1.
func (b *pyrrhaBuilder) copies(group, copies int) {
	var nodes []uint64
	for at := 1; at <= copies; at++ {
		node := group<<8 | at
		nodes = append(nodes, uint64(node))
		b.add(ir.MulticastNodes, 0, "", list{datum("$MULTICAST_NODE_ID", int64(node))},
			list{datum("$MULTICAST_RID", int64(at)),
				{Field: "$DEV_PORT", Value: []uint64{uint64(b.roundPort())}}})
	}
	b.add(ir.MulticastGroups, 0, "", list{datum("$MGID", int64(group))},
		list{{Field: "$MULTICAST_NODE_ID", Value: nodes}})
}

// queueEntries fills the scheduler's entries of a port's queues: IQs obey words and may fill the
// buffer, they and the OQ share the rate that signals leave. The class that is not under Pyrrha
// goes before them if its number is above the others.
func (b *pyrrhaBuilder) queueEntries(at int) {
	for qid := range b.spill() + 1 {
		b.queueTables(at, qid, queueUse{priority: 2, held: qid > 0 && qid < b.spill(),
			reported: qid == 0, cells: chip.BufferCells})
	}
	b.queueTables(at, b.signalQueue(), queueUse{signals: true})
	if class, apart := b.apart(); apart {
		use := queueUse{priority: 1}
		if (b.full.Classes&sluice.AllClasses)>>class == 0 {
			use.priority = 3
		}
		b.queueTables(at, b.otherQueue(), use)
	}
}
