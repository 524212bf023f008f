package check

import (
	"fmt"
	"maps"
	"sort"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/portfc"
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/sluicefc/sluice/tofino/ir"
)

// says are the values of a frame's fields, by their names.
type says map[string]uint64

// frame is a frame of one kind as this module writes it.
type frame struct {
	name   string
	octets []byte
	fields says
}

// Values of the frames below, each another number.
const (
	sampleSequence = 0x01020304
	sampleQueue    = 0x0A
	sampleSwitch   = 0x05060708
	samplePort     = 0x19
	sampleHop      = 3
)

// frames returns a frame of each kind that a program may read.
func frames() (made []frame) {
	source := sluice.MAC{2, 0, 0, 0, 0, 7}
	add := func(name string, protocol, kind uint64, octets []byte, fields says) {
		maps.Copy(fields, says{"protocol": protocol, "version": 1, "type": kind, "kind": kind, "flags": 0,
			"sequence": sampleSequence})
		made = append(made, frame{name, octets, fields})
	}
	for kind := bfc.Pause; kind <= bfc.Resume; kind++ {
		f := bfc.Frame{Type: kind, Source: source, Sequence: sampleSequence, Count: 1}
		f.Queues[0] = sampleQueue
		add("bfc "+f.Kind(), 1, uint64(kind), f.AppendTo(nil),
			says{"length": 4, "count": 1, "queue": sampleQueue})
	}
	for kind := ofc.Pause; kind <= ofc.Resume; kind++ {
		f := ofc.Frame{Type: kind, Source: source, Sequence: sampleSequence, Class: sampleHop, Count: 1}
		f.Keys[0] = sampleSwitch
		add("ofc "+f.Kind(), 2, uint64(kind), f.AppendTo(nil), says{"length": 20, "count": 1,
			"class": sampleHop, "options": 0, "generation": 0, "part": 0, "parts": 0, "flow": sampleSwitch,
			"flow_high": 0, "flow_low": sampleSwitch})
	}
	root := sluice.Hop{Switch: sampleSwitch, Port: samplePort}
	old := sluice.Hop{Switch: sampleSwitch + 1, Port: samplePort + 1}
	for kind, fields := range map[pyrrha.FrameType]says{
		pyrrha.Pause:   {"length": 7, "hop": sampleHop},
		pyrrha.Resume:  {"length": 6},
		pyrrha.Dealloc: {"length": 6},
		pyrrha.Merge: {"length": 13, "hop": sampleHop, "old_switch": sampleSwitch + 1,
			"old_port": samplePort + 1},
	} {
		f := pyrrha.Frame{Type: kind, Root: root, Hop: sampleHop, Sequence: sampleSequence,
			Source: source, Old: old}
		maps.Copy(fields, says{"root_switch": sampleSwitch, "root_port": samplePort})
		add(fmt.Sprintf("pyrrha %v", kind), 3, uint64(kind), f.AppendTo(nil), fields)
	}
	for kind := portfc.Pause; kind <= portfc.Resume; kind++ {
		f := portfc.Frame{Type: kind, Source: source, Sequence: sampleSequence, Queue: sampleQueue,
			Port: samplePort, Layer: sampleHop}
		add("portfc "+f.Kind(), 4, uint64(kind), f.AppendTo(nil), says{"length": 5,
			"queue": sampleQueue, "port": samplePort, "layer": sampleHop})
	}
	sort.Slice(made, func(a, b int) bool { return made[a].name < made[b].name })
	return made
}

// linkHeader is how many octets of a frame come before this module's own fields.
const linkHeader = 14

// holdFrames notes where the parser of a program and this module's own parser differ on the frames
// that the program reads: frames of which it takes more than the Ethernet header.
func (s *state) holdFrames() {
	for _, one := range frames() {
		s.holdFrame(&one)
	}
}

func (s *state) holdFrame(one *frame) {
	fault := func(rule string, values ...any) {
		s.add(s.program.file, 0, "IngressParser", "frame "+one.name, rule, values...)
	}
	fields, accepted, rule := s.program.parse(one.octets)
	switch {
	case rule != "":
		fault("%s", rule)
		return
	case !accepted: // as a program may
		return
	}
	for _, field := range fields {
		if field.offset < 8*linkHeader {
			continue
		}
		want, known := one.fields[field.name]
		switch {
		case known && field.value != ir.Uint(want):
			fault("hdr.%s.%s is %v, the frame's %s is 0x%x", field.header, field.name, field.value,
				field.name, want)
		case !known && !field.value.Zero():
			fault("hdr.%s.%s is %v where the frame has another field", field.header, field.name, field.value)
		}
	}
}
