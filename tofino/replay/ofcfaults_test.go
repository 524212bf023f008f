package replay_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/tofino/ir"
	"github.com/sluicefc/sluice/tofino/replay"
)

// findOFC replays a switch with a fault in it, and fails unless it is found within 100,000 inputs
// by a report that says what was decided by both, and names the table, action or register.
func findOFC(t *testing.T, name, names string, plant func(f *faulty)) {
	t.Run(name, func(t *testing.T) {
		made, config, err := ofcProgram(ofcSwitch())
		require.NoError(t, err)
		plant(&faulty{t, &made.Made})
		config.Every = 1000
		tap, err := replay.New(config)
		require.NoError(t, err, "a fault is to be one that the chip would run")
		newOFCTraffic(tap).run(100_000, 3)
		requireFound(t, tap, names)
	})
}

// Faults in entries.
func TestOFCFaultsInEntries(t *testing.T) {
	length := func(session, octets int) func(*faulty) {
		return func(f *faulty) {
			data := f.fixed(ir.MirrorSession, session).Data
			data[len(data)-1].Value = uint64(octets)
		}
	}
	find := func(name, names string, plant func(*faulty)) { findOFC(t, name, names, plant) }
	find("ports that come in swapped", "port_in", swapped("port_in", 0, 1))
	find("port that comes in missing", "queue", gone("port_in", 2))
	find("route by the neighbour's port", "route", plus("route", 2, 0, 2))
	find("route counted at the neighbour", "route", plus("route", 1, 1, 1))
	find("routes swapped", "route", swapped("route", 0, 3))
	find("route missing", "queue", gone("route", 3))
	find("a cell more", "q_in", plus("packet_cells", 4, 0, 1))
	find("length missing", "queue", gone("packet_cells", 3))
	find("normal queue of the next class", "class_queue", plus("class_queue", 3, 0, 3))
	find("class not under OFC", "class_queue", func(f *faulty) {
		entries := *f.entries("class_queue")
		entries[5].Action = f.action("not_under_ofc")
	})
	find("class without a queue", "queue", gone("class_queue", 5))
	find("X^c_OFF a cell more", "limits", plus("limits", 0, 0, 1))
	find("X^c_OFF a cell less", "limits", plus("limits", 3, 0, less))
	find("X_OFF a cell more", "limits", plus("limits", 1, 1, 1))
	find("X_OFF a cell less", "limits", plus("limits", 2, 1, less))
	find("X_ON a cell more", "limits", plus("limits", 1, 2, 1))
	find("X_ON a cell less", "limits", plus("limits", 1, 2, less))
	find("thresholds of a neighbour", "limits", swapped("limits", 0, 2))
	find("thresholds missing", "limits", gone("limits", 1))
	find("word of a neighbour's queue", "afc", plus("afc", 9, 0, 1<<15))
	find("word of a neighbour's port", "afc", plus("afc", 10, 0, 1<<25))
	find("word of another pipe", "afc", plus("afc", 11, 0, 1<<29))
	find("word missing", "gate", gone("afc", 16))
	find("words of backup queues swapped", "afc", swapped("afc", 16, 17))
	find("address of another switch", "signals", plus("signals", 0, 1, 1))
	find("numbers of a neighbour's frames", "signals", plus("signals", 1, 0, 1))
	find("port that sends no frames", "frame", gone("signals", 2))
	find("no mirror of signals", "frame", func(f *faulty) {
		f.fixed(ir.MirrorSession, 0).Data[1].Value = false
	})
	find("no mirror of notices", "q_in", func(f *faulty) {
		f.fixed(ir.MirrorSession, 1).Data[1].Value = false
	})
	find("no mirror of walks", "frame", func(f *faulty) {
		f.fixed(ir.MirrorSession, 2).Data[1].Value = false
	})
	find("no mirror of what moves", "move", func(f *faulty) {
		f.fixed(ir.MirrorSession, 3).Data[1].Value = false
	})
	find("notice cut too short", "q_in", length(1, 13))
	find("moved packet cut short", "departure", length(3, 34))
	find("nothing goes round", "frame", func(f *faulty) {
		f.fixed(ir.GeneratorPort, 0).Data[0].Value = false
	})
}

