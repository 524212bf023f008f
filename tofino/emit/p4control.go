package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sluicefc/sluice/tofino/ir"
)

// signatures are how controls begin.
var signatures = [...]string{
	ir.Ingress: `
control Ingress(
        inout headers_t hdr,
        inout ingress_metadata_t md,
        in ingress_intrinsic_metadata_t ig_intr_md,
        in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
        inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
        inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
`,
	ir.Egress: `
control Egress(
        inout headers_t hdr,
        inout egress_metadata_t md,
        in egress_intrinsic_metadata_t eg_intr_md,
        in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
        inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
        inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {
`,
	ir.Ghost: `
control Ghost(in ghost_intrinsic_metadata_t g_intr_md) {
`,
}

// control returns the control of a gress. Registers that it shares go to the registers outside of
// the controls.
func (t *text) control(gress ir.Gress) string {
	if gress == ir.Ghost && !t.haunted() {
		return ""
	}
	t.gress = gress
	t.hashes.Reset()
	var used []*ir.Action
	for _, action := range t.program.Actions {
		if t.homes.actions[inside{gress, action}] {
			used = append(used, action)
		}
	}
	t.collect(used)
	var actions, tables, apply strings.Builder
	for _, action := range used {
		t.action(&actions, action)
	}
	for _, table := range t.program.Tables {
		if t.homes.applied[table] && t.homes.tables[table] == gress {
			t.table(&tables, table)
		}
	}
	steps, written := t.program.Control[gress], 0
	for _, part := range t.program.Parts[gress] {
		t.steps(&apply, steps[written:part.From], "        ")
		if written = part.From; written > 0 {
			apply.WriteString("\n")
		}
		fmt.Fprintf(&apply, "        // %s.\n", part.Text)
	}
	t.steps(&apply, steps[written:], "        ")

	var b strings.Builder
	kinds, local := t.registers(gress)
	b.WriteString(kinds + signatures[gress])
	if gress == ir.Ghost {
		for _, field := range t.program.Metadata[gress] {
			fmt.Fprintf(&b, "    bit<%d> %s = %s;\n", field.Bits, t.places[field],
				literal(ir.Value{}, field.Bits))
		}
	}
	section(&b, "Registers", local)
	section(&b, "Hash functions", t.hashes.String())
	var instances strings.Builder
	for _, one := range t.instances {
		instances.WriteString("\n")
		t.declaration(&instances, one)
	}
	section(&b, "What packets do to registers", strings.TrimPrefix(instances.String(), "\n"))
	section(&b, "Actions", strings.TrimPrefix(actions.String(), "\n"))
	section(&b, "Tables", strings.TrimPrefix(tables.String(), "\n"))
	fmt.Fprintf(&b, "\n    apply {\n%s    }\n}\n", apply.String())
	return b.String()
}

// section writes a part of a control under its heading, if there is anything in it.
func section(b *strings.Builder, heading, text string) {
	if text != "" {
		fmt.Fprintf(b, "\n    // ---- %s ----\n\n%s", heading, text)
	}
}

// haunted reports whether the program has anything for ghost.
func (t *text) haunted() bool {
	return len(t.program.Control[ir.Ghost]) > 0 || slices.ContainsFunc(t.program.Registers,
		func(r *ir.Register) bool { return r.Gress == ir.Ghost })
}

// registers returns the types of the elements of a gress's registers, and the declarations of the
// registers that it has alone. It writes registers that ghost shares, with their types, to the
// registers outside of the controls.
func (t *text) registers(gress ir.Gress) (kinds, local string) {
	for _, register := range t.program.Registers {
		kind, declared := t.register(register)
		switch {
		case register.Gress != gress:
		case register.Shared:
			fmt.Fprintf(&t.shared, "%s\n%s", kind, declared)
		default:
			kinds += kind
			if register.Source != "" {
				local += fmt.Sprintf("    // %s: %s\n", register.Name, register.Source)
			}
			local += "    " + declared
		}
	}
	return kinds, local
}

