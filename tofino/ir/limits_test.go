package ir_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// What is just within each limit is allowed.
func TestLimitsAreInclusive(t *testing.T) {
	changes := map[string]func(*counting){
		"a field of 128 bits": func(c *counting) {
			c.program.Metadata[ir.Egress] = append(c.program.Metadata[ir.Egress], field("wide", 128))
		},
		"a CRC of 8 bits and one of 32": func(c *counting) {
			c.program.Functions = []*ir.HashFunction{{Name: "h", Bits: 8}, {Name: "i", Bits: 32}}
		},
		"an identity of 128 bits": func(c *counting) {
			c.program.Functions = []*ir.HashFunction{{Name: "h", Kind: ir.Identity, Bits: 128}}
		},
		"the last mirror type": func(c *counting) { c.program.Mirrors[0].Type = 15 },
		"four actions of a register": func(c *counting) {
			c.count.Actions = append(
				c.count.Actions, &ir.RegisterAction{Name: "a"}, &ir.RegisterAction{Name: "b"},
			)
		},
		"four predicates": func(c *counting) { c.plus.Predicates = make([]ir.Predicate, 4) },
		"four outputs":    func(c *counting) { c.plus.Outputs = make([]ir.Output, 4) },
		"initial values of both halves": func(c *counting) {
			c.depth.Pair, c.depth.Initial = true, [2]uint32{1<<32 - 1, 1<<32 - 1}
		},
		"the largest initial value": func(c *counting) { c.count.Initial[0] = 255 },
		"constants from -8 to 7, and four others": func(c *counting) {
			for constant := int32(-10); constant < 10; constant++ {
				a := c.plus
				if constant%2 == 0 {
					a = c.minus
				}
				a.Predicates = append(a.Predicates[:0:0], ir.Predicate{Sum: ir.Sum{Constant: constant}})
				c.count.Actions = []*ir.RegisterAction{c.plus, c.minus}
			}
		},
		"a range of 20 bits": func(c *counting) {
			wide := field("wide", 20)
			c.program.Metadata[ir.Ingress] = append(c.program.Metadata[ir.Ingress], wide)
			c.words.Keys = append(c.words.Keys, ir.Key{Name: "wide", X: wide, Kind: ir.Range})
		},
		"a look at 32 bits": func(c *counting) {
			start := *c.program.Parse[ir.Ingress]
			start.Select, start.Cases = ir.Peek(32), nil
			c.program.Parse[ir.Ingress] = &start
		},
		"a whole slice": func(c *counting) {
			c.program.Actions = append(c.program.Actions, &ir.Action{Name: "whole", Body: []ir.Statement{
				ir.Assign{To: c.index, Value: ir.Slice{X: c.index, High: 15}}}})
		},
	}
	for name, change := range changes {
		c := newCounting()
		change(c)
		assert.NoError(t, c.program.Validate(), name)
	}
}

