package check

import "github.com/sluicefc/sluice/tofino/ir"

// schema returns what entries of the program's own tables and registers may say, by the names that
// the compiler gives them.
func (p *program) schema(f *faults) *schema {
	s := &schema{byName: map[string]*table{}}
	for gress, steps := range p.Control {
		ir.Each(steps, func(step ir.Step) {
			if apply, is := step.(ir.Apply); is {
				t := tableOf(apply.Table, control(ir.Gress(gress)))
				t.hold(f, p.file)
				s.byName[t.name] = t
			}
		})
	}
	for _, register := range p.Registers {
		name := control(register.Gress) + "." + register.Name
		if register.Shared {
			name = register.Name // declared outside of the controls
		}
		t := &table{name: "pipe." + name, kind: "Register", size: register.Size, keys: []*field{
			{name: indexKey, match: "Exact", kind: "uint32", width: 32, mandatory: true}}}
		halves := []string{".f1"}
		if register.Pair {
			halves = []string{".low", ".high"}
		}
		for _, half := range halves {
			t.data = append(t.data,
				&field{name: name + half, kind: "bytes", width: register.Bits, mandatory: true})
		}
		s.byName[t.name] = t
	}
	return s
}

// matches are the names of kinds of match.
var matches = map[ir.Match]string{ir.Exact: "Exact", ir.Ternary: "Ternary", ir.Prefix: "LPM",
	ir.Range: "Range"}

func tableOf(of *ir.Table, control string) *table {
	t := &table{name: "pipe." + control + "." + of.Name, kind: "MatchAction_Direct", size: of.Size}
	for _, key := range of.Keys {
		t.keys = append(t.keys, &field{name: key.Name, match: matches[key.Kind], kind: "bytes",
			width: key.X.Width()})
	}
	if of.Prioritised() {
		t.keys = append(t.keys, &field{name: priorityKey, match: "Exact", kind: "uint32", width: 32})
	}
	for _, one := range of.Actions {
		a := &action{name: control + "." + one.Name}
		for _, param := range one.Params {
			a.data = append(a.data,
				&field{name: param.Name, kind: "bytes", width: param.Bits, mandatory: true})
		}
		t.actions = append(t.actions, a)
	}
	return t
}
