package tofino

import (
	"cmp"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// entries fills tables, stacks and the chip's own tables.
func (b *pyrrhaBuilder) entries() {
	b.filled = &ir.Config{Tables: b.found}
	t := &b.tables
	numbers := b.numberEntries(t.at)
	old := slices.Clone(numbers) // of the same ports
	for at := range old {
		old[at].Action = t.oldAt
	}
	limits := b.limitEntries()
	t.limits.Size = len(limits)
	for _, one := range []struct {
		table   *ir.Table
		entries []ir.Entry
	}{
		{t.ingress, b.ingressEntries()}, {t.peers, b.peerEntries()}, {t.egress, b.egressEntries()},
		{t.limits, limits}, {t.cells, cellEntries(t.count, b.mostCells(), FrameOverhead)},
		{t.number, numbers}, {t.old, old}, {t.afc, b.wordEntries()}, {t.signals, b.signalEntries()},
	} {
		b.fill(one.table, one.entries)
	}
	t.number.Size, t.old.Size = max(len(numbers), 1), max(len(old), 1)
	if t.depth != nil {
		b.fill(t.depth, b.depthEntries())
	}
	b.stacks()
	b.fixed()
}

func (b *pyrrhaBuilder) ingressEntries() (entries []ir.Entry) {
	for at := range b.full.Ports {
		entries = append(entries, exact(data(b.tables.from, at, bit(b.abdicates(at))),
			int(b.Ports[at])))
	}
	return entries
}

// bit is 1 for true.
func bit(is bool) int {
	if is {
		return 1
	}
	return 0
}

func (b *pyrrhaBuilder) peerEntries() (entries []ir.Entry) {
	for at := range b.full.Ports {
		role := b.full.Ports[at].Role
		entries = append(entries, exact(data(b.tables.peer, int(b.Ports[at]), b.ingressClass(at),
			bit(role == pyrrha.Host), bit(role == pyrrha.Legacy)), at))
	}
	return entries
}

func (b *pyrrhaBuilder) egressEntries() (entries []ir.Entry) {
	for at := range b.full.Ports {
		claims := b.full.Ports[at].Role != pyrrha.Up || b.full.UpPorts != pyrrha.UpNever
		entries = append(entries, exact(data(b.tables.out, at, b.egressClass(at), bit(claims), at),
			int(b.Ports[at])))
	}
	return entries
}

// ingressClass returns the first port whose thresholds as an ingress are those of a port,
// egressClass the first whose thresholds as an egress are.
func (b *pyrrhaBuilder) ingressClass(at int) int {
	for other := range b.full.Ports {
		if b.full.Ports[other].Link.Delay == b.full.Ports[at].Link.Delay {
			return other
		}
	}
	return at
}

func (b *pyrrhaBuilder) egressClass(at int) int {
	for other := range b.full.Ports {
		if b.full.Ports[other].Link.Rate == b.full.Ports[at].Link.Rate {
			return other
		}
	}
	return at
}

// limitEntries say the thresholds of pairs of classes in cells: more than K_pause bytes are so many
// cells or more; fewer than K_resume are fewer cells than that, rounded up.
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
			entries = append(entries, exact(data(b.tables.limit, b.over(pause), b.under(resume),
				b.under(most)), out, in))
		}
	}
	return entries
}

// over returns the least cells that are more than so many bytes, under the cells below which a sum
// is less than so many. With ghost as the source they are such as whole units can tell.
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

