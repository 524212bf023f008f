package tofino

import "github.com/sluicefc/sluice/tofino/ir"

// findSet finds the queue of a packet's set, or takes one that is free, and gives it back when the
// last packet has left.
func (b *pyrrhaBuilder) findSet() []ir.Step {
	m, r := &b.md, &b.registers
	data, left := ir.All{is(m.kind, kindData), b.isolated()},
		ir.All{is(m.kind, kindNotice), isNot(m.queue, 0)}
	index := ir.Slice{X: m.index, High: setBits - 1}
	key := [2]ir.Expr{m.wide, m.owner}
	setKey := func(name string, action int, to ...*ir.Field) ir.Step {
		return b.do(name, ir.Execute{Action: r.setKey.Actions[action], Index: index, Phv: key, To: to})
	}
	place := ir.Concat{b.port(m.egress), ir.Slice{X: m.position, High: b.queueBits - 1}}
	queue := ir.Concat{b.port(m.where), ir.Slice{X: m.queue, High: b.queueBits - 1}}
	fresh, got := append(data, is(m.count, 1)), ir.All{is(m.kind, kindData), is(m.got, 1)}
	spill := uint64(b.spill())
	return []ir.Step{
		where(is(m.kind, kindData), b.do("name_set", assign(m.index, ir.Slice{X: ir.Hash{
			Function: b.setHash(), Fields: b.hashed()}, High: m.index.Bits - 1})), b.halves(),
			b.do("whole_set", assign(m.wide, ir.Concat{m.setHigh, m.setLow}))),
		choose(way{data, b.do("enter_set_of", uses(r.setPackets, 0, index, nil, m.count))},
			way{left, b.do("leave_set_of", uses(r.setPackets, 1, index, nil, m.emptied))}),
		where(data, either(is(m.count, 1), setKey("claim_set_key", 0),
			setKey("compare_set_key", 1, m.other))),
		choose(way{fresh, b.do("pop_queue", uses(r.freeTop, popIt, b.port(m.egress), nil, m.got,
			m.position))},
			way{ir.All{is(m.emptied, 1), isNot(m.queue, spill)}, b.do("push_queue",
				uses(r.freeTop, pushIt, b.port(m.egress), nil, m.position))}),
		choose(way{got,
			b.do("read_free", uses(r.freeID, readIt, place, nil, m.queue))},
			way{ir.All{is(m.emptied, 1), isNot(m.queue, spill)},
				b.do("write_free", uses(r.freeID, writeIt, place, m.queue))},
			way{fresh, b.do("spill_queue", set(m.queue, spill))}),
		choose(way{got,
			b.do("write_queue_set", uses(r.queueSet, writeIt, queue, m.wide))},
			way{is(m.emptied, 1), b.do("clear_queue_set", uses(r.queueSet, writeIt, queue,
				ir.Number(32, 0)))},
			way{is(m.op, opGates), b.do("read_queue_set", uses(r.queueSet, readIt, queue, nil,
				m.value))}),
		where(data, either(is(m.count, 1),
			b.do("write_set_queue", uses(r.setQueue, writeIt, index, m.queue)),
			b.do("read_set_queue", uses(r.setQueue, readIt, index, nil, m.queue)))),
		where(ir.All{is(m.kind, kindData), ir.Any{is(m.other, 1), is(m.queue, spill)}},
			b.do("share_queue", uses(r.shared, 0, b.port(m.egress), nil))),
		where(b.held(), b.do("hold_queue", ir.Assign{To: m.hold, Value: ir.Number(32, 1)})),
		where(ir.Any{got, is(m.gates, 1)}, ir.Apply{Table: b.tables.afc}),
	}
}

// isolated is the condition that a packet has a root with an isolation queue, held that one is
// paused: of slots the octet that may not be 0, of states the bits that they have.
func (b *pyrrhaBuilder) isolated() (some ir.Any) {
	for level := 1; level <= b.levels; level++ {
		some = append(some, ir.Compare{Op: ir.NotEqual, X: b.slot(level), Y: ir.Number(slotBits, 0)})
	}
	return some
}

func (b *pyrrhaBuilder) held() (some ir.Any) {
	for level := 1; level <= b.levels; level++ {
		some = append(some, ir.Compare{X: ir.Slice{X: b.md.states[level], High: 1},
			Y: ir.Number(2, iqPaused)})
	}
	return some
}

// halves puts a packet's slots side by side, of two levels at a time.
func (b *pyrrhaBuilder) halves() ir.Step {
	m := &b.md
	half := func(to *ir.Field, low int) ir.Statement {
		if low+1 > b.levels {
			return assign(to, m.slots[low]) // whose upper octet is 0
		}
		return assign(to, ir.Concat{b.slot(low + 1), b.slot(low)})
	}
	body := []ir.Statement{half(m.setLow, 1)}
	if b.levels > 2 {
		body = append(body, half(m.setHigh, 3))
	}
	return b.do("halves_of_set", body...)
}

// slot is the slot of a level without the octet that is 0, hashed what a set's element is found by.
func (b *pyrrhaBuilder) slot(level int) ir.Expr {
	return ir.Slice{X: b.md.slots[level], High: slotBits - 1}
}

func (b *pyrrhaBuilder) hashed() []ir.Expr {
	fields := []ir.Expr{b.md.egress}
	for level := b.levels; level > 0; level-- {
		fields = append(fields, b.slot(level))
	}
	return fields
}

// setHash is the function that finds the element of a set.
func (b *pyrrhaBuilder) setHash() *ir.HashFunction {
	for _, f := range b.p.Functions {
		if f.Name == "set_hash" {
			return f
		}
	}
	f := crc32()
	f.Name = "set_hash"
	b.p.Functions = append(b.p.Functions, f)
	return f
}
