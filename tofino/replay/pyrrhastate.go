package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// slotWidth is how many bits of an index are a slot.
const slotWidth = 8

// state compares registers with the machine: OQs, and of each root its slot, its isolation queues,
// its tree, and the packets that wait for it.
func (w *pyrrhaWiring) state(m *ir.Machine) *Difference {
	snapshot := w.machine.Snapshot()
	if w.made.Depth == tofino.Notices {
		for at, port := range snapshot.Ports {
			if d := w.same(m, "oq", at, 0, uint64(port.OQ)/chip.CellBytes); d != nil {
				return d
			}
		}
	}
	known := 0
	for at := range snapshot.Roots {
		info := &snapshot.Roots[at]
		level, slot, d := w.slot(m, info)
		if d = cmp.Or(d, w.tree(m, info, level, slot)); d == nil && level > 0 {
			known++
			d = w.queues(m, info, level, slot)
		}
		if d != nil {
			return d
		}
	}
	return w.stacks(m, known)
}

// slot returns the level and the slot of a root.
func (w *pyrrhaWiring) slot(m *ir.Machine, info *pyrrha.RootInfo) (level, slot int, d *Difference) {
	if info.Own {
		return 0, int(info.Root.Port), nil
	}
	level, number, known := w.made.Root(info.Root)
	name := fmt.Sprint("roots", level)
	if known {
		slot = int(w.value(m, name, number))
	}
	if slot == 0 {
		return 0, 0, unlike(name, number, "a slot of "+info.Root.String(), "none")
	}
	return level, slot, nil
}

func (w *pyrrhaWiring) tree(m *ir.Machine, info *pyrrha.RootInfo, level, slot int) *Difference {
	var listed, paused uint64
	for _, u := range info.Upstreams {
		told, register, at := uint64(0), fmt.Sprint("up", level), int(u.Port)<<slotWidth|slot
		half := 1
		if level == 0 {
			register, half = "own", 0
			at = slot<<w.bits("own") | int(u.Port)
		}
		switch u.State {
		case pyrrha.PausedUpstream:
			told, listed, paused = 2, listed+1, paused+1
		case pyrrha.ResumedUpstream:
			told, listed = 1, listed+1
		}
		if u.State != pyrrha.Unlisted || w.made.Machine.Ports[u.Port].Role != pyrrha.Host {
			if d := w.same(m, register, at, half, told); d != nil {
				return d
			}
		}
		if level > 0 {
			if d := w.same(m, register, at, 0, uint64(u.Bytes)/chip.CellBytes); d != nil {
				return d
			}
		}
	}
	at := level<<slotWidth | slot
	return cmp.Or(w.same(m, "tree", at, 0, listed), w.same(m, "tree", at, 1, paused))
}

// queues compares the isolation of a root at each port.
func (w *pyrrhaWiring) queues(m *ir.Machine, info *pyrrha.RootInfo, level, slot int) *Difference {
	states, waits := map[sluice.PortID]uint64{}, map[sluice.PortID]bool{}
	for _, q := range info.IQs {
		waits[q.Port] = q.Bytes > 0
		switch q.State {
		case hiq.SoftMerging:
			states[q.Port] = 1
		case hiq.Resumed:
			states[q.Port] = 2
		case hiq.Paused:
			states[q.Port] = 3
		}
	}
	name := fmt.Sprint("iq", level)
	for id := range sluice.PortID(len(w.made.Machine.Ports)) {
		at := int(id)<<slotWidth | slot
		if d := w.same(m, name, at, 0, states[id]); d != nil {
			return d
		}
		if packets := w.element(m, name, at)[1]; packets > 0 != waits[id] {
			return unlike(name, at, fmt.Sprintf("packets that wait: %v", waits[id]), packets)
		}
	}
	return w.same(m, "iqs", level<<slotWidth|slot, 0, uint64(len(info.IQs)))
}

// stacks checks that each free slot and queue is on its stack once, and that as many roots have a
// slot as the machine knows.
func (w *pyrrhaWiring) stacks(m *ir.Machine, known int) *Difference {
	used := 0
	for level := 1; w.registers[fmt.Sprint("roots", level)] != nil; level++ {
		top := int(w.value(m, "slot_top", level))
		used += w.made.Machine.Roots - top
		if d := w.once(m, "slot_id", level<<slotWidth, top, w.made.Machine.Roots); d != nil {
			return d
		}
	}
	if used != known {
		return &Difference{What: "registers slot_top", Machine: fmt.Sprint(known, " roots known"),
			Program: fmt.Sprint(used, " slots in use")}
	}
	segment := w.registers["free_id"].Size / len(w.made.Machine.Ports)
	for at := range w.made.Machine.Ports {
		top, queues := int(w.value(m, "free_top", at)), 0
		for q := 1; q < w.made.Machine.IQs; q++ {
			if w.value(m, "queue_set", at*segment+q) != 0 {
				queues++
			}
		}
		if top+queues != w.made.Machine.IQs-1 {
			return unlike("free_top", at, fmt.Sprint(w.made.Machine.IQs-1, " queues"),
				fmt.Sprintf("%d are free, %d in use", top, queues))
		}
		if d := w.once(m, "free_id", at*segment, top, w.made.Machine.IQs-1); d != nil {
			return d
		}
	}
	return nil
}

// once checks that a stack holds numbers of 1 to most, none twice.
func (w *pyrrhaWiring) once(m *ir.Machine, name string, from, top, most int) *Difference {
	seen := make([]bool, most+1)
	for place := range top {
		id := int(w.value(m, name, from+place))
		if id < 1 || id > most || seen[id] {
			return unlike(name, from+place, "each number once", id)
		}
		seen[id] = true
	}
	return nil
}

// PyrrhaIdle returns a register of a program of Pyrrha that differs from its initial value, though
// no packet waits and no root is known: a slot, a queue or a set was never freed, bytes are still
// counted, an upstream is still in a tree. Nil if all are free. It does not compare the last frame
// to a host.
func PyrrhaIdle(made *tofino.Pyrrha, m *ir.Machine) *Difference {
	pipe := made.Ports[0].Pipe()
	filled := map[*ir.Register]bool{}
	for _, e := range made.Config.Registers {
		filled[e.Register] = true // a stack, whose order is another now
	}
	for _, r := range made.Program.Registers {
		last := slices.Contains([]string{"heard", "sequence", "identity", "set_key", "set_queue",
			"shared"}, r.Name) // they hold what was last, and need not be as at first
		for at := 0; at < r.Size && !filled[r] && !last; at++ {
			want, got := r.Initial, m.Register(r, pipe, at)
			if half := hostHalf(made, r, at); half >= 0 {
				want[half] = got[half]
			}
			if got != want {
				return unlike(r.Name, at, want, got)
			}
		}
	}
	return nil
}

// hostHalf returns which half of an element says the last frame to a host, -1 if none does.
func hostHalf(made *tofino.Pyrrha, r *ir.Register, at int) int {
	port, half := -1, 0
	switch {
	case r.Name == "own":
		port = at % (r.Size / len(made.Machine.Ports))
	case strings.HasPrefix(r.Name, "up"):
		port, half = at>>slotWidth, 1
	}
	if port < 0 || port >= len(made.Machine.Ports) || made.Machine.Ports[port].Role != pyrrha.Host {
		return -1
	}
	return half
}