// numberEntries say where ports are on paths from this switch, nearest first. Its own are at
// distance 0.
func (b *pyrrhaBuilder) numberEntries(action *ir.Action) (entries []ir.Entry) {
	type root struct {
		port   sluice.Hop
		number int
	}
	add := func(port sluice.Hop, level, number int) {
		entries = append(entries, ir.Entry{Call: data(action, level, number),
			Keys: []ir.KeyValue{ir.ExactKey(uint64(port.Switch)), ir.ExactKey(uint64(port.Port))}})
	}
	for at := range b.full.Ports {
		add(sluice.Hop{Switch: b.full.Switch, Port: sluice.PortID(at)}, 0, at)
	}
	for level := 1; level <= b.levels; level++ {
		roots := b.paths.hops[level].roots
		ports := slices.Grow([]root(nil), len(roots))
		for port, number := range roots {
			ports = append(ports, root{port, number})
		}
		slices.SortFunc(ports, func(x, y root) int { return cmp.Compare(x.port.Key(), y.port.Key()) })
		for _, one := range ports {
			add(one.port, level, one.number)
		}
	}
	return entries
}

func (b *pyrrhaBuilder) wordEntries() (entries []ir.Entry) {
	for at, port := range b.Ports[:len(b.full.Ports)] {
		for qid := 1; qid < b.spill(); qid++ {
			word := ir.Uint(uint64(chip.Resume(physical(b.Carving, port, qid))))
			entries = append(entries, exact(ir.Call{Action: b.tables.word, Data: []ir.Value{word}}, at,
				qid))
		}
	}
	return entries
}

// physical returns a queue of a port that is known to have it.
func physical(carving chip.Carving, port chip.DevPort, qid int) chip.Queue {
	queue, err := carving.Queue(port, qid)
	if err != nil {
		panic(err)
	}
	return queue
}

func (b *pyrrhaBuilder) signalEntries() (entries []ir.Entry) {
	mac := ir.BytesValue(b.full.MAC[:])
	for at, port := range b.Ports[:len(b.full.Ports)] {
		call := ir.Call{Action: b.tables.send, Data: []ir.Value{ir.Uint(uint64(at)), mac}}
		entries = append(entries, exact(call, int(port)))
	}
	return entries
}

func (b *pyrrhaBuilder) depthEntries() (entries []ir.Entry) {
	for at, port := range b.Ports[:len(b.full.Ports)] {
		queue := physical(b.Carving, port, 0)
		entries = append(entries, exact(data(b.tables.report, at), queue.Pipe(), queue.Ghost()))
	}
	return entries
}

// stacks fills the stacks of free slots, the first on top, and of free queues.
func (b *pyrrhaBuilder) stacks() {
	fill := func(r *ir.Register, index, value int) {
		b.filled.Registers = append(b.filled.Registers, ir.RegisterEntry{Register: r, Pipe: -1,
			Index: index, Value: [2]uint32{uint32(value)}})
	}
	for level := 1; level <= b.levels; level++ {
		for place := range b.full.Roots {
			fill(b.registers.slotID, level<<slotBits|place, b.full.Roots-place)
		}
	}
	for at := range b.full.Ports {
		for place := range b.full.IQs - 1 {
			fill(b.registers.freeID, at<<b.queueBits|place, b.full.IQs-1-place)
		}
	}
}

// fixed fills the chip's tables: ports, carving, queues, mirrors, multicast, what goes round.
func (b *pyrrhaBuilder) fixed() {
	type list = []ir.FixedDatum
	ports := b.Ports[:len(b.full.Ports)]
	pipe := ports[0].Pipe()
	for at, port := range ports {
		speed := speeds[b.full.Ports[at].Link.Rate]
		b.add(ir.Ports, 0, "", list{datum("$DEV_PORT", int64(port))},
			list{{Field: "$SPEED", Value: speed.speed}, {Field: "$FEC", Value: speed.fec},
				{Field: "$PORT_ENABLE", Value: true}})
	}
	b.queues(pipe, ports)
	round, err := chip.Recirculation(pipe)
	if err != nil {
		panic(err) // the pipe of a port
	}
	b.add(ir.MirrorSession, 0, "$normal", list{datum("$sid", signalSession)}, list{
		{Field: "$direction", Value: "INGRESS"}, {Field: "$session_enable", Value: true},
		datum("$max_pkt_len", clonedOctets)})
	for _, one := range []struct {
		session, length int64
		direction       string
	}{{noticeSession, noticeOctets, "EGRESS"}, {threadSession, clonedOctets, "INGRESS"}} {
		b.add(ir.MirrorSession, 0, "$normal", list{datum("$sid", one.session)}, list{
			{Field: "$direction", Value: one.direction}, {Field: "$session_enable", Value: true},
			datum("$ucast_egress_port", int64(round)), {Field: "$ucast_egress_port_valid", Value: true},
			datum("$max_pkt_len", one.length)})
	}
	b.copies(int(round), groupPorts, len(ports))
	b.copies(int(round), groupQueues, b.full.IQs-1)
	b.add(ir.GeneratorPort, 0, "", list{datum("dev_port", int64(round))},
		list{{Field: "recirculation_enable", Value: true}})
	b.add(ir.PipeScheduling, pipe, "", nil, list{{Field: "advanced_flow_control_enable", Value: true}})
	if b.Depth == Ghost {
		b.add(ir.PipeConfig, pipe, "", nil, list{{Field: "queue_depth_report_mode", Value: "ANY"}})
	}
}