// What is just beyond is not: the other side of the limits above.
func TestJustBeyondTheLimits(t *testing.T) {
	changes := map[string]func(*counting){
		"ir: hash h: a CRC of 7 bits: must be 8 to 32": func(c *counting) {
			c.program.Functions = []*ir.HashFunction{{Name: "h", Bits: 7}}
		},
		"ir: hash h: a CRC of 33 bits: must be 8 to 32": func(c *counting) {
			c.program.Functions = []*ir.HashFunction{{Name: "h", Bits: 33}}
		},
		"ir: action added: parameter p has 129 bits": func(c *counting) {
			c.program.Actions = append(c.program.Actions,
				&ir.Action{Name: "added", Params: []*ir.Param{{Name: "p", Bits: 129}}})
		},
		"ir: action added: parameter p has 0 bits": func(c *counting) {
			c.program.Actions = append(c.program.Actions,
				&ir.Action{Name: "added", Params: []*ir.Param{{Name: "p"}}})
		},
		"ir: hash h: is of no family that the chip has": func(c *counting) {
			c.program.Functions = []*ir.HashFunction{{Name: "h", Kind: 9, Bits: 16}}
		},
		"ir: mirror of egress: type 0: must be 1 to 15": func(c *counting) {
			c.program.Mirrors[0].Type = 0
		},
		"ir: mirror of egress: type 1 twice": func(c *counting) {
			c.program.Mirrors = append(c.program.Mirrors, c.program.Mirrors[0])
		},
		"ir: mirror of ghost: only ingress and egress have mirrors\n" +
			"ir: mirror of ghost: field session is one of egress, not of ghost": func(c *counting) {
			c.program.Mirrors[0].Gress = ir.Ghost
		},
		"ir: ingress parser, state start: looks at 33 bits: must be 1 to 32": func(c *counting) {
			start := *c.program.Parse[ir.Ingress]
			start.Select, start.Cases = ir.Peek(33), nil
			c.program.Parse[ir.Ingress] = &start
		},
		"ir: ingress parser, state start: has cases and nothing to select by": func(c *counting) {
			start := *c.program.Parse[ir.Ingress]
			start.Select = nil
			c.program.Parse[ir.Ingress] = &start
		},
		"ir: register count: a pair of single bits": func(c *counting) {
			c.count.Bits, c.count.Pair = 1, true
		},
		"ir: table words: has two keys index": func(c *counting) {
			c.words.Keys = append(c.words.Keys, c.words.Keys[0])
		},
		"ir: table words: has no key: let the control run its action": func(c *counting) {
			c.words.Keys = nil
		},
		"ir: ingress: after table words branches on the action and on whether an entry matched": func(
			c *counting,
		) {
			c.program.Control[ir.Ingress] = []ir.Step{ir.Apply{Table: c.words,
				Hit: []ir.Step{ir.Do{Action: c.lost}}, After: []ir.Branch{{Action: c.hold}}}}
		},
	}
	for want, change := range changes {
		c := newCounting()
		change(c)
		assert.EqualError(t, c.program.Validate(), want)
	}
}

// A configuration is refused for what it says of pipes and of tables that are not there, and for
// nothing that follows from it.
func TestFaultsOfPipes(t *testing.T) {
	c := newCounting()
	for pipe, want := range map[int]string{
		-2: "ir: table tf2.tm.pipe.sched_cfg: pipe -2: must be 0 to 3, or -1 for all",
		4:  "ir: table tf2.tm.pipe.sched_cfg: pipe 4: must be 0 to 3, or -1 for all",
	} {
		cfg := &ir.Config{Fixed: []ir.FixedEntry{{Table: ir.PipeScheduling, Pipe: pipe,
			Data: data("advanced_flow_control_enable", true)}}}
		assert.EqualError(t, cfg.Validate(c.program), want)
	}
	for _, pipe := range []int{-1, 0, 3} {
		cfg := &ir.Config{Fixed: []ir.FixedEntry{{Table: ir.PipeScheduling, Pipe: pipe,
			Data: data("advanced_flow_control_enable", true)}},
			Registers: []ir.RegisterEntry{
				{Register: c.count, Pipe: pipe, Index: 511, Value: [2]uint32{255}},
			}}
		assert.NoError(t, cfg.Validate(c.program))
	}
	foreign := &ir.Config{Tables: []ir.TableConfig{{Table: &ir.Table{}, Entries: make([]ir.Entry, 3)}},
		Registers: []ir.RegisterEntry{{Register: &ir.Register{}, Index: 7}},
		Fixed:     []ir.FixedEntry{{Table: &ir.FixedTable{}, Pipe: 9, Keys: data("x", 1)}}}
	assert.EqualError(t, foreign.Validate(c.program),
		"ir: configuration: fills a table that is not the program's\n"+
			"ir: configuration: fills a register that is not the program's\n"+
			"ir: configuration: fills a table that is not the chip's")
}

