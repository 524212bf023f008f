package tofino

import (
	"slices"
	"strconv"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// entries fill the program.
func (b *ofcBuilder) entries() {
	b.filled = &ir.Config{}
	t := &b.tables
	b.fill(t.ingress, b.each(func(at int) (ir.Call, int) {
		return data(t.from, at, at), int(b.Ports[at])
	}))
	b.fill(t.route, b.routeEntries())
	b.fill(t.cells, cellEntries(t.count, b.mostCells(), FrameOverhead))
	b.fill(t.class, b.classEntries())
	b.fill(t.limits, b.each(func(at int) (ir.Call, int) { return b.limit(at), at }))
	b.fill(t.afc, b.wordEntries())
	if t.depth != nil {
		b.fill(t.depth, b.depthEntries())
	}
	mac := ir.BytesValue(b.full.MAC[:])
	b.fill(t.signals, b.each(func(at int) (ir.Call, int) {
		return ir.Call{Action: t.send, Data: []ir.Value{ir.Uint(uint64(at)), mac}}, int(b.Ports[at])
	}))
	b.fixed()
}

// each are entries of a table with one for each port.
func (b *ofcBuilder) each(entry func(at int) (call ir.Call, key int)) (entries []ir.Entry) {
	for at := range b.Ports {
		call, key := entry(at)
		entries = append(entries, exact(call, key))
	}
	return entries
}

func (b *ofcBuilder) routeEntries() (entries []ir.Entry) {
	for _, route := range b.Routes {
		octets := route.To.Addr().As4()
		to := int(route.Port)
		entries = append(entries, ir.Entry{
			Keys: []ir.KeyValue{ir.PrefixKey(ir.BytesValue(octets[:]), route.To.Bits())},
			Call: data(b.tables.out, int(b.Ports[to]), to)})
	}
	return entries
}

func (b *ofcBuilder) classEntries() (entries []ir.Entry) {
	for class := range sluice.Class(sluice.Classes) {
		action := b.tables.plain
		if b.full.Classes.Has(class) {
			action = b.tables.kept
		}
		entries = append(entries, exact(data(action, b.queueOf(class, 0)), int(class)))
	}
	return entries
}

// limit says the thresholds of an ingress in cells: one less than those that are at least X^c_OFF,
// and X_OFF; one more than those that are at most X_ON.
func (b *ofcBuilder) limit(at int) ir.Call {
	p := &b.full.Ports[at]
	cells := func(bytes sluice.Bytes) int { return int(chip.Cells(int64(bytes))) }
	long := cells(p.XOffCongested) - 1
	if b.Depth == Ghost {
		least, _ := b.Unit.Round(chip.Above, int64(long))
		units, _ := b.Unit.Limit(chip.Above, least)
		long = int(units)
	}
	return data(b.tables.limit, cells(p.XOffCongested)-1, cells(p.XOff)-1,
		int(p.XOn/chip.CellBytes)+1, long)
}

func (b *ofcBuilder) wordEntries() (entries []ir.Entry) {
	for at, port := range b.Ports {
		for class := range sluice.Class(sluice.Classes) {
			for q := range b.queuesOf(class) {
				if b.queuesOf(class) == 1 {
					break // no frame holds it
				}
				// A word has 32 bits, and an int may have no more.
				word := ir.Uint(uint64(chip.Resume(b.physical(port, b.queueOf(class, q)))))
				entries = append(entries, exact(ir.Call{Action: b.tables.word, Data: []ir.Value{word}}, at,
					int(class), q))
			}
		}
	}
	return entries
}

func (b *ofcBuilder) depthEntries() (entries []ir.Entry) {
	for at, port := range b.Ports {
		for class := range sluice.Class(sluice.Classes) {
			for q := range b.queuesOf(class) {
				queue := b.physical(port, b.queueOf(class, q))
				entries = append(entries, exact(data(b.tables.report[q], at*sluice.Classes+int(class)),
					queue.Pipe(), queue.Ghost()))
			}
		}
	}
	return entries
}

// queuesOf returns how many queues a class has, queueOf the number of one of them, signals that of
// the queue of signals: a class that is not under OFC has one queue.
func (b *ofcBuilder) queuesOf(class sluice.Class) int {
	if b.full.Classes.Has(class) {
		return ofc.QueuesPerClass
	}
	return 1
}

func (b *ofcBuilder) queueOf(class sluice.Class, q int) int {
	for below := range class {
		q += b.queuesOf(below)
	}
	return q
}

func (b *ofcBuilder) signals() int { return b.queueOf(sluice.Classes, 0) }

// physical returns a queue of a port, which check has found to be there.
func (b *ofcBuilder) physical(port chip.DevPort, qid int) chip.Queue {
	queue, err := b.Carving.Queue(port, qid)
	if err != nil {
		panic(err)
	}
	return queue
}

// StartApp is the application of the packet generator that holds all backup queues as the program
// begins: a batch for each port, a packet for each backup queue of each class.
const StartApp = 1

// startPackets is how many packets a batch of it has.
const startPackets = 2 * sluice.Classes

// fixed fills the chip's tables: ports, carving, queues, mirrors, what goes round, the generator.
func (b *ofcBuilder) fixed() {
	type list = []ir.FixedDatum
	pipe := b.Ports[0].Pipe()
	for at, port := range b.Ports {
		speed := speeds[b.full.Ports[at].Link.Rate]
		b.add(ir.Ports, 0, "", list{datum("$DEV_PORT", int64(port))}, list{
			{Field: "$SPEED", Value: speed.speed}, {Field: "$FEC", Value: speed.fec},
			{Field: "$PORT_ENABLE", Value: true}})
	}
	b.queues(pipe)
	round, err := chip.Recirculation(pipe)
	if err != nil {
		panic(err) // the pipe of a port
	}
	b.add(ir.MirrorSession, 0, "$normal", list{datum("$sid", signalSession)}, list{
		{Field: "$direction", Value: "INGRESS"}, {Field: "$session_enable", Value: true},
		datum("$max_pkt_len", clonedOctets)})
	for _, one := range []struct {
		session   int64
		direction string
		octets    int64
	}{
		{noticeSession, "EGRESS", noticeOctets}, {roundSession, "INGRESS", clonedOctets},
		{movedSession, "EGRESS", mostMoved + 14},
	} {
		b.add(ir.MirrorSession, 0, "$normal", list{datum("$sid", one.session)}, list{
			{Field: "$direction", Value: one.direction}, {Field: "$session_enable", Value: true},
			datum("$ucast_egress_port", int64(round)), {Field: "$ucast_egress_port_valid", Value: true},
			datum("$max_pkt_len", one.octets)})
	}
	b.add(ir.GeneratorPort, 0, "", list{datum("dev_port", int64(round))},
		list{{Field: "recirculation_enable", Value: true}, {Field: "pktgen_enable", Value: true}})
	b.add(ir.GeneratorApp, pipe, "trigger_timer_one_shot", list{datum("app_id", StartApp)}, list{
		{Field: "app_enable", Value: true}, datum("timer_nanosec", 1000), datum("pkt_len", noticeOctets),
		datum("pkt_buffer_offset", 0), datum("pipe_local_source_port", recirculationChannel),
		datum("batch_count_cfg", int64(len(b.Ports)-1)),
		datum("packets_per_batch_cfg", startPackets-1)})
	if b.Depth == Ghost {
		b.add(ir.PipeConfig, pipe, "", nil, list{{Field: "queue_depth_report_mode", Value: "ANY"}})
	}
	b.add(ir.PipeScheduling, pipe, "", nil, list{{Field: "advanced_flow_control_enable", Value: true}})
}

// queues fills the carving, and what the scheduler is to know of each queue: data queues obey words
// and may fill the buffer. Classes go by strict priority, or take turns if there is a quantum.
func (b *ofcBuilder) queues(pipe int) {
	type list = []ir.FixedDatum
	var counts []uint64
	for _, count := range b.Carving.Counts() {
		counts = append(counts, uint64(count))
	}
	for group := range chip.Groups {
		if slices.ContainsFunc(b.Ports, func(p chip.DevPort) bool { return p.Group() == group }) {
			b.add(ir.PortGroup, pipe, "seq", list{datum("pg_id", int64(group))},
				list{{Field: "port_queue_count", Value: counts}})
		}
	}
	for _, port := range b.Ports {
		for class := range sluice.Class(sluice.Classes) {
			for q := range b.queuesOf(class) {
				b.queue(port, class, b.queueOf(class, q))
			}
		}
		signals := b.physical(port, b.signals())
		b.add(ir.QueueScheduling, pipe, "", list{datum("pg_id", int64(signals.Group())),
			datum("pg_queue", int64(signals.Number()))}, list{{Field: "max_priority", Value: "7"},
			{Field: "min_priority", Value: "7"}})
	}
}

// queue fills what the scheduler is to know of a queue of data.
func (b *ofcBuilder) queue(port chip.DevPort, class sluice.Class, qid int) {
	type list = []ir.FixedDatum
	queue := b.physical(port, qid)
	key := list{datum("pg_id", int64(queue.Group())), datum("pg_queue", int64(queue.Number()))}
	priority := strconv.Itoa(int(max(class, 1) - 1)) // 7 is for signals alone
	if b.full.Quantum > 0 {
		priority = "1"
	}
	scheduling := list{{Field: "max_priority", Value: priority},
		{Field: "min_priority", Value: priority}, datum("dwrr_weight", 1)}
	if b.full.Classes.Has(class) {
		scheduling = append(list{{Field: "advanced_flow_control", Value: "XOFF"}}, scheduling...)
	}
	b.add(ir.QueueScheduling, queue.Pipe(), "", key, scheduling)
	b.add(ir.QueueBuffer, queue.Pipe(), "shared_pool", key, list{
		{Field: "pool_id", Value: "EG_APP_POOL_0"}, datum("pool_max_cells", chip.BufferCells),
		{Field: "dynamic_baf", Value: "DISABLE"}})
	if b.Depth == Ghost {
		b.add(ir.QueueConfig, queue.Pipe(), "", key, list{{Field: "depth_report_enable", Value: true}})
	}
}
