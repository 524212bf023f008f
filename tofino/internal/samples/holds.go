package samples

import (
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// Queues that a port of [Holds] has: the last is for signals and never held.
const (
	Queues      = 16
	SignalQueue = Queues - 1
)

// HoldPorts are the front ports of [Holds], in two pipes.
var HoldPorts = []chip.DevPort{8, 9, 136, 137}

// field is a field of a header or of metadata.
func field(name string, bits int) *ir.Field { return &ir.Field{Name: name, Bits: bits} }

// holds builds the program of [Holds].
type holds struct {
	*ir.Program
	cfg *ir.Config

	ethernet, signal, listed, ip, notice *ir.Header
	base, depth, slot, fresh, now        *ir.Field
	egressPort, session                  *ir.Field
	ghostSlot                            *ir.Field

	depths, flows, told *ir.Register
}

// Holds returns a program that holds queues as frames of BFC tell it, with its configuration: keys
// of every kind, registers of every kind, one shared with ghost, mirrors of both gresses, multicast
// and words of flow control.
func Holds() (*ir.Program, *ir.Config) {
	h := &holds{Program: &ir.Program{Name: "holds"}, cfg: &ir.Config{}}
	h.headers()
	h.registers()
	h.ingress()
	h.egress()
	h.ghost()
	h.parsers()
	h.fixed()
	return h.Program, h.cfg
}

func (h *holds) headers() {
	h.ethernet = &ir.Header{Name: "ethernet", Fields: []*ir.Field{field("destination", 48),
		field("source", 48), field("kind", 16)}}
	h.ip = &ir.Header{Name: "ip", Fields: []*ir.Field{field("version", 8), field("service", 8),
		field("length", 16), field("number", 16), field("fragment", 16), field("hops", 8),
		field("protocol", 8), field("checksum", 16), field("src", 32), field("dst", 32)}}
	h.signal = &ir.Header{Name: "signal",
		Fields: []*ir.Field{field("protocol", 8), field("version", 8),
			field("kind", 8), field("flags", 8), field("length", 16), field("sequence", 32)}}
	h.listed = &ir.Header{Name: "listed", Fields: []*ir.Field{field("count", 16), field("queue", 16)}}
	h.notice = &ir.Header{Name: "notice", Fields: []*ir.Field{field("zero", 7), field("port", 9)}}
	h.Headers = []*ir.Header{h.notice, h.ethernet, h.signal, h.listed, h.ip}
	h.base, h.depth = field("base", 32), field("depth", 32)
	h.slot, h.fresh, h.now = field("slot", 9), field("fresh", 1), field("now", 32)
	h.session = field("mirror_session", 8)
	h.Metadata[ir.Ingress] = []*ir.Field{h.base, h.depth, h.slot, h.fresh, h.now}
	h.egressPort = field("port", 9)
	h.Metadata[ir.Egress] = []*ir.Field{h.session, h.egressPort}
	h.ghostSlot = field("slot", 6)
	h.Metadata[ir.Ghost] = []*ir.Field{h.ghostSlot}
	h.Functions = []*ir.HashFunction{{
		Name: "crc16", Kind: ir.CRC, Bits: 16, Polynomial: 0x8005, Reflected: true,
	},
		{Name: "whole", Kind: ir.Identity, Bits: 9}, {Name: "folded", Kind: ir.Fold, Bits: 16}}
	h.Mirrors = []ir.MirrorKind{{Type: 1, Gress: ir.Egress, Session: h.session, Before: h.notice}}
}

func (h *holds) registers() {
	memory, input := ir.Sum{Memory: ir.Low}, ir.Sum{Input: 1}
	h.depths = &ir.Register{Name: "depths", Bits: 32, Size: 64, Shared: true,
		Actions: []*ir.RegisterAction{
			{Name: "report", Updates: []ir.Update{{When: ir.Always, To: ir.Low, Sum: input}}},
			{Name: "look", Outputs: []ir.Output{{When: ir.Always, Sum: memory}}}}}
	idle := ir.Predicate{Sum: ir.Sum{Memory: ir.High}, Op: ir.Equal}
	old := ir.Predicate{Sum: ir.Sum{Memory: ir.Low, Input: 1, Minus: true, Constant: 100}, Op: ir.Less}
	h.flows = &ir.Register{Name: "flows", Bits: 32, Pair: true, Size: 512, Initial: [2]uint32{1, 0},
		Actions: []*ir.RegisterAction{{Name: "arrive", Predicates: []ir.Predicate{idle, old},
			Updates: []ir.Update{
				{When: ir.Always, To: ir.High, Sum: ir.Sum{Memory: ir.High, Constant: 1}, Saturated: true},
				{When: ir.First & ir.Second, To: ir.Low, Sum: input}},
			Outputs: []ir.Output{{When: ir.First & ir.Second, Sum: ir.Sum{Constant: 1}},
				{When: ir.First ^ ir.Second, Sum: ir.Sum{Memory: ir.High}, After: true}}}}}
	one := ir.Update{When: ir.Always, To: ir.Low, Sum: ir.Sum{Constant: 1}}
	h.told = &ir.Register{Name: "told", Bits: 1, Size: 512, Gress: ir.Egress,
		Actions: []*ir.RegisterAction{{Name: "claim", Updates: []ir.Update{one}}}}
	h.Registers = []*ir.Register{h.depths, h.flows, h.told}
}

// action declares an action of the program.
func (h *holds) action(name string, params []*ir.Param, body ...ir.Statement) *ir.Action {
	a := &ir.Action{Name: name, Params: params, Body: body}
	h.Actions = append(h.Actions, a)
	return a
}

// table declares a table with its entries.
func (h *holds) table(t *ir.Table, entries ...ir.Entry) *ir.Table {
	h.Tables = append(h.Tables, t)
	h.cfg.Tables = append(h.cfg.Tables, ir.TableConfig{Table: t, Entries: entries})
	return t
}

func set(to *ir.Field, value ir.Expr) ir.Statement { return ir.Assign{To: to, Value: value} }

// is is the condition that a field has a value.
func is(f *ir.Field, value uint64) ir.Expr {
	return ir.Compare{X: f, Y: ir.Number(f.Bits, value)}
}

// call is an action with data.
func call(a *ir.Action, data ...uint64) ir.Call {
	c := ir.Call{Action: a}
	for _, datum := range data {
		c.Data = append(c.Data, ir.Uint(datum))
	}
	return c
}

func (h *holds) ingress() {
	word := &ir.Param{Name: "word", Bits: 32}
	nothing := h.action("nothing", nil)
	base := h.action("base_word", []*ir.Param{word}, set(h.base, word))
	hold := h.action("hold", nil, ir.Flow{Word: ir.Binary{X: h.base, Y: ir.Number(32, 1)}},
		set(ir.IngressDrop, ir.Number(3, 1)))
	release := h.action("release", nil, ir.Flow{Word: h.base}, set(ir.IngressDrop, ir.Number(3, 1)))
	afc := &ir.Table{Name: "afc", Source: "queues that frames name", Size: 64, Default: call(nothing),
		Actions: []*ir.Action{base, nothing}, Keys: []ir.Key{{Name: "port", X: ir.IngressPort},
			{Name: "qid", X: ir.Slice{X: h.listed.Fields[1], High: 6}}}}
	var words []ir.Entry
	for _, port := range HoldPorts {
		for qid := range SignalQueue {
			queue, _ := chip.DefaultCarving().Queue(port, qid)
			words = append(words,
				ir.Entry{Keys: []ir.KeyValue{ir.ExactKey(uint64(port)), ir.ExactKey(uint64(qid))},
					Call: call(base, uint64(chip.Resume(queue)))})
		}
	}
	h.table(afc, words...)

	port, qid := &ir.Param{Name: "port", Bits: 9}, &ir.Param{Name: "qid", Bits: 7}
	group := &ir.Param{Name: "group", Bits: 16}
	out := h.action("forward", []*ir.Param{port, qid}, set(ir.EgressSpec, port),
		set(ir.QueueSpec, qid),
		set(h.slot, ir.Hash{Function: h.Functions[1], Fields: []ir.Expr{
			ir.Slice{X: h.ip.Fields[9], High: 7}, ir.Number(1, 0)}}),
		set(h.now, ir.Slice{X: ir.IngressTime, High: 31}))
	everywhere := h.action("everywhere", []*ir.Param{group}, set(ir.MulticastGroup, group),
		set(ir.ExcludedPort, ir.IngressPort))
	route := h.table(&ir.Table{Name: "route", Source: "addresses", Size: 16, Default: call(nothing),
		Actions: []*ir.Action{out, everywhere, nothing},
		Keys:    []ir.Key{{Name: "dst", X: h.ip.Fields[9], Kind: ir.Prefix}}},
		ir.Entry{Keys: []ir.KeyValue{ir.PrefixKey(ir.Uint(0x0A000000), 8)}, Call: call(out, 8, 3)},
		ir.Entry{Keys: []ir.KeyValue{ir.PrefixKey(ir.Uint(0x0A010000), 16)}, Call: call(out, 137, 0)},
		ir.Entry{Keys: []ir.KeyValue{ir.PrefixKey(ir.Uint(0xE0000000), 4)}, Call: call(everywhere, 1)})

	arrive := h.action("arrive", nil, ir.Execute{Action: h.flows.Actions[0], Index: h.slot,
		Phv: [2]ir.Expr{h.now}, To: []*ir.Field{h.fresh, h.depth}})
	look := h.action("look", nil, ir.Execute{Action: h.depths.Actions[1],
		Index: ir.Slice{X: h.slot, High: 5}, To: []*ir.Field{h.depth}})
	drop := h.action("drop", nil, set(ir.IngressDrop, ir.Number(3, 1)))
	levels := h.table(&ir.Table{Name: "levels", Source: "what a full queue drops", Size: 8,
		Default: call(nothing), Actions: []*ir.Action{drop, nothing}, Keys: []ir.Key{
			{Name: "service", X: h.ip.Fields[1], Kind: ir.Ternary},
			{Name: "level", X: ir.Slice{X: h.depth, High: 17}, Kind: ir.Range}}},
		ir.Entry{
			Priority: 1, Call: call(nothing),
			Keys: []ir.KeyValue{ir.TernaryKey(0x20, 0xE0), ir.RangeKey(0, 9999)},
		},
		ir.Entry{
			Priority: 2, Call: call(drop),
			Keys: []ir.KeyValue{ir.TernaryKey(0, 0), ir.RangeKey(5000, 1<<18-1)},
		})

	kind := h.signal.Fields[2]
	h.Control[ir.Ingress] = []ir.Step{ir.If{Condition: ir.Valid{Header: h.signal},
		Then: []ir.Step{ir.Apply{Table: afc, Hit: []ir.Step{ir.If{Condition: is(kind, 1),
			Then: []ir.Step{ir.Do{Action: hold}}, Else: []ir.Step{ir.Do{Action: release}}}}}},
		Else: []ir.Step{ir.Apply{Table: route, After: []ir.Branch{{Action: out, Then: []ir.Step{
			ir.Do{Action: arrive},
			ir.If{Condition: ir.All{is(h.fresh, 0), ir.Compare{Op: ir.More, X: h.depth,
				Y: ir.Number(32, 7)}}, Then: []ir.Step{ir.Do{Action: look}, ir.Apply{Table: levels}}}}}}}}}}
}

func (h *holds) egress() {
	claim := h.action("claim", nil, ir.Execute{Action: h.told.Actions[0], Index: ir.EgressPort})
	digest := h.Functions[0]
	tell := h.action("tell", nil, set(ir.EgressMirror, ir.Number(4, 1)),
		set(h.session, ir.Number(8, 5)),
		set(h.notice.Fields[0], ir.Number(7, 0)), set(h.notice.Fields[1], ir.EgressPort),
		set(h.egressPort, ir.Slice{X: ir.Hash{
			Function: digest, Fields: []ir.Expr{h.ip.Fields[8], h.ip.Fields[9]},
		},
			High: 8}), ir.SetValid{Header: h.notice})
	nothing := h.action("quiet", nil)
	watched := h.table(&ir.Table{Name: "watched", Source: "ports whose departures are told", Size: 8,
		Default: call(nothing), Actions: []*ir.Action{tell, nothing},
		Keys: []ir.Key{{Name: "port", X: ir.EgressPort}}},
		ir.Entry{Keys: []ir.KeyValue{ir.ExactKey(8)}, Call: call(tell)})
	h.Control[ir.Egress] = []ir.Step{ir.Do{Action: claim}, ir.Apply{Table: watched}}
}

func (h *holds) ghost() {
	index := &ir.Param{Name: "index", Bits: 6}
	report := h.action("report", []*ir.Param{index},
		ir.Execute{Action: h.depths.Actions[0], Index: index,
			Phv: [2]ir.Expr{ir.GhostDepth}})
	ignore := h.action("ignore", nil)
	var entries []ir.Entry
	for at, port := range HoldPorts {
		for qid := range SignalQueue {
			queue, _ := chip.DefaultCarving().Queue(port, qid)
			entries = append(entries,
				ir.Entry{Call: call(report, uint64(at*Queues+qid)), Keys: []ir.KeyValue{
					ir.ExactKey(uint64(queue.Pipe())), ir.ExactKey(uint64(queue.Ghost()))}})
		}
	}
	depth := h.table(&ir.Table{Name: "depth", Source: "queues whose depth is told", Size: 64,
		Default: call(ignore), Actions: []*ir.Action{report, ignore}, Keys: []ir.Key{
			{Name: "pipe_id", X: ir.GhostPipe}, {Name: "qid", X: ir.GhostQueue}}}, entries...)
	h.Control[ir.Ghost] = []ir.Step{ir.Apply{Table: depth}}
}

func (h *holds) parsers() {
	listed := &ir.State{Name: "listed", Extract: []*ir.Header{h.listed}}
	signal := &ir.State{Name: "signal", Extract: []*ir.Header{h.signal}, Select: h.signal.Fields[0],
		Refuse: true, Cases: []ir.Case{{Value: ir.Uint(1), Mask: ir.Mask(8), Next: listed}}}
	packet := &ir.State{Name: "ip", Extract: []*ir.Header{h.ip}}
	start := &ir.State{Name: "ethernet", Extract: []*ir.Header{h.ethernet},
		Select: h.ethernet.Fields[2],
		Cases: []ir.Case{{Value: ir.Uint(0x88B5), Mask: ir.Mask(16), Next: signal},
			{Value: ir.Uint(0x0800), Mask: ir.Mask(16), Next: packet},
			{Value: ir.Uint(0x9000), Mask: ir.Uint(0xF000)}}}
	h.Parse[ir.Ingress] = &ir.State{Name: "start", Select: ir.Peek(8), Default: start,
		Cases: []ir.Case{
			{Value: ir.Uint(0xFF), Mask: ir.Mask(8)}}}
	h.Parse[ir.Egress] = start
}

// fixed fills the chip's tables.
func (h *holds) fixed() {
	add := func(t *ir.FixedTable, pipe int, action string, keys, data []ir.FixedDatum) {
		h.cfg.Fixed = append(
			h.cfg.Fixed, ir.FixedEntry{Table: t, Pipe: pipe, Action: action, Keys: keys, Data: data},
		)
	}
	type data = []ir.FixedDatum
	for _, port := range HoldPorts {
		add(ir.Ports, 0, "", data{{Field: "$DEV_PORT", Value: uint64(port)}}, data{
			{Field: "$SPEED", Value: "BF_SPEED_100G"}, {Field: "$FEC", Value: "BF_FEC_TYP_NONE"},
			{Field: "$PORT_ENABLE", Value: true}})
	}
	for pipe := range 2 {
		add(ir.PortGroup, pipe, "seq", data{{Field: "pg_id", Value: uint64(1)}}, data{
			{Field: "port_queue_count", Value: []uint64{16, 16, 16, 16, 16, 16, 16, 16}}})
		add(ir.PipeConfig, pipe, "", nil, data{{Field: "queue_depth_report_mode", Value: "ANY"}})
		add(ir.PipeScheduling, pipe, "", nil, data{{Field: "advanced_flow_control_enable", Value: true}})
	}
	for _, port := range HoldPorts {
		for qid := range Queues {
			queue, _ := chip.DefaultCarving().Queue(port, qid)
			key := data{
				{Field: "pg_id", Value: uint64(queue.Group())},
				{Field: "pg_queue", Value: uint64(queue.Number())},
			}
			if qid == SignalQueue {
				add(ir.QueueScheduling, queue.Pipe(), "", key, data{{Field: "max_priority", Value: "7"}})
				continue
			}
			add(ir.QueueScheduling, queue.Pipe(), "", key,
				data{{Field: "advanced_flow_control", Value: "XOFF"},
					{Field: "max_priority", Value: "1"}})
			add(ir.QueueConfig, queue.Pipe(), "", key, data{{Field: "depth_report_enable", Value: true}})
			add(ir.QueueBuffer, queue.Pipe(), "shared_pool", key,
				data{{Field: "pool_id", Value: "EG_APP_POOL_0"},
					{Field: "pool_max_cells", Value: uint64(4096)}, {Field: "dynamic_baf", Value: "DISABLE"}})
		}
	}
	add(ir.MirrorSession, 0, "$normal", data{{Field: "$sid", Value: uint64(5)}}, data{
		{Field: "$direction", Value: "EGRESS"}, {Field: "$session_enable", Value: true},
		{Field: "$ucast_egress_port", Value: uint64(6)}, {Field: "$ucast_egress_port_valid", Value: true},
		{Field: "$max_pkt_len", Value: uint64(64)}})
	add(ir.MulticastNodes, 0, "", data{{Field: "$MULTICAST_NODE_ID", Value: uint64(1)}}, data{
		{Field: "$MULTICAST_RID", Value: uint64(1)}, {Field: "$MULTICAST_LAG_ID", Value: []uint64{}},
		{Field: "$DEV_PORT", Value: []uint64{8, 9, 136, 137}}})
	add(ir.MulticastGroups, 0, "", data{{Field: "$MGID", Value: uint64(1)}}, data{
		{Field: "$MULTICAST_NODE_ID", Value: []uint64{1}}})
	for _, pipe := range []uint64{6, 134} {
		add(ir.GeneratorPort, 0, "", data{{Field: "dev_port", Value: pipe}}, data{
			{Field: "recirculation_enable", Value: true}})
	}
	h.cfg.Registers = []ir.RegisterEntry{{
		Register: h.flows, Pipe: -1, Index: 0, Value: [2]uint32{7, 0},
	},
		{Register: h.told, Pipe: 1, Index: 137, Value: [2]uint32{1, 0}}}
}
