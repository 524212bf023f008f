package replay_test

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/ir"
	"github.com/sluicefc/sluice/tofino/replay"
)

// faultyNetwork is a network of roots that come, pause, merge and go: two racks send to the hosts
// of a third, through spines that become roots, then all to one; hosts of the second rack have
// another root on the way of some. Flows from a sender end with a packet of that many bytes more
// than the flows from the sender before. Each switch has the fault in its program.
func faultyNetwork(
	t *testing.T, more sluice.Bytes, plant func(f *faulty), chips ...pyrrhaChip,
) *pyrrhaNetwork {
	host := sluice.Link{Rate: 100 * sluice.Gbps, Delay: 600 * sluice.Nanosecond}
	up := sluice.Link{Rate: 200 * sluice.Gbps, Delay: 500 * sluice.Nanosecond}
	const perRack, racks = 4, 3
	g, err := topo.LeafSpine(topo.LeafSpineConfig{Racks: racks, Spines: 2, HostsPerRack: perRack,
		HostLink: host, Uplink: up})
	require.NoError(t, err)
	var flows []workload.Flow
	add := func(src, dst int, bytes sluice.Bytes, start sluice.Time) {
		if src == dst {
			return
		}
		flows = append(flows, workload.Flow{Src: sluice.SwitchID(src), Dst: sluice.SwitchID(dst),
			Class: 3, SrcPort: uint16(len(flows)), DstPort: 100, Bytes: bytes + more*sluice.Bytes(src),
			Start: start * sluice.Microsecond})
	}
	for sender := perRack; sender < racks*perRack; sender++ {
		add(sender, 1+sender%(perRack-1), 150*sluice.KB, 0)
		add(sender, 0, 60*sluice.KB, 10)
		add(sender, perRack+sender%2, 60*sluice.KB, 15)
		add(sender%perRack, 2*perRack+sender%2, 60*sluice.KB, 20)
		add(sender, 2, 40*sluice.KB, 40)
	}
	n, err := newPyrrhaNetwork(g, flows, "buffer=8MiB,pyrrha.abdicate=true", 1,
		func(made *tofino.Pyrrha) {
			if plant != nil {
				plant(&faulty{t, &made.Made})
			}
		}, chips...)
	require.NoError(t, err)
	return n
}

// lastPackets is what flows of the networks with a fault differ by, in bytes.
var lastPackets = []sluice.Bytes{0, 50, 100, 150, 200, 250, 300, 350}

// findPyrrha replays networks with a fault in their programs, and fails unless a switch finds it
// within 100,000 inputs: a limit that is a byte off shows only where a queue ends at that byte, so
// that packets of other sizes are tried. The report must say what was decided by both, and name
// the table, action or register.
func findPyrrha(t *testing.T, name, names string, plant func(f *faulty)) {
	t.Run(name, func(t *testing.T) {
		var found *replay.Difference
		for at := 0; found == nil && at < len(lastPackets); at++ {
			found = firstDifference(t, faultyNetwork(t, lastPackets[at], plant))
		}
		require.NotNil(t, found, "not found")
		assert.Less(t, found.Input.Number, uint64(100_000))
		requireReport(t, found, names)
	})
}

// firstDifference runs the network and returns the report that was made first, at the switch of
// the least number if at two at once; nil if there is none.
func firstDifference(t *testing.T, n *pyrrhaNetwork) *replay.Difference {
	_, err := n.run.Do()
	require.NoError(t, err)
	var first *replay.Difference
	for _, node := range slices.Sorted(maps.Keys(n.taps)) {
		n.taps[node].Check()
		var d *replay.Difference
		if errors.As(n.taps[node].Err(), &d) && (first == nil || d.Input.Now < first.Input.Now) {
			first = d
		}
	}
	return first
}

// Without a fault nothing is found, and every kind of frame was sent.
func TestNothingIsFoundInPyrrhaWithoutFault(t *testing.T) {
	depth.From(t, depth.Thorough, "seconds of replays")
	for _, more := range lastPackets[1:] {
		require.Nil(t, firstDifference(t, faultyNetwork(t, more, nil)))
	}
	n := faultyNetwork(t, 0, nil)
	_, err := n.run.Do()
	require.NoError(t, err)
	require.NoError(t, n.check())
	kinds, inputs, turned := map[string]uint64{}, uint64(0), uint64(0)
	for _, tap := range n.taps {
		inputs = max(inputs, tap.Stats().Inputs)
		turned += tap.Stats().Turned
		for kind, count := range tap.Stats().Kinds {
			kinds[kind] += count
		}
	}
	t.Logf("frames %v, %d in another order, at most %d inputs at a switch", kinds, turned, inputs)
	for _, kind := range []string{"pause", "resume", "merge", "dealloc"} {
		assert.Greater(t, kinds[kind], uint64(20), kind)
	}
	assert.Less(t, inputs, uint64(100_000))
}

