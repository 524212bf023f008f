package ir_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// counting is a small program that uses all of the representation. A packet says where it goes: a
// table finds its port, a register counts the packets that are between ingress and egress for that
// port. One that finds the limit reached holds the queue by a word of flow control. What leaves
// sends a notice round, which counts down and, at zero, releases the queue. Port 0x3FF means every
// port of a group but its own; ghost keeps the depth of each queue.
type counting struct {
	program *ir.Program

	to, mark, kind, of, port, qid, group, session, reached, emptied, index *ir.Field
	ethernet, label, notice                                                *ir.Header

	route, words              *ir.Table
	send, spread, hold, lost  *ir.Action
	up, down, told, countDown *ir.Action
	count, depth              *ir.Register
	plus, minus, overwrite    *ir.RegisterAction
}

// limit is how many packets may be under way to a port.
const limit = 2

func field(name string, bits int) *ir.Field { return &ir.Field{Name: name, Bits: bits} }

func newCounting() *counting {
	c := &counting{
		to: field("to", 12), mark: field("mark", 4),
		kind: field("kind", 4), of: field("port", 12),
		port: field("port", 9), qid: field("index", 16), group: field("group", 16),
		session: field("session", 8), reached: field("reached", 8), emptied: field("emptied", 8),
		index: field("index", 16),
	}
	c.ethernet = &ir.Header{Name: "ethernet", Fields: []*ir.Field{field("destination", 48),
		field("source", 48), field("type", 16)}}
	c.label = &ir.Header{Name: "label", Fields: []*ir.Field{c.to, c.mark}}
	c.notice = &ir.Header{Name: "notice", Fields: []*ir.Field{c.kind, c.of}}
	c.registers()
	c.actions()
	c.tables()
	c.assemble()
	return c
}

func (c *counting) registers() {
	// Up: one more; says whether the limit is passed.
	c.plus = &ir.RegisterAction{Name: "plus",
		Predicates: []ir.Predicate{{Sum: ir.Sum{Memory: ir.Low, Constant: -limit}, Op: ir.MoreOrEqual}},
		Updates: []ir.Update{{When: ir.Always, To: ir.Low, Sum: ir.Sum{Memory: ir.Low, Constant: 1},
			Saturated: true}},
		Outputs: []ir.Output{{When: ir.First, Sum: ir.Sum{Constant: 1}}},
	}
	// Down: one less; says whether none is left.
	c.minus = &ir.RegisterAction{Name: "minus",
		Predicates: []ir.Predicate{{Sum: ir.Sum{Memory: ir.Low, Constant: -1}, Op: ir.Equal}},
		Updates: []ir.Update{{When: ir.Always, To: ir.Low, Sum: ir.Sum{Memory: ir.Low, Constant: -1},
			Saturated: true}},
		Outputs: []ir.Output{{When: ir.First, Sum: ir.Sum{Constant: 1}}},
	}
	c.count = &ir.Register{Name: "count", Bits: 8, Size: 512, Gress: ir.Ingress,
		Actions: []*ir.RegisterAction{c.plus, c.minus}}
	c.overwrite = &ir.RegisterAction{Name: "overwrite",
		Updates: []ir.Update{{When: ir.Always, To: ir.Low, Sum: ir.Sum{Input: 1}}}}
	c.depth = &ir.Register{Name: "depth", Bits: 32, Size: 2048, Gress: ir.Ingress, Shared: true,
		Actions: []*ir.RegisterAction{c.overwrite}}
}

