package replay_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/ir"
	"github.com/sluicefc/sluice/tofino/replay"
)

// faulty is a program and its entries, in which a test plants a fault.
type faulty struct {
	t *testing.T
	*tofino.Made
}

// entries returns what a table holds.
func (f *faulty) entries(table string) *[]ir.Entry {
	for at := range f.Config.Tables {
		if f.Config.Tables[at].Table.Name == table {
			return &f.Config.Tables[at].Entries
		}
	}
	f.t.Fatal("no table " + table)
	return nil
}

// plus adds to a datum of an entry.
func plus(table string, entry, datum int, more uint64) func(*faulty) {
	return func(f *faulty) {
		e := &(*f.entries(table))[entry]
		e.Data = append([]ir.Value(nil), e.Data...)
		e.Data[datum].Lo += more
	}
}

const less = 1<<64 - 1 // to plus: one less

// swapped exchanges what two entries of a table do.
func swapped(table string, one, other int) func(*faulty) {
	return func(f *faulty) {
		list := *f.entries(table)
		list[one].Call, list[other].Call = list[other].Call, list[one].Call
	}
}

// gone takes an entry out of a table.
func gone(table string, entry int) func(*faulty) {
	return func(f *faulty) {
		list := f.entries(table)
		*list = append((*list)[:entry:entry], (*list)[entry+1:]...)
	}
}

// alu returns an action of a register, by the name that it has in the program: REGISTER_ACTION.
func (f *faulty) alu(name string) *ir.RegisterAction {
	for _, r := range f.Program.Registers {
		for _, a := range r.Actions {
			if r.Name+"_"+a.Name == name {
				return a
			}
		}
	}
	f.t.Fatal("no register action " + name)
	return nil
}

// assigned changes what an action gives a field.
func assigned(action, field string, change func(ir.Expr) ir.Expr) func(*faulty) {
	return func(f *faulty) {
		for _, a := range f.Program.Actions {
			for at := range a.Body {
				if s, is := a.Body[at].(ir.Assign); is && a.Name == action && s.To.Name == field {
					a.Body[at] = ir.Assign{To: s.To, Value: change(s.Value)}
					return
				}
			}
		}
		f.t.Fatal("no assignment of " + field + " in " + action)
	}
}

// turned exchanges the sides of an operation.
func turned(x ir.Expr) ir.Expr {
	b := x.(ir.Binary)
	return ir.Binary{Op: b.Op, X: b.Y, Y: b.X}
}

// constant replaces an expression by a number.
func constant(number uint64) func(ir.Expr) ir.Expr {
	return func(x ir.Expr) ir.Expr { return ir.Number(x.Width(), number) }
}

// fixed returns the fixed entry of a table, the first.
func (f *faulty) fixed(table *ir.FixedTable, at int) *ir.FixedEntry {
	for i := range f.Config.Fixed {
		if f.Config.Fixed[i].Table == table {
			if at == 0 {
				return &f.Config.Fixed[i]
			}
			at--
		}
	}
	f.t.Fatal("no entry of " + table.Name)
	return nil
}

// faultyBFC is a switch with two rates, two round-trip times and a pair that never pauses, and
// little patience, so that every entry and every step of the program matters.
func faultyBFC(t *testing.T, change ...func(*bfc.Config)) (*tofino.BFC, replay.Config) {
	fast := sluice.Link{Rate: 100 * sluice.Gbps, Delay: 500 * sluice.Nanosecond}
	far := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	slow := sluice.Link{Rate: 50 * sluice.Gbps, Delay: 500 * sluice.Nanosecond}
	c := bfc.Config{Queues: 8, VFIDs: 256, MAC: sluice.MAC{2, 0, 0, 0, 0, 9},
		Withhold: []bfc.Pair{{Ingress: 2, Egress: 0}}, Sticky: 400 * sluice.Nanosecond}
	for _, link := range []sluice.Link{fast, far, slow, fast} {
		c.Ports = append(c.Ports, bfc.PortConfig{Link: link, UpstreamQueues: 8})
	}
	for _, one := range change {
		one(&c)
	}
	c, _, err := tofino.RealiseBFC(c)
	require.NoError(t, err)
	made, routes, err := programOf(c, tofino.Notices, 0)
	require.NoError(t, err)
	config, err := replay.BFC(made, routes)
	require.NoError(t, err)
	return made, config
}

