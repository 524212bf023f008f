package ir

// layout is where the fields of a header lie, in its octets and among the values of a pass.
type layout struct {
	at     int // among the headers of the program
	octets int
	fields []span
}

// span is one field of a header.
type span struct {
	value int // position among the values of a pass
	bit   int // offset in the header
	bits  int
}

func (m *Machine) newLayout(h *Header, at int) *layout {
	l, bit := &layout{at: at, octets: h.Octets()}, 0
	for _, field := range h.Fields {
		l.fields = append(l.fields, span{m.fields[field], bit, field.Bits})
		bit += field.Bits
	}
	return l
}

// extract reads the header at the beginning of octets.
func (l *layout) extract(p *pass, octets []byte) {
	p.valid[l.at] = true
	for _, field := range l.fields {
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

// emit appends the header.
func (l *layout) emit(p *pass, octets []byte) []byte {
	bits := packer{octets: octets}
	for _, field := range l.fields {
		bits.put(p.values[field.value].low(field.bits), field.bits)
	}
	return bits.octets
}

// packer puts values side by side into octets, the last filled with zeros.
type packer struct {
	octets []byte
	free   int // bits of the last octet that are not used
}

// put appends a value of so many bits.
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

// parse takes headers from a packet and returns how many octets they had, or false if the parser
// refuses it.
func (m *Machine) parse(p *pass, start *State, octets []byte) (int, bool) {
	taken := 0
	for state := start; state != nil; {
		for _, header := range state.Extract {
			l := m.headers[header]
			if len(octets)-taken < l.octets {
				return 0, false
			}
			l.extract(p, octets[taken:])
			taken += l.octets
		}
		next, accepted := m.following(p, state, octets[taken:])
		if !accepted {
			return 0, false
		}
		state = next
	}
	return taken, true
}

// following returns the state after another, nil where the parser ends, or false if it refuses the
// packet, of which the rest has not been taken.
func (m *Machine) following(p *pass, s *State, rest []byte) (*State, bool) {
	if s.Select != nil {
		value, there := m.selected(p, s.Select, rest)
		if !there {
			return nil, false
		}
		for _, one := range s.Cases {
			if value.and(one.Mask) == one.Value {
				return one.Next, true
			}
		}
	}
	return s.Default, s.Default != nil || !s.Refuse
}

// selected returns what a state selects by, or false if the packet is too short to have it.
func (m *Machine) selected(p *pass, x Expr, rest []byte) (Value, bool) {
	switch x := x.(type) {
	case Slice:
		value, there := m.selected(p, x.X, rest)
		return value.shiftRight(x.Low).low(x.Width()), there
	case Peek:
		octets := (int(x) + 7) / 8
		if len(rest) < octets {
			return Value{}, false
		}
		return BytesValue(rest[:octets]).shiftRight(octets*8 - int(x)), true
	default:
		return p.values[m.fields[x.(*Field)]], true
	}
}

// deparse appends the packet as it leaves: the headers that are valid, then the payload.
func (m *Machine) deparse(p *pass, octets, payload []byte) []byte {
	for _, header := range m.order {
		if p.valid[header.at] {
			octets = header.emit(p, octets)
		}
	}
	return append(octets, payload...)
}