// Every fault in the entries is found.
func TestPyrrhaFaultsInEntries(t *testing.T) {
	depth.From(t, depth.Thorough, "a network for each fault")
	flipped := func(table string, datum int) func(*faulty) {
		return func(f *faulty) {
			for at := range *f.entries(table) {
				e := &(*f.entries(table))[at]
				e.Data = append([]ir.Value(nil), e.Data...)
				e.Data[datum].Lo ^= 1
			}
		}
	}
	register := func(name string, change func(*ir.RegisterEntry)) func(*faulty) {
		return func(f *faulty) {
			for at := range f.Config.Registers {
				if e := &f.Config.Registers[at]; e.Register.Name == name && e.Value[0] == 1 {
					change(e)
					return
				}
			}
			f.t.Fatal("no entry of register " + name)
		}
	}
	nodes := func(group uint64, change func([]uint64) []uint64) func(*faulty) {
		return func(f *faulty) {
			entry := f.fixed(ir.MulticastGroups, int(group)-1)
			entry.Data[0].Value = change(entry.Data[0].Value.([]uint64))
		}
	}
	find := func(name, names string, plant func(*faulty)) { findPyrrha(t, name, names, plant) }
	find("K_pause a cell more", "", plus("limits", 0, 0, 1))
	find("K_pause a cell less", "", plus("limits", 0, 0, less))
	find("K_resume a cell more", "", plus("limits", 0, 1, 1))
	find("K_resume a cell less", "", plus("limits", 0, 1, less))
	find("K_resume of all a cell less", "", plus("limits", 0, 2, less))
	find("hosts that are switches", "peers", flipped("peers", 2))
	find("frames to the neighbour", "peers", swapped("peers", 0, 1))
	find("ports that are no roots", "port_out", flipped("port_out", 2))
	find("state of the neighbour port", "", swapped("port_out", 0, 1))
	find("no way out", "port_out", gone("port_out", 0))
	find("frames as from the neighbour", "port_in", swapped("port_in", 0, 1))
	find("roots that do not abdicate", "", flipped("port_in", 1))
	find("frames that are not heard", "", flipped("port_in", 2))
	find("hosts that leave trees", "", flipped("port_in", 3))
	find("sets of other levels", "", flipped("root_number", 1))
	find("numbers of other roots", "", flipped("root_number", 2))
	find("all roots a hop nearer", "", flipped("root_number", 0))
	find("no number of a root", "", func(f *faulty) {
		*f.entries("root_number") = (*f.entries("root_number"))[:4]
	})
	find("no number of an old root", "", func(f *faulty) { *f.entries("old_number") = nil })
	find("words of neighbours", "", func(f *faulty) {
		for at := 0; at+1 < len(*f.entries("afc")); at += 2 {
			swapped("afc", at, at+1)(f)
		}
	})
	find("no words", "", func(f *faulty) { *f.entries("afc") = nil })
	find("numbers of the neighbour's frames", "sequence", plus("signals", 0, 0, 1))
	find("source of another switch", "", plus("signals", 0, 1, 1))
	find("no frames by a port", "signals", gone("signals", 0))
	find("a cell too many", "", plus("packet_cells", 8, 0, 1))
	find("no cells for a length", "packet_cells", gone("packet_cells", 8))
	find("no path", "path", gone("path_dst", 0))
	find("a slot twice", "slot_id", register("slot_id", func(e *ir.RegisterEntry) { e.Value[0] = 2 }))
	find("a queue twice", "free_id", register("free_id", func(e *ir.RegisterEntry) { e.Value[0] = 2 }))
	find("slots in another pipe", "slot_id",
		register("slot_id", func(e *ir.RegisterEntry) { e.Pipe = 2 }))
	find("a port that no thread looks at", "",
		nodes(1, func(all []uint64) []uint64 { return all[1:] }))
	find("loops that never end", "", nodes(1, func(all []uint64) []uint64 { return all[:len(all)-1] }))
	find("queues that no thread looks at", "",
		nodes(2, func(all []uint64) []uint64 { return all[:1] }))
	find("no notices", "", func(f *faulty) { f.fixed(ir.MirrorSession, 1).Data[1].Value = false })
	find("no threads of packets", "",
		func(f *faulty) { f.fixed(ir.MirrorSession, 2).Data[1].Value = false })
	find("no frames", "", func(f *faulty) { f.fixed(ir.MirrorSession, 0).Data[1].Value = false })
	find("nothing goes round", "",
		func(f *faulty) { f.fixed(ir.GeneratorPort, 0).Data[0].Value = false })
}

// spineRegisters are how many registers the program of a switch has all of whose roots are at one
// hop.
const spineRegisters = 19