// copies fills a multicast group whose copies all go round, numbered from 1.
func (b *pyrrhaBuilder) copies(round, group, copies int) {
	type list = []ir.FixedDatum
	var nodes []uint64
	for at := 1; at <= copies; at++ {
		node := group<<8 | at
		nodes = append(nodes, uint64(node))
		b.add(ir.MulticastNodes, 0, "", list{datum("$MULTICAST_NODE_ID", int64(node))},
			list{datum("$MULTICAST_RID", int64(at)), {Field: "$DEV_PORT", Value: []uint64{uint64(round)}}})
	}
	b.add(ir.MulticastGroups, 0, "", list{datum("$MGID", int64(group))},
		list{{Field: "$MULTICAST_NODE_ID", Value: nodes}})
}

// queues fills the carving, and what the scheduler is to know of each queue: IQs obey words and may
// fill the buffer, they and the OQ share what signals leave. The class that is not under Pyrrha
// goes before them if it is above them.
func (b *pyrrhaBuilder) queues(pipe int, ports []chip.DevPort) {
	type list = []ir.FixedDatum
	var shares []uint64
	for _, count := range b.Carving.Counts() {
		shares = append(shares, uint64(count))
	}
	for group := range chip.Groups {
		if slices.ContainsFunc(ports, func(p chip.DevPort) bool { return p.Group() == group }) {
			b.add(ir.PortGroup, pipe, "seq", list{datum("pg_id", int64(group))},
				list{{Field: "port_queue_count", Value: shares}})
		}
	}
	last := b.signalQueue()
	class, apart := b.apart()
	if apart {
		last = b.otherQueue()
	}
	for _, port := range ports {
		for qid := range last + 1 {
			queue := physical(b.Carving, port, qid)
			key := list{datum("pg_id", int64(queue.Group())), datum("pg_queue", int64(queue.Number()))}
			priority, scheduling := "2", list{datum("dwrr_weight", 1)}
			switch {
			case qid == b.signalQueue():
				priority, scheduling = "7", nil
			case qid == b.otherQueue():
				if priority = "1"; b.full.Classes.OrAll()>>class == 0 {
					priority = "3"
				}
			case qid > 0 && qid < b.spill():
				scheduling = append(list{{Field: "advanced_flow_control", Value: "XOFF"}}, scheduling...)
			}
			b.add(ir.QueueScheduling, pipe, "", key, append(scheduling,
				list{{Field: "max_priority", Value: priority}, {Field: "min_priority", Value: priority}}...))
			if qid <= b.spill() {
				b.add(ir.QueueBuffer, pipe, "shared_pool", key, list{
					{Field: "pool_id", Value: "EG_APP_POOL_0"}, datum("pool_max_cells", chip.BufferCells),
					{Field: "dynamic_baf", Value: "DISABLE"}})
			}
			if qid == 0 && b.Depth == Ghost {
				b.add(ir.QueueConfig, pipe, "", key, list{{Field: "depth_report_enable", Value: true}})
			}
		}
	}
}
