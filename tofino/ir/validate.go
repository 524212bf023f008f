package ir

import (
	"errors"
	"strings"
)

// Validate returns every fault of the program, something that the chip cannot do, joined; nil if
// there is none. Each is a [*Fault].
func (p *Program) Validate() error {
	c := &checker{program: p, fields: map[*Field]home{}, owner: map[*RegisterAction]*Register{}}
	c.names()
	c.declared()
	c.registers()
	for _, action := range p.Actions {
		c.action(action)
	}
	for _, table := range p.Tables {
		c.table(table)
	}
	for gress, steps := range p.Control {
		c.steps(steps, Gress(gress), touched{})
	}
	c.parser(Ingress)
	c.parser(Egress)
	c.mirrors()
	return errors.Join(c.faults...)
}

// home is where a field belongs.
type home struct {
	header *Header
	gress  Gress // of metadata and intrinsic fields
	given  bool  // only the chip writes it
}

// checker collects the faults of a program.
type checker struct {
	program *Program
	fields  map[*Field]home
	owner   map[*RegisterAction]*Register
	faults  []error
}

// fault notes, if broken, the rule that is broken and where.
func (c *checker) fault(broken bool, where, rule string, values ...any) {
	if broken {
		c.add(fault(where, rule, values...))
	}
}

// add notes a fault unless it is known: an action is checked by itself and where it is used.
func (c *checker) add(err error) {
	for _, known := range c.faults {
		if known.Error() == err.Error() {
			return
		}
	}
	c.faults = append(c.faults, err)
}

// names checks that everything with a name in P4 has a name of its own.
func (c *checker) names() {
	p, seen := c.program, map[string]bool{}
	name := func(kind, name string) {
		c.fault(!identifier(name), kind+" "+name, "its name must be an identifier")
		c.fault(seen[name], kind+" "+name, "another has the same name")
		seen[name] = true
	}
	name("program", p.Name)
	for _, header := range p.Headers {
		name("header", header.Name)
	}
	p.named(name)
	for gress := range gresses {
		for _, field := range p.Metadata[gress] {
			name("metadata", gress.String()+"_"+field.Name)
			c.fault(!identifier(field.Name), "metadata "+field.Name, "its name must be an identifier")
		}
	}
}

// identifier reports whether P4 takes a name: letters, digits and underscores, no digit first, no
// word of the language.
func identifier(name string) bool {
	if reserved[name] {
		return false
	}
	for at, letter := range name {
		letters := letter == '_' || letter >= 'a' && letter <= 'z' || letter >= 'A' && letter <= 'Z'
		if !letters && (at == 0 || letter < '0' || letter > '9') {
			return false
		}
	}
	return name != ""
}

// declared notes where each field belongs and checks widths.
func (c *checker) declared() {
	for gress := range gresses {
		for at, field := range intrinsics[gress] {
			c.fields[field] = home{gress: gress, given: at < given[gress]}
		}
		for _, field := range c.program.Metadata[gress] {
			c.field(field, "metadata "+field.Name, home{gress: gress})
		}
	}
	for _, header := range c.program.Headers {
		where, bits, seen := "header "+header.Name, 0, map[string]bool{}
		for _, field := range header.Fields {
			c.field(field, where, home{header: header})
			c.fault(seen[field.Name], where, "has two fields %s", field.Name)
			c.fault(!identifier(field.Name), where, "the name %q must be an identifier", field.Name)
			seen[field.Name] = true
			bits += field.Bits
		}
		c.fault(bits%8 != 0 || bits == 0, where, "its %d bits must be whole octets", bits)
	}
	for _, f := range c.program.Functions {
		c.function(f)
	}
}

// field checks one field and notes where it belongs.
func (c *checker) field(field *Field, where string, at home) {
	_, twice := c.fields[field]
	c.fault(twice, where, "field %s is declared twice", field.Name)
	c.fault(field.Bits < 1 || field.Bits > MaxWidth, where, "field %s has %d bits: must be 1 to %d",
		field.Name, field.Bits, MaxWidth)
	c.fields[field] = at
}

func (c *checker) function(f *HashFunction) {
	where := "hash " + f.Name
	switch f.Kind {
	case CRC:
		c.fault(f.Bits < 8 || f.Bits > 32, where, "a CRC of %d bits: must be 8 to 32", f.Bits)
	case Fold:
		c.fault(f.Bits != 16 && f.Bits != 32, where, "a fold to %d bits: must be 16 or 32", f.Bits)
	case Identity:
		c.fault(f.Bits < 1 || f.Bits > MaxWidth, where, "an identity of %d bits: must be 1 to %d",
			f.Bits, MaxWidth)
	default:
		c.fault(true, where, "is of no family that the chip has")
	}
}

// reserved are the words of P4_16 that are no names, and the names that its core library and T2NA
// declare.
var reserved = set(`abstract action apply bit bool break const continue control default else enum
	error exit extern false for header header_union if in inout int match_kind out package parser
	pragma return select static string struct switch table this transition true tuple typedef
	value_set varbit void

	NoAction NoError PacketTooShort packet_in packet_out static_assert verify exact ternary lpm
	range selector dleft_hash atcam_partition_index accept reject

	ActionProfile ActionSelector Alpm Atcam Checksum CloneId_t Counter CounterType_t CRCPolynomial
	Digest DirectCounter DirectLpf DirectMeter DirectRegister DirectRegisterAction DirectWred
	Hash HashAlgorithm_t IngressParsers EgressParsers LearnAction Lpf MathOp_t MathUnit Meter
	MeterColor_t MeterType_t MinMaxAction Mirror MirrorId_t MirrorType_t MulticastGroupId_t
	MultiParserPipeline MultiParserSwitch ParserCounter ParserPriority Pipeline Pktgen PortId_t
	PORT_METADATA_SIZE QueueId_t Random Register RegisterAction RegisterAction2 RegisterAction3
	RegisterAction4 RegisterParam ReplicationId_t Resubmit ResubmitType_t SelectorMode_t
	StatefulAction Switch Wred

	depositField funnel_shift_right invalidate is_validated max min port_metadata_unpack
	sizeInBits sizeInBytes`)

// spoken are the words of Python that P4 takes for names. The control plane's clients are in Python
// and have keys and data of actions as names of arguments.
var spoken = set(`False None True and as assert async await break class continue def del elif except
	finally from global import is lambda nonlocal not or pass raise try while with yield`)

func set(text string) map[string]bool {
	words := map[string]bool{}
	for _, word := range strings.Fields(text) {
		words[word] = true
	}
	return words
}
