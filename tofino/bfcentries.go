package tofino

import (
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// entries fills tables, stacks and the chip's own tables.
func (b *bfcBuilder) entries() {
	b.filled = &ir.Config{}
	t := &b.tables
	b.fill(t.ingress, b.ingressEntries())
	b.fill(t.route, b.routeEntries())
	b.fill(t.cells, cellEntries(b.tables.count, b.mostCells(), Overhead))
	thresholds := b.thresholdEntries()
	t.threshold.Size = len(thresholds)
	b.fill(t.threshold, thresholds)
	if t.withhold != nil {
		entries := b.withheldEntries()
		t.withhold.Size = len(entries)
		b.fill(t.withhold, entries)
	}
	b.fill(t.afc, b.wordEntries())
	b.fill(t.signals, b.signalEntries())
	if t.depth != nil {
		b.fill(t.depth, b.depthEntries())
	}
	b.stacks()
	b.fixed()
}

// exact is an entry of exact keys.
func exact(call ir.Call, keys ...int) ir.Entry {
	e := ir.Entry{Call: call}
	for _, key := range keys {
		e.Keys = append(e.Keys, ir.ExactKey(uint64(key)))
	}
	return e
}

// ingressClass returns the first port whose HRTT is that of a port, egressClass the first of its
// rate: thresholds are the same for all of a class.
func (b *bfcBuilder) ingressClass(at int) int {
	for other := range b.full.Ports {
		if b.full.Ports[other].HRTT == b.full.Ports[at].HRTT {
			return other
		}
	}
	return at
}

func (b *bfcBuilder) egressClass(at int) int {
	for other := range b.full.Ports {
		if b.full.Ports[other].Link.Rate == b.full.Ports[at].Link.Rate {
			return other
		}
	}
	return at
}

func (b *bfcBuilder) ingressEntries() (entries []ir.Entry) {
	for at := range b.full.Ports {
		entries = append(entries, exact(data(b.tables.from, at, b.ingressClass(at), int(b.sticky(at)),
			b.full.Ports[at].UpstreamQueues), int(b.Ports[at])))
	}
	return entries
}

// sticky returns the sticky time of packets by a port in ticks of the chip's clock.
func (b *bfcBuilder) sticky(at int) sluice.Time { return stickyTime(&b.full, at) / tick }

func (b *bfcBuilder) routeEntries() (entries []ir.Entry) {
	for _, route := range b.Routes {
		octets := route.To.Addr().As4()
		to := int(route.Port)
		entries = append(entries, ir.Entry{
			Keys: []ir.KeyValue{ir.PrefixKey(ir.BytesValue(octets[:]), route.To.Bits())},
			Call: data(b.tables.out, int(b.Ports[to]), to, b.egressClass(to))})
	}
	return entries
}

// cellEntries say how many cells IP packets of each length take, up to so many, with what Ethernet
// adds to them.
func cellEntries(takes *ir.Action, longest, overhead int) (entries []ir.Entry) {
	for cells := 1; cells <= longest; cells++ {
		least, most := (cells-1)*chip.CellBytes-overhead+1, cells*chip.CellBytes-overhead
		entries = append(entries, ir.Entry{Call: data(takes, cells), Priority: cells,
			Keys: []ir.KeyValue{ir.RangeKey(uint64(max(least, 0)), uint64(min(most, 1<<16-1)))}})
	}
	return entries
}

// thresholdEntries say, for each class of ingress, class of egress, and number of active queues,
// how many cells a queue may have.
func (b *bfcBuilder) thresholdEntries() (entries []ir.Entry) {
	for in := range b.full.Ports {
		for out := range b.full.Ports {
			if b.ingressClass(in) != in || b.egressClass(out) != out {
				continue
			}
			for active := range b.full.Queues + 1 {
				entries = append(entries, exact(data(b.tables.limit, int(b.limit(in, out, active))), in, out,
					active))
			}
		}
	}
	return entries
}

// limit returns the threshold in cells, above which a queue pauses, or in ghost's units. Packets
// are whole cells, so that more bytes than the threshold are more cells than those that it holds.
func (b *bfcBuilder) limit(in, out, active int) int64 {
	bytes := b.machine.Threshold(sluice.PortID(in), sluice.PortID(out), active)
	cells := int64(bytes) / chip.CellBytes
	if b.Depth == Ghost {
		down, _ := b.Unit.Round(chip.Above, cells)
		cells, _ = b.Unit.Limit(chip.Above, down)
	}
	return min(cells, 1<<limitBits-1)
}

func (b *bfcBuilder) withheldEntries() (entries []ir.Entry) {
	for at, pair := range b.full.Withhold {
		if !slices.Contains(b.full.Withhold[:at], pair) {
			entries = append(entries, exact(data(b.tables.except), int(pair.Ingress), int(pair.Egress)))
		}
	}
	return entries
}

// physical returns a queue of a port, which check has found to be there.
func (b *bfcBuilder) physical(port chip.DevPort, qid int) chip.Queue {
	queue, err := b.Carving.Queue(port, qid)
	if err != nil {
		panic(err)
	}
	return queue
}

func (b *bfcBuilder) wordEntries() (entries []ir.Entry) {
	for _, port := range b.Ports {
		for qid := range b.full.Queues {
			word := chip.Resume(b.physical(port, qid))
			// A word has 32 bits, and an int may have no more.
			call := ir.Call{Action: b.tables.word, Data: []ir.Value{ir.Uint(uint64(word))}}
			entries = append(entries, exact(call, int(port), qid))
		}
	}
	return entries
}

func (b *bfcBuilder) signalEntries() (entries []ir.Entry) {
	mac := ir.BytesValue(b.full.MAC[:])
	for at, port := range b.Ports {
		call := ir.Call{Action: b.tables.send, Data: []ir.Value{ir.Uint(uint64(at)), mac}}
		entries = append(entries, exact(call, int(port)))
	}
	return entries
}

func (b *bfcBuilder) depthEntries() (entries []ir.Entry) {
	for at, port := range b.Ports {
		for qid := range b.full.Queues {
			queue := b.physical(port, qid)
			entries = append(entries, exact(data(b.tables.report, at<<b.queueBits|qid), queue.Pipe(),
				queue.Ghost()))
		}
	}
	return entries
}

// stacks fills the stacks of free queues, queue 0 on top.
func (b *bfcBuilder) stacks() {
	for at := range b.full.Ports {
		for place := range b.full.Queues {
			b.filled.Registers = append(b.filled.Registers, ir.RegisterEntry{Register: b.registers.freeID,
				Pipe: -1, Index: at<<b.queueBits | place, Value: [2]uint32{uint32(b.full.Queues - 1 - place)}})
		}
	}
}

// fixed fills the chip's tables: ports, carving, queues, mirrors, what goes round.
func (b *bfcBuilder) fixed() {
	type list = []ir.FixedDatum
	pipe := b.Ports[0].Pipe()
	for at, port := range b.Ports {
		speed := speeds[b.full.Ports[at].Link.Rate]
		b.add(ir.Ports, 0, "", list{datum("$DEV_PORT", int64(port))}, list{
			{Field: "$SPEED", Value: speed.speed}, {Field: "$FEC", Value: speed.fec},
			{Field: "$PORT_ENABLE", Value: true}})
	}
	b.carvings(pipe)
	for _, port := range b.Ports {
		for qid := range b.full.Queues + 1 {
			b.queueEntries(port, qid)
		}
	}
	if b.Depth == Ghost {
		b.add(ir.PipeConfig, pipe, "", nil, list{{Field: "queue_depth_report_mode", Value: "ANY"}})
	}
	round, err := chip.Recirculation(pipe)
	if err != nil {
		panic(err) // the pipe of a port
	}
	b.add(ir.MirrorSession, 0, "$normal", list{datum("$sid", signalSession)}, list{
		{Field: "$direction", Value: "INGRESS"}, {Field: "$session_enable", Value: true},
		datum("$max_pkt_len", clonedOctets)})
	b.add(ir.MirrorSession, 0, "$normal", list{datum("$sid", noticeSession)}, list{
		{Field: "$direction", Value: "EGRESS"}, {Field: "$session_enable", Value: true},
		datum("$ucast_egress_port", int64(round)), {Field: "$ucast_egress_port_valid", Value: true},
		datum("$max_pkt_len", noticeOctets)})
	b.add(ir.GeneratorPort, 0, "", list{datum("dev_port", int64(round))},
		list{{Field: "recirculation_enable", Value: true}})
	b.add(ir.PipeScheduling, pipe, "", nil, list{{Field: "advanced_flow_control_enable", Value: true}})
}

// carvings fills the carving of the port groups in use.
func (b *bfcBuilder) carvings(pipe int) {
	var counts []uint64
	for _, count := range b.Carving.Counts() {
		counts = append(counts, uint64(count))
	}
	for group := range chip.Groups {
		used := slices.ContainsFunc(b.Ports, func(p chip.DevPort) bool { return p.Group() == group })
		if used {
			b.add(ir.PortGroup, pipe, "seq", []ir.FixedDatum{datum("pg_id", int64(group))},
				[]ir.FixedDatum{{Field: "port_queue_count", Value: counts}})
		}
	}
}

// queueEntries fills what the scheduler is to know of a queue. Data queues obey words and share
// what signals leave; a paused queue may fill the buffer, but no more than registers can count.
func (b *bfcBuilder) queueEntries(port chip.DevPort, qid int) {
	type list = []ir.FixedDatum
	queue := b.physical(port, qid)
	key := list{datum("pg_id", int64(queue.Group())), datum("pg_queue", int64(queue.Number()))}
	if qid == b.full.Queues {
		b.add(ir.QueueScheduling, queue.Pipe(), "", key, list{{Field: "max_priority", Value: "7"},
			{Field: "min_priority", Value: "7"}})
		return
	}
	b.add(ir.QueueScheduling, queue.Pipe(), "", key, list{
		{Field: "advanced_flow_control", Value: "XOFF"}, {Field: "max_priority", Value: "1"},
		{Field: "min_priority", Value: "1"}, datum("dwrr_weight", 1)})
	b.add(ir.QueueBuffer, queue.Pipe(), "shared_pool", key,
		list{{Field: "pool_id", Value: "EG_APP_POOL_0"},
			datum("pool_max_cells", never-1), {Field: "dynamic_baf", Value: "DISABLE"}})
	if b.Depth == Ghost {
		b.add(ir.QueueConfig, queue.Pipe(), "", key, list{{Field: "depth_report_enable", Value: true}})
	}
}