// Every fault in the program is found: of what frees, of what merges, of sets, sums and frames.
func TestPyrrhaFaultsInTheProgram(t *testing.T) {
	depth.From(t, depth.Thorough, "a network for each fault")
	levels := func(register, action string, change func(*ir.RegisterAction)) func(*faulty) {
		return func(f *faulty) {
			change(f.alu(register + "1_" + action))
			if len(f.Program.Registers) > spineRegisters { // a top-of-rack switch has two levels
				change(f.alu(register + "2_" + action))
			}
		}
	}
	nothing := func(a *ir.RegisterAction) { a.Updates = nil }
	one := func(name string, change func(*ir.RegisterAction)) func(*faulty) {
		return func(f *faulty) { change(f.alu(name)) }
	}
	given := func(action, field string, number uint64) func(*faulty) {
		return assigned(action, field, constant(number))
	}
	find := func(name, names string, plant func(*faulty)) { findPyrrha(t, name, names, plant) }
	find("an IQ that is never freed", "iq", levels("iq", "free", nothing))
	find("an IQ that is freed with packets in it", "",
		levels("iq", "free", func(a *ir.RegisterAction) {
			a.Predicates[0].Sum.Constant = -1
		}))
	find("a packet that its IQ does not count", "", levels("iq", "enter", nothing))
	find("packets that wait for ever", "", levels("iq", "leave", nothing))
	find("RESUME of no IQ makes one", "", levels("iq", "turn", func(a *ir.RegisterAction) {
		a.Predicates[0].Op = ir.LessOrEqual
	}))
	find("a queue that is free while packets wait", "",
		one("set_packets_leave", func(a *ir.RegisterAction) {
			a.Predicates[0].Sum.Constant = -2
		}))
	find("a set that is never empty", "", one("set_packets_leave", nothing))
	find("a set without the test that it is that set", "", func(f *faulty) {
		f.alu("set_key_compare").Outputs = []ir.Output{{}}
		assigned("name_set", "index", constant(7))(f)
	})
	find("a name of a set that leaves out roots", "", given("whole_set", "set", 1))
	find("the stack of queues does not shrink", "", one("free_top_pop", nothing))
	find("the stack of queues does not grow", "free_top", one("free_top_push", nothing))
	find("the stack of slots does not shrink", "", one("slot_top_pop", nothing))
	find("the stack of slots does not grow", "slot_top", one("slot_top_push", nothing))
	find("a queue that is not remembered", "set_queue", one("set_queue_write", nothing))
	find("a root that is not forgotten", "roots", func(f *faulty) {
		for _, a := range f.Program.Actions {
			if a.Name == "forget_root1" || a.Name == "forget_root2" {
				a.Body = nil
			}
		}
	})
	find("an upstream that leaves a tree is still listed", "tree",
		given("dealloc_leaves", "more_listed", 0))
	find("the leaf rule everywhere", "", given("iq_of_no_leaf", "turn1", 2))
	find("the leaf rule nowhere", "", given("iq_of_leaf", "turn1", 1))
	find("a port that is asked for IQs too often", "iqs", one("iqs_more", nothing))
	find("MERGE that moves no upstream", "", func(f *faulty) {
		f.alu("up1_move").Outputs[0].When = 0
		f.alu("own_move").Outputs[0].When = 0
	})
	find("MERGE that leaves the old tree", "tree", one("tree_clear", nothing))
	find("MERGE that does not look at the gates", "", given("look_at_gates", "todo_gates", 0))
	find("a root that abdicates and does not", "", given("abdicate", "todo_merge", 0))
	find("MERGE that says another distance", "", given("send_frame", "hop", 7))
	find("a pause at the packet after", "up", levels("up", "enter", func(a *ir.RegisterAction) {
		a.Predicates[0].Sum.Constant = -9
	}))
	find("a pause that is sent twice", "", levels("up", "enter", func(a *ir.RegisterAction) {
		a.Updates = a.Updates[:1]
	}))
	find("a sum that never falls", "", levels("up", "leave", func(a *ir.RegisterAction) {
		a.Updates = a.Updates[1:]
	}))
	find("a resume at the packet after", "", levels("up", "leave", func(a *ir.RegisterAction) {
		a.Predicates[0].Sum.Constant = 9
	}))
	find("OQs without notices", "oq", one("oq_leave", nothing))
	find("an own root that pauses twice", "", one("own_pause", nothing))
	find("an own root that resumes no upstream", "own", one("own_resume", nothing))
	find("a queue that is never held", "", given("hold_queue", "hold", 0))
	find("copies that are all the first", "", given("number_copy", "at", 0))
	find("a frame that is stale", "", one("heard_hear", func(a *ir.RegisterAction) {
		a.Outputs[0].When = 0
	}))
	find("frames that are numbered late", "sequence",
		one("sequence_number", func(a *ir.RegisterAction) {
			a.Outputs[0].After = false
		}))
	find("frames with an octet of theirs", "", given("send_signal", "p3", 1))
}
