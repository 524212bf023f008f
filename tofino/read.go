package tofino

import (
	"embed"
	"maps"

	"github.com/sluicefc/sluice/tofino/internal/lang"
	"github.com/sluicefc/sluice/tofino/ir"
)

// programs are the texts of the programs, in the language of package lang.
//
//go:embed programs
var programs embed.FS

// read makes the program of a text, with numbers that the text names.
func (b *builder) read(name string, numbers map[string]int) error {
	if err := b.open(name, numbers); err != nil {
		return err
	}
	return b.text(name)
}

// open begins a program with the text that all programs have in common.
func (b *builder) open(name string, numbers map[string]int) error {
	b.p, b.filled = &ir.Program{Name: "sluice_" + name}, &ir.Config{}
	b.src = lang.New(b.p, map[string]int{"ports": len(b.Ports), "port_bits": b.portBits,
		"ghost": bit(b.Depth == Ghost), "most_cells": b.mostCells(), "routes": max(1, len(b.Routes))})
	maps.Copy(b.src.Numbers, numbers)
	return b.text("common")
}

func (b *builder) text(name string) error {
	return readText(b.src, name)
}

func readText(src *lang.Source, name string) error {
	text, err := programs.ReadFile("programs/" + name + ".txt")
	if err != nil {
		return err
	}
	return src.Read(name+".txt", string(text))
}

// number returns a constant of the text.
func (b *builder) number(name string) int { return b.src.Numbers[name] }

// bit is 1 for true.
func bit(is bool) int {
	if is {
		return 1
	}
	return 0
}