func (c *counting) actions() {
	port, group, word := &ir.Param{Name: "port", Bits: 9}, &ir.Param{Name: "group", Bits: 16},
		&ir.Param{Name: "word", Bits: 32}
	c.send = &ir.Action{Name: "send", Params: []*ir.Param{port}, Body: []ir.Statement{
		ir.Assign{To: ir.EgressSpec, Value: port},
		ir.Assign{To: ir.QueueSpec, Value: ir.Number(7, 3)},
		ir.Assign{To: c.index, Value: ir.Concat{ir.Number(7, 0), port}},
	}}
	c.spread = &ir.Action{Name: "spread", Params: []*ir.Param{group}, Body: []ir.Statement{
		ir.Assign{To: ir.MulticastGroup, Value: group},
		ir.Assign{To: ir.ExcludedPort, Value: ir.IngressPort},
	}}
	c.lost = &ir.Action{Name: "lost", Body: []ir.Statement{
		ir.Assign{To: ir.IngressDrop, Value: ir.Number(3, 1)}}}
	c.up = &ir.Action{Name: "up", Body: []ir.Statement{
		ir.Execute{Action: c.plus, Index: c.index, To: []*ir.Field{c.reached}}}}
	c.down = &ir.Action{Name: "down", Body: []ir.Statement{
		ir.Execute{Action: c.minus, Index: ir.Concat{ir.Number(4, 0), c.of}, To: []*ir.Field{c.emptied}},
		ir.Assign{To: c.index, Value: ir.Concat{ir.Number(4, 0), c.of}},
		ir.Assign{To: ir.IngressDrop, Value: ir.Number(3, 1)},
	}}
	// The word to hold is the table's and one more; to release it is the table's.
	c.hold = &ir.Action{Name: "hold", Params: []*ir.Param{word}, Body: []ir.Statement{
		ir.Flow{Word: ir.Binary{Op: ir.Add, X: word, Y: ir.Concat{ir.Number(24, 0), c.reached}}}}}
	c.told = &ir.Action{Name: "told", Body: []ir.Statement{
		ir.Assign{To: c.kind, Value: ir.Number(4, 1)},
		ir.Assign{To: c.of, Value: ir.Concat{ir.Number(3, 0), ir.EgressPort}},
		ir.Assign{To: ir.EgressMirror, Value: ir.Number(4, 1)},
		ir.Assign{To: c.session, Value: ir.Number(8, 7)},
	}}
	c.countDown = &ir.Action{Name: "report", Body: []ir.Statement{ir.Execute{Action: c.overwrite,
		Index: ir.Concat{ir.Number(5, 0), ir.GhostQueue}, Phv: [2]ir.Expr{ir.GhostDepth}}}}
}

func (c *counting) tables() {
	c.route = &ir.Table{Name: "route", Keys: []ir.Key{{Name: "to", X: c.to, Kind: ir.Exact}},
		Actions: []*ir.Action{c.send, c.spread, c.lost}, Default: ir.Call{Action: c.lost}, Size: 8}
	nothing := &ir.Action{Name: "nothing"}
	c.words = &ir.Table{Name: "words", Keys: []ir.Key{{Name: "index", X: c.index, Kind: ir.Exact}},
		Actions: []*ir.Action{c.hold, nothing}, Default: ir.Call{Action: nothing}, Size: 512}
	c.program = &ir.Program{Name: "counting", Tables: []*ir.Table{c.route, c.words},
		Actions: []*ir.Action{
			c.send, c.spread, c.lost, c.up, c.down, c.hold, c.told, c.countDown, nothing}}
}

func (c *counting) assemble() {
	p := c.program
	p.Headers = []*ir.Header{c.notice, c.ethernet, c.label}
	p.Metadata[ir.Ingress] = []*ir.Field{c.index, c.reached, c.emptied}
	p.Metadata[ir.Egress] = []*ir.Field{c.session}
	p.Registers = []*ir.Register{c.count, c.depth}
	p.Mirrors = []ir.MirrorKind{{Type: 1, Gress: ir.Egress, Session: c.session, Before: c.notice}}
	data := &ir.State{Name: "data", Extract: []*ir.Header{c.ethernet, c.label}}
	notices := &ir.State{Name: "notices", Extract: []*ir.Header{c.notice}}
	// A notice begins with 1. Every address here begins with 0; what begins otherwise is refused.
	start := &ir.State{Name: "start", Select: ir.Peek(4), Refuse: true, Cases: []ir.Case{
		{Value: ir.Uint(0), Mask: ir.Uint(0xF), Next: data},
		{Value: ir.Uint(1), Mask: ir.Uint(0xF), Next: notices}}}
	p.Parse[ir.Ingress], p.Parse[ir.Egress] = start, start
	p.Control[ir.Ingress] = []ir.Step{
		ir.If{Condition: ir.Valid{Header: c.notice},
			Then: []ir.Step{ir.Do{Action: c.down},
				ir.If{Condition: ir.Compare{Op: ir.Equal, X: c.emptied, Y: ir.Number(8, 1)},
					Then: []ir.Step{ir.Apply{Table: c.words}}}},
			Else: []ir.Step{ir.Apply{Table: c.route, After: []ir.Branch{{Action: c.send, Then: []ir.Step{
				ir.Do{Action: c.up},
				ir.If{Condition: ir.Compare{Op: ir.More, X: c.reached, Y: ir.Number(8, 0)},
					Then: []ir.Step{ir.Apply{Table: c.words}}},
			}}}}},
		},
	}
	p.Control[ir.Egress] = []ir.Step{ir.If{
		Condition: ir.Not{X: ir.Valid{Header: c.notice}}, Then: []ir.Step{ir.Do{Action: c.told}}}}
	p.Control[ir.Ghost] = []ir.Step{ir.Do{Action: c.countDown}}
}

