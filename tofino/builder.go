package tofino

import (
	"strings"

	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// builder is a program that is being written for a site, with what fills it. Those of the protocols
// stand on it.
type builder struct {
	site
	p         *ir.Program
	filled    *ir.Config
	otherwise *ir.Action // of tables, where no entry matches
}

// made returns what was written.
func (b *builder) made() Made {
	return Made{b.p, b.filled, b.Ports, b.Carving, b.Depth, b.Unit, b.rates}
}

// action declares an action.
func (b *builder) action(name string, params []*ir.Param, body ...ir.Statement) *ir.Action {
	a := &ir.Action{Name: name, Params: params, Body: body}
	b.p.Actions = append(b.p.Actions, a)
	return a
}

// do is a step of an action of its own.
func (b *builder) do(name string, body ...ir.Statement) ir.Step {
	return ir.Do{Action: b.action(name, nil, body...)}
}

// table declares a table of actions, beside the one that runs where no entry matches, tableElse one
// in which that is another than in others.
func (b *builder) table(t ir.Table, actions ...*ir.Action) *ir.Table {
	return b.tableElse(t, b.otherwise, actions...)
}

func (b *builder) tableElse(t ir.Table, otherwise *ir.Action, actions ...*ir.Action) *ir.Table {
	t.Actions, t.Default = append(actions, otherwise), ir.Call{Action: otherwise}
	b.p.Tables = append(b.p.Tables, &t)
	return &t
}

// gives declares an action that gives fields its data, whose names are in words, and does what more
// says.
func (b *builder) gives(
	action, words string, fields []*ir.Field, more ...ir.Statement,
) *ir.Action {
	list, body := params(words, fields)
	return b.action(action, list, append(body, more...)...)
}

// params returns the data that an action gives fields, and the statements that do so.
func params(words string, fields []*ir.Field) (list []*ir.Param, body []ir.Statement) {
	for at, name := range strings.Fields(words) {
		datum := param(name, fields[at])
		list, body = append(list, datum), append(body, assign(fields[at], datum))
	}
	return list, body
}

// declare declares a register with its actions.
func (b *builder) declare(r ir.Register) *ir.Register {
	b.p.Registers = append(b.p.Registers, &r)
	return &r
}

// about says of registers what they hold, in lines of a name and a text, and of those of two rows
// the same.
func (b *builder) about(lines string) {
	texts := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		name, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		texts[name] = text
	}
	for _, r := range b.p.Registers {
		name := strings.TrimRight(r.Name, "0123456789")
		if texts[name] == "" {
			name = strings.TrimSuffix(strings.TrimSuffix(r.Name, "_a"), "_b")
		}
		r.Source = texts[name]
	}
}

// register declares a register of one number, pair one of two.
func (b *builder) register(
	name string, bits, size int, gress ir.Gress, actions ...*ir.RegisterAction,
) *ir.Register {
	return b.declare(ir.Register{Name: name, Bits: bits, Size: size, Gress: gress, Actions: actions})
}

func (b *builder) pair(
	name string, bits, size int, gress ir.Gress, actions ...*ir.RegisterAction,
) *ir.Register {
	r := b.register(name, bits, size, gress, actions...)
	r.Pair = true
	return r
}

// told declares a register that ghost writes and ingress reads.
func (b *builder) told(name string, size int) *ir.Register {
	short := strings.TrimPrefix(name, "ddq_")
	r := b.register(name, 32, size, ir.Ingress, does("read_"+short, nil, nil, sayMemory),
		does("report_"+short, nil, []ir.Update{setInput}))
	r.Shared = true
	return r
}

// field declares a field of a gress's metadata.
func (b *builder) field(gress ir.Gress, name string, bits int) *ir.Field {
	f := &ir.Field{Name: name, Bits: bits}
	b.p.Metadata[gress] = append(b.p.Metadata[gress], f)
	return f
}

// part is a part of a control, with what it does.
type part struct {
	text  string
	steps []ir.Step
}

// control puts parts of a control together, which all kinds of packet pass in the same order: a
// register is in one stage of the chip.
func (b *builder) control(gress ir.Gress, parts ...part) {
	for _, one := range parts {
		b.p.Parts[gress] = append(b.p.Parts[gress],
			ir.Part{From: len(b.p.Control[gress]), Text: one.text})
		b.p.Control[gress] = append(b.p.Control[gress], one.steps...)
	}
}

// ghost has the ghost thread apply a table, if there is one.
func (b *builder) ghost(depth *ir.Table) {
	if depth != nil {
		b.p.Control[ir.Ghost] = []ir.Step{ir.Apply{Table: depth}}
	}
}

// mirrors declares the copies that ingress makes behind an order, and egress behind a bridge.
func (b *builder) mirrors(session *ir.Field, order *ir.Header, out *ir.Field, bridge *ir.Header) {
	b.p.Mirrors = append(b.p.Mirrors,
		ir.MirrorKind{Type: 1, Gress: ir.Ingress, Session: session, Original: true, Before: order},
		ir.MirrorKind{Type: 1, Gress: ir.Egress, Session: out, Before: bridge})
}

