package samples

import (
	"embed"

	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
	"github.com/sluicefc/sluice/tofino/p4"
)

// Queues that a port of [Holds] has: the last is for signals and never held.
const (
	Queues      = 16
	SignalQueue = Queues - 1
)

// HoldPorts are the front ports of [Holds], in two pipes.
var HoldPorts = []chip.DevPort{8, 9, 136, 137}

//go:embed holds.p4
var holds embed.FS

// Holds returns a program that holds queues as frames of BFC tell it, with its configuration: keys
// of every kind, registers of every kind, one shared with ghost, mirrors of both gresses, multicast
// and words of flow control.
func Holds() (*ir.Program, *ir.Config) {
	src, err := p4.Read(holds, "holds.p4", "holds")
	if err != nil {
		panic(err)
	}
	cfg := &ir.Config{Tables: tables(src), Registers: []ir.RegisterEntry{
		{Register: src.Register("flows"), Pipe: -1, Index: 0, Value: [2]uint32{7, 0}},
		{Register: src.Register("told"), Pipe: 1, Index: 137, Value: [2]uint32{1, 0}}}}
	fixed(cfg)
	return src.Program, cfg
}

// tables are the entries of the program's tables.
func tables(src *p4.Program) []ir.TableConfig {
	entry := func(priority int, action string, data []uint64, keys ...ir.KeyValue) ir.Entry {
		call := ir.Call{Action: src.Action(action)}
		for _, datum := range data {
			call.Data = append(call.Data, ir.Uint(datum))
		}
		return ir.Entry{Priority: priority, Call: call, Keys: keys}
	}
	var words, depths []ir.Entry
	for at, port := range HoldPorts {
		for qid := range SignalQueue {
			queue, _ := chip.DefaultCarving().Queue(port, qid)
			words = append(words, entry(0, "base_word", []uint64{uint64(chip.Resume(queue))},
				ir.ExactKey(uint64(port)), ir.ExactKey(uint64(qid))))
			depths = append(depths, entry(0, "report", []uint64{uint64(at*Queues + qid)},
				ir.ExactKey(uint64(queue.Pipe())), ir.ExactKey(uint64(queue.Ghost()))))
		}
	}
	return []ir.TableConfig{
		{Table: src.Table("afc"), Entries: words},
		{Table: src.Table("route"), Entries: []ir.Entry{
			entry(0, "forward", []uint64{8, 3}, ir.PrefixKey(ir.Uint(0x0A000000), 8)),
			entry(0, "forward", []uint64{137, 0}, ir.PrefixKey(ir.Uint(0x0A010000), 16)),
			entry(0, "everywhere", []uint64{1}, ir.PrefixKey(ir.Uint(0xE0000000), 4))}},
		{Table: src.Table("levels"), Entries: []ir.Entry{
			entry(1, "nothing", nil, ir.TernaryKey(0x20, 0xE0), ir.RangeKey(0, 9999)),
			entry(2, "drop", nil, ir.TernaryKey(0, 0), ir.RangeKey(5000, 1<<18-1))}},
		{Table: src.Table("watched"), Entries: []ir.Entry{entry(0, "tell", nil, ir.ExactKey(8))}},
		{Table: src.Table("depth"), Entries: depths},
	}
}

// data are fields of a fixed table with their values, one after the other.
func data(pairs ...any) (list []ir.FixedDatum) {
	for at := 0; at < len(pairs); at += 2 {
		value := pairs[at+1]
		if number, is := value.(int); is {
			value = uint64(number)
		}
		list = append(list, ir.FixedDatum{Field: pairs[at].(string), Value: value})
	}
	return list
}

// fixed fills the chip's tables.
func fixed(cfg *ir.Config) {
	add := func(t *ir.FixedTable, pipe int, action string, keys, values []ir.FixedDatum) {
		cfg.Fixed = append(cfg.Fixed,
			ir.FixedEntry{Table: t, Pipe: pipe, Action: action, Keys: keys, Data: values})
	}
	for _, port := range HoldPorts {
		add(ir.Ports, 0, "", data("$DEV_PORT", int(port)),
			data("$SPEED", "BF_SPEED_100G", "$FEC", "BF_FEC_TYP_NONE", "$PORT_ENABLE", true))
	}
	for pipe := range 2 {
		add(ir.PortGroup, pipe, "seq", data("pg_id", 1),
			data("port_queue_count", []uint64{16, 16, 16, 16, 16, 16, 16, 16}))
		add(ir.PipeConfig, pipe, "", nil, data("queue_depth_report_mode", "ANY"))
		add(ir.PipeScheduling, pipe, "", nil, data("advanced_flow_control_enable", true))
	}
	for _, port := range HoldPorts {
		for qid := range Queues {
			queue, _ := chip.DefaultCarving().Queue(port, qid)
			pipe, key := queue.Pipe(), data("pg_id", queue.Group(), "pg_queue", queue.Number())
			if qid == SignalQueue {
				add(ir.QueueScheduling, pipe, "", key, data("max_priority", "7"))
				continue
			}
			add(ir.QueueScheduling, pipe, "", key,
				data("advanced_flow_control", "XOFF", "max_priority", "1"))
			add(ir.QueueConfig, pipe, "", key, data("depth_report_enable", true))
			add(ir.QueueBuffer, pipe, "shared_pool", key,
				data("pool_id", "EG_APP_POOL_0", "pool_max_cells", 4096, "dynamic_baf", "DISABLE"))
		}
	}
	add(ir.MirrorSession, 0, "$normal", data("$sid", 5), data("$direction", "EGRESS",
		"$session_enable", true, "$ucast_egress_port", 6, "$ucast_egress_port_valid", true,
		"$max_pkt_len", 64))
	add(ir.MulticastNodes, 0, "", data("$MULTICAST_NODE_ID", 1), data("$MULTICAST_RID", 1,
		"$MULTICAST_LAG_ID", []uint64{}, "$DEV_PORT", []uint64{8, 9, 136, 137}))
	add(ir.MulticastGroups, 0, "", data("$MGID", 1), data("$MULTICAST_NODE_ID", []uint64{1}))
	for _, port := range []int{6, 134} {
		add(ir.GeneratorPort, 0, "", data("dev_port", port), data("recirculation_enable", true))
	}
}
