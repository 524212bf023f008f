package replay_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/portfc"
	"github.com/sluicefc/sluice/tofino/ir"
	"github.com/sluicefc/sluice/tofino/replay"
)

// findPortFC replays a switch with a fault in it, and fails unless it is found within 100,000
// inputs by a report that says what was decided by both, and names the table, action or register.
func findPortFC(t *testing.T, name, names string, plant func(f *faulty)) {
	t.Run(name, func(t *testing.T) {
		machine := portfcSwitch(4, 1)
		made, err := portfcProgram(machine, byNumber)
		require.NoError(t, err)
		config, err := replay.PortFC(made)
		require.NoError(t, err)
		plant(&faulty{t, &made.Made})
		tap, err := replay.New(config)
		require.NoError(t, err, "a fault is to be one that the chip would run")
		newTraffic(tap, machine).run(100_000, 3)
		assert.NotZero(t, requireFound(t, tap, names).Input.Number)
	})
}

// Faults in entries.
func TestPortFCFaultsInEntries(t *testing.T) {
	find := func(name, names string, plant func(*faulty)) { findPortFC(t, name, names, plant) }
	find("egress by the neighbour's port", "egress", plus("egress", 2, 0, 2))
	find("egress counted at the neighbour", "egress", plus("egress", 1, 1, 1))
	find("egress missing", "egress", gone("egress", 3))
	find("two egress ports swapped", "egress", swapped("egress", 0, 2))
	find("IHFQ of a neighbour", "queue", plus("queue", 1, 0, 1))
	find("DDQ and an IHFQ swapped", "queue", swapped("queue", 2, 3))
	find("class that is not high", "queue", func(f *faulty) {
		(*f.entries("queue"))[0].Keys[0] = ir.TernaryKey(6, 6)
	})
	find("high class missing", "queue", gone("queue", 0))
	find("queue missing", "queue", gone("queue", 4))
	find("a cell more", "ddq", plus("packet_cells", 4, 0, 1))
	find("length missing", "packet_cells", gone("packet_cells", 3))
	find("X_off a cell more", "limits", plus("limits", 0, 0, 1))
	find("X_off a cell less", "limits", plus("limits", 4, 0, less))
	find("X_on a cell more", "limits", plus("limits", 1, 0, 1))
	find("X_on a cell less", "limits", plus("limits", 3, 0, less))
	find("X_off of the DDQ a cell more", "limits", plus("limits", 2, 0, 1))
	find("IHFQs named as the DDQ", "limits", plus("limits", 0, 1, 3))
	find("threshold missing", "limits", gone("limits", 7))
	find("congested port paused too", "others", plus("others", 1, 1, 1))
	find("AFC of a neighbour's queue", "afc", plus("afc", 2, 0, 1<<15))
	find("AFC of a neighbour's port", "afc", plus("afc", 0, 0, 1<<25))
	find("AFC of the wrong pipe", "afc", plus("afc", 5, 0, 1<<29))
	find("AFC missing", "afc", gone("afc", 7))
	find("AFC of the other layer", "afc", func(f *faulty) {
		(*f.entries("afc"))[4].Keys[3].Value.Lo ^= 1
	})
	find("address of another switch", "signals", plus("signals", 0, 1, 1))
	find("numbers of a neighbour's frames", "signals", plus("signals", 1, 0, 1))
	find("ports that come in swapped", "port_in", swapped("port_in", 0, 1))
	find("no mirror of notices", "frame", func(f *faulty) {
		f.fixed(ir.MirrorSession, 1).Data[1].Value = false
	})
	find("no mirror of pauses", "frame", func(f *faulty) {
		f.fixed(ir.MirrorSession, 0).Data[1].Value = false
	})
	find("port not in the group", "frame", func(f *faulty) {
		f.fixed(ir.MulticastNodes, 0).Data[1].Value = []uint64{136, 138, 140}
	})
	find("nothing goes round", "frame", func(f *faulty) {
		f.fixed(ir.GeneratorPort, 0).Data[0].Value = false
	})
	find("notice cut too short", "frame", func(f *faulty) {
		f.fixed(ir.MirrorSession, 1).Data[4].Value = uint64(13)
	})
}

