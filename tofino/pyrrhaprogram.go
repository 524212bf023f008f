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

// maxDoublings is how often the program doubles a depth at most, to know cells of ghost's units.
const maxDoublings = 5

// slotBits is the width of a slot in an index.
const slotBits = 8

// signalQueue and otherQueue are the last two queues of a port; spill is the last isolation queue.
func (b *pyrrhaBuilder) signalQueue() int { return b.full.IQs + 1 }
func (b *pyrrhaBuilder) otherQueue() int  { return b.full.IQs + 2 }
func (b *pyrrhaBuilder) spill() int       { return b.full.IQs }

// program makes the program of programs/pyrrha.p4, with path tables.
func (b *pyrrhaBuilder) program() error {
	paths, reached, err := newPaths(PathConfig{Network: b.network, Switch: b.full.Switch,
		Ports: b.Ports})
	if err != nil {
		return err
	}
	b.paths, b.levels = paths, len(paths.hops)-1
	if err := b.checkPaths(); err != nil {
		return err
	}
	paths.define(&b.defines)
	for level := 1; level <= b.levels; level++ {
		size := max(paths.Numbers(level), 1)
		b.defines.set(fmt.Sprint("ROOTS_", level), size,
			fmt.Sprint("NUMBER_BITS_", level), width(size))
	}
	class, apart := b.apart()
	b.queueBits = width(b.full.IQs)
	if err := b.read("pyrrha", "LEVELS", b.levels, "LEVEL_BITS", width(b.levels+1),
		"SLOTS_IN_USE", b.full.Roots, "ROOT_NUMBERS", 1, "OLD_NUMBERS", 1, "LIMITS", 1,
		"REPORTED_QUEUES", len(b.Ports), "THIS_SWITCH", int(b.full.Switch), "QUEUE_BITS", b.queueBits,
		"SPILL", b.spill(),
		"SIGNAL_QUEUE", b.signalQueue(), "HELD_QUEUES", max(b.full.IQs-1, 1),
		"WORDS", max(1, len(b.Ports)*(b.full.IQs-1)), "ROUND_PORT", int(b.roundPort()),
		"APART", bit(apart), "OTHER_CLASS", class, "OTHER_QUEUE", b.otherQueue(),
		"DOUBLINGS", bits.Len(uint(b.Unit.Cells()))-1, "REPORTED_QUEUES", len(b.Ports)); err != nil {
		return err
	}
	b.found, err = paths.bind(b.src, &b.defines, reached)
	return err
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