// find replays the incast with a fault in it, and fails unless it is found within 100,000 inputs by
// a report that says what was decided by both.
func find(t *testing.T, name string, plant func(f *faulty), change ...func(*bfc.Config)) {
	t.Run(name, func(t *testing.T) {
		made, config := faultyBFC(t, change...)
		plant(&faulty{t, &made.Made})
		config.Entries = made.Config
		tap, err := replay.New(config)
		require.NoError(t, err, "a fault is to be one that the chip would run")
		runIncast(tap, 100_000, 1)
		assert.NotZero(t, requireFound(t, tap, "").Input.Number)
	})
}

// requireFound returns the report of a tap, and fails if it found no fault: see requireReport.
func requireFound(t *testing.T, tap *replay.Tap, names string) *replay.Difference {
	t.Helper()
	if err := tap.Check(); err == nil {
		t.Fatalf("not found in %d inputs", tap.Stats().Inputs)
	}
	var d *replay.Difference
	require.ErrorAs(t, tap.Err(), &d)
	requireReport(t, d, names)
	return d
}

// requireReport fails unless a report says what machine and program decided, and names the table,
// action or register.
func requireReport(t *testing.T, d *replay.Difference, names string) {
	t.Helper()
	assert.NotEmpty(t, d.What)
	assert.NotEqual(t, d.Machine, d.Program)
	assert.Contains(t, d.Error(), names)
	if testing.Verbose() {
		t.Logf("input %d, %v: %s: the machine says %.40s, the program %.40s; %d steps", d.Input.Number,
			d.Input.Hook, d.What, d.Machine, d.Program, len(d.Met))
	}
}

// Without a fault nothing is found.
func TestNothingIsFoundWithoutFault(t *testing.T) {
	_, config := faultyBFC(t)
	tap, err := replay.New(config)
	require.NoError(t, err)
	runIncast(tap, 100_000, 1)
	require.NoError(t, tap.Check())
	assert.Empty(t, tap.Stats().LeftOut)
	assert.Greater(t, tap.Stats().Frames, uint64(1000))
}

// Every fault in the entries is found.
func TestFaultsInEntriesAreFound(t *testing.T) {
	for name, plant := range map[string]func(f *faulty){
		"threshold a cell more":            plus("threshold", 3, 0, 1),
		"threshold a cell less":            plus("threshold", 2, 0, less),
		"threshold of one more active":     swapped("threshold", 3, 4),
		"no threshold for two":             gone("threshold", 2),
		"ingress class of another":         plus("port_in", 1, 1, less),
		"egress class of another":          plus("route", 2, 2, ^uint64(1)),
		"words of two queues swapped":      swapped("afc", 0, 1),
		"word of the neighbour port":       swapped("afc", 3, 8+3),
		"word of another pipe":             plus("afc", 5, 0, 1<<29),
		"no word for a queue":              gone("afc", 7),
		"no route":                         gone("route", 3),
		"route by the neighbour":           plus("route", 0, 0, 2),
		"route with the neighbour's state": plus("route", 1, 1, less),
		"sticky of the neighbour":          plus("port_in", 0, 2, 4000),
		"upstream queues one less":         plus("port_in", 3, 3, less),
		"ingress ports swapped":            swapped("port_in", 0, 3),
		"a cell too many":                  plus("packet_cells", 6, 0, 1),
		"no cells for a length":            gone("packet_cells", 8),
		"queues swapped on the stack": func(f *faulty) {
			r := f.Config.Registers
			r[2].Value, r[3].Value = r[3].Value, r[2].Value
		},
		"a queue missing on the stack": func(f *faulty) { f.Config.Registers[4].Value[0]++ },
		"stack in another pipe alone":  func(f *faulty) { f.Config.Registers[5].Pipe = 1 },
		"sequence of the neighbour":    plus("signals", 2, 0, 1),
		"source of another switch":     plus("signals", 0, 1, 1),
		"no frames by a port":          gone("signals", 1),
		"no exception for a pair":      gone("withhold", 0),
		"exception for another pair": func(f *faulty) {
			(*f.entries("withhold"))[0].Keys[0].Value.Lo = 1
		},
		"notices go nowhere": func(f *faulty) {
			f.fixed(ir.MirrorSession, 1).Data[1].Value = false
		},
		"notices to a port of its own": func(f *faulty) {
			f.fixed(ir.MirrorSession, 1).Data[2].Value = uint64(8)
		},
		"no signals": func(f *faulty) {
			f.fixed(ir.MirrorSession, 0).Data[1].Value = false
		},
		"signals with the packet in them": func(f *faulty) {
			f.fixed(ir.MirrorSession, 0).Data[2].Value = uint64(40)
		},
		"nothing goes round": func(f *faulty) { f.fixed(ir.GeneratorPort, 0).Data[0].Value = false },
	} {
		find(t, name, plant)
	}
}

