// Package dissector describes the control frames of this library's own formats (package wire) and
// writes a Wireshark dissector of them in Lua: wireshark/sluice.lua.
package dissector

import (
	"fmt"
	"strings"

	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/internal/lab/fabric/floodgate"
	"github.com/sluicefc/sluice/internal/lab/fabric/voq"
	"github.com/sluicefc/sluice/internal/wire"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/portfc"
	"github.com/sluicefc/sluice/pyrrha"
)

type protocol struct {
	number   uint8
	name     string
	messages []message
}

type message struct {
	number uint8
	name   string
	fields []field
}

// field is a part of a body; numbers are big endian.
type field struct {
	name, label string
	kind        kind
}

// kind is how a field is read.
type kind struct {
	reader string  // the Lua function that reads it
	size   string  // of what Wireshark keeps of it
	each   []field // of an entry
}

var (
	number8  = kind{reader: "number(1)", size: "uint8"}
	number16 = kind{reader: "number(2)", size: "uint16"}
	number32 = kind{reader: "number(4)", size: "uint32"}
	// list is a count of 16 bits, then that number of entries of 16 bits: each is the field.
	list = kind{reader: "list", size: "uint16"}
	// bitmap is a count of bits in 16 bits, and the bits, from the least significant of the first
	// octet on; the field is the number of each that is set.
	bitmap = kind{reader: "bitmap", size: "uint16"}
	// keys are numbers of 64 bits to the end of the body: each is the field.
	keys = kind{reader: "keys", size: "uint64"}
)

// entries are a count of 16 bits, which is the field, then that number of entries: each has the
// fields.
func entries(each ...field) kind {
	return kind{reader: "entries(" + readersOf(each) + ")", size: "uint16", each: each}
}

// readersOf returns the Lua table of fields, each with the function that reads it.
func readersOf(fields []field) string {
	var all []string
	for _, field := range fields {
		all = append(all, fmt.Sprintf("{ f.%s, %s }", luaName(field.name), field.kind.reader))
	}
	return "{ " + strings.Join(all, ", ") + " }"
}

var (
	rootSwitch = field{"root.switch", "Root switch", number32}
	rootPort   = field{"root.port", "Root port", number16}
	oldSwitch  = field{"old.switch", "Old root's switch", number32}
	oldPort    = field{"old.port", "Old root's port", number16}
	hop        = field{"hop", "Distance to the root, hops", number8}

	flows = []field{{"class", "Class", number8}, {"list", "All (1), last (2)", number8},
		{"count", "Number of flows", number16}, {"generation", "Generation", number32},
		{"part", "Part", number16}, {"parts", "Parts", number16}, {"flow", "Flow", keys}}
	congested = []field{{"congested.queue", "Congested queue", number16},
		{"congested.port", "At port", number16}, {"congested.layer", "Of a switch of layer", number8}}
)

var (
	destinationSwitch = field{"destination.switch", "Destination's switch", number32}
	destinationPort   = field{"destination.port", "Destination's port", number16}
	credited          = field{"credited", "Credited, bytes", number32}
	sent              = field{"sent", "Sent, bytes", number32}
)

// destinations are a body that lists destinations, and what it says of each.
func destinations(of ...field) []field {
	each := append([]field{destinationSwitch, destinationPort}, of...)
	return []field{{"destinations", "Number of destinations", entries(each...)}}
}

// protocols are the protocols whose frames are dissected.
var protocols = []protocol{
	{wire.BFC, "BFC", []message{
		{uint8(bfc.Pause), "pause", []field{{"queue", "Paused queue", list}}},
		{uint8(bfc.Resume), "resume", []field{{"queue", "Resumed queue", list}}},
		{uint8(bfc.Bitmap), "bitmap", []field{{"queue", "Paused queue", bitmap}}},
	}},
	{wire.OFC, "OFC", []message{
		{uint8(ofc.Pause), "pause", flows},
		{uint8(ofc.Resume), "resume", flows},
		{uint8(ofc.Refresh), "refresh", flows},
	}},
	{wire.Pyrrha, "Pyrrha", []message{
		{uint8(pyrrha.Pause), "pause", []field{rootSwitch, rootPort, hop}},
		{uint8(pyrrha.Resume), "resume", []field{rootSwitch, rootPort}},
		{uint8(pyrrha.Merge), "merge", []field{rootSwitch, rootPort, oldSwitch, oldPort, hop}},
		{uint8(pyrrha.Dealloc), "dealloc", []field{rootSwitch, rootPort}},
	}},
	{wire.PortFC, "PortFC", []message{
		{uint8(portfc.Pause), "pause", congested},
		{uint8(portfc.Resume), "resume", congested},
	}},
	{wire.VOQ, "VOQ", []message{
		{uint8(voq.Pause), "pause", destinations()},
		{uint8(voq.Resume), "resume", destinations()},
	}},
	{wire.Floodgate, "Floodgate", []message{
		{uint8(floodgate.Credit), "credit", destinations(credited)},
		{uint8(floodgate.SYN), "syn", destinations(credited, sent)},
	}},
}