// action writes an action. No statement of an action reads what another writes, so that their order
// is free.
func (t *text) action(b *strings.Builder, a *ir.Action) {
	params := make([]string, len(a.Params))
	for at, param := range a.Params {
		params[at] = fmt.Sprintf("bit<%d> %s", param.Bits, param.Name)
	}
	fmt.Fprintf(b, "\n    action %s(%s) {\n", a.Name, strings.Join(params, ", "))
	for _, statement := range inOrder(a.Body) {
		t.statement(b, a, statement)
	}
	b.WriteString("    }\n")
}

// inOrder returns statements in the order that the compiler wants: headers are added before their
// fields are written, and taken away after.
func inOrder(body []ir.Statement) []ir.Statement {
	ordered := slices.Clone(body)
	rank := func(s ir.Statement) int {
		set, is := s.(ir.SetValid)
		switch {
		case !is:
			return 1
		case set.Valid:
			return 0
		}
		return 2
	}
	slices.SortStableFunc(ordered, func(a, b ir.Statement) int { return rank(a) - rank(b) })
	return ordered
}

func (t *text) statement(b *strings.Builder, a *ir.Action, statement ir.Statement) {
	line := func(format string, values ...any) { fmt.Fprintf(b, "        "+format+"\n", values...) }
	switch statement := statement.(type) {
	case ir.Assign:
		line("%s = %s;", t.expression(statement.To), bare(t.meant(statement.To, statement.Value)))
		t.copies(line, statement)
	case ir.Execute:
		t.execute(line, a, statement)
	case ir.Flow:
		line("%s.adv_flow_ctl = %s;", deparserMetadata(t.gress), bare(t.expression(statement.Word)))
	case ir.SetValid:
		valid := "setInvalid"
		if statement.Valid {
			valid = "setValid"
		}
		line("hdr.%s.%s();", statement.Header.Name, valid)
	}
}

// gressPrefix is how the names of ingress's or egress's intrinsic metadata begin.
func gressPrefix(gress ir.Gress) string { return gress.String()[:1] + "g" }

// deparserMetadata returns the name of what a gress tells its deparser.
func deparserMetadata(gress ir.Gress) string { return gressPrefix(gress) + "_dprsr_md" }

// copies writes, after a mirror type was chosen, which packet the mirror copies: what came in or
// what leaves.
func (t *text) copies(line func(string, ...any), a ir.Assign) {
	if a.To != ir.IngressMirror && a.To != ir.EgressMirror {
		return
	}
	number, constant := a.Value.(ir.Const)
	outgoing, known := false, false
	for _, kind := range t.program.Mirrors {
		if kind.Gress != t.gress || constant && number.Value != ir.Uint(kind.Type) {
			continue
		}
		t.fault(known && outgoing == kind.Original, "%v: a mirror type that is computed may copy what "+
			"came in or what leaves: the text says one of them", t.gress)
		outgoing, known = !kind.Original, true
	}
	if known && outgoing {
		line("%s.mirror_io_select = 1w1;", deparserMetadata(t.gress))
	}
}

func (t *text) execute(line func(string, ...any), a *ir.Action, e ir.Execute) {
	one := t.instance(a, e)
	index, width := bare(t.expression(e.Index)), t.index(one.register)
	if _, simple := e.Index.(*ir.Field); !simple && e.Index.Width() != width {
		index = "(" + index + ")"
	}
	arguments := []string{cast(index, e.Index.Width(), width)}
	first, after := "", []string{}
	outputs := 0
	for at, width := range one.outputs {
		if width == 0 {
			continue
		}
		var to *ir.Field
		if at < len(e.To) {
			to = e.To[at]
		}
		outputs++
		switch {
		case outputs == 1 && to == nil:
		case outputs == 1 && to.Bits == width:
			first = t.expression(to) + " = "
		case outputs == 1:
			first = fmt.Sprintf("%s = (bit<%d>)", t.expression(to), to.Bits)
		case to != nil && to.Bits == width:
			arguments = append(arguments, t.expression(to))
		default:
			result := t.names.fresh(fmt.Sprintf("%s_rv%d", one.name, at+1))
			line("bit<%d> %s;", width, result)
			arguments = append(arguments, result)
			if to != nil {
				after = append(after, fmt.Sprintf("%s = (bit<%d>)%s;", t.expression(to), to.Bits, result))
			}
		}
	}
	line("%s%s.execute(%s);", first, one.name, strings.Join(arguments, ", "))
	for _, text := range after {
		line("%s", text)
	}
}