// config fills the tables: addresses 1 to 3 are ports 8, 9 and 10 of pipe 0; 4 is all three.
func (c *counting) config(t *testing.T) *ir.Config {
	t.Helper()
	cfg := &ir.Config{}
	routes, words := ir.TableConfig{Table: c.route}, ir.TableConfig{Table: c.words}
	for at, port := range []chip.DevPort{8, 9, 10} {
		routes.Entries = append(routes.Entries, ir.Entry{Keys: []ir.KeyValue{ir.ExactKey(uint64(at + 1))},
			Call: ir.Call{Action: c.send, Data: []ir.Value{ir.Uint(uint64(port))}}})
		queue, err := chip.DefaultCarving().Queue(port, 3)
		require.NoError(t, err)
		words.Entries = append(words.Entries, ir.Entry{Keys: []ir.KeyValue{ir.ExactKey(uint64(port))},
			Call: ir.Call{Action: c.hold, Data: []ir.Value{ir.Uint(uint64(chip.Resume(queue)))}}})
	}
	routes.Entries = append(routes.Entries, ir.Entry{Keys: []ir.KeyValue{ir.ExactKey(4)},
		Call: ir.Call{Action: c.spread, Data: []ir.Value{ir.Uint(1)}}})
	cfg.Tables = []ir.TableConfig{routes, words}
	cfg.Fixed = []ir.FixedEntry{
		{Table: ir.MirrorSession, Action: "$normal", Keys: data("$sid", uint64(7)),
			Data: append(data("$direction", "EGRESS"), ir.FixedDatum{Field: "$session_enable", Value: true},
				ir.FixedDatum{Field: "$ucast_egress_port", Value: uint64(6)},
				ir.FixedDatum{Field: "$ucast_egress_port_valid", Value: true},
				ir.FixedDatum{Field: "$max_pkt_len", Value: uint64(4)})},
		{Table: ir.GeneratorPort, Keys: data("dev_port", uint64(6)),
			Data: data("recirculation_enable", true)},
		{Table: ir.MulticastNodes, Keys: data("$MULTICAST_NODE_ID", uint64(5)),
			Data: append(data("$MULTICAST_RID", uint64(77)),
				ir.FixedDatum{Field: "$DEV_PORT", Value: []uint64{8, 9, 10}})},
		{Table: ir.MulticastGroups, Keys: data("$MGID", uint64(1)),
			Data: data("$MULTICAST_NODE_ID", []uint64{5})},
		{Table: ir.MulticastPrune, Keys: data("$MULTICAST_L2_XID", uint64(8)),
			Data: data("$DEV_PORT", []uint64{8})},
	}
	return cfg
}

// data is one field with its value.
func data(field string, value any) []ir.FixedDatum {
	return []ir.FixedDatum{{Field: field, Value: value}}
}

// packet is one that goes to an address, with a payload of one octet.
func packet(to int, payload byte) []byte {
	return append(make([]byte, 14), byte(to>>4), byte(to<<4), payload)
}

// machine returns one that runs the program with its configuration.
func (c *counting) machine(t *testing.T) *ir.Machine {
	t.Helper()
	m, err := ir.NewMachine(c.program)
	require.NoError(t, err)
	require.NoError(t, m.Load(c.config(t)))
	return m
}
