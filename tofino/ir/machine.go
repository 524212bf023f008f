package ir

import (
	"github.com/sluicefc/sluice/tofino/chip"
)

// Machine runs a program: one chip of four pipes, each with registers of its own and the same
// entries. It is not safe for concurrent use. [NewMachine] makes one.
//
// What a packet does is read off [Machine.Outcome] after each input.
type Machine struct {
	program   *Program
	fields    map[*Field]int // position in a pass's values
	positions int            // how many there are
	common    int            // how many of the positions, the first, every gress has
	metadata  [gresses]int   // the end of the positions of a gress's metadata
	headers   map[*Header]*layout
	order     []*layout // headers as a deparser emits them
	tables    map[*Table]*lookup
	registers map[*Register]*array
	alus      map[*RegisterAction]*alu
	control   [gresses]*node
	starts    [gresses]*state // of parsers

	mirrors  [gresses][mirrorTypes]*mirror
	sessions map[uint64]session
	groups   map[uint64][]replica
	pruned   map[uint64][]chip.DevPort
	rounds   [allPorts]bool // by port: packets that leave by it come again

	pass    pass
	pending []arrival
	octets  []byte // of packets under way, of this input
	outcome Outcome
	counts  MachineCounters
	trace   *Trace // nil without tracing
}

// Outcome is what an input led to. It belongs to the machine and lasts until the next input.
type Outcome struct {
	Copies []Copy // what waits for egress in the traffic manager
	Sent   []Sent // what left by front ports
	Words  []Word // what was said to the scheduler, in order
}

// Copy is a packet in a queue of the traffic manager, between ingress and egress. Its octets are
// the machine's and last until the next input: a caller that lets the packet wait must copy them.
type Copy struct {
	Port     chip.DevPort
	Queue    int // the port's, as the program chose it
	Replica  int // egress_rid of a multicast copy
	Mirrored bool
	Octets   []byte
}

// Sent is a packet that left the chip.
type Sent struct {
	Port   chip.DevPort
	Octets []byte
}

// Word is a word of flow control that a packet carried.
type Word struct {
	Gress Gress
	Pipe  int // where the packet was
	Word  chip.Word
}

// MachineCounters count what a machine did since it was made.
type MachineCounters struct {
	Passes   uint64 // through ingress, and through egress
	Updates  uint64 // of ghost
	Refused  uint64 // packets that a parser did not accept
	Dropped  uint64 // packets that a program dropped or sent nowhere
	Mirrored uint64 // copies made by mirrors
	Rounds   uint64 // packets that came again
	Lost     uint64 // copies for a session or a port that does not exist
	Endless  uint64 // packets that had not ended after MaxRounds
}

// allPorts is how many numbers of ports there are.
const allPorts = 1 << 9

// MaxRounds bounds how many passes through ingress one input may lead to: 1,024.
const MaxRounds = 1024

// NewMachine returns a machine with empty tables and registers at their initial values, or what is
// wrong with the program.
func NewMachine(p *Program) (*Machine, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	m := &Machine{program: p, fields: map[*Field]int{}, headers: map[*Header]*layout{},
		tables: map[*Table]*lookup{}, registers: map[*Register]*array{}, alus: map[*RegisterAction]*alu{}}
	m.place()
	for _, register := range p.Registers {
		m.registers[register] = newArray(register)
		for _, action := range register.Actions {
			m.alus[action] = &alu{m.registers[register], action}
		}
	}
	for _, table := range p.Tables {
		m.tables[table] = m.newLookup(table)
	}
	for gress := Ingress; gress < gresses; gress++ {
		m.control[gress] = m.steps(p.Control[gress], &node{})
	}
	for gress, start := range p.Parse {
		m.starts[gress] = m.parser(start, map[*State]*state{})
	}
	for _, kind := range p.Mirrors {
		m.mirrors[kind.Gress][kind.Type] = &mirror{m.fields[kind.Session], kind.Original,
			m.headers[kind.Before]}
	}
	m.chip(nil)
	return m, nil
}

// place gives every field a position among the values of a pass.
func (m *Machine) place() {
	m.positions = intrinsicFields
	for _, fields := range intrinsics {
		for _, field := range fields {
			m.fields[field] = field.slot
		}
	}
	for _, header := range m.program.Headers {
		for _, field := range header.Fields {
			m.fields[field] = m.position()
		}
		m.headers[header] = m.newLayout(header)
		m.order = append(m.order, m.headers[header])
	}
	m.common = m.positions
	for gress, fields := range m.program.Metadata {
		for _, field := range fields {
			m.fields[field] = m.position()
		}
		m.metadata[gress] = m.positions
	}
	m.pass.values = make([]Value, m.positions)
}

// position returns a position that no field has.
func (m *Machine) position() int {
	m.positions++
	return m.positions - 1
}

// Load puts a configuration in place of the contents of tables and registers, or says what is wrong
// with the configuration and changes nothing.
func (m *Machine) Load(cfg *Config) error {
	if err := cfg.Validate(m.program); err != nil {
		return err
	}
	for _, table := range m.tables {
		table.clear()
	}
	for _, filled := range cfg.Tables {
		table := m.tables[filled.Table]
		if filled.Default != nil {
			table.fallback = table.bind(*filled.Default)
		}
		for _, entry := range filled.Entries {
			table.insert(entry)
		}
		table.sort()
	}
	for _, register := range m.registers {
		register.reset()
	}
	for _, e := range cfg.Registers {
		m.registers[e.Register].fill(e)
	}
	m.chip(cfg.Fixed)
	return nil
}

// Outcome returns what the last input led to.
func (m *Machine) Outcome() *Outcome { return &m.outcome }

// Counters returns what the machine has counted.
func (m *Machine) Counters() MachineCounters { return m.counts }

// Register returns an element of a register in a pipe, the low half first, or nothing if the
// program has no such register or the register no such element.
func (m *Machine) Register(r *Register, pipe, index int) [2]uint32 {
	array := m.registers[r]
	if array == nil || pipe < 0 || pipe >= chip.Pipes || index < 0 || index >= r.Size {
		return [2]uint32{}
	}
	return halves(array.elements[pipe][index])
}

// SetRegister sets an element of a register in all pipes, the low half first, as a controller does.
// It does nothing if the program has no such register or the register no such element.
func (m *Machine) SetRegister(r *Register, index int, halves [2]uint32) {
	array := m.registers[r]
	if array == nil || index < 0 || index >= r.Size {
		return
	}
	for pipe := range array.elements {
		array.elements[pipe][index] = uint64(halves[1])<<32 | uint64(halves[0])
	}
}
