package emit

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/sluicefc/sluice/tofino/ir"
)

// P4 writes the text of a valid program, in P4_16 for the architecture T2NA, or returns what its
// compiler refuses according to [ir.Program.Lint]. The text is printed from the program alone; from
// the configuration, which may be nil, it takes the number of entries of each table, for the
// comments above the tables.
//
// Every key has a name of its own for the control plane and every literal a width. Hash functions
// and register actions are declared once for each use: the compiler allows an instance one call,
// and a register action names its inputs where it is declared. So P4 returns an error if the text
// cannot say what the program says: an input that is the parameter of an action, inputs or
// constants wider than their register, more than four declared register actions of one register, a
// table that no control applies, a name that the text itself needs.
//
// A predicate of three terms is a comparison of a sum of two terms with the third. The sum wraps at
// the width of the register; the representation's sum does not.
func P4(w io.Writer, p *ir.Program, cfg *ir.Config) error {
	if err := p.Lint(); err != nil {
		return err
	}
	t := newText(p, cfg)
	t.head()
	t.types()
	controls := [...]string{t.control(ir.Ingress), t.control(ir.Egress), t.control(ir.Ghost)}
	if t.shared.Len() > 0 {
		t.part("Registers that ghost and ingress share")
	}
	t.b.WriteString(t.shared.String())
	for _, gress := range []ir.Gress{ir.Ingress, ir.Egress} {
		t.part(control(gress))
		t.parser(gress)
		t.b.WriteString(controls[gress])
		t.deparser(gress)
	}
	if controls[ir.Ghost] != "" {
		t.part("Ghost")
	}
	t.b.WriteString(controls[ir.Ghost])
	t.part("The whole")
	t.pipeline()
	if len(t.faults) > 0 {
		return errors.Join(t.faults...)
	}
	_, err := io.WriteString(w, t.b.String())
	return err
}

// text is P4 under construction.
type text struct {
	program *ir.Program
	entries map[*ir.Table]int
	places  map[*ir.Field]string // how the text names a field
	homes   homes
	owner   map[*ir.RegisterAction]*ir.Register
	names   names
	b       strings.Builder
	shared  strings.Builder // registers outside of the controls
	faults  []error

	gress     ir.Gress
	hashes    strings.Builder // declarations that the control at hand turns out to need
	instances []*instance
	hashed    []hashUse
}

func newText(p *ir.Program, cfg *ir.Config) *text {
	t := &text{program: p, places: map[*ir.Field]string{}, homes: homesOf(p), names: names{},
		owner: p.Owners(), entries: map[*ir.Table]int{}}
	if cfg != nil {
		for _, filled := range cfg.Tables {
			t.entries[filled.Table] = len(filled.Entries)
		}
	}
	for gress, fields := range p.Metadata {
		for _, field := range fields {
			t.places[field] = "md." + field.Name
			if ir.Gress(gress) == ir.Ghost { // it has no structure of metadata: they are variables
				t.places[field] = "ghost_" + field.Name
			}
		}
	}
	for _, header := range p.Headers {
		t.name(header.Name)
		for _, field := range header.Fields {
			t.places[field] = "hdr." + header.Name + "." + field.Name
		}
	}
	for _, register := range p.Registers {
		t.name(register.Name)
	}
	for _, action := range p.Actions {
		t.name(action.Name)
	}
	for _, table := range p.Tables {
		t.name(table.Name)
		t.fault(!t.homes.applied[table], "table %s: no control applies it", table.Name)
	}
	return t
}

// ours are names that every text declares.
var ours = []string{"hdr", "md", "pkt", "pipe", "main", "value", "before", "Ingress", "Egress",
	"Ghost", "IngressParser", "EgressParser", "IngressDeparser", "EgressDeparser", "headers_t"}

// name notes a name that the control plane sees.
func (t *text) name(name string) {
	t.fault(slices.Contains(ours, name), "%s: the text needs this name itself", name)
	t.names[name] = true
}

// names are names that are taken.
type names map[string]bool

// fresh takes a name that nothing has and that begins with the given name.
func (n names) fresh(name string) string {
	made := name
	for count := 2; n[made]; count++ {
		made = fmt.Sprintf("%s_%d", name, count)
	}
	n[made] = true
	return made
}

func (t *text) fault(broken bool, rule string, values ...any) {
	if broken {
		t.faults = append(t.faults, fmt.Errorf("emit: "+rule, values...))
	}
}

func (t *text) head() {
	fmt.Fprintf(&t.b, "// Program %s for the Tofino 2, T2NA. Printed, not written: what fills its "+
		"tables\n// comes with it. It breaks no rule that its compiler is known to have; the compiler "+
		"has not\n// seen this text.\n\n#include <core.p4>\n#include <t2na.p4>\n", t.program.Name)
}

// part writes the heading of a part of the text.
func (t *text) part(heading string) {
	fmt.Fprintf(&t.b, "\n// ======== %s ========\n", heading)
}

// types writes the names of values, then headers and metadata.
func (t *text) types() {
	t.values()
	t.part("Headers and metadata")
	for _, header := range t.program.Headers {
		fmt.Fprintf(&t.b, "\nheader %s_h {\n", header.Name)
		t.fields(header.Fields)
	}
	t.b.WriteString("\nstruct headers_t {\n")
	for _, header := range t.program.Headers {
		fmt.Fprintf(&t.b, "    %s_h %s;\n", header.Name, header.Name)
	}
	t.b.WriteString("}\n")
	for _, gress := range []ir.Gress{ir.Ingress, ir.Egress} {
		fmt.Fprintf(&t.b, "\nstruct %v_metadata_t {\n", gress)
		t.fields(t.program.Metadata[gress])
	}
}

func (t *text) values() {
	fields := slices.Concat(t.program.Metadata[:]...)
	for _, header := range t.program.Headers {
		fields = append(fields, header.Fields...)
	}
	declared := map[string]string{} // the value of a name
	var text strings.Builder
	for _, field := range fields {
		for _, value := range slices.Sorted(maps.Keys(field.Values)) {
			name, number := field.Values[value], literal(ir.Uint(value), field.Bits)
			other, known := declared[name]
			t.fault(known && other != number || !known && t.names[name],
				"%s, a value of %s: another has the name", name, field.Name)
			if declared[name], t.names[name] = number, true; !known {
				fmt.Fprintf(&text, "const bit<%d> %s = %s;\n", field.Bits, name, number)
			}
		}
	}
	if text.Len() > 0 {
		t.part("Values")
		fmt.Fprintf(&t.b, "\n%s", text.String())
	}
}

// fields writes the fields of a header or a structure, and its end.
func (t *text) fields(fields []*ir.Field) {
	for _, field := range fields {
		fmt.Fprintf(&t.b, "    bit<%d> %s;\n", field.Bits, field.Name)
	}
	t.b.WriteString("}\n")
}

// pipeline writes the declarations that put the parts together.
func (t *text) pipeline() {
	ghost := ""
	if t.haunted() {
		ghost = ",\n    Ghost()"
	}
	fmt.Fprintf(&t.b, "\nPipeline(\n    IngressParser(), Ingress(), IngressDeparser(),\n"+
		"    EgressParser(), Egress(), EgressDeparser()%s) pipe;\n\nSwitch(pipe) main;\n", ghost)
}
