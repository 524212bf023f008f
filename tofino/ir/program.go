package ir

import "fmt"

// Program is what runs: headers, parsers, actions, tables, registers and three controls. It is a
// value to be read; nothing in it changes when it runs.
type Program struct {
	Name string // an identifier of P4

	Headers   []*Header // in the order in which a deparser emits valid headers
	Metadata  [gresses][]*Field
	Functions []*HashFunction

	Parse   [gresses]*State // of ingress and egress; nil leaves everything payload
	Mirrors []MirrorKind

	Actions   []*Action
	Tables    []*Table
	Registers []*Register
	Control   [gresses][]Step

	// Text is the files in P4 that the program was read from, the main file first; nil of a program
	// that was not read.
	Text []File
}

// File is a file of a program's text.
type File struct {
	Name    string
	Content []byte
}

// Owners returns the register of each register action.
func (p *Program) Owners() map[*RegisterAction]*Register {
	owners := map[*RegisterAction]*Register{}
	for _, r := range p.Registers {
		for _, action := range r.Actions {
			owners[action] = r
		}
	}
	return owners
}

// named calls visit for everything with a name of its own in the text of a control, with its kind.
func (p *Program) named(visit func(kind, name string)) {
	for _, function := range p.Functions {
		visit("hash", function.Name)
	}
	for _, register := range p.Registers {
		visit("register", register.Name)
	}
	for _, action := range p.Actions {
		visit("action", action.Name)
	}
	for _, table := range p.Tables {
		visit("table", table.Name)
	}
}

// Fault is a rule that a program or a configuration breaks.
type Fault struct {
	Where string // "action pipe.pick", "table afc, entry 3"
	Rule  string // "writes x twice"
}

// Error formats as "ir: table afc, entry 3: its key 0x80 has more than 7 bits".
func (f *Fault) Error() string { return "ir: " + f.Where + ": " + f.Rule }

// fault returns a rule that is broken somewhere.
func fault(where, rule string, values ...any) error {
	return &Fault{where, fmt.Sprintf(rule, values...)}
}
