package check

import (
	"bytes"
	"errors"
	"io/fs"

	"github.com/sluicefc/sluice/tofino/ir"
	"github.com/sluicefc/sluice/tofino/p4"
)

// program is what is read of the text of a program.
type program struct {
	*ir.Program
	file string // the main file
}

// readProgram reads the text of the program, if there is one. Of several files the main file is the
// one that includes what the configuration decides.
func (s *state) readProgram(files fs.FS) error {
	names, _ := fs.Glob(files, "*.p4")
	if len(names) > 1 {
		var main []string
		for _, name := range names {
			text, err := fs.ReadFile(files, name)
			if err != nil {
				return err
			}
			if bytes.Contains(text, []byte(`#include "config.p4h"`)) {
				main = append(main, name)
			}
		}
		names = main
	}
	for at, name := range names {
		if at > 0 {
			s.add(name, 0, "", "", "a second program beside %s", names[0])
			continue
		}
		read, err := p4.Read(files, name, "program")
		if err != nil {
			fault := &Fault{File: name, Rule: err.Error()}
			if at := (*p4.Fault)(nil); errors.As(err, &at) {
				fault.File, fault.Line, fault.Rule = at.File, at.Line, at.Rule
			}
			s.list = append(s.list, fault)
			continue
		}
		s.program = &program{read.Program, name}
		s.holdFrames()
	}
	return nil
}

// control returns the name that the text gives a control.
func control(gress ir.Gress) string {
	return [...]string{ir.Ingress: "Ingress", ir.Egress: "Egress", ir.Ghost: "Ghost"}[gress]
}

// actions returns the actions that a control runs, itself or by its tables.
func (p *program) actions(gress ir.Gress) (list []*ir.Action) {
	run := map[*ir.Action]bool{}
	ir.Each(p.Control[gress], func(step ir.Step) {
		switch step := step.(type) {
		case ir.Do:
			run[step.Action] = true
		case ir.Apply:
			for _, action := range step.Table.Actions {
				run[action] = true
			}
		}
	})
	for _, action := range p.Actions {
		if run[action] {
			list = append(list, action)
		}
	}
	return list
}

// carriers returns the data that become words of flow control, by action: data that an action
// writes to adv_flow_ctl, and data that go there through a field.
func (p *program) carriers() map[string]map[string]bool {
	made := map[string]map[string]bool{}
	for gress := ir.Ingress; gress <= ir.Egress; gress++ {
		actions, fields := p.actions(gress), map[*ir.Field]bool{}
		for again := true; again; {
			again = false
			for _, action := range actions {
				for _, x := range carried(action, fields) {
					switch x := x.(type) {
					case *ir.Param:
						name := control(gress) + "." + action.Name
						if made[name] == nil {
							made[name] = map[string]bool{}
						}
						made[name][x.Name] = true
					case *ir.Field:
						again = again || !fields[x]
						fields[x] = true
					}
				}
			}
		}
	}
	return made
}

// carried returns what an action gives the word of flow control, or fields that carry it. Neither
// the result of a register nor its index is a datum.
func carried(action *ir.Action, fields map[*ir.Field]bool) (list []ir.Expr) {
	for _, statement := range action.Body {
		var from ir.Expr
		switch statement := statement.(type) {
		case ir.Flow:
			from = statement.Word
		case ir.Assign:
			if fields[statement.To] {
				from = statement.Value
			}
		}
		ir.Walk(from, func(x ir.Expr) { list = append(list, x) })
	}
	return list
}

// indexes returns the data of the ghost's actions that are indexes, with their registers.
func (p *program) indexes() map[string]map[string]string {
	made, owners := map[string]map[string]string{}, p.Owners()
	for action, e := range ir.Executes(p.actions(ir.Ghost)) {
		if param, is := e.Index.(*ir.Param); is {
			name := control(ir.Ghost) + "." + action.Name
			if made[name] == nil {
				made[name] = map[string]string{}
			}
			made[name][param.Name] = owners[e.Action].Name
		}
	}
	return made
}