// table writes a table, and above it how many entries it holds and from where they come.
func (t *text) table(b *strings.Builder, table *ir.Table) {
	held := fmt.Sprintf("room for %d entries", table.Size)
	if entries, filled := t.entries[table]; filled {
		held = fmt.Sprintf("%d of %d entries", entries, table.Size)
	}
	source := ""
	if table.Source != "" {
		source = "; " + strings.ReplaceAll(table.Source, "\n", " ")
	}
	fmt.Fprintf(b, "\n    // %s: %s%s\n    table %s {\n        key = {\n", table.Name, held, source,
		table.Name)
	for _, key := range table.Keys {
		fmt.Fprintf(b, "            %s : %v @name(%q);\n", t.expression(key.X), key.Kind, key.Name)
	}
	b.WriteString("        }\n        actions = {\n")
	for _, action := range table.Actions {
		fmt.Fprintf(b, "            %s;\n", action.Name)
	}
	var data []string
	for at, datum := range table.Default.Data {
		data = append(data, literal(datum, table.Default.Action.Params[at].Bits))
	}
	fmt.Fprintf(b, "        }\n        default_action = %s(%s);\n        size = %d;\n    }\n",
		table.Default.Action.Name, strings.Join(data, ", "), table.Size)
}

func (t *text) steps(b *strings.Builder, steps []ir.Step, indent string) {
	block := func(head string, steps []ir.Step, tail string) {
		fmt.Fprintf(b, "%s%s {\n", indent, head)
		t.steps(b, steps, indent+"    ")
		fmt.Fprintf(b, "%s}%s", indent, tail)
	}
	for _, step := range steps {
		switch step := step.(type) {
		case ir.Do:
			fmt.Fprintf(b, "%s%s();\n", indent, step.Action.Name)
		case ir.If:
			condition := "if (" + bare(t.expression(step.Condition)) + ")"
			t.either(b, block, condition, step.Then, step.Else, indent)
		case ir.Apply:
			call := step.Table.Name + ".apply()"
			switch {
			case len(step.After) > 0:
				fmt.Fprintf(b, "%sswitch (%s.action_run) {\n", indent, call)
				for _, branch := range step.After {
					fmt.Fprintf(b, "%s    %s: {\n", indent, branch.Action.Name)
					t.steps(b, branch.Then, indent+"        ")
					fmt.Fprintf(b, "%s    }\n", indent)
				}
				fmt.Fprintf(b, "%s}\n", indent)
			case len(step.Hit) > 0:
				t.either(b, block, "if ("+call+".hit)", step.Hit, step.Miss, indent)
			case len(step.Miss) > 0:
				t.either(b, block, "if ("+call+".miss)", step.Miss, nil, indent)
			default:
				fmt.Fprintf(b, "%s%s;\n", indent, call)
			}
		}
	}
}

func (t *text) either(b *strings.Builder, block func(string, []ir.Step, string), head string,
	then, otherwise []ir.Step, indent string) {
	block(head, then, "")
	if len(otherwise) == 0 {
		b.WriteString("\n")
		return
	}
	if len(otherwise) == 1 && branches(otherwise[0]) {
		var next strings.Builder
		t.steps(&next, otherwise, indent)
		b.WriteString(" else " + next.String()[len(indent):])
		return
	}
	b.WriteString(" else {\n")
	t.steps(b, otherwise, indent+"    ")
	b.WriteString(indent + "}\n")
}

// branches reports whether a step is printed as an if.
func branches(step ir.Step) bool {
	switch step := step.(type) {
	case ir.If:
		return true
	case ir.Apply:
		return len(step.After) == 0 && len(step.Hit)+len(step.Miss) > 0
	}
	return false
}
