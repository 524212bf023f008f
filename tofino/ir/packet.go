package ir

import "encoding/binary"

// layout says where the fields of a header lie, in its octets and among the values of a pass.
type layout struct {
	valid  int // position among the values of a pass: 1 if the header is there
	octets int
	fields []span
}

// span is one field of a header.
type span struct {
	value  int // position among the values of a pass
	bit    int // offset in the header
	bits   int
	octets bool // the field is at most 8 whole octets
}

func (m *Machine) newLayout(h *Header) *layout {
	l, bit := &layout{valid: m.position(), octets: h.Octets()}, 0
	for _, field := range h.Fields {
		whole := bit%8 == 0 && field.Bits%8 == 0 && field.Bits <= 64
		l.fields = append(l.fields, span{m.fields[field], bit, field.Bits, whole})
		bit += field.Bits
	}
	return l
}

func (l *layout) extract(p *pass, octets []byte) {
	p.values[l.valid] = Uint(1)
	for at := range l.fields {
		field := &l.fields[at]
		if field.octets {
			p.values[field.value] = Value{Lo: whole(octets[field.bit/8 : (field.bit+field.bits)/8])}
			continue
		}
		first, last := field.bit/8, (field.bit+field.bits+7)/8
		spare := last*8 - field.bit - field.bits
		if last-first > 16 { // 128 bits that begin within an octet lie in 17
			high := BytesValue(octets[first : last-1]).shiftLeft(8 - spare)
			low := uint64(octets[last-1] >> spare)
			p.values[field.value] = high.or(Uint(low)).low(field.bits)
			continue
		}
		p.values[field.value] = BytesValue(octets[first:last]).shiftRight(spare).low(field.bits)
	}
}

// whole returns the number in at most eight octets.
func whole(octets []byte) (number uint64) {
	switch len(octets) {
	case 1:
		return uint64(octets[0])
	case 2:
		return uint64(binary.BigEndian.Uint16(octets))
	case 4:
		return uint64(binary.BigEndian.Uint32(octets))
	}
	for _, octet := range octets {
		number = number<<8 | uint64(octet)
	}
	return number
}

func appendWhole(octets []byte, number uint64, bits int) []byte {
	switch bits {
	case 8:
		return append(octets, byte(number))
	case 16:
		return binary.BigEndian.AppendUint16(octets, uint16(number))
	case 32:
		return binary.BigEndian.AppendUint32(octets, uint32(number))
	}
	for shift := bits - 8; shift >= 0; shift -= 8 {
		octets = append(octets, byte(number>>shift))
	}
	return octets
}

func (l *layout) emit(p *pass, octets []byte) []byte {
	bits := packer{octets: octets}
	for at := range l.fields {
		field := &l.fields[at]
		if field.octets && bits.free == 0 {
			bits.octets = appendWhole(bits.octets, p.values[field.value].Lo, field.bits)
			continue
		}
		bits.put(p.values[field.value].low(field.bits), field.bits)
	}
	return bits.octets
}

// packer puts values side by side into octets, the last filled with zeros.
type packer struct {
	octets []byte
	free   int // bits of the last octet that are not used
}

// put appends a value as a field that is bits wide.
func (b *packer) put(v Value, bits int) {
	for bits > 0 {
		if b.free == 0 {
			b.octets, b.free = append(b.octets, 0), 8
		}
		take := min(b.free, bits)
		bits -= take
		b.free -= take
		b.octets[len(b.octets)-1] |= byte(v.shiftRight(bits).Lo&(1<<take-1)) << b.free
	}
}

// state is a state of a parser with the places of the headers and fields that it names.
type state struct {
	*State
	extract  []*layout
	selected func(p *pass, rest []byte) (Value, bool)
	next     []*state // of cases, nil where one accepts
	fallback *state
}

// parser compiles a state and the states after it; nil for nil.
func (m *Machine) parser(s *State, known map[*State]*state) *state {
	if s == nil || known[s] != nil {
		return known[s]
	}
	compiled := &state{State: s}
	known[s] = compiled
	for _, header := range s.Extract {
		compiled.extract = append(compiled.extract, m.headers[header])
	}
	if s.Select != nil {
		compiled.selected = m.selected(s.Select)
	}
	for _, one := range s.Cases {
		compiled.next = append(compiled.next, m.parser(one.Next, known))
	}
	compiled.fallback = m.parser(s.Default, known)
	return compiled
}

// parse takes headers from a packet and returns how many octets they had, or false if the parser
// refuses it.
func (m *Machine) parse(p *pass, start *state, octets []byte) (int, bool) {
	taken := 0
	for s := start; s != nil; {
		for _, l := range s.extract {
			if len(octets)-taken < l.octets {
				return 0, false
			}
			l.extract(p, octets[taken:])
			taken += l.octets
		}
		if taken += s.Skip; taken > len(octets) {
			return 0, false
		}
		next, accepted := s.following(p, octets[taken:])
		if !accepted {
			return 0, false
		}
		s = next
	}
	return taken, true
}

// following returns the next state, nil where the parser ends, or false if it refuses the packet.
// rest is the part of the packet that has not been taken.
func (s *state) following(p *pass, rest []byte) (*state, bool) {
	if s.selected != nil {
		value, there := s.selected(p, rest)
		if !there {
			return nil, false
		}
		for at := range s.Cases {
			if one := &s.Cases[at]; value.and(one.Mask) == one.Value {
				return s.next[at], true
			}
		}
	}
	return s.fallback, s.fallback != nil || !s.Refuse
}

// selected compiles the expression by which a state selects: false if the packet is too short.
func (m *Machine) selected(x Expr) func(p *pass, rest []byte) (Value, bool) {
	switch x := x.(type) {
	case Slice:
		inner, width := m.selected(x.X), x.Width()
		return func(p *pass, rest []byte) (Value, bool) {
			value, there := inner(p, rest)
			return value.shiftRight(x.Low).low(width), there
		}
	case Peek:
		octets := (int(x) + 7) / 8
		return func(_ *pass, rest []byte) (Value, bool) {
			if len(rest) < octets {
				return Value{}, false
			}
			return BytesValue(rest[:octets]).shiftRight(octets*8 - int(x)), true
		}
	default:
		at := m.fields[x.(*Field)]
		return func(p *pass, _ []byte) (Value, bool) { return p.values[at], true }
	}
}

// deparse appends the packet as it leaves: the headers that are valid, then the payload.
func (m *Machine) deparse(p *pass, octets, payload []byte) []byte {
	for _, header := range m.order {
		if p.values[header.valid].Lo != 0 {
			octets = header.emit(p, octets)
		}
	}
	return append(octets, payload...)
}