// What a configuration lists in any order is found by priority and length.
func TestLoadPutsEntriesInOrder(t *testing.T) {
	x := field("x", 8)
	header := &ir.Header{Name: "octet", Fields: []*ir.Field{x}}
	port := &ir.Param{Name: "port", Bits: 9}
	send := &ir.Action{Name: "send", Params: []*ir.Param{port},
		Body: []ir.Statement{ir.Assign{To: ir.EgressSpec, Value: port}}}
	to := func(number uint64) ir.Call {
		return ir.Call{Action: send, Data: []ir.Value{ir.Uint(number)}}
	}
	for kind, entries := range map[ir.Match][]ir.Entry{
		ir.Ternary: {{Keys: []ir.KeyValue{ir.TernaryKey(0, 0)}, Priority: 9, Call: to(8)},
			{Keys: []ir.KeyValue{ir.TernaryKey(0x40, 0xC0)}, Priority: 1, Call: to(9)},
			{Keys: []ir.KeyValue{ir.TernaryKey(0x40, 0x40)}, Priority: 5, Call: to(10)}},
		ir.Prefix: {{Keys: []ir.KeyValue{ir.PrefixKey(ir.Uint(0), 0)}, Call: to(8)},
			{Keys: []ir.KeyValue{ir.PrefixKey(ir.Uint(0x40), 2)}, Call: to(9)},
			{Keys: []ir.KeyValue{ir.PrefixKey(ir.Uint(0xC0), 2)}, Call: to(10)}},
	} {
		table := &ir.Table{Name: "t", Keys: []ir.Key{{Name: "x", X: x, Kind: kind}}, Size: 4,
			Actions: []*ir.Action{send}, Default: to(11)}
		p := &ir.Program{Name: "p", Headers: []*ir.Header{header}, Actions: []*ir.Action{send},
			Tables: []*ir.Table{table}}
		p.Parse[ir.Ingress] = &ir.State{Name: "start", Extract: []*ir.Header{header}}
		p.Control[ir.Ingress] = []ir.Step{ir.Apply{Table: table}}
		m, err := ir.NewMachine(p)
		require.NoError(t, err)
		require.NoError(t, m.Load(&ir.Config{Tables: []ir.TableConfig{{Table: table, Entries: entries}}}))
		for octet, want := range map[byte]chip.DevPort{0x41: 9, 0xC1: 10, 0x01: 8} {
			assert.Equal(t, want, m.Receive(0, 8, []byte{octet}).Copies[0].Port, "%v, %#x", kind, octet)
		}
	}
}

// Egress reads where a packet is: port, queue, copy of a group, depth of its queue and length;
// time.
func TestWhatEgressIsGiven(t *testing.T) {
	names := []*ir.Field{ir.EgressPort, ir.EgressQueue, ir.ReplicaID, ir.QueueDepth, ir.PacketBytes,
		ir.EgressTime}
	out := &ir.Header{Name: "seen"}
	body := []ir.Statement{ir.SetValid{Header: out, Valid: true}}
	for _, given := range names {
		to := field("f"+string(rune('a'+len(out.Fields))), 48)
		out.Fields = append(out.Fields, to)
		var value ir.Expr = given
		if given.Bits < 48 {
			value = ir.Concat{ir.Number(48-given.Bits, 0), given}
		}
		body = append(body, ir.Assign{To: to, Value: value})
	}
	see := &ir.Action{Name: "see", Body: body}
	p := &ir.Program{Name: "seeing", Headers: []*ir.Header{out}, Actions: []*ir.Action{see}}
	p.Control[ir.Egress] = []ir.Step{ir.Do{Action: see}}
	m, err := ir.NewMachine(p)
	require.NoError(t, err)
	o := m.Depart(1<<40, ir.Copy{Port: 137, Queue: 5, Replica: 77, Octets: make([]byte, 100)}, 1234)
	require.Len(t, o.Sent, 1)
	var got []uint64
	for at := range names {
		got = append(got, ir.BytesValue(o.Sent[0].Octets[6*at:6*at+6]).Lo)
	}
	assert.Equal(t, []uint64{137, 5, 77, 1234, 100, 1 << 40}, got)
}

// The names of kinds.
func TestNames(t *testing.T) {
	assert.Equal(t, []string{"ingress", "egress", "ghost", "no gress"},
		[]string{ir.Ingress.String(), ir.Egress.String(), ir.Ghost.String(), ir.Gress(3).String()})
	assert.Equal(t, []string{"exact", "ternary", "lpm", "range", "no match"},
		[]string{ir.Exact.String(),
			ir.Ternary.String(), ir.Prefix.String(), ir.Range.String(), ir.Match(4).String()})
	for gress, count := range map[ir.Gress]int{ir.Ingress: 2, ir.Egress: 6, ir.Ghost: 3} {
		read, written := ir.Intrinsics(gress)
		assert.Len(t, read, count)
		for _, one := range written {
			assert.NotContains(t, read, one)
		}
	}
	read, written := ir.Intrinsics(9)
	assert.Empty(t, read)
	assert.Empty(t, written)
}
