package check

// program is the text of a program taken apart.
type program struct {
	file      string
	structs   map[string]*structure
	order     []*structure
	parsers   []*block
	controls  []*block
	registers []*declaration // outside of the controls
	instances []string       // "pipe", "main"
}

// structure is a header or a structure.
type structure struct {
	name   string
	header bool
	offset int64
	fields []typed
}

// typed is a name with its type: "bit<9>", "ethernet_h".
type typed struct {
	name, kind string
}

// block is a parser or a control.
type block struct {
	name    string
	offset  int64
	params  []typed
	locals  []*declaration // registers, hashes and so on, in order
	actions []*p4Action
	states  []*p4State
	apply   []token
}

// declaration is a variable or an instance of an extern.
type declaration struct {
	name, kind string // "Register", "RegisterAction2", "bit<8>"
	offset     int64
	types      []string // its arguments in pointed brackets
	arguments  []token
	params     []typed // of a register action's apply
	body       []token
}

type p4Action struct {
	name   string
	offset int64
	params []typed
	body   []token
}

type p4State struct {
	name   string
	offset int64
	body   []token
}
