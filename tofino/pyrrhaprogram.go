package tofino

import (
	"fmt"
	"math/bits"

	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/sluicefc/sluice/tofino/ir"
)

// pyrrhaBuilder is a program under construction.
type pyrrhaBuilder struct {
	builder
	machine *pyrrha.Switch
	full    pyrrha.Config
	network *hashpath.Snapshot
	paths   *Paths
	found   []ir.TableConfig

	levels, queueBits int
}

// slotBits is the width of a slot in an index.
const slotBits = 8

// signalQueue and otherQueue are the last two queues of a port; spill is the last isolation queue.
func (b *pyrrhaBuilder) signalQueue() int { return b.full.IQs + 1 }
func (b *pyrrhaBuilder) otherQueue() int  { return b.full.IQs + 2 }
func (b *pyrrhaBuilder) spill() int       { return b.full.IQs }

// program makes the program of programs/pyrrha.txt.
func (b *pyrrhaBuilder) program() error {
	class, apart := b.apart()
	b.queueBits = width(b.full.IQs)
	err := b.open("pyrrha", map[string]int{
		"pause": int(pyrrha.Pause), "resume": int(pyrrha.Resume), "merge": int(pyrrha.Merge),
		"dealloc": int(pyrrha.Dealloc), "this_switch": int(b.full.Switch), "all_roots": b.full.Roots,
		"queue_bits": b.queueBits, "spill": b.spill(), "signal_queue": b.signalQueue(),
		"other_queue": b.otherQueue(), "apart": bit(apart), "other_class": class,
		"words": max(1, len(b.Ports)*(b.full.IQs-1)), "queue_copies": max(b.full.IQs-1, 1),
		"doublings": bits.Len(uint(b.Unit.Cells())) - 1, "round_port": int(b.roundPort())})
	if err == nil {
		err = b.findPaths()
	}
	if err == nil {
		err = b.text("pyrrha")
	}
	return err
}

// findPaths adds the path tables.
func (b *pyrrhaBuilder) findPaths() (err error) {
	field := b.src.Field
	b.paths, b.found, err = NewPaths(PathConfig{Network: b.network, Switch: b.full.Switch,
		Ports: b.Ports, Flow: FlowFields{Src: field("ipv4.src"), Dst: field("ipv4.dst"),
			SrcPort: field("l4.src"), DstPort: field("l4.dst"), Protocol: field("ipv4.protocol")}})
	if err != nil {
		return err
	}
	if err := b.checkPaths(); err != nil {
		return err
	}
	b.paths.joins(b.src)
	b.levels = len(b.paths.Roots)
	numbers := b.src.Numbers
	numbers["levels"], numbers["level_bits"] = b.levels, width(b.levels+1)
	for level := 1; level <= b.levels; level++ {
		size := max(b.paths.Numbers(level), 1)
		numbers[fmt.Sprint("size_of_roots", level)] = size
		numbers[fmt.Sprint("bits_of_roots", level)] = width(size)
	}
	return nil
}

// apart returns the class that is not under Pyrrha; false if all are.
func (b *pyrrhaBuilder) apart() (class int, is bool) {
	for class := range 8 {
		if b.full.Classes&(1<<class) == 0 {
			return class, true
		}
	}
	return 0, false
}

// abdicates reports whether a port gives way to a root downstream of it.
func (b *pyrrhaBuilder) abdicates(at int) bool {
	up := b.full.Ports[at].Role == pyrrha.Up && !b.full.AbdicateUp
	return !up && b.full.Merge == pyrrha.MergeAlways
}