// Faults in the program.
func TestOFCFaultsInTheProgram(t *testing.T) {
	find := func(name, names string, plant func(*faulty)) { findOFC(t, name, names, plant) }
	bare := func(x ir.Expr) ir.Expr { return x.(ir.Binary).X }
	outputs := func(action string, when ir.Guard) func(*faulty) {
		return func(f *faulty) { f.alu(action).Outputs[0].When = when }
	}
	idle := func(action string) func(*faulty) {
		return func(f *faulty) { f.alu(action).Updates = nil }
	}
	find("cells not added to q_in", "q_in", idle("q_in_fill"))
	find("cells not taken from q_out", "q_out", idle("q_out_drain"))
	find("q_in compared without its packet", "q_in", func(f *faulty) {
		f.alu("q_in_fill").Outputs[0].After = false
	})
	find("q_out not asked for", "frame", assigned("compare", "over_out", constant(1)))
	find("X_ON compared the wrong way round", "q_in", assigned("compare_low", "below", turned))
	find("flow that joins any cell", "flow_a", outputs("flow_a_join", ir.Always))
	find("packets of a flow not counted", "flow_b", func(f *faulty) {
		f.alu("flow_b_join").Updates[1].Sum.Constant = 0
	})
	find("cells of flows never freed", "flow_a", idle("flow_a_leave"))
	find("flow's other half not noted", "frame", idle("seen_a_note"))
	find("unknown flows not counted", "unknown", idle("unknown_add"))
	find("unknown flows counted for ever", "unknown", idle("unknown_take"))
	find("paused packets not counted", "backup", func(f *faulty) {
		f.alu("backup_wait").Updates = f.alu("backup_wait").Updates[1:]
	})
	find("rotation without packets that wait", "gate", outputs("backup_rotate", ir.First))
	find("rotation ends a packet early", "gate", func(f *faulty) {
		f.alu("backup_drain").Predicates[0] = ir.Predicate{Sum: ir.Sum{Memory: ir.High, Constant: -2},
			Op: ir.Equal}
	})
	find("backup queues keep their roles", "side", idle("side_turn"))
	find("rotations not counted in ingress", "congested", idle("ended_end_rotation"))
	find("rotations not counted in egress", "", idle("ended_out_end_rotation"))
	find("flow that is never paused", "move", idle("congested_out_a_claim"))
	find("flow that is never resumed", "", idle("congested_out_a_clear"))
	find("resume in a rotation at once", "", func(f *faulty) {
		f.alu("congested_out_a_defer").Updates[0].Sum.Constant = 0
	})
	find("resume in a rotation forgotten", "", idle("congested_b_defer"))
	find("egress compares the wrong half", "move", func(f *faulty) {
		f.alu("congested_out_b_is_paused").Predicates[0].Sum.Input = 2
	})
	find("each congestion is original", "frame", outputs("paused_flows_is_original", ir.Always))
	find("no congestion is original", "frame", outputs("paused_flows_is_original", 0))
	find("paused flows counted anew", "paused_flows", func(f *faulty) {
		f.alu("congested_a_claim").Outputs[0] = ir.Output{When: ir.Always,
			Sum: ir.Sum{Constant: 1 << 4}} // the cell was free
	})
	find("resumed flows counted as paused", "paused_flows", idle("paused_flows_count_resumed"))
	find("flows named once for ever", "frame", func(f *faulty) {
		f.alu("episode_end").Updates = f.alu("episode_end").Updates[1:]
	})
	find("all flows named at every packet", "frame", outputs("walked_walk_once", ir.Always))
	find("flows paused at every packet", "frame", func(f *faulty) {
		f.alu("pause_frame_a_enter").Outputs[0] = ir.Output{When: ir.Always,
			Sum: ir.Sum{Constant: 1 << 12}} // its cell was free
	})
	find("flows paused and not noted", "pause_frame", func(f *faulty) {
		f.alu("pause_frame_b_enter").Updates = nil
	})
	find("flows resumed for ever", "pause_frame", idle("pause_frame_a_take"))
	find("last flow not marked", "frame", outputs("pause_frames_take", 0))
	find("walk by the wrong ingress", "frame", assigned("walk_flows", "ingress", constant(0)))
	find("walk that skips cells", "frame", assigned("walk_on", "at", func(x ir.Expr) ir.Expr {
		return ir.Binary{X: x.(ir.Binary).X, Y: ir.Number(16, 2)}
	}))
	find("class held at every packet", "frame", outputs("all_held_hold", 0))
	find("class that stays held", "held", func(f *faulty) {
		f.alu("held_by_frame").Updates[0].Sum = ir.Sum{Constant: 1}
	})
	find("want of room not noted", "held", idle("held_for_room"))
	find("gate of the normal queue in a rotation", "gate",
		assigned("gate_of_draining", "queue", constant(0)))
	find("queue opened while its class is held", "gate", outputs("held_look_at", 0))
	find("drained queue left open", "gate", assigned("shut_drained", "hold", constant(0)))
	find("packets move to the queue that is served", "queue",
		assigned("other_backup_queue", "qid", bare))
	find("departures counted as a cell", "q_", assigned("forward", "cells", constant(1)))
	find("moved packets counted as a cell", "q_", assigned("to_paused_queue", "cells", constant(1)))
	find("pause that says resume", "frame",
		assigned("pause_flow", "what", constant(uint64(ofc.Resume))))
	find("frames numbered from 0", "sequence", func(f *faulty) {
		f.alu("sequence_number").Outputs[0].After = false
	})
	find("stale frames obeyed", "heard", func(f *faulty) {
		f.alu("heard_hear").Outputs[0].When = ir.Always
		f.alu("heard_hear_wrapped").Outputs[0].When = ir.Always
	})
	find("flow by one hash twice", "", func(f *faulty) {
		f.Program.Functions[1].Polynomial = f.Program.Functions[0].Polynomial
	})
	find("backup queues open at first", "gate", assigned("hold_first_backup", "hold", constant(0)))
}
