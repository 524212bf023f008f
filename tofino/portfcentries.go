package tofino

import (
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// entries fill the program.
func (b *portfcBuilder) entries() {
	b.filled = &ir.Config{}
	t := &b.tables
	for _, one := range []struct {
		table   *ir.Table
		entries []ir.Entry
	}{
		{t.ingress, b.ingressEntries()}, {t.egress, b.egressEntries()}, {t.queue, b.queueEntries()},
		{t.cells, cellEntries(b.tables.count, b.mostCells(), FrameOverhead)},
		{t.limits, b.limitEntries()}, {t.others, b.otherEntries()},
		{t.afc, b.wordEntries()}, {t.signals, b.signalEntries()},
	} {
		b.fill(one.table, one.entries)
	}
	if t.depth != nil {
		var depths []ir.Entry
		for at, port := range b.Ports[:b.network.N] {
			queue := b.physical(port, int(b.network.DDQ()))
			depths = append(depths, exact(data(t.report, at), queue.Pipe(), queue.Ghost()))
		}
		b.fill(t.depth, depths)
	}
	b.fixed()
}

func (b *portfcBuilder) ingressEntries() (entries []ir.Entry) {
	for at, port := range b.Ports[:b.network.N] {
		entries = append(entries, exact(data(b.tables.from, at), int(port)))
	}
	return entries
}

// digit matches the addresses of the network that have a digit.
func (b *portfcBuilder) digit(layer, value int) ir.KeyValue {
	mask := ^uint32(0)
	for at, d := range b.Addresses.Digits {
		if at != layer {
			mask &^= d.mask()
		}
	}
	return ir.TernaryKey(
		uint64(b.Addresses.number()|uint32(value)<<b.Addresses.Digits[layer].Low), uint64(mask),
	)
}

func (b *portfcBuilder) egressEntries() (entries []ir.Entry) {
	for at, port := range b.Ports[:b.network.N] {
		entries = append(entries, ir.Entry{Keys: []ir.KeyValue{b.digit(b.layer, at)}, Priority: 1,
			Call: data(b.tables.out, int(port), at)})
	}
	return entries
}

// other is the layer that this switch's packets can go to next, and the digit of it that all nodes
// at this switch have.
func (b *portfcBuilder) other() (layer, own int) {
	layer = 1 - b.layer
	return layer, b.network.Digit(b.network.NodeAt(b.full.Switch, 0), layer)
}

func (b *portfcBuilder) queueEntries() (entries []ir.Entry) {
	for class := range sluice.Class(sluice.Classes) {
		if b.full.High.Has(class) {
			entries = append(entries, ir.Entry{Priority: 1, Call: data(b.tables.high),
				Keys: []ir.KeyValue{ir.TernaryKey(uint64(class), 7), ir.TernaryKey(0, 0)}})
		}
	}
	layer, own := b.other()
	for value := range b.network.N {
		call := data(b.tables.direct)
		if value != own {
			call = data(b.tables.relay, ihfq(value, own))
		}
		entries = append(entries, ir.Entry{Priority: 2, Call: call,
			Keys: []ir.KeyValue{ir.TernaryKey(0, 0), b.digit(layer, value)}})
	}
	return entries
}

// ihfq returns the queue for an egress of the next switch, whose port to the node is own: no packet
// leaves by that.
func ihfq(egress, own int) int {
	if egress > own {
		return egress - 1
	}
	return egress
}

// limitEntries say the thresholds in cells: at least X_off bytes are so many cells, rounded up, at
// most X_on bytes so many, rounded down.
func (b *portfcBuilder) limitEntries() (entries []ir.Entry) {
	for at := range b.network.N {
		link := b.full.Ports[at].Link
		for _, one := range []struct {
			class, queue int
			off, on      sluice.Ratio
		}{
			{countsIHFQ, 0, b.full.XOff, b.full.XOn},
			{countsDDQ, int(b.network.DDQ()), b.full.DirectXOff, b.full.DirectXOn},
		} {
			off := max(bytesOf(one.off, link), 1)
			on := min(bytesOf(one.on, link), off)
			arrive, most := b.tables.arrive, int(chip.Cells(int64(off)))
			leave, least := b.tables.leave, int(on/chip.CellBytes)
			if b.Depth == Ghost && one.class == countsDDQ {
				unit := int(b.Unit.Cells())
				arrive, most = b.tables.deep, (most+unit-1)/unit
				leave, least = b.tables.shallow, least/unit
			}
			entries = append(entries,
				exact(data(arrive, most, one.queue), kindData, one.class, at),
				exact(data(leave, least, one.queue), kindNotice, one.class, at))
		}
	}
	return entries
}

func (b *portfcBuilder) otherEntries() (entries []ir.Entry) {
	for at := range b.network.N {
		entries = append(entries, exact(data(b.tables.group, allPorts, at+1), at))
	}
	return entries
}

// wordEntries say which IHFQ of a port a frame of its node is about: that for the congested port of
// the node's other switch, whose DDQ is full.
func (b *portfcBuilder) wordEntries() (entries []ir.Entry) {
	layer, own := b.other()
	for at, port := range b.Ports[:b.network.N] {
		for congested := range b.network.N {
			if congested == own {
				continue
			}
			word := ir.Uint(uint64(chip.Resume(b.physical(port, ihfq(congested, own)))))
			entries = append(entries, exact(ir.Call{Action: b.tables.word, Data: []ir.Value{word}}, at,
				int(b.network.DDQ()), congested, layer))
		}
	}
	return entries
}

func (b *portfcBuilder) signalEntries() (entries []ir.Entry) {
	mac := ir.BytesValue(b.full.MAC[:])
	for at, port := range b.Ports[:b.network.N] {
		call := ir.Call{Action: b.tables.send, Data: []ir.Value{ir.Uint(uint64(at)), mac}}
		entries = append(entries, exact(call, int(port)))
	}
	return entries
}

// physical returns a port's queue.
func (b *portfcBuilder) physical(port chip.DevPort, qid int) chip.Queue {
	queue, err := b.Carving.Queue(port, qid)
	if err != nil {
		panic(err) // check has counted them
	}
	return queue
}

// allPorts is the multicast group of all ports, and its only node.
const allPorts = 1

// fixed fills the chip's tables: ports, carving, queues, mirrors, multicast, what goes round.
func (b *portfcBuilder) fixed() {
	type list = []ir.FixedDatum
	ports := b.Ports[:b.network.N]
	pipe := ports[0].Pipe()
	var all []uint64
	for at, port := range ports {
		speed := speeds[b.full.Ports[at].Link.Rate]
		b.add(ir.Ports, 0, "", list{datum("$DEV_PORT", int64(port))},
			list{{Field: "$SPEED", Value: speed.speed},
				{Field: "$FEC", Value: speed.fec}, {Field: "$PORT_ENABLE", Value: true}})
		all = append(all, uint64(port))
	}
	b.queues(pipe, ports)
	round, err := chip.Recirculation(pipe)
	if err != nil {
		panic(err) // the pipe of a port
	}
	for _, one := range []struct {
		session   int64
		direction string
	}{{signalSession, "INGRESS"}, {noticeSession, "EGRESS"}} {
		b.add(ir.MirrorSession, 0, "$normal", list{datum("$sid", one.session)}, list{
			{Field: "$direction", Value: one.direction}, {Field: "$session_enable", Value: true},
			datum("$ucast_egress_port", int64(round)), {Field: "$ucast_egress_port_valid", Value: true},
			datum("$max_pkt_len", clonedOctets)})
	}
	b.add(ir.MulticastNodes, 0, "", list{datum("$MULTICAST_NODE_ID", allPorts)}, list{
		datum("$MULTICAST_RID", allPorts), {Field: "$DEV_PORT", Value: all}})
	b.add(ir.MulticastGroups, 0, "", list{datum("$MGID", allPorts)},
		list{{Field: "$MULTICAST_NODE_ID", Value: []uint64{allPorts}}})
	for at, port := range ports {
		b.add(ir.MulticastPrune, 0, "", list{datum("$MULTICAST_L2_XID", int64(at+1))},
			list{{Field: "$DEV_PORT", Value: []uint64{uint64(port)}}})
	}
	b.add(ir.GeneratorPort, 0, "", list{datum("dev_port", int64(round))},
		list{{Field: "recirculation_enable", Value: true}})
	if b.Depth == Ghost {
		b.add(ir.PipeConfig, pipe, "", nil, list{{Field: "queue_depth_report_mode", Value: "ANY"}})
	}
	b.add(ir.PipeScheduling, pipe, "", nil, list{{Field: "advanced_flow_control_enable", Value: true}})
}

// queues fills the carving, and what the scheduler is to know of each queue: IHFQs obey words and
// may fill the buffer, HQ goes first.
func (b *portfcBuilder) queues(pipe int, ports []chip.DevPort) {
	type list = []ir.FixedDatum
	var counts []uint64
	for _, count := range b.Carving.Counts() {
		counts = append(counts, uint64(count))
	}
	for group := range chip.Groups {
		if slices.ContainsFunc(ports, func(p chip.DevPort) bool { return p.Group() == group }) {
			b.add(ir.PortGroup, pipe, "seq", list{datum("pg_id", int64(group))},
				list{{Field: "port_queue_count", Value: counts}})
		}
	}
	for _, port := range ports {
		for qid := range b.hq() + 1 {
			queue := b.physical(port, qid)
			key := list{datum("pg_id", int64(queue.Group())), datum("pg_queue", int64(queue.Number()))}
			scheduling := list{{Field: "max_priority", Value: "1"}, {Field: "min_priority", Value: "1"},
				datum("dwrr_weight", 1)}
			switch {
			case qid == b.hq():
				scheduling = list{{Field: "max_priority", Value: "7"}, {Field: "min_priority", Value: "7"}}
			case qid < int(b.network.DDQ()):
				scheduling = append(list{{Field: "advanced_flow_control", Value: "XOFF"}}, scheduling...)
			}
			b.add(ir.QueueScheduling, pipe, "", key, scheduling)
			if b.Depth == Ghost && qid == int(b.network.DDQ()) {
				b.add(ir.QueueConfig, pipe, "", key, list{{Field: "depth_report_enable", Value: true}})
			}
			if qid != b.hq() {
				b.add(ir.QueueBuffer, pipe, "shared_pool", key, list{{Field: "pool_id", Value: "EG_APP_POOL_0"},
					datum("pool_max_cells", chip.BufferCells), {Field: "dynamic_baf", Value: "DISABLE"}})
			}
		}
	}
}
