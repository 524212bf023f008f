// Package dissector describes the control frames of this library's own formats (package wire) and
// writes a Wireshark dissector of them in Lua: wireshark/sluice.lua.
package dissector

import (
	"github.com/sluicefc/sluice/bfc"
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

type kind uint8

const (
	number8  kind = 1
	number16 kind = 2
	number32 kind = 4
	// list is a count of 16 bits, then that number of entries of 16 bits: each is the field.
	list kind = 16
	// bitmap is a count of bits in 16 bits, and the bits, from the least significant of the first
	// octet on; the field is the number of each that is set.
	bitmap kind = 17
	// keys are numbers of 64 bits to the end of the body: each is the field.
	keys kind = 18
)

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
}
