package tofino

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"github.com/sluicefc/sluice/tofino/ir"
	"github.com/sluicefc/sluice/tofino/p4"
)

// programs are the programs, in P4.
//
//go:embed programs/*.p4
var programs embed.FS

// configFile is the file of a program that says what its configuration decides.
const configFile = "config.p4h"

// defines are what a configuration decides, in order: names and numbers, or tokens.
type defines struct {
	names  []string
	values map[string]string
}

// set gives names values, one after the other.
func (d *defines) set(pairs ...any) {
	if d.values == nil {
		d.values = map[string]string{}
	}
	for at := 0; at < len(pairs); at += 2 {
		name := pairs[at].(string)
		if _, known := d.values[name]; !known {
			d.names = append(d.names, name)
		}
		d.values[name] = fmt.Sprint(pairs[at+1])
	}
}

// header returns the text of the file.
func (d *defines) header() []byte {
	var b strings.Builder
	b.WriteString("// What the configuration of this switch decides. Made, not written.\n\n")
	for _, name := range d.names {
		fmt.Fprintf(&b, "#define %s %s\n", name, d.values[name])
	}
	return []byte(b.String())
}

// configured is the files of programs with the file of a configuration.
type configured struct {
	fs.FS
	config []byte
}

// ReadFile returns the content of a file.
func (c configured) ReadFile(name string) ([]byte, error) {
	if name == configFile {
		return c.config, nil
	}
	return fs.ReadFile(c.FS, name)
}

// readProgram reads a program with what a configuration decides.
func readProgram(name string, d *defines) (*p4.Program, error) {
	folder, err := fs.Sub(programs, "programs")
	if err != nil {
		return nil, err
	}
	made, err := p4.Read(configured{folder, d.header()}, name+".p4", "sluice_"+name)
	if err != nil {
		return nil, fmt.Errorf("tofino: %w", err)
	}
	return made, nil
}

// settled puts what a configuration decides in the end, when the sizes of tables are known, into
// the text of a program.
func (d *defines) settled(p *ir.Program) {
	for at := range p.Text {
		if p.Text[at].Name == configFile {
			p.Text[at].Content = d.header()
		}
	}
}

// read makes the program of a file, with definitions of its own and the definitions that
// all programs have.
func (b *builder) read(name string, own ...any) (err error) {
	b.filled = &ir.Config{}
	b.defines.set("PORTS", len(b.Ports), "PORT_BITS", b.portBits, "GHOST", bit(b.Depth == Ghost),
		"MOST_CELLS", b.mostCells())
	b.defines.set(own...)
	if b.src, err = readProgram(name, &b.defines); err != nil {
		return err
	}
	b.p = b.src.Program
	return nil
}

// number returns a constant of the program.
func (b *builder) number(name string) int {
	return int(b.src.Constants[name])
}

// bit is 1 for true.
func bit(is bool) int {
	if is {
		return 1
	}
	return 0
}