// Every fault in the program is found.
func TestFaultsInTheProgramAreFound(t *testing.T) {
	drop := func(action string) func(f *faulty) {
		return func(f *faulty) { f.alu(action).Updates = nil }
	}
	predicate := func(action string, value int32) func(f *faulty) {
		return func(f *faulty) { f.alu(action).Predicates[0].Sum.Constant = -value }
	}
	output := func(action string, at int, after bool) func(f *faulty) {
		return func(f *faulty) { f.alu(action).Outputs[at].After = after }
	}
	for name, plant := range map[string]func(f *faulty){
		"limit and depth turned":     assigned("beyond_limit", "excess", turned),
		"sticky and age turned":      assigned("beyond_sticky", "rest", turned),
		"age turned":                 assigned("age_of_flow", "age", turned),
		"a departure leaves no time": drop("last_note_last"),
		"a flow never leaves":        drop("flow_size_leave"),
		"a first packet is not known": func(f *faulty) {
			f.alu("flow_size_join").Outputs[0].When = ir.Second
		},
		"an unused entry is sticky": func(f *faulty) {
			f.alu("flow_size_join").Outputs[1].When = 0
		},
		"the stack does not shrink": drop("free_top_pop"),
		"the place before the top":  output("free_top_pop", 1, false),
		"the place behind the top":  output("free_top_push", 0, true),
		"the stack does not grow":   drop("free_top_push"),
		"a queue is not remembered": drop("flow_queue_write_queue"),
		"full at the second packet": predicate("packets_add_packet", 1),
		"empty at the last but one": predicate("packets_take_packet", 2),
		"taken and still listed":    drop("listed_unlist"),
		"listed twice": func(f *faulty) {
			f.alu("listed_list").Outputs = []ir.Output{{}}
		},
		"a pause that is forgotten": drop("paused_pause_queue"),
		"a pause that counts twice": func(f *faulty) {
			f.alu("paused_pause_queue").Outputs[0].When = 0
		},
		"N_active never falls":         drop("active_deactivate"),
		"depth before the packet":      output("length_add_cells", 0, false),
		"depth never falls":            drop("length_take_cells"),
		"a pause at the second packet": predicate("counter_count", 1),
		"a resume at the last but one": predicate("counter_uncount", 2),
		"a count that is never undone": assigned("take_notice", "counted", constant(0)),
		"a count of all packets":       assigned("take_notice", "counted", constant(1)),
		"a frame that is stale": func(f *faulty) {
			f.alu("heard_hear").Outputs[0].When = ir.Always
		},
		"frames that are numbered late":  output("sequence_number", 0, false),
		"other bits of the hash":         assigned("share_queue", "queue", constant(3)),
		"the stamp of another queue":     assigned("stamp", "queue", constant(2)),
		"pause and resume exchanged":     assigned("take_resume", "hold", constant(1)),
		"a resume to the first port":     assigned("send_resume", ir.IngressMirrorPort.Name, constant(8)),
		"a resume that says pause":       assigned("send_resume", "type", constant(1)),
		"the second round is left out":   assigned("go_round", "kind", constant(2)),
		"frames with an octet of theirs": assigned("send_signal", "p3", constant(1)),
	} {
		find(t, name, plant)
	}
	// The packet that makes its queue active is its flow's first: it counts only if lone ones do.
	find(t, "N_active one stage late", output("active_activate", 0, false),
		func(c *bfc.Config) { c.CountLonePackets, c.Factor = true, sluice.Ratio{Num: 1, Den: 4} })
}

// action returns an action of the program.
func (f *faulty) action(name string) *ir.Action {
	for _, a := range f.Program.Actions {
		if a.Name == name {
			return a
		}
	}
	f.t.Fatal("no action " + name)
	return nil
}