// cellTable declares the table of how many cells a packet takes, and the action of its entries.
func (b *builder) cellTable(length, cells *ir.Field) (*ir.Table, *ir.Action) {
	takes := b.gives("takes_cells", "cells", []*ir.Field{cells})
	return b.table(ir.Table{Name: "packet_cells", Source: "cells of 176 octets that a packet takes",
		Keys: []ir.Key{{Name: "total_length", X: length, Kind: ir.Range}}, Size: b.mostCells()},
		takes), takes
}

// wordTable declares the table of words of flow control, and the action of its entries, which holds
// a queue or lets it go.
func (b *builder) wordTable(
	size int, source string, hold *ir.Field, keys ...ir.Key,
) (*ir.Table, *ir.Action) {
	word := &ir.Param{Name: "word", Bits: 32}
	says := b.action("say_word", []*ir.Param{word}, ir.Flow{Word: ir.Binary{X: word, Y: hold}})
	return b.table(ir.Table{Name: "afc", Keys: keys, Size: size,
		Source: "words of flow control, RESUME; PAUSE is one more" + source}, says), says
}

// depthTable declares the table by which ghost writes depths of queues, by actions that it returns.
func (b *builder) depthTable(
	source string, size, bits int, depths ...*ir.Register,
) (*ir.Table, []*ir.Action) {
	var reports []*ir.Action
	for at, r := range depths {
		name, index := "report", &ir.Param{Name: "index", Bits: bits}
		if len(depths) > 1 {
			name += string(rune('0' + at))
		}
		reports = append(reports, b.action(name, []*ir.Param{index}, ir.Execute{
			Action: r.Actions[1], Index: index, Phv: [2]ir.Expr{wide(ir.GhostDepth, 32)}}))
	}
	return b.table(ir.Table{Name: "depth", Source: source, Size: size, Keys: []ir.Key{
		{Name: "pipe_id", X: ir.GhostPipe}, {Name: "qid", X: ir.GhostQueue}}}, reports...), reports
}

// fill gives a table its entries.
func (b *builder) fill(t *ir.Table, entries []ir.Entry) {
	b.filled.Tables = append(b.filled.Tables, ir.TableConfig{Table: t, Entries: entries})
}

// element fills an element of a register in all pipes.
func (b *builder) element(r *ir.Register, index, value int) {
	b.filled.Registers = append(b.filled.Registers, ir.RegisterEntry{Register: r, Pipe: -1,
		Index: index, Value: [2]uint32{uint32(value)}})
}

// each are entries of a table with one for each port.
func (b *builder) each(entry func(at int) (call ir.Call, key int)) []ir.Entry {
	entries := make([]ir.Entry, 0, len(b.Ports))
	for at := range b.Ports {
		call, key := entry(at)
		entries = append(entries, exact(call, key))
	}
	return entries
}

// routed are the entries of the table of routes, with what a protocol wants to know of the port.
func (b *builder) routed(out *ir.Action, more func(to int) []int) (entries []ir.Entry) {
	for _, route := range b.Routes {
		octets, to := route.To.Addr().As4(), int(route.Port)
		entries = append(entries, ir.Entry{
			Keys: []ir.KeyValue{ir.PrefixKey(ir.BytesValue(octets[:]), route.To.Bits())},
			Call: data(out, append([]int{int(b.Ports[to]), to}, more(to)...)...)})
	}
	return entries
}

// sends are the entries of the table of frames.
func (b *builder) sends(send *ir.Action) []ir.Entry {
	mac := ir.BytesValue(b.mac[:])
	return b.each(func(at int) (ir.Call, int) {
		return ir.Call{Action: send, Data: []ir.Value{ir.Uint(uint64(at)), mac}}, int(b.Ports[at])
	})
}

// reports is the entry by which ghost tells the depth of a queue to an element of a register.
func (b *builder) reports(report *ir.Action, at, qid, element int) ir.Entry {
	queue := b.physical(at, qid)
	return exact(data(report, element), queue.Pipe(), queue.Ghost())
}

// says is the entry of a word of flow control for a queue. A word has 32 bits, and an int may have
// no more.
func (b *builder) says(word *ir.Action, at, qid int, keys ...int) ir.Entry {
	value := ir.Uint(uint64(chip.Resume(b.physical(at, qid))))
	return exact(ir.Call{Action: word, Data: []ir.Value{value}}, keys...)
}

// cellEntries say how many cells IP packets of each length take, up to the longest, with what
// Ethernet adds to them.
func (b *builder) cellEntries(takes *ir.Action) (entries []ir.Entry) {
	for cells := 1; cells <= b.mostCells(); cells++ {
		least := (cells-1)*chip.CellBytes - b.overhead + 1
		most := cells*chip.CellBytes - b.overhead
		entries = append(entries, ir.Entry{Call: data(takes, cells), Priority: cells,
			Keys: []ir.KeyValue{ir.RangeKey(uint64(max(least, 0)), uint64(min(most, 1<<16-1)))}})
	}
	return entries
}

// exact is an entry of exact keys.
func exact(call ir.Call, keys ...int) ir.Entry {
	e := ir.Entry{Call: call, Keys: make([]ir.KeyValue, len(keys))}
	for at, key := range keys {
		e.Keys[at] = ir.ExactKey(uint64(key))
	}
	return e
}