// Faults in the program.
func TestPortFCFaultsInTheProgram(t *testing.T) {
	find := func(name, names string, plant func(*faulty)) { findPortFC(t, name, names, plant) }
	test := func(action string, op ir.Relation) func(*faulty) {
		return func(f *faulty) { f.alu(action).Predicates[0].Op = op }
	}
	find("IHFQ pauses above X_off only", "ihfq", test("ihfq_add_ihfq", ir.More))
	find("DDQ pauses above X_off only", "ddq", test("ddq_add_ddq", ir.More))
	find("IHFQ resumes below X_on only", "ihfq", test("ihfq_take_ihfq", ir.Less))
	find("DDQ resumes below X_on only", "ddq", test("ddq_take_ddq", ir.Less))
	find("flag not set", "ihfq", func(f *faulty) {
		f.alu("ihfq_add_ihfq").Updates = f.alu("ihfq_add_ihfq").Updates[:1]
	})
	find("flag not cleared", "ddq", func(f *faulty) {
		f.alu("ddq_take_ddq").Updates = f.alu("ddq_take_ddq").Updates[:1]
	})
	find("cells not added", "ihfq", func(f *faulty) {
		f.alu("ihfq_add_ihfq").Updates[0].Sum.Input = 0
	})
	find("cells not taken", "ddq", func(f *faulty) { f.alu("ddq_take_ddq").Updates[0].Sum.Input = 0 })
	find("a packet for a cell", "ddq", func(f *faulty) {
		f.alu("ddq_add_ddq").Updates[0].Sum = ir.Sum{Memory: ir.Low, Constant: 1}
	})
	find("pause at every packet", "ihfq", func(f *faulty) {
		f.alu("ihfq_add_ihfq").Outputs[0].When = ir.First
	})
	find("resume without a pause", "ddq", func(f *faulty) {
		f.alu("ddq_take_ddq").Outputs[0].When = ir.First
	})
	find("flag looked at the wrong way round", "ihfq", func(f *faulty) {
		f.alu("ihfq_take_ihfq").Outputs[0].When = ir.First & (ir.Always ^ ir.Second)
	})
	bare := func(x ir.Expr) ir.Expr { return x.(ir.Binary).X }
	find("depth before the packet", "limits", assigned("arrives", "mark", bare))
	find("depth before the departure", "limits", assigned("leaves", "mark", bare))
	find("pause that says resume", "frame",
		assigned("send_pause", "type", constant(uint64(portfc.Resume))))
	find("resume that says pause", "frame",
		assigned("send_resume", "type", constant(uint64(portfc.Pause))))
	find("pause of no queue", "frame", assigned("send_pause", "queue", constant(0)))
	find("pause of port 0", "frame", assigned("send_pause", "port", constant(0)))
	find("layer of the nodes", "frame", assigned("send_signal", "layer", constant(1)))
	find("padding that is not zero", "frame", assigned("send_signal", "p7", constant(1)))
	find("length of another frame", "frame", assigned("send_signal", "length", constant(4)))
	find("another protocol", "frame", assigned("send_signal", "protocol", constant(1)))
	find("frames numbered from 0", "sequence", func(f *faulty) {
		f.alu("sequence_number").Outputs[0].After = false
	})
	find("frames not numbered", "sequence", func(f *faulty) { f.alu("sequence_number").Updates = nil })
	find("departures not counted", "frame", assigned("forward", "class", constant(0)))
	find("departures counted as a cell", "add_", assigned("forward", "cells", constant(1)))
	find("departures counted at port 0", "frame", assigned("forward", "index", constant(0)))
	find("all in the HQ", "queue", assigned("forward", "ig_tm_md.qid", constant(4)))
	find("stale frames obeyed", "heard", func(f *faulty) {
		f.alu("heard_hear").Outputs[0].When = ir.Always
		f.alu("heard_hear_wrapped").Outputs[0].When = ir.Always
	})
	find("one frame obeyed and no more", "heard", func(f *faulty) {
		f.alu("heard_hear").Outputs[0].When = ir.Third
	})
	find("resume that holds", "afc", func(f *faulty) {
		for _, a := range f.Program.Actions {
			if a.Name == "say_word" {
				a.Body[0] = ir.Flow{Word: ir.Binary{X: a.Params[0], Y: ir.Number(32, 1)}}
			}
		}
	})
	find("notices of the neighbour's window", "heard",
		assigned("take_pause", "window_end", bare))
}
